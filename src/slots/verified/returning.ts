// How long a member waits outside before it may come in again. A member that is slow or silent leaves no evidence, and each time
// that it comes in costs the others a lease. So the first time it waits for `settle`, as anybody does who wants in; and twice as
// long each time after that, up to a bound. What it stays for takes that off again: a member that failed once a day ago is
// as if it had never failed.
//
// What a liar that comes and goes can cost is then a share of the time that falls: with a lease L, settle S ≥ 2L, patience P
// and u ≤ P for the ballots, the k-th time costs 2L + P + u and is followed by 2^k S, of which all but L is dealt in. One that stays
// to be forgiven stays for four times its wait, in which all but L is dealt in too.
//
// Each goes by what it saw itself, since it last started: nothing of this is saved or said. Members that remember
// differently disagree only about who may come in early, never about who must go; and no promise but speed rests on it.

import type { Millis, NodeId } from '../../core/index.ts'
import { type EpochRecord, positionOf } from './record.ts'
import type { SlotsScene } from './state.ts'
import { FORGIVEN_AFTER, timesAfter, waitAfter } from './waits.ts'

/** How old the epoch must be before this member may come in, or begin anew. */
export function waitOf({ state, settings, rules }: SlotsScene, name: NodeId): Millis {
  // Where nobody lies, whoever was silent had a reason.
  return rules.waitsLonger() && state.epoch.record.liars > 0
    ? waitAfter(state.goers.get(name)?.times ?? 0, settings.settle)
    : settings.settle
}

/** The epoch changes under our eyes: who goes, and who comes. Cheats go for good, and need no wait. */
export function noteGoing({ state, settings, turn }: SlotsScene, next: EpochRecord): void {
  const { record, adoptedAt, position, barred } = state.epoch
  if (position < 0 || barred) return
  for (const { name } of record.members) {
    if (positionOf(next, name) >= 0 || state.cheats.has(name)) continue
    const { times, backAt } = state.goers.get(name) ?? { times: 0, backAt: undefined }
    // One that was there before we looked has stayed for as long as we know.
    const stayed = turn.now - (backAt ?? adoptedAt)
    state.goers.set(name, { times: times === 0 ? 1 : timesAfter(times, stayed, settings.settle), backAt: undefined })
  }
  for (const { name } of next.members) {
    const goer = state.goers.get(name)
    if (goer !== undefined && positionOf(record, name) < 0) state.goers.set(name, { ...goer, backAt: turn.now })
  }
}

/** Whether a member that went is back and has not stayed for long: it is watched more closely. */
export function isOnProbation({ state, settings, turn }: SlotsScene, name: NodeId): boolean {
  const goer = state.goers.get(name)
  if (goer?.backAt === undefined) return false
  return turn.now < goer.backAt + FORGIVEN_AFTER * waitAfter(goer.times, settings.settle)
}
