// Two who want the same lock, and somebody who looks at both.

import { setTimeout as sleep } from 'node:timers/promises'

export interface Believer {
  /** By its own clock, as a program under the lock would ask. */
  holds(): boolean
}

/** A service with two clients, each behind gates of its own. */
export interface Stage {
  readonly believers: readonly Believer[]
  /** Both want the lock, and keep it for as long as they can, until `stop`. */
  want(): void
  /** From now on each client reaches only its own half of the honest servers, and the liar. */
  part(): void
  stop(): Promise<void>
}

export interface Seen {
  readonly holdersMost: number
  readonly secondsWithTwo: number
  readonly secondsWithOne: number
}

const LOOK_EVERY_MS = 5

/** Looks at all of them for a while. Two count only where both say so in one look, without a step in between. */
export async function watch(believers: readonly Believer[], millis: number): Promise<Seen> {
  let holdersMost = 0
  const milliseconds = [0, 0, 0]
  const end = performance.now() + millis
  for (let last = performance.now(); last < end; ) {
    await sleep(LOOK_EVERY_MS)
    const holders = believers.filter(believer => believer.holds()).length
    const now = performance.now()
    milliseconds[holders]! += now - last
    holdersMost = Math.max(holdersMost, holders)
    last = now
  }
  return { holdersMost, secondsWithTwo: milliseconds[2]! / 1000, secondsWithOne: milliseconds[1]! / 1000 }
}
