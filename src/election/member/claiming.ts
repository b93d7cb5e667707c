// From the count to the quorum: a candidate that has most votes claims the term (IAC) and collects grants (VERIFIED).
//
// It grants itself last, when the others' grants suffice: a candidate in a minority that granted itself term after term
// would come back with terms that nobody else knows, and refuse the coordinator that the majority has.

import type { NodeId } from '../../core/index.ts'
import { isGrantOf } from '../count/grant.ts'
import type { MessageOf } from '../wire.ts'
import { extendAttempt, patienceOf } from './attempt-time.ts'
import { isUseful, newCandidacy, nextAsked, notePromise } from './candidacy.ts'
import { report } from './rate-limit.ts'
import { type ElectionScene, others, send, setTimer } from './scene.ts'
import type { Race } from './state.ts'
import { noteTerm } from './terms.ts'

/** This member has won, or is the only candidate. */
export function startClaim(scene: ElectionScene, race: Race): void {
  const { attempt } = race
  if (attempt === undefined || race.candidacy !== undefined) return
  race.candidacy = newCandidacy(scene, race, attempt)
  extendAttempt(scene, race, attempt, patienceOf(scene, race))
  sendClaim(scene, race)
}

/** To everybody whose grant is missing or was so slow that it is over; then again, until the attempt is over. */
function sendClaim(scene: ElectionScene, race: Race): void {
  const { candidacy } = race
  if (candidacy?.phase !== 'claiming') return
  const { turn, settings } = scene
  const asked = nextAsked(candidacy, turn.now)
  for (const to of others(scene)) {
    if (isUseful(scene, candidacy.believedUntil.get(to)) || turn.now < (candidacy.refusedUntil.get(to) ?? 0)) continue
    send(scene, to, { ...candidacy.claim, asked })
  }
  // A claim holds everybody's ballots: to check it takes a slow member a while, and another would only make it slower.
  setTimer(scene, 'claim', race, 2 * settings.countAfter)
  race.news.add('promises')
}

export function onClaimTimer(scene: ElectionScene, race: Race): void {
  sendClaim(scene, race)
}

export function onGrant(scene: ElectionScene, from: NodeId, body: MessageOf<'grant'>): void {
  const { state, keys } = scene
  const race = state.races.get(body.name)
  const candidacy = race?.candidacy
  if (race === undefined || candidacy?.term !== body.term || candidacy.phase === 'ending') return
  const { name, term } = body
  const signed = { granter: from, signature: body.signature }
  if (!isGrantOf({ name, term, coordinator: state.self }, state.electorate!, signed, keys.signatures)) {
    // It answers a claim under this very list, or one that was changed since.
    if (candidacy.claim.electorate === state.electorate!.number) report(scene, from, 'forged-grant')
    return
  }
  if (!notePromise(scene, candidacy, from, body.asked)) return
  candidacy.grants.set(from, signed)
  race.news.add('promises')
}

/**
 * The claim that is under way is refused: for a while, or for good because a higher term was granted, which the next
 * attempt must be above. What answers no claim says nothing.
 */
export function onRefusal(scene: ElectionScene, from: NodeId, body: MessageOf<'refusal'>): void {
  const race = scene.state.races.get(body.name)
  const candidacy = race?.candidacy
  if (race === undefined || candidacy?.phase !== 'claiming' || candidacy.term !== body.term) return
  noteTerm(scene, race, from, body.highest)
  const wait = body.highest >= body.term ? Number.POSITIVE_INFINITY : body.remaining
  candidacy.refusedUntil.set(from, scene.turn.now + wait)
}
