// What a user of objects provides: `apply`, and what it sees of an object's table.

import type { NodeId } from '../core/process.ts'

/** The table of an object as one operation sees it: reads see its own writes, nothing is kept if it throws. */
export interface TableView {
  get(key: string): Uint8Array | undefined
  /** Throws where the key or the value is beyond the limits, or the key begins with U+0000. */
  set(key: string, value: Uint8Array): void
  remove(key: string): void
  /** Keys with this prefix, in no order. Goes through the whole table. */
  keys(prefix: string): Iterable<string>
}

/**
 * Leases of an object: they belong to nobody's process, and end when they were not renewed for their time. The renewals
 * stand in the order like everything else; servers tell the time, and `ended` removes what is bound to them.
 */
export interface Leases {
  /** A new one; answers its id. */
  grant(ttl: number): string
  has(lease: string): boolean
  /** False where there is no such lease. */
  renew(lease: string): boolean
  /** Without `ended`: the client that revokes one removes what is bound to it. */
  drop(lease: string): void
}

/** Where in the order an operation stands. */
export interface ApplyContext {
  readonly object: string
  readonly version: number
  readonly session: string
  /** The client that the session belongs to. */
  readonly client: NodeId
  readonly seq: number
  readonly leases: Leases
}

/**
 * Runs at the client that has the turn. It may run several times for one operation, and one run counts: it may draw
 * lots, but must have no effect beyond the view. What it throws becomes the operation's error, and its writes are dropped.
 */
export interface Applier {
  apply(view: TableView, operation: Uint8Array, context: ApplyContext): Uint8Array
  /** Applies what its own process submits, and nothing else: those of others wait, or are over with what it does. */
  readonly alone?: boolean
  /** A session has ended or run out: removes what was bound to it. Must not throw. */
  ended?(view: TableView, session: string, context: ApplyContext): void
}
