// Leading: a coordinator believes while q promises stand, counted from before it asked, and says so again and again
// (IAA). It is told of the end before it comes; nobody else can be granted the next term before it has come.

import type { NodeId } from '../../core/index.ts'
import { memberOf } from '../count/electorate.ts'
import { signGrant } from '../count/grant.ts'
import type { Led, MessageOf } from '../wire.ts'
import { deadlineOf, isUseful, nextAsked, notePromise, warningOf, withdraw } from './candidacy.ts'
import type { CommandOf } from './commands.ts'
import { lapse, learn, release } from './following.ts'
import { grant } from './promise.ts'
import { cancelTimers, type ElectionScene, emit, isBound, mayPromise, others, quorum, send, setTimer } from './scene.ts'
import type { Candidacy, Race } from './state.ts'

/** A renewal is sent when this part of the belief is over: two may fail before anything is lost. */
const RENEWAL_PART = 1 / 3

/** Promises came: a claimant leads when they are a quorum, a coordinator believes for longer. */
export function lead(scene: ElectionScene, race: Race): void {
  const { candidacy } = race
  if (candidacy?.phase === 'leading') prolong(scene, race, candidacy)
  if (candidacy?.phase === 'claiming') tryToLead(scene, race, candidacy)
}

function tryToLead(scene: ElectionScene, race: Race, candidacy: Candidacy): void {
  const { state, settings, keys, turn } = scene
  const electorate = state.electorate!
  const standing = [...candidacy.believedUntil.values()].filter(until => isUseful(scene, until)).length
  if (standing < quorum(scene, electorate) - 1) return
  if (memberOf(electorate, state.self) === undefined || !mayPromise(scene)) return
  const again = race.grantedTerm === candidacy.term && race.grantedTo === state.self
  if (!again && !settings.rules.isNewTerm(candidacy.term, race.grantedTerm)) return withdraw(scene, race)
  if (!again && isBound(scene, race)) return
  const { name } = race
  const { term } = candidacy
  grant(scene, race, state.self, term, electorate.number)
  const signature = signGrant({ name, term, coordinator: state.self }, electorate, keys.signer)
  candidacy.grants.set(state.self, { granter: state.self, signature })
  candidacy.believedUntil.set(state.self, turn.now + settings.rules.belief(settings.promise, settings.drift))
  becomeCoordinator(scene, race, candidacy)
}

function becomeCoordinator(scene: ElectionScene, race: Race, candidacy: Candidacy): void {
  const { turn } = scene
  const deadline = deadlineOf(scene, candidacy)
  // Every answer may have been slower than the promises are long.
  if (turn.now >= deadline) return
  candidacy.phase = 'leading'
  candidacy.deadline = deadline
  const { term, claim } = candidacy
  cancelTimers(scene, race, 'claim')
  emit(scene, { kind: 'elected', name: race.name, term, deadline, claim })
  learn(scene, race, ledBy(scene, candidacy))
  setEndTimer(scene, race, candidacy)
  renew(scene, race, candidacy)
}

/** What proves to the others that this member leads. */
function ledBy({ state }: ElectionScene, { claim, term, grants }: Candidacy): Led {
  return { name: claim.name, term, coordinator: state.self, under: claim.electorate, grants: [...grants.values()] }
}

function setEndTimer(scene: ElectionScene, race: Race, candidacy: Candidacy): void {
  const { settings, turn } = scene
  if (!settings.rules.warns()) return
  setTimer(scene, 'end', race, Math.floor(candidacy.deadline - warningOf(settings) - turn.now))
}

/** More promises have come: the belief follows, and never goes back. */
export function prolong(scene: ElectionScene, race: Race, candidacy: Candidacy): void {
  // A process that was stopped may find answers that are older than the end of its belief.
  if (scene.turn.now >= candidacy.deadline) return lose(scene, race)
  const deadline = deadlineOf(scene, candidacy)
  // Just after a change of the list, the promises of the old one may reach further than those that count by the new.
  if (deadline <= candidacy.deadline) return
  candidacy.deadline = deadline
  candidacy.underList = scene.state.electorate!.number
  emit(scene, { kind: 'extended', name: race.name, term: candidacy.term, deadline })
  setEndTimer(scene, race, candidacy)
}

export function onRenewTimer(scene: ElectionScene, race: Race): void {
  const { candidacy } = race
  if (candidacy?.phase !== 'leading') return
  if (scene.turn.now >= candidacy.deadline || race.grantedTerm !== candidacy.term) return lose(scene, race)
  renew(scene, race, candidacy)
}

/** "I am alive": asks everybody, and itself, to promise for longer. */
function renew(scene: ElectionScene, race: Race, candidacy: Candidacy): void {
  const { state, settings, turn } = scene
  const { name } = race
  const { term, underList: by } = candidacy
  const asked = nextAsked(candidacy, turn.now)
  const { number: electorate } = state.electorate!
  const under = candidacy.claim.electorate
  for (const to of others(scene)) {
    const grants = candidacy.informed.get(to) ? [] : [...candidacy.grants.values()]
    send(scene, to, { kind: 'alive', name, term, electorate, asked, by, under, grants })
  }
  const belief = settings.rules.belief(settings.promise, settings.drift)
  if (mayPromise(scene)) {
    grant(scene, race, state.self, term, by)
    candidacy.believedUntil.set(state.self, turn.now + belief)
    learn(scene, race, ledBy(scene, candidacy))
    prolong(scene, race, candidacy)
  }
  setTimer(scene, 'renew', race, belief * RENEWAL_PART)
}

export function onRenewed(scene: ElectionScene, from: NodeId, body: MessageOf<'renewed'>): void {
  const race = scene.state.races.get(body.name)
  const candidacy = race?.candidacy
  if (race === undefined || candidacy?.phase !== 'leading' || candidacy.term !== body.term) return
  candidacy.informed.set(from, body.informed)
  if (body.promised && notePromise(scene, candidacy, from, body.asked)) race.news.add('promises')
}

export function onEndTimer(scene: ElectionScene, race: Race): void {
  lose(scene, race)
}

/** The user is told now, and has until the deadline to stop. */
export function lose(scene: ElectionScene, race: Race): void {
  const { candidacy } = race
  if (candidacy?.phase !== 'leading') return
  const { turn } = scene
  candidacy.phase = 'ending'
  emit(scene, { kind: 'lost', name: race.name, term: candidacy.term })
  cancelTimers(scene, race, 'renew', 'end')
  if (turn.now >= candidacy.deadline) return finish(scene, race)
  setTimer(scene, 'over', race, candidacy.deadline - turn.now)
}

export function onOverTimer(scene: ElectionScene, race: Race): void {
  finish(scene, race)
}

export function finish(scene: ElectionScene, race: Race): void {
  if (race.candidacy?.phase !== 'ending') return
  race.candidacy = undefined
  lapse(scene, race)
}

/** Steps down by command: the belief ends here, before the first word of it leaves. */
export function onResign(scene: ElectionScene, { name }: CommandOf<'resign'>): void {
  const race = scene.state.races.get(name)
  const candidacy = race?.candidacy
  if (race === undefined || candidacy === undefined || candidacy.phase === 'claiming') return
  const { term } = candidacy
  emit(scene, { kind: 'resigned', name, term })
  race.candidacy = undefined
  cancelTimers(scene, race, 'renew', 'end', 'over')
  for (const to of others(scene)) send(scene, to, { kind: 'resigned', name, term })
  release(scene, race)
}
