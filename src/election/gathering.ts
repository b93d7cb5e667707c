// The first election of a life, while the members of a group come one after the other and hear of each other by gossip.
//
// Whoever stands for itself as soon as it is there sees nobody else standing: each asks for another coordinator, on a
// view that the others cannot have, and terms are used up until gossip has gone round. So the first election waits: for a
// quorum to be here, then until nothing new has been heard for a moment. Then the first candidate calls the others, who
// wait a little longer for that, and vote on a view that their own could become. All of it is a hint: after a while a
// member begins anyway, since membership may be wrong about everything.

import type { Millis, NodeId } from '../core/index.ts'
import { quorum } from './context.ts'
import { memberOf } from './electorate.ts'
import type { Context, Race } from './state.ts'
import { mayBecome, type Row, type View } from './view.ts'

/** A quorum that membership does not see is not waited for longer than this. */
const GATHERING_MAX: Millis = 5_000
/** News that does not end is listened to for so many quiet times. */
const QUIETS_MAX = 4
/** The next in turn begins so many quiet times later: on a busy machine, a call takes as long to be heard. */
const TURN_QUIETS = 4
/** What was heard so many quiet times ago has reached the others as well: gossip of a group of 100 goes round in five. */
const NEWS_QUIETS = 8

/** No coordinator has been known yet in this life: views are still coming together. */
export function isGathering({ settings }: Context, race: Race): boolean {
  return settings.quiet > 0 && !race.met
}

/** How long the first election should still wait; 0 for one that may begin. */
export function gatheringTime(context: Context, race: Race, candidates: readonly NodeId[]): Millis {
  const { state, settings, turn } = context
  if (!isGathering(context, race) || race.failures > 0) return 0
  const { gatheredAt } = state
  const { quiet } = settings
  if (gatheredAt === undefined && turn.now < race.openedAt + GATHERING_MAX)
    return race.openedAt + GATHERING_MAX - turn.now
  const begun = Math.max(race.openedAt, gatheredAt ?? 0)
  const calm = Math.min(Math.max(begun, race.changedAt) + quiet, begun + QUIETS_MAX * quiet)
  // The others hear of the same a little later or earlier; if all called at once, each would have the votes of a few.
  return Math.max(0, calm + turnOf(context, candidates) * TURN_QUIETS * quiet - turn.now)
}

/** The candidates in their order, then the others in that of the list. */
function turnOf({ state }: Context, candidates: readonly NodeId[]): number {
  const place = candidates.indexOf(state.self)
  const members = state.electorate!.members.map(({ id }) => id)
  return place >= 0 ? place : candidates.length + members.indexOf(state.self) / members.length
}

export function noteOpened(context: Context, race: Race): void {
  if (isGathering(context, race)) race.openedAt = context.turn.now
}

/** Remembers what is new about who stands, and since when. */
export function noteNews(context: Context, race: Race, rows: readonly Row[]): void {
  if (!isGathering(context, race)) return
  const { now } = context.turn
  const before = new Map(race.rows.map(row => [row.member, row.values]))
  for (const { member, values } of rows) {
    const known = before.get(member)
    before.delete(member)
    if (known !== undefined && known.join() === values.join()) continue
    race.since.set(member, now)
    race.changedAt = now
  }
  for (const gone of before.keys()) {
    race.since.delete(gone)
    race.changedAt = now
  }
}

/** Remembers when a quorum of the list was first here. */
export function noteSeen(context: Context, members: readonly NodeId[]): void {
  const { state, turn } = context
  if (state.electorate === undefined) return
  const here = members.filter(id => memberOf(state.electorate, id) !== undefined).length
  if (here < quorum(context, state.electorate)) state.gatheredAt = undefined
  else state.gatheredAt ??= turn.now
}

/** Whether a view is what the own one may become when all has gone round. */
export function couldBecomeOwn(context: Context, race: Race, view: View, mayBeGone: readonly NodeId[]): boolean {
  const { state, settings, turn } = context
  if (view.rows.some(({ member }) => state.failed.includes(member))) return false
  const isNews = (member: NodeId) => turn.now - (race.since.get(member) ?? 0) < NEWS_QUIETS * settings.quiet
  return mayBecome(race.rows, view, mayBeGone, settings, isNews)
}
