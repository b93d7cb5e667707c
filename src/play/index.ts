// What can be played in a page and by `coterie sim --play`: playgrounds, by name. It bundles without any module of Node.

import { decodeRun, Play, type Playable, type Playground, type RunName, type RunSpec } from '../simulator/index.ts'
import { lockPlayground } from './lock.ts'
import { printedPlayground } from './lock-printed.ts'
import { openAmong } from './open.ts'
import { redlockPlayground } from './redlock.ts'

/** The playgrounds that are there from the start; further ones are scripts of their own (`all.ts`). */
export const playgrounds: readonly Playground[] = [printedPlayground, lockPlayground, redlockPlayground]

/** Ready to run; or a sentence that says why this cannot be run. */
export function openRun(run: RunName, known: readonly Playground[] = playgrounds): Playable | string {
  return openAmong(known, run)
}

/** A run in somebody's hands, from its spec; or a sentence. */
export function playSpec(spec: RunSpec, known: readonly Playground[] = playgrounds): Play | string {
  const opened = openRun(spec.run, known)
  if (typeof opened === 'string') return opened
  try {
    return new Play(spec, opened)
  } catch (error) {
    // Machines look at their settings when they are made: a size that opens may still be one that they refuse.
    return `this cannot be run: ${error instanceof Error ? error.message : String(error)}`
  }
}

/** The same from an address. */
export function playAddress(address: string, known: readonly Playground[] = playgrounds): Play | string {
  const decoded = decodeRun(address)
  return decoded.ok ? playSpec(decoded.spec, known) : decoded.refusal
}

/** What is said of a run whose hash is not that of its address. */
export function hashNote(play: Play): string | undefined {
  const { hash, build } = play.spec
  if (hash === undefined || play.hash.startsWith(hash)) return undefined
  return `made by another version${build === undefined ? '' : ` (${build})`}; this build gives another run.`
}
