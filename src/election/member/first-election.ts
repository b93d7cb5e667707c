// The first election of a life, while the members of a group come one after the other and hear of each other by gossip.
//
// A member that begins as soon as it starts sees nobody else standing: each asks for another coordinator, on a view
// that the others cannot have, and terms are used up until gossip has gone round. So the first election waits: for a
// quorum to be here, then until nothing new has been heard for a moment. Then the first candidate calls the others, who
// wait a little longer for that, and vote on a view that their own could become. All of it is a hint: after a while a
// member begins anyway, since membership may be wrong about everything.

import type { Millis, NodeId } from '../../core/index.ts'
import { memberOf } from '../count/electorate.ts'
import { mayBecome } from '../count/view.ts'
import type { Row, View } from '../wire.ts'
import { type ElectionScene, quorum } from './scene.ts'
import type { Race } from './state.ts'

/** How long to wait for membership to see a quorum. */
const QUORUM_WAIT_MAX: Millis = 5_000
/** How many quiet times to wait at most, when news does not end. */
const QUIETS_MAX = 4
/** How many quiet times the next in turn waits longer: on a busy machine, a call takes as long to be heard. */
const TURN_QUIETS = 4
/** After how many quiet times news has reached the others as well: gossip of a group of 100 goes round in five. */
const NEWS_QUIETS = 8

/** No coordinator has been known yet in this life: views are still coming together. */
export function isFirstElection({ settings }: ElectionScene, race: Race): boolean {
  return settings.quiet > 0 && !race.hadCoordinator
}

/** How long the first election should still wait; 0 for one that may begin. */
export function firstElectionWait(scene: ElectionScene, race: Race, candidates: readonly NodeId[]): Millis {
  const { state, settings, turn } = scene
  if (!isFirstElection(scene, race) || race.failures > 0) return 0
  const { quorumSeenAt } = state
  const { quiet } = settings
  if (quorumSeenAt === undefined && turn.now < race.openedAt + QUORUM_WAIT_MAX)
    return race.openedAt + QUORUM_WAIT_MAX - turn.now
  const begun = Math.max(race.openedAt, quorumSeenAt ?? 0)
  const calm = Math.min(Math.max(begun, race.changedAt) + quiet, begun + QUIETS_MAX * quiet)
  // The others hear of the same a little later or earlier; if all called at once, each would have the votes of a few.
  return Math.max(0, calm + turnOf(scene, candidates) * TURN_QUIETS * quiet - turn.now)
}

/** The candidates in their order, then the others in that of the list. */
function turnOf({ state }: ElectionScene, candidates: readonly NodeId[]): number {
  const place = candidates.indexOf(state.self)
  const members = state.electorate!.members.map(({ id }) => id)
  return place >= 0 ? place : candidates.length + members.indexOf(state.self) / members.length
}

export function noteOpened(scene: ElectionScene, race: Race): void {
  if (isFirstElection(scene, race)) race.openedAt = scene.turn.now
}

/** Remembers what is new about who stands, and since when. */
export function noteRows(scene: ElectionScene, race: Race, rows: readonly Row[]): void {
  if (!isFirstElection(scene, race)) return
  const { now } = scene.turn
  const before = new Map(race.rows.map(row => [row.member, row.values]))
  for (const { member, values } of rows) {
    const known = before.get(member)
    before.delete(member)
    if (known !== undefined && known.join() === values.join()) continue
    race.rowsSince.set(member, now)
    race.changedAt = now
  }
  for (const gone of before.keys()) {
    race.rowsSince.delete(gone)
    race.changedAt = now
  }
}

/** Remembers when a quorum of the list was first here. */
export function noteSeen(scene: ElectionScene, members: readonly NodeId[]): void {
  const { state, turn } = scene
  if (state.electorate === undefined) return
  const here = members.filter(id => memberOf(state.electorate, id) !== undefined).length
  if (here < quorum(scene, state.electorate)) state.quorumSeenAt = undefined
  else state.quorumSeenAt ??= turn.now
}

/** Whether a view is what the own one may become when all has gone round. */
export function couldBecomeOwn(scene: ElectionScene, race: Race, view: View, mayBeGone: readonly NodeId[]): boolean {
  const { state, settings, turn } = scene
  if (view.rows.some(({ member }) => state.failed.includes(member))) return false
  const isNews = (member: NodeId) => turn.now - (race.rowsSince.get(member) ?? 0) < NEWS_QUIETS * settings.quiet
  return mayBecome(race.rows, view, mayBeGone, settings, isNews)
}
