// A member's own way from a claim to the end of its term: the claim itself, what was asked when, and how long the
// answers may be believed in.

import { kthLargest, type Millis, type NodeId } from '../../core/index.ts'
import { memberOf } from '../count/electorate.ts'
import type { ElectionSettings } from '../settings.ts'
import type { Claim, OpenBallot } from '../wire.ts'
import { cancelTimers, type ElectionScene, quorum, send } from './scene.ts'
import type { Attempt, Candidacy, Race } from './state.ts'

/** How many claims and renewals to remember the time of. */
const SENT_MAX = 16
/** `lost` comes this part of the belief before its end, so that a timer a little late still is in time. */
const WARNING_PART = 1 / 20

export function newCandidacy(scene: ElectionScene, race: Race, attempt: Attempt): Candidacy {
  return {
    term: attempt.term,
    phase: 'claiming',
    claim: claimOf(scene, race, attempt),
    sent: [],
    asked: 0,
    believedUntil: new Map(),
    grants: new Map(),
    informed: new Map(),
    deadline: 0,
    underList: scene.state.electorate!.number,
    refusedUntil: new Map(),
  }
}

export function claimOf({ state }: ElectionScene, { name }: Race, attempt: Attempt): Claim {
  const { term, view, tally } = attempt
  const electorate = state.electorate!.number
  const ballots: readonly OpenBallot[] = tally?.ballots ?? [...attempt.ballots.values()]
  const voided = tally?.voided ?? [...attempt.voided.values()]
  const openings = tally === undefined ? [] : attempt.candidates.flatMap(id => tally.openings.get(id) ?? [])
  return { kind: 'claim', name, term, electorate, asked: 0, view, ballots, voided, openings }
}

/** The number of what is sent now; answers to it count from this moment. */
export function nextAsked(candidacy: Candidacy, now: Millis): number {
  candidacy.asked++
  candidacy.sent.push({ asked: candidacy.asked, at: now })
  if (candidacy.sent.length > SENT_MAX) candidacy.sent.shift()
  return candidacy.asked
}

/** Notes a promise that answers what was numbered so. False if it is not known when that was sent. */
export function notePromise({ settings, turn }: ElectionScene, candidacy: Candidacy, from: NodeId, asked: number) {
  const sent = candidacy.sent.find(one => one.asked === asked)
  if (sent === undefined) return false
  const { rules, promise, drift } = settings
  const until = rules.beliefStart(sent.at, turn.now) + rules.belief(promise, drift)
  candidacy.believedUntil.set(from, Math.max(until, candidacy.believedUntil.get(from) ?? 0))
  return true
}

export function warningOf({ rules, promise, drift }: ElectionSettings): Millis {
  return rules.belief(promise, drift) * WARNING_PART
}

/** A promise that is nearly over when it comes is as good as none: its end could not be told in time. */
export function isUseful({ settings, turn }: ElectionScene, until: Millis | undefined): boolean {
  return until !== undefined && turn.now < until - 2 * warningOf(settings)
}

/** The q-th largest: until then, q promises stand. */
export function deadlineOf(scene: ElectionScene, candidacy: Candidacy): Millis {
  const electorate = scene.state.electorate!
  const standing = [...candidacy.believedUntil].flatMap(([id, until]) =>
    memberOf(electorate, id) === undefined ? [] : [until],
  )
  return kthLargest(standing, quorum(scene, electorate))
}

/** Gives a claim up. It never led, so its granters are free again. */
export function withdraw(scene: ElectionScene, race: Race): void {
  const { candidacy, name } = race
  if (candidacy?.phase !== 'claiming') return
  for (const to of candidacy.grants.keys()) send(scene, to, { kind: 'resigned', name, term: candidacy.term })
  race.candidacy = undefined
  cancelTimers(scene, race, 'claim')
}
