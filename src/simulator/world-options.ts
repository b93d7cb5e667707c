// What a world is made of: its options, and the nodes that are added to it.

import type { AnyProtocol, Codec, NodeId, Saved } from '../core/index.ts'
import type { MessageName } from './acts.ts'
import type { Micros, NetworkFaults } from './network.ts'

/** What decides a world. */
export interface WorldOptions {
  readonly seed: number
  readonly network: NetworkFaults
  /** Keep every event for people to read. Costs memory. */
  readonly record?: boolean
  /** Events in one run after which something must be looping. */
  readonly eventsMax?: number
  /** When a message arrives, given when it would: not at all, later, more than once. It draws nothing, so no other is disturbed. */
  readonly way?: (message: MessageName, at: Micros) => readonly Micros[]
  /** Told of every message that will not arrive. */
  readonly lost?: (message: MessageName, body: unknown) => void
  /** The last word on a node that is added: another clock, somebody else's words. */
  readonly cast?: (spec: NodeSpec) => NodeSpec
}

/** What happens next. */
export interface NextEvent {
  readonly at: Micros
  /** Of a message: who gets it, from whom, sent when. */
  readonly delivers?: {
    readonly to: NodeId
    readonly from: NodeId
    readonly sentAt: Micros
    readonly body: unknown
  }
}

/** A node to be added to a world. */
export interface NodeSpec {
  readonly id: NodeId
  readonly protocol: AnyProtocol
  readonly peers: readonly NodeId[]
  // biome-ignore lint/suspicious/noExplicitAny: the world carries every vocabulary
  readonly vocabulary: Codec<any>
  /** Local milliseconds per true millisecond. */
  readonly clockRate?: number
  readonly clockOffset?: number
  /** What its disk holds at first. */
  readonly saved?: Saved
  /** False for a process that does not come back under its name: a client that crashed is another client. */
  readonly returns?: boolean
  /** It may say anything, but what cannot be encoded never leaves it. From an honest node that is a bug, and throws. */
  readonly lies?: boolean
  /** How long a disk write takes at most. */
  readonly diskMax?: Micros
}
