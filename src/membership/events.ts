// What the user of a member may ask of it, and what it tells.

import type { NodeId } from '../core/index.ts'
import type { FailedClaim, NamedKey, NamedValue } from './claims.ts'
import type { Incarnation } from './incarnation.ts'
import type { Coordinate } from './vivaldi.ts'

/** What a member is held to be, from what was heard of it. */
export type MemberStatus = 'alive' | 'suspect' | 'left' | 'failed'

/** What was refused, by reason. */
export type Refusals = Record<'forged' | 'old' | 'unknown' | 'stranger' | 'slowed' | 'muted' | 'discredited', number>

/** A member as others see it in events and status. */
export interface MemberView {
  readonly member: NodeId
  readonly status: MemberStatus
  readonly incarnation: Incarnation
  readonly address: string
  readonly identity: Uint8Array
  readonly keys: readonly NamedKey[]
  /** What it says of itself, and `distance` in milliseconds where enough others measured it. */
  readonly attributes: ReadonlyMap<string, number>
  readonly coordinate: Coordinate | undefined
}

/** What a user, or another part of the node, asks of membership. */
export type MembershipCommand =
  /** Sets attributes of this member; the others keep their values. */
  | { kind: 'set'; id: number; values: readonly NamedValue[] }
  /** Changes the keys or the address under which this member is found. */
  | { kind: 'announce'; id: number; keys?: readonly NamedKey[]; address?: string }
  | { kind: 'leave'; id: number }
  /** Average, sum, least, largest of an attribute over the group, and the group's size, by gossip. */
  | { kind: 'aggregate'; id: number; name: string }
  | { kind: 'publish'; id: number; topic: string; payload: Uint8Array }
  | { kind: 'status'; id: number }
  /** More members to ask for entry. */
  | { kind: 'contact'; id: number; contacts: readonly NodeId[] }

/** What became of a member. */
export type MembershipChange =
  /** Not here before, or gone and back. */
  | 'joined'
  /** Another address, other keys, attributes or distance. */
  | 'updated'
  | 'suspected'
  /** Refuted the suspicion. */
  | 'cleared'
  | 'left'
  | 'failed'

/** What a peer was caught at. */
export type Misbehaviour =
  /** Brought claims that nobody signed. */
  | 'forging'
  /** Talks more than it may. */
  | 'flooding'
  /** Suspects members that then show that they live, again and again. */
  | 'accusing'
  /** Says two different things about itself under one number. */
  | 'two-faced'

/** What membership tells. */
export type MembershipEvent =
  | { kind: 'changed'; change: MembershipChange; member: MemberView }
  /** Enough members signed that this incarnation of a member failed. */
  | { kind: 'certified'; member: NodeId; incarnation: Incarnation; notices: readonly FailedClaim[] }
  | { kind: 'misbehaved'; member: NodeId; how: Misbehaviour }
  | { kind: 'heard'; author: NodeId; topic: string; payload: Uint8Array }
  /** The command was carried out, or begun. */
  | { kind: 'done'; id: number }
  | { kind: 'refused'; id: number; why: string }
  /** Said to enough others that the process may end. */
  | { kind: 'gone'; id: number }
  | {
      kind: 'aggregated'
      id: number
      name: string
      average: number
      sum: number
      minimum: number
      maximum: number
      size: number
    }
  | {
      kind: 'status'
      id: number
      members: readonly MemberView[]
      awareness: number
      refusals: Readonly<Refusals>
      coordinate: Coordinate
    }
