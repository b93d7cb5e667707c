// How arms and comparator come to the same keys: the words that a part is signed with, and what is made of all parts.

import type { Part } from '../crypto/index.ts'
import { digest } from './party.ts'
import type { BanditTools } from './settings.ts'

/** What the signature under a part of the keys is about: nobody hands on to another, or in another run, what it was given. */
export function shareAbout(run: Uint8Array, from: string, to: string): readonly Part[] {
  return ['share of the keys of a run', run, from, to]
}

/** The key of arms and comparator, from the parts in the order of arms. */
export function boxesKey(tools: BanditTools, run: Uint8Array, parts: readonly Uint8Array[]): Uint8Array {
  return digest(tools, 'boxes', run, ...parts)
}
