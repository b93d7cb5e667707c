// Changing the electorate (PROTOCOLS C): the sitting coordinator proposes, q members of the old list sign.
//
// A member signs one successor of a number, saved first, and promises nothing more under the old list. It signs for the
// coordinator it is bound to, or when it is bound to nobody. With several elections it may be bound to others as well:
// everybody it is bound to must lead by the quorum of the list that is now replaced. Then whoever leads counts by this
// list or the next, and q of either share b + 1 with q of the other. (q of list k and q of list k + 2 need not meet.)
// A proposer that dies leaves signers that promise nothing: they carry the same proposal on.

import type { NodeId } from '../core/index.ts'
import { cancel, isBound, others, quorum, send } from './context.ts'
import {
  type Approval,
  approvalBytes,
  approves,
  type Change,
  digestOf,
  type Electorate,
  floorOf,
  type Listed,
  memberOf,
  sameBytes,
  successionFault,
  successorOf,
} from './electorate.ts'
import { save, saveWhole } from './keeping.ts'
import { finish, lose, prolong } from './leading.ts'
import { sendLists } from './lists.ts'
import { CHAIN_MAX, type ElectionMessage, MEMBERS_MAX } from './messages.ts'
import type { Context, Proposal } from './state.ts'
import { dropAttempt, startElection } from './voting.ts'

export function change(context: Context, id: number, asked: Change): void {
  const { state } = context
  const fault = changeFault(context, asked)
  if (fault !== undefined) {
    context.turn.do({ kind: 'emit', event: { kind: 'refused', id, why: fault } })
    return
  }
  propose(context, { id, electorate: successorOf(state.electorate!, asked), approvals: new Map() })
}

function changeFault({ state }: Context, { add, remove }: Change): string | undefined {
  const { electorate } = state
  if (electorate === undefined) return 'this member has no list'
  const led = [...state.races.values()].flatMap(({ candidacy }) => (candidacy?.phase === 'leading' ? [candidacy] : []))
  if (led.length === 0) return 'it does not lead'
  if (led.some(({ by }) => by !== electorate.number)) return 'the last change is not complete'
  if (state.signed !== undefined || state.proposal !== undefined) return 'a change is under way'
  if (add !== undefined && remove !== undefined) return 'one member at a time'
  if (add !== undefined && memberOf(electorate, add.id) !== undefined) return `${add.id} is a member`
  if (remove !== undefined && memberOf(electorate, remove) === undefined) return `${remove} is no member`
  if (remove !== undefined && electorate.members.length === 1) return 'somebody must be left'
  return electorate.members.length >= MEMBERS_MAX && add !== undefined ? 'the list is full' : undefined
}

function propose(context: Context, proposal: Proposal): void {
  const { state } = context
  const { electorate } = proposal
  const own = approve(context, state.self, electorate)
  if (own === undefined) return refused(context, proposal, 'its own promises stand against it')
  state.proposal = proposal
  proposal.approvals.set(state.self, own)
  for (const to of others(context)) send(context, to, { kind: 'propose', electorate })
  carryOnLater(context)
  complete(context, proposal)
}

function refused({ turn }: Context, { id }: Proposal, why: string): void {
  if (id > 0) turn.do({ kind: 'emit', event: { kind: 'refused', id, why } })
}

function carryOnLater({ settings, turn }: Context): void {
  turn.do({ kind: 'timer', name: 'carry', after: settings.promise + turn.below(settings.attemptMax) })
}

/** A successor that was signed and not completed: ask everybody again for the same one. */
export function carryOn(context: Context): void {
  const { state } = context
  const { signed } = state
  if (signed === undefined || state.electorate === undefined || signed.number !== state.electorate.number + 1) return
  propose(context, state.proposal ?? { id: 0, electorate: signed, approvals: new Map() })
}

/** This member's signature under a successor, if it may give it. */
function approve(context: Context, proposer: NodeId, next: Electorate): Approval | undefined {
  const { state, settings, keys } = context
  const { electorate, signed } = state
  if (electorate === undefined || !state.mayGrant || memberOf(electorate, state.self) === undefined) return undefined
  if (successionFault(electorate, next) !== undefined || !isVouched(context, electorate, next)) return undefined
  if (signed?.number === next.number) {
    if (!settings.rules.mayResign(sameBytes(digestOf(signed), digestOf(next)))) return undefined
  } else if (!mayChange(context, proposer, electorate)) return undefined
  if (signed === undefined || !sameBytes(digestOf(signed), digestOf(next))) {
    state.signed = next
    save(context, { kind: 'signed', electorate: next })
  }
  const term = highestTerm(context)
  return { signer: state.self, term, signature: keys.signer.sign(approvalBytes(next, term)) }
}

