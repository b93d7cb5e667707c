// The node of a member: it knows who is here, elects, shares slots, passes events on, and answers what clients ask.
//
// Gossip and election meet in the part `hints`: membership's events go to it by wire, and what it makes of them goes to the
// election by wire. Nothing of an election's safety rests on these hints.

import type { BanditMember, BanditMemberCommand, BanditMemberSettings } from '../bandits/index.ts'
import { banditMember, banditMemberVocabulary } from '../bandits/machines.ts'
import {
  type Composed,
  type ComposeRules,
  compose,
  composeRules,
  encode,
  type NodeId,
  type PartCommand,
  type PartEvent,
  type Saved,
  type Wire,
} from '../core/index.ts'
import {
  type ElectionEvent,
  type ElectionProtocol,
  type ElectionSettings,
  type Electorate,
  election,
  electionRecord,
  electionVocabulary,
  type Keys,
} from '../election/index.ts'
import type { InterestSettings } from '../events/interest/settings.ts'
import { interestVocabulary } from '../events/interest/wire.ts'
import type { RoutingSettings } from '../events/routing/settings.ts'
import { routingVocabulary } from '../events/routing/wire.ts'
import {
  type Membership,
  type MembershipEvent,
  type MembershipSettings,
  membership,
  membershipVocabulary,
} from '../membership/index.ts'
import { hints } from './hints/machine.ts'
import type { HintCommand, HintSettings, Hints } from './hints/state.ts'
import { presenceOfGossip, type SleepingInterest, sleepingInterest } from './interest.ts'
import { type ManySlots, type ManySlotsOptions, manySlots, manySlotsVocabulary } from './many-slots.ts'
import { questions } from './questions/machine.ts'
import type { Questions } from './questions/state.ts'
import { questionsVocabulary } from './questions/wire.ts'
import { keyOfGossip, listOfElection, type SleepingRouting, sleepingRouting } from './routing.ts'
import { partedVocabulary } from './vocabulary.ts'

export interface MemberSettings {
  readonly membership: MembershipSettings
  readonly election: ElectionSettings
  readonly keys: Keys
  readonly slots: ManySlotsOptions
  readonly keysOf: HintSettings['keysOf']
  readonly bandits: Omit<BanditMemberSettings, 'keysOf'>
  readonly routing: RoutingSettings
  readonly interest: InterestSettings
}

export type MemberParts = {
  readonly membership: Membership
  readonly election: ElectionProtocol
  readonly questions: Questions
  readonly slots: ManySlots
  /** Sends nothing: it stands between two parts of this node. */
  readonly hints: Hints
  readonly bandits: BanditMember
  /** Events in trees of members. It sleeps until somebody publishes or subscribes. */
  readonly routing: SleepingRouting
  /** Events by gossip among those who want the same. It sleeps, too. */
  readonly interest: SleepingInterest
}
export type MemberNode = Composed<MemberParts>
export type MemberCommand = PartCommand<MemberParts>
export type MemberEvent = PartEvent<MemberParts>

export const memberVocabulary = partedVocabulary({
  membership: membershipVocabulary,
  election: electionVocabulary,
  questions: questionsVocabulary,
  slots: manySlotsVocabulary,
  bandits: banditMemberVocabulary,
  routing: routingVocabulary,
  interest: interestVocabulary,
})

export function memberParts(settings: MemberSettings): MemberParts {
  const { keysOf } = settings
  return {
    membership: membership(settings.membership),
    election: election(settings.election, settings.keys),
    questions,
    slots: manySlots(settings.slots),
    hints: hints({ attributes: settings.election.attributes, keysOf }),
    bandits: banditMember({ ...settings.bandits, keysOf: view => partyKeys(keysOf(view)) }),
    routing: sleepingRouting(settings.routing),
    interest: sleepingInterest(settings.interest),
  }
}

function partyKeys(keys: ReturnType<MemberSettings['keysOf']>): ReturnType<BanditMemberSettings['keysOf']> {
  return keys && { signing: keys.key, sealing: keys.sealKey }
}

export function memberNode(settings: MemberSettings): MemberNode {
  return memberOf(memberParts(settings))
}

/** The parts as one node. Its proof gives it broken rules, and liars' parts. */
export function memberOf(parts: MemberParts, rules: ComposeRules = composeRules): MemberNode {
  return amongMembers(compose('member', parts, { wires: memberWires, rules }))
}

/**
 * A client is let in to ask, and has no part in what members do among themselves. Its processes are as many as it likes, each with
 * another name: each would have an allowance of its own in gossip, and a place among the peers that are remembered.
 */
function amongMembers(node: MemberNode): MemberNode {
  return {
    ...node,
    step(state, input, turn) {
      if (input.kind === 'message' && input.body.part !== 'questions' && isClient(input.from)) return
      node.step(state, input, turn)
    },
  }
}

/** The mark before the instance of a client's process: no member's name has it. */
function isClient(id: NodeId): boolean {
  return id.includes('#')
}

const memberWires: readonly Wire<MemberParts>[] = [
  { from: 'membership', to: 'hints', turn: hintOfGossip },
  { from: 'membership', to: 'bandits', turn: keysOfGossip },
  { from: 'membership', to: 'routing', turn: keyOfGossip },
  { from: 'election', to: 'routing', turn: listOfElection },
  { from: 'membership', to: 'interest', turn: presenceOfGossip },
  { from: 'election', to: 'hints', turn: hintOfElection },
  { from: 'hints', to: 'election', turn: event => (event.kind === 'tell' ? event.command : undefined) },
]

function hintOfGossip(event: MembershipEvent): HintCommand | undefined {
  if (event.kind === 'changed') return { kind: 'changed', view: event.member }
  if (event.kind === 'certified') return { kind: 'certified', member: event.member }
  return undefined
}

function keysOfGossip(event: MembershipEvent): BanditMemberCommand | undefined {
  return event.kind === 'changed' ? { kind: 'changed', view: event.member } : undefined
}

function hintOfElection(event: ElectionEvent): HintCommand | undefined {
  switch (event.kind) {
    case 'elected':
      return { kind: 'leads', name: event.name, leads: true }
    case 'lost':
    case 'resigned':
      return { kind: 'leads', name: event.name, leads: false }
    case 'electorate':
      return { kind: 'electorate', electorate: event.electorate }
    default:
      return undefined
  }
}

/** What a member's store holds before its first start: the first list, and that nothing was ever granted. */
export function memberFirstStart(electorate: Electorate): Saved {
  return new Map([['election', [encode(electionRecord, { kind: 'first', electorate })]]])
}
