// Changing the electorate (protocols/election): the sitting coordinator proposes, q members of the old list sign.
//
// A member signs one successor of a number only, saved first, and only for a coordinator that it is bound to and that
// is proved to lead. Everybody it is bound to, in any election, must lead by the quorum of the list that is replaced.
//
// Why this suffices. q of list k and q of list k + 1 share an honest member, which grants a term once and keeps its
// promises, whatever the list. Lists k and k + 2 need not share one. But q of list k + 1 signed list k + 2, and one
// honest signer is among those whose promises make A lead by list k: it had adopted k + 1, so it granted nothing under
// k any more; its highest term is in its signature, so terms under k + 2 are above A's; and its promise to A was over,
// or A led by k + 1 already. So a signer may go on promising under its list until it adopts the next: a change that
// stays half signed delays nobody.
//
// A proposer that dies leaves signers behind. They show what they signed to the next coordinator, which takes the same
// proposal to its end.

import { type NodeId, sameBytes } from '../../core/index.ts'
import {
  approvalBytes,
  approves,
  type Change,
  digestOf,
  floorOf,
  hasSameKeys,
  memberOf,
  successionFault,
  successorOf,
} from '../count/electorate.ts'
import { type Approval, CHAIN_MAX, type Electorate, MEMBERS_MAX, type MessageOf, type SignedList } from '../wire.ts'
import { dropAttempt } from './attempt-time.ts'
import { withdraw } from './candidacy.ts'
import type { CommandOf } from './commands.ts'
import { finish, lose, prolong } from './leading.ts'
import { sendLists } from './lists.ts'
import { report } from './rate-limit.ts'
import { save, saveWhole } from './saving.ts'
import { type ElectionScene, emit, isBound, keylessOf, others, quorum, send } from './scene.ts'
import { electionTimers, type Proposal, type Race } from './state.ts'
import { forgetTerms } from './terms.ts'

/** Changes that are agreed to and not made yet: no group has more members coming and going at once. */
const ALLOWED_MAX = 16

/** From now on a proposal of this change is signed. */
export function onAllow(scene: ElectionScene, { change }: CommandOf<'allow'>): void {
  allow(scene, change)
}

function allow({ state }: ElectionScene, change: Change): void {
  const same = (one: Change) => one.add?.id === change.add?.id && one.remove === change.remove
  state.allowedChanges = [...state.allowedChanges.filter(one => !same(one)), change].slice(-ALLOWED_MAX)
}

export function onChange(scene: ElectionScene, { id, change }: CommandOf<'change'>): void {
  allow(scene, change)
  const fault = changeFault(scene, change)
  if (fault !== undefined) return emit(scene, { kind: 'refused', id, why: fault })
  propose(scene, { id, electorate: successorOf(scene.state.electorate!, change), approvals: new Map() })
}

function changeFault({ state, settings }: ElectionScene, { add, remove }: Change): string | undefined {
  const { electorate } = state
  if (electorate === undefined) return 'this member has no list'
  const led = [...state.races.values()].flatMap(({ candidacy }) => (candidacy?.phase === 'leading' ? [candidacy] : []))
  if (led.length === 0) return 'it does not lead'
  if (led.some(({ underList }) => underList !== electorate.number)) return 'the last change is not complete'
  if (state.signedSuccessor !== undefined || state.proposal !== undefined) return 'a change is under way'
  if (add !== undefined && remove !== undefined) return 'one member at a time'
  if (add !== undefined && memberOf(electorate, add.id) !== undefined) return `${add.id} is a member`
  if (remove !== undefined && memberOf(electorate, remove) === undefined) return `${remove} is no member`
  if (remove !== undefined && electorate.members.length <= fewest(settings.liars)) return 'too few would be left'
  return electorate.members.length >= MEMBERS_MAX && add !== undefined ? 'the list is full' : undefined
}

/** n ≥ 2f + b + 1, and the liars may fall silent. */
function fewest(liars: number): number {
  return 3 * liars + 1
}

function propose(scene: ElectionScene, proposal: Proposal): void {
  const { state } = scene
  const { electorate } = proposal
  const own = approve(scene, state.self, electorate)
  if (own === undefined) return refused(scene, proposal, 'its own promises stand against it')
  state.proposal = proposal
  proposal.approvals.set(state.self, own)
  for (const to of others(scene)) send(scene, to, { kind: 'propose', electorate })
  carryOnLater(scene)
}

