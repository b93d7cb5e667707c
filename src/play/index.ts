// What can be played in a page and by `coterie sim --play`: playgrounds, by name. It bundles without any module of Node.

import { decodeRun, type Play, type Playable, type Playground, type RunName, type RunSpec } from '../simulator/index.ts'
import { lockPlayground } from './lock.ts'
import { printedPlayground } from './lock-printed.ts'
import { hashNote, openAmong, playAmong } from './open.ts'
import { redlockPlayground } from './redlock.ts'

export { hashNote }

/** The playgrounds that are there from the start; further ones are scripts of their own (`all.ts`). */
export const playgrounds: readonly Playground[] = [printedPlayground, lockPlayground, redlockPlayground]

/** Ready to run; or a sentence that says why this cannot be run. */
export function openRun(run: RunName, known: readonly Playground[] = playgrounds): Playable | string {
  return openAmong(known, run)
}

/** A run in somebody's hands, from its spec; or a sentence. */
export function playSpec(spec: RunSpec, known: readonly Playground[] = playgrounds): Play | string {
  return playAmong(known, spec)
}

/** The same from an address. */
export function playAddress(address: string, known: readonly Playground[] = playgrounds): Play | string {
  const decoded = decodeRun(address)
  return decoded.ok ? playSpec(decoded.spec, known) : decoded.refusal
}