// Failures are certified by q members; this one adds its name only to what it was shown.
function isVouched({ state }: Context, old: Electorate, next: Electorate): boolean {
  return next.members.every(({ id, failures }) => {
    const known = Math.max(memberOf(old, id)?.failures ?? 0, state.vouched.get(id) ?? 0)
    return failures <= known
  })
}

function mayChange(context: Context, proposer: NodeId, electorate: Electorate): boolean {
  const bound = [...context.state.races.values()].filter(race => isBound(context, race))
  if (bound.length > 0 && !bound.some(race => race.coordinator === proposer)) return false
  return bound.every(race => race.promisedUnder === electorate.number)
}

function highestTerm({ state }: Context): number {
  return [...state.races.values()].reduce((highest, { term }) => Math.max(highest, term), state.floor)
}

export function onPropose(context: Context, from: NodeId, next: Electorate): void {
  const { electorate } = context.state
  if (electorate === undefined) return
  if (next.number <= electorate.number) return sendLists(context, from, next.number - 1)
  if (next.number > electorate.number + 1) return send(context, from, { kind: 'behind', number: electorate.number })
  const approval = approve(context, from, next)
  if (approval === undefined) return
  send(context, from, { kind: 'approve', number: next.number, approval })
  carryOnLater(context)
}

export function onApprove(context: Context, from: NodeId, body: Extract<ElectionMessage, { kind: 'approve' }>): void {
  const { state, keys } = context
  const { proposal, electorate } = state
  if (proposal === undefined || electorate === undefined || body.number !== proposal.electorate.number) return
  if (body.approval.signer !== from) return
  if (!approves(electorate, state.floor, proposal.electorate, body.approval, keys.signatures)) return
  proposal.approvals.set(from, body.approval)
  complete(context, proposal)
}

function complete(context: Context, proposal: Proposal): void {
  const old = context.state.electorate!
  if (proposal.approvals.size < quorum(context, old)) return
  const listed = { electorate: proposal.electorate, approvals: [...proposal.approvals.values()] }
  const audience = new Set([...others(context), ...proposal.electorate.members.map(({ id }) => id)])
  audience.delete(context.state.self)
  adopt(context, listed)
  for (const to of audience) send(context, to, { kind: 'list', listed })
}

export function onList(context: Context, from: NodeId, listed: Listed): void {
  const { state, keys } = context
  const old = state.electorate
  if (old === undefined || listed.electorate.number <= old.number) return
  if (listed.electorate.number > old.number + 1) return send(context, from, { kind: 'behind', number: old.number })
  if (successionFault(old, listed.electorate) !== undefined) return
  const signers = new Set(listed.approvals.map(({ signer }) => signer))
  if (signers.size < listed.approvals.length || signers.size < quorum(context, old)) return
  const valid = listed.approvals.every(one => approves(old, state.floor, listed.electorate, one, keys.signatures))
  if (valid) adopt(context, listed)
}

function adopt(context: Context, listed: Listed): void {
  const { state, settings, turn } = context
  const { electorate } = listed
  state.electorate = electorate
  state.floor = floorOf(listed.approvals)
  state.chain.push(listed)
  if (state.chain.length > CHAIN_MAX) state.chain.shift()
  state.signed = undefined
  if (state.proposal !== undefined && state.proposal.id > 0) {
    turn.do({ kind: 'emit', event: { kind: 'changed', id: state.proposal.id, number: electorate.number } })
  }
  state.proposal = undefined
  turn.do({ kind: 'cancel', name: 'carry' })
  saveWhole(context, () => settings.promise)
  turn.do({ kind: 'emit', event: { kind: 'electorate', electorate } })
  for (const race of state.races.values()) follow(context, race)
}

// What was begun under the old list ends; who leads goes on, and counts by the new one.
function follow(context: Context, race: Parameters<typeof lose>[1]): void {
  const { state } = context
  dropAttempt(context, race)
  race.held = undefined
  race.early.clear()
  const { candidacy } = race
  if (candidacy?.phase === 'claiming') {
    race.candidacy = undefined
    cancel(context, race, 'claim')
  }
  if (candidacy?.phase === 'leading') {
    candidacy.aware.clear()
    prolong(context, race, candidacy)
    if (memberOf(state.electorate, state.self) === undefined || context.turn.now >= candidacy.deadline) {
      lose(context, race)
      finish(context, race)
    }
  }
  startElection(context, race)
}