function refused(scene: ElectionScene, { id }: Proposal, why: string): void {
  if (id > 0) emit(scene, { kind: 'refused', id, why })
}

function carryOnLater({ settings, turn }: ElectionScene): void {
  electionTimers.set(turn, 'carry', settings.promise + turn.below(settings.attemptMax))
}

/** A successor was signed and not completed: a coordinator asks everybody again, the others show it to coordinators. */
export function onCarryTimer(scene: ElectionScene): void {
  const { state } = scene
  const { signedSuccessor } = state
  if (
    signedSuccessor === undefined ||
    state.electorate === undefined ||
    signedSuccessor.number !== state.electorate.number + 1
  )
    return
  carryOnLater(scene)
  if (leads(scene))
    return propose(scene, state.proposal ?? { id: 0, electorate: signedSuccessor, approvals: new Map() })
  const leaders = new Set([...state.races.values()].flatMap(({ leader }) => (leader ? [leader.coordinator] : [])))
  for (const to of leaders) if (to !== state.self) send(scene, to, { kind: 'propose', electorate: signedSuccessor })
}

function leads({ state }: ElectionScene): boolean {
  return [...state.races.values()].some(({ candidacy }) => candidacy?.phase === 'leading')
}

/** This member's signature under a successor, if it may give it. */
function approve(scene: ElectionScene, proposer: NodeId, next: Electorate): Approval | undefined {
  const { state, settings, keys } = scene
  const { electorate, signedSuccessor } = state
  if (electorate === undefined || !state.mayGrant || memberOf(electorate, state.self) === undefined) return undefined
  if (successionFault(electorate, next) !== undefined || !isVouched(scene, electorate, next)) return undefined
  if (!isAllowed(scene, electorate, next)) return undefined
  if (next.members.length < Math.min(electorate.members.length, fewest(settings.liars))) return undefined
  if (signedSuccessor?.number === next.number) {
    if (!settings.rules.maySignAgain(sameBytes(digestOf(signedSuccessor), digestOf(next)))) return undefined
  } else if (!mayChange(scene, proposer, electorate)) return undefined
  if (signedSuccessor === undefined || !sameBytes(digestOf(signedSuccessor), digestOf(next))) {
    state.signedSuccessor = next
    save(scene, { kind: 'signed', electorate: next })
  }
  const term = highestTerm(scene)
  return { signer: state.self, term, signature: keys.signer.sign(approvalBytes(next, term)) }
}

// Failures are certified by q members; this one adds its name only to what it was shown.
function isVouched({ state }: ElectionScene, old: Electorate, next: Electorate): boolean {
  return next.members.every(({ id, failures }) => {
    const known = Math.max(memberOf(old, id)?.failures ?? 0, state.vouchedFailures.get(id) ?? 0)
    return failures <= known
  })
}

// Otherwise a coordinator that lies could fill the list with members that do not exist.
function isAllowed({ state }: ElectionScene, old: Electorate, next: Electorate): boolean {
  const come = next.members.find(({ id }) => memberOf(old, id) === undefined)
  const gone = old.members.find(({ id }) => memberOf(next, id) === undefined)
  if (gone !== undefined) return state.allowedChanges.some(({ remove }) => remove === gone.id)
  if (come === undefined) return true
  return state.allowedChanges.some(({ add }) => {
    return add?.id === come.id && hasSameKeys(add, come)
  })
}

function mayChange(scene: ElectionScene, proposer: NodeId, electorate: Electorate): boolean {
  const bound = [...scene.state.races.values()].filter(race => isBound(scene, race))
  if (!bound.some(({ leader, grantedTo }) => grantedTo === proposer && leader?.coordinator === proposer)) return false
  return bound.every(race => race.promisedUnder === electorate.number)
}

function highestTerm({ state }: ElectionScene): number {
  return [...state.races.values()].reduce((highest, { grantedTerm }) => Math.max(highest, grantedTerm), state.floor)
}

