// Following: what a member does for a coordinator. It promises again while it hears of the coordinator (IAA), knows who
// leads until it does not, and when nobody does any more, sees to an election.
//
// It keeps the grants that proved the coordinator, and shows them to a member that calls although somebody leads: a coordinator
// that lies would else keep a member that missed its election from knowing who leads, by showing it too few.

import type { NodeId } from '../../core/index.ts'
import { memberOf } from '../count/electorate.ts'
import { isQuorumOf } from '../count/grant.ts'
import type { Led, MessageOf } from '../wire.ts'
import { dropAttempt } from './attempt-time.ts'
import { isSameList } from './lists.ts'
import { blame } from './own-view.ts'
import { grant } from './promise.ts'
import { mayProlong } from './promise-limit.ts'
import { report } from './rate-limit.ts'
import { type ElectionScene, emit, isBound, isLed, mayPromise, quorum, raceOf, send, setTimer } from './scene.ts'
import type { Race } from './state.ts'

export function onAlive(scene: ElectionScene, from: NodeId, alive: MessageOf<'alive'>): void {
  const race = raceOf(scene, alive.name, from)
  if (race === undefined || !isSameList(scene, from, alive.electorate)) return
  const { name, term, asked, under, grants } = alive
  // Proved once is proved, also where it was not heard of for a while.
  const known = race.proof?.term === term && race.proof.coordinator === from ? race.proof : undefined
  const led = known ?? { name, term, coordinator: from, under, grants }
  const proved = known !== undefined || (grants.length > 0 && isProved(scene, from, led))
  if (proved) findDoubleGrants(scene, race, alive)
  const promised = promise(scene, race, from, alive, proved)
  // One that lags behind the term that is known to be led has nothing to tell.
  if (proved && term >= (race.leader?.term ?? 0) && !isOutvoted(scene, race, from)) learn(scene, race, led)
  send(scene, from, { kind: 'renewed', name, term, asked, promised, informed: proved })
}

/**
 * Whether these grants prove who leads. It may have been elected under a list that was changed since. Whoever leads, or knows
 * who does, has a quorum of them: one that shows others, under a list that is known here, lies.
 */
function isProved(scene: ElectionScene, from: NodeId, led: Led): boolean {
  const { state, settings, keys } = scene
  const electorate = state.chain.find(listed => listed.electorate.number === led.under)?.electorate
  if (electorate === undefined) return false
  const proved = isQuorumOf(led, electorate, quorum(scene, electorate), settings.rules, keys.signatures)
  if (!proved) report(scene, from, 'false-proof')
  return proved
}

/** Somebody calls, and somebody leads: it may have missed the election. */
export function tellWhoLeads(scene: ElectionScene, { leader, proof }: Race, to: NodeId): void {
  if (proof !== undefined && proof.term === leader?.term && proof.coordinator !== to)
    send(scene, to, { kind: 'led', ...proof })
}

/**
 * What another member knows of who leads: enough to hear the coordinator out, and no promise. As with `alive`, the term may be
 * below one that was granted here and led by nobody. Of itself a member knows more.
 */
export function onLed(scene: ElectionScene, from: NodeId, led: MessageOf<'led'>): void {
  const { state, settings } = scene
  const race = state.races.get(led.name)
  const { term, coordinator } = led
  if (race === undefined || !settings.rules.isNewlyLed(term, race.proof?.term ?? 0)) return
  if (coordinator === state.self || memberOf(state.electorate, coordinator) === undefined) return
  if (race.candidacy?.phase === 'leading' || race.candidacy?.phase === 'ending') return
  if (isProved(scene, from, led)) learn(scene, race, led)
}

/** A member that granted this term to its coordinator, and to this claimant too: both have its signature. */
function findDoubleGrants(
  scene: ElectionScene,
  { candidacy }: Race,
  { term, under, grants }: MessageOf<'alive'>,
): void {
  if (candidacy?.term !== term || candidacy.claim.electorate !== under) return
  for (const { granter } of grants) if (candidacy.grants.has(granter)) report(scene, granter, 'granted-twice')
}

