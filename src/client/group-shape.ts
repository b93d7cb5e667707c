// What a group tells of itself, what it is made of, and what it needs below it.

import { type CoterieError, type Millis, type NodeId, orderingServersNeeded, type Trust } from '../core/index.ts'
import type { ClientNodeCommand } from '../node/index.ts'
import type { Applier } from '../ordering/index.ts'
import type { EventsBelow, GroupEvents } from './events/group-events.ts'
import type { ServerInfo } from './inspect.ts'
import type { Accusation, ObjectServerInfo, SpoiledObject } from './inspect-objects.ts'
import type { Keeper } from './keeper.ts'
import type { Lease } from './lease.ts'
import type { RecipesBelow } from './objects/group-recipes.ts'
import type { Lie } from './objects/orders.ts'
import type { Recipes } from './objects/recipes.ts'

/** How a group is, as one client sees it. */
export interface GroupStatus {
  readonly trust: Trust
  /** The trust numbers in a sentence. */
  readonly explanation: string
  readonly servers: readonly ServerInfo[]
  /** Enough servers answer and are ready for a lock to be taken. */
  readonly locksWork: boolean
  /** Empty where the group is too small for objects. */
  readonly objects: readonly ObjectServerInfo[]
  /** Lies that this client itself was told. */
  readonly lies: readonly Lie[]
  /** Servers that said what cannot be true, by those who say so and are to be believed. */
  readonly accusations: readonly Accusation[]
  /** Objects that a client has spoiled, so that they stand still until an operator repairs them. */
  readonly spoiled: readonly SpoiledObject[]
}

/** What a group needs from the driver below it. */
export interface GroupDriver {
  command(body: ClientNodeCommand): void
  now(): Millis
  /** The wall clock in microseconds: a good first guess for tokens. */
  wallMicros(): number
  close(): Promise<void>
  /** Why a server does not answer, as far as the connections below tell. */
  whySilent?(server: NodeId): string | undefined
  isConnected?(server: NodeId): boolean
  /** Renews what is held, besides the node itself. */
  readonly keeper?: Keeper
  /** What speaks with the node's part for events; a tab has none. */
  openEvents?(below: EventsBelow): GroupEvents
  /** The node below has a part for ledgers. */
  readonly keepsLedgers?: boolean
  /** Loads what speaks with ledgers; a tab has none. */
  openLedgers?(): Promise<typeof import('./ledger/ledgers.ts')>
  /** What recipes are made by; commands do without. */
  openRecipes?(below: RecipesBelow): () => Recipes
  /** Where the node below looks for appliers. */
  readonly appliers?: Map<string, Applier>
}

export interface GroupShape {
  readonly trust: Trust
  readonly ttlMax: Millis
  readonly drift: number
  readonly servers: readonly string[]
  /** How far above the clock servers take tokens and promise turns, where the group's config says so. */
  readonly tokenAheadMax?: Millis
  readonly rankAheadMax?: Millis
  /** Bytes of one client's events that a server keeps, where the group's config says so. */
  readonly keepMax?: number
}

/** Somebody who waits for a lock. */
export interface PendingLock {
  readonly name: string
  readonly since: Millis
  readonly ttl: Millis
  readonly renew: boolean
  resolve(lease: Lease): void
  reject(error: CoterieError): void
}

/** Why a group has no objects: it is too small. */
export function whyNoObjects(trust: Trust): string | undefined {
  if (trust.orderingQuorum !== undefined) return undefined
  const needed = orderingServersNeeded(trust.liars, trust.crashes)
  return (
    `this group has ${trust.servers} servers, and objects take ${needed} with liars: ${trust.liars} and crashes: ` +
    `${trust.crashes}. Make a group of ${needed} (coterie init), or expect fewer faults.`
  )
}
