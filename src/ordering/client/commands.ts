// The words that a user of objects speaks to the client's machine, and what `apply` sees.

import type { Millis, NodeId, Outcome, Turn } from '../../core/index.ts'
import type { Complaint, DeleteOutcome, Head, InspectedObject, OrderingMessage, RepairOutcome, Write } from '../wire.ts'

/** What a user asks of objects. */
export type OrderingCommand =
  /**
   * A session for an object; `submit` needs one. A client has one session for an object at a time.
   * `wall`: what the wall clock says. Ranks that follow it are above those that others had before, as a rule.
   */
  | { kind: 'open'; id: number; object: string; ttl: Millis; wall?: Millis }
  /** `more`: others follow at once, and go out together with it. */
  | { kind: 'submit'; id: number; object: string; body: Uint8Array; more?: boolean }
  /** The values of keys. Linearizable; `stale`: what one server has, with its version. */
  | { kind: 'read'; id: number; object: string; keys: readonly string[]; stale: boolean }
  /** The whole table, linearizable. Brings a replica up to date; the first time it is copied. */
  | { kind: 'copy'; id: number; object: string }
  /** Every change, in order, from now on; or from after version `from`, where the servers still have it. */
  | { kind: 'watch'; id: number; object: string; from?: number }
  | { kind: 'unwatch'; id: number; object: string }
  /** Ends the session of an object, after what was submitted. */
  | { kind: 'end'; id: number; object: string }
  /** Stops waiting for the command of that id. */
  | { kind: 'cancel'; id: number; object: string }
  /** Lets go of everything that is kept for an object: its replica, its watches, its session (which runs out). */
  | { kind: 'close'; object: string }
  | { kind: 'inspect'; id: number }
  /** For operators: repairs an object that stands still, at the newest version that enough servers have. */
  | { kind: 'repair'; id: number; object: string; version: number }
  /** For operators: forgets an object that is empty. */
  | { kind: 'delete'; id: number; object: string }

/** Why an operation failed. */
export type FailedReason =
  /** There is no session, or it has ended or run out. */
  | 'no session'
  | 'cancelled'
  /** The command cannot be sent: a name, a key, a body, a ttl. */
  | 'invalid'
  /** Too much is under way already. */
  | 'crowded'
  | 'closed'

/** What objects tell their user. */
export type OrderingEvent =
  | { kind: 'opened'; id: number; object: string; session: string }
  /** The session certainly lives until then, by this process's clock: nobody can have ended it before. */
  | { kind: 'extended'; object: string; session: string; deadline: Millis }
  /** The session is no longer certain to live: others may see it ended from now on. */
  | { kind: 'lost'; object: string; session: string }
  | { kind: 'ended'; id: number; object: string }
  /** `ok` false: `apply` threw, `body` is its message. */
  | { kind: 'answered'; id: number; object: string; version: number; ok: boolean; body: Uint8Array }
  | { kind: 'value'; id: number; object: string; version: number; entries: readonly Write[] }
  /** The live table: to be looked at while the event is handled, and not kept. Reserved keys are not in it. */
  | { kind: 'copied'; id: number; object: string; version: number; table: ReadonlyMap<string, Uint8Array> }
  /** The watch has begun: every version after this one follows. */
  | { kind: 'watching'; id: number; object: string; version: number }
  | { kind: 'changed'; id: number; object: string; version: number; writes: readonly Write[] }
  /** The changes up to `version` can no longer be fetched one by one: the table is as `copied` would show it. */
  | { kind: 'skipped'; id: number; object: string; version: number; table: ReadonlyMap<string, Uint8Array> }
  | {
      kind: 'failed'
      id: number
      object: string
      reason: FailedReason
      outcome: Outcome
      answers: Readonly<Record<NodeId, string>>
    }
  /** A version is decided: this client proposed it and a quorum took it. */
  | { kind: 'decided'; object: string; head: Head; operations: number }
  /** A server contradicted itself or what the quorum vouches for. */
  | { kind: 'lied'; object: string; server: NodeId; version: number; what: string }
  /** What those servers said that answered in time. */
  | { kind: 'inspected'; id: number; servers: readonly InspectedOrderingServer[] }
  /** What those servers did that answered in time. */
  | { kind: 'repaired'; id: number; object: string; outcomes: ReadonlyMap<NodeId, RepairOutcome> }
  | { kind: 'deleted'; id: number; object: string; outcomes: ReadonlyMap<NodeId, DeleteOutcome> }

/** What one server says of its objects. */
export interface InspectedOrderingServer {
  readonly server: NodeId
  readonly roundTrip: Millis
  readonly uptime: Millis
  readonly rejoining: Millis
  readonly objects: readonly InspectedObject[]
  readonly complaints: readonly Complaint[]
  readonly complained: number
}

export type OrderingTurn = Turn<OrderingMessage, OrderingEvent>