// q grants say more than any count that we could check: with them, a member that missed the claim promises as well.
function promise(
  scene: ElectionScene,
  race: Race,
  from: NodeId,
  { term, by }: MessageOf<'alive'>,
  proved: boolean,
): boolean {
  if (!mayPromise(scene)) return false
  const again = race.grantedTerm === term && race.grantedTo === from
  if (again && !mayProlong(scene, race, proved)) return false
  if (!again && (!proved || !scene.settings.rules.isNewTerm(term, race.grantedTerm) || isBound(scene, race)))
    return false
  grant(scene, race, from, term, by)
  return true
}

// What the others do not know any more is no news.
function isOutvoted(scene: ElectionScene, race: Race, coordinator: NodeId): boolean {
  return race.grantedTo === coordinator && !mayProlong(scene, race, true)
}

/** Who leads is now known, until nothing is heard of it for the length of a promise. */
export function learn(scene: ElectionScene, race: Race, led: Led): void {
  const { settings, turn } = scene
  const { name, term, coordinator, under, grants } = led
  const until = turn.now + settings.promise
  const isNew = race.leader?.term !== term || race.leader.coordinator !== coordinator
  race.leader = { term, coordinator, until }
  if (term >= (race.proof?.term ?? 0)) race.proof = { name, term, coordinator, under, grants }
  race.hadCoordinator = true
  race.rowsSince.clear()
  race.failures = 0
  race.silentCandidates = []
  race.neverLed = race.neverLed.filter(id => id !== coordinator)
  race.lastCoordinator = ''
  if (race.attempt !== undefined && race.attempt.term <= term) dropAttempt(scene, race)
  setTimer(scene, 'promise', race, Math.max(until, race.promisedUntil) - turn.now)
  if (isNew) emit(scene, { kind: 'coordinator', name: race.name, term, coordinator, until })
}

export function onResigned(scene: ElectionScene, from: NodeId, body: MessageOf<'resigned'>): void {
  const race = scene.state.races.get(body.name)
  if (race === undefined || race.grantedTerm !== body.term) return
  if (scene.settings.rules.mayResign(from, race.grantedTo)) return release(scene, race)
  // Another is proved to lead this term, and had the promise: this one can neither have led it nor have been granted it.
  const { leader } = race
  if (leader?.term === body.term && leader.coordinator !== from) report(scene, from, 'false-resignation')
}

/** The promise was to this coordinator, and it says that it no longer leads. */
export function release(scene: ElectionScene, race: Race): void {
  race.promisedUntil = scene.turn.now
  if (race.leader?.coordinator === race.grantedTo) race.leader.until = scene.turn.now
  lapse(scene, race)
}

export function onPromiseTimer(scene: ElectionScene, race: Race): void {
  lapse(scene, race)
}

/** A promise may have run out: if nobody leads any more, say so and elect. */
export function lapse(scene: ElectionScene, race: Race): void {
  const { state, turn, settings } = scene
  if (race.candidacy?.phase === 'leading' || race.candidacy?.phase === 'ending') return
  if (isLed(scene, race) || isBound(scene, race)) {
    setTimer(scene, 'promise', race, Math.max(race.leader?.until ?? 0, race.promisedUntil) - turn.now)
    return
  }
  if (race.leader !== undefined) {
    const { term, coordinator } = race.leader
    race.lastCoordinator = coordinator
    race.leader = undefined
    emit(scene, { kind: 'vacant', name: race.name, term })
  }
  // Promised to, and never proved to lead.
  if (race.grantedTo !== '' && race.grantedTo !== race.lastCoordinator && race.grantedTo !== state.self)
    race.neverLed = blame(scene, race, race.neverLed, [race.grantedTo]).slice(-Math.max(1, settings.liars))
  race.news.add('vacancy')
}
