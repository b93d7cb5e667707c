// What a member is given at its start: who it is, whom it believes, and how fast it beats. All members of a group should
// beat alike: a slow beat is taken for a death by those with a fast one.

import type { Millis, NodeId } from '../core/index.ts'
import type { PublicKey, Signatures, Signer } from '../crypto/index.ts'
import type { NamedKey, NamedValue } from './claims.ts'
import type { AttributeSetting } from './ranking.ts'
import { type MembershipRules, membershipRules } from './rules.ts'

/** How often members ask each other, and how long they wait. */
export interface MembershipBeat {
  /** T: how often one member is asked; everybody in turn. */
  readonly probeEvery: Millis
  /** How long a direct answer may take before others are asked to try. */
  readonly ackMax: Millis
  /** k: how many are asked to try. */
  readonly helpers: number
  /** How often news is told while there is some, and to how many. */
  readonly gossipEvery: Millis
  readonly gossipFanout: number
  /** λ: every claim is passed on λ ⌈log10(n + 1)⌉ times. */
  readonly retransmissions: number
  /** A suspicion lasts at least α log10(n) T, at most β times that. */
  readonly suspicionLeast: number
  readonly suspicionSpread: number
  /** How many others must confirm a suspicion to bring it down to its least. */
  readonly confirmations: number
  /** How often views are compared with a random member, and with one that is believed gone. */
  readonly repairEvery: Millis
  /** How often a member that knows nobody asks its contacts. */
  readonly joinEvery: Millis
  /** How often measured distances are told again, where they changed. */
  readonly measureEvery: Millis
}

/** The three parts of Lifeguard, to be left out one by one in the lab. */
export interface Lifeguard {
  /** A member that has reason to doubt itself waits longer before it suspects others. */
  readonly awareness: boolean
  /** A suspicion that nobody confirms lasts longer. */
  readonly dynamicSuspicion: boolean
  /** A suspected member is told so in every ping to it. */
  readonly buddy: boolean
}

/** What a member needs to take part in its group. */
export interface MembershipSettings {
  /** The group's name: a claim means nothing in another group. */
  readonly group: string
  readonly address: string
  /** This member's certificate chain, as others will be shown it. */
  readonly identity: Uint8Array
  readonly signer: Signer
  readonly signatures: Signatures
  /** The key of a member with this identity, or nothing if it may not be one of this name in this group. */
  readonly admits: (member: NodeId, identity: Uint8Array) => PublicKey | undefined
  /** Public keys and attributes told from the start. */
  readonly keys: readonly NamedKey[]
  readonly attributes: readonly NamedValue[]
  /** How attributes are ranked: the same in the whole group. */
  readonly ranking: readonly AttributeSetting[]
  /** How many notices of different authors make a certificate of failure. */
  readonly certifyAt: number
  /** How many measure the distance of each member. */
  readonly measurers: number
  readonly beat: MembershipBeat
  readonly lifeguard: Lifeguard
  readonly rules: MembershipRules
}

/** Times that fit a local network. */
export const membershipBeat: MembershipBeat = {
  probeEvery: 300,
  ackMax: 100,
  helpers: 3,
  gossipEvery: 100,
  gossipFanout: 3,
  retransmissions: 4,
  suspicionLeast: 2,
  suspicionSpread: 6,
  confirmations: 3,
  repairEvery: 5_000,
  joinEvery: 1_000,
  measureEvery: 120_000,
}

/** Settings of a member that says nothing else. */
export const membershipDefaults = {
  group: '',
  address: '',
  keys: [],
  attributes: [],
  ranking: [],
  certifyAt: 3,
  measurers: 5,
  beat: membershipBeat,
  lifeguard: { awareness: true, dynamicSuspicion: true, buddy: true },
  rules: membershipRules,
} as const satisfies Partial<MembershipSettings>
