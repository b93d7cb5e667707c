// Forgetting names that have been free for a while.

import type { Millis } from '../../core/index.ts'
import { forgetName, isOut, type ServerScene, serverTimers } from './state.ts'
import { someoneWaits } from './waiters.ts'

const SWEEP_EVERY: Millis = 30_000
/** Free names are kept for a while: forgotten, they raise the floor for names whose clients' clocks are behind. */
const FREE_FOR_MAX: Millis = 60_000

export function scheduleSweep({ turn }: ServerScene): void {
  serverTimers.set(turn, 'sweep', SWEEP_EVERY)
}

export function onSweep(scene: ServerScene): void {
  const { state, turn } = scene
  for (const [name, entry] of state.locks) {
    if (isOut(entry, turn.now) || turn.now < entry.since + FREE_FOR_MAX || someoneWaits(entry, turn.now)) continue
    forgetName(state, name, entry)
  }
  scheduleSweep(scene)
}
