// What a simulation asks again and again: every server hashes the same leaves. Answers are remembered by the bytes of the
// question, all of them compared, so that a run goes as it would without. Ideal signatures do the same for themselves.

import { sameBytes } from '../../core/index.ts'
import type { Hash } from '../merkle.ts'

interface Answer {
  readonly input: Uint8Array
  readonly output: Uint8Array
}

/** FNV-1a: only to find what is then compared whole. */
function fingerprint(input: Uint8Array): number {
  let mixed = 0x811c9dc5
  for (let at = 0; at < input.length; at++) mixed = Math.imul(mixed ^ input[at]!, 0x01000193)
  return mixed
}

/** The hash, with its answers remembered: for one simulation, since nothing is ever forgotten. */
export function rememberedHash(hash: Hash): Hash {
  const answers = new Map<number, Answer>()
  return input => {
    const name = fingerprint(input)
    const known = answers.get(name)
    if (known !== undefined && sameBytes(known.input, input)) return known.output
    const output = hash(input)
    if (known === undefined) answers.set(name, { input, output })
    return output
  }
}