export function onPropose(scene: ElectionScene, from: NodeId, { electorate: next }: MessageOf<'propose'>): void {
  const { electorate } = scene.state
  if (electorate === undefined) return
  if (next.number <= electorate.number) return sendLists(scene, from, next.number - 1)
  if (next.number > electorate.number + 1) return send(scene, from, { kind: 'behind', number: electorate.number })
  // Somebody shows what it signed for a coordinator that is gone.
  if (leads(scene) && scene.state.signedSuccessor === undefined) {
    return propose(scene, { id: 0, electorate: next, approvals: new Map() })
  }
  const approval = approve(scene, from, next)
  if (approval === undefined) return
  send(scene, from, { kind: 'approve', number: next.number, approval })
  carryOnLater(scene)
}

export function onApprove(scene: ElectionScene, from: NodeId, body: MessageOf<'approve'>): void {
  const { state, keys } = scene
  const { proposal, electorate } = state
  if (proposal === undefined || electorate === undefined || body.number !== proposal.electorate.number) return
  if (body.approval.signer !== from) return
  if (!approves(electorate, state.floor, proposal.electorate, body.approval, keys.signatures)) return
  proposal.approvals.set(from, body.approval)
}

/** Whether this member's proposal has a quorum's signatures; then its list holds from now on. */
export function completeChange(scene: ElectionScene): SignedList | undefined {
  const { proposal, electorate } = scene.state
  if (proposal === undefined || proposal.approvals.size < quorum(scene, electorate!)) return undefined
  const listed = { electorate: proposal.electorate, approvals: [...proposal.approvals.values()] }
  adopt(scene, listed)
  return listed
}

/** To the members of the list before, and to the newcomer. */
export function announceList(scene: ElectionScene, listed: SignedList): void {
  const { self, chain } = scene.state
  const members = [chain.at(-2)?.electorate, listed.electorate].flatMap(list => list?.members ?? [])
  const audience = new Set(members.map(({ id }) => id))
  audience.delete(self)
  for (const to of audience) send(scene, to, { kind: 'list', listed })
}

export function onList(scene: ElectionScene, from: NodeId, { listed }: MessageOf<'list'>): void {
  const { state, settings, keys } = scene
  const old = state.electorate
  if (old === undefined || listed.electorate.number <= old.number) return
  if (listed.electorate.number > old.number + 1) return send(scene, from, { kind: 'behind', number: old.number })
  if (successionFault(old, listed.electorate) !== undefined) return
  const signers = new Set(listed.approvals.map(({ signer }) => signer))
  const enough = signers.size === listed.approvals.length && signers.size >= quorum(scene, old)
  const isSigned = (one: Approval) => approves(old, state.floor, listed.electorate, one, keys.signatures)
  const valid = !settings.rules.checksSigners() || listed.approvals.every(isSigned)
  if (enough && valid) adopt(scene, listed)
  else report(scene, from, 'forged-list')
}

function adopt(scene: ElectionScene, listed: SignedList): void {
  const { state, settings, turn } = scene
  const { electorate } = listed
  state.electorate = electorate
  state.keyless = keylessOf(scene, electorate)
  state.floor = floorOf(listed.approvals)
  state.chain.push(listed)
  if (state.chain.length > CHAIN_MAX) state.chain.shift()
  state.signedSuccessor = undefined
  const id = state.proposal?.id ?? 0
  if (id > 0) emit(scene, { kind: 'changed', id, number: electorate.number })
  state.proposal = undefined
  electionTimers.cancel(turn, 'carry')
  saveWhole(scene, () => settings.promise)
  emit(scene, { kind: 'electorate', electorate })
  for (const race of state.races.values()) race.news.add('list')
}

/** What was begun under the old list ends; who leads goes on, and counts by the new one. */
export function followList(scene: ElectionScene, race: Race): void {
  const { state } = scene
  dropAttempt(scene, race)
  race.heldClaim = undefined
  race.earlyBallots.clear()
  race.followedAt.clear()
  forgetTerms(scene, race)
  const { candidacy } = race
  withdraw(scene, race)
  if (candidacy?.phase === 'leading') {
    candidacy.informed.clear()
    prolong(scene, race, candidacy)
    if (memberOf(state.electorate, state.self) === undefined || scene.turn.now >= candidacy.deadline) {
      lose(scene, race)
      finish(scene, race)
    }
  }
  race.news.add('vacancy')
}
