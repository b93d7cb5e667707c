// What every server and client of a group must know, and what follows from it for each protocol.

import type { Trust } from '../core/index.ts'
import type { Signer } from '../crypto/index.ts'
import type { EventKeys } from '../events/settings.ts'
import type { LedgerCrypto } from '../ledger/genesis.ts'
import { type LockSettings, lockDefaults } from '../lock/settings.ts'
import { type Hash, type OrderingSettings, orderingBasics } from '../ordering/settings.ts'

export interface NodeSettings {
  readonly trust: Trust
  readonly lock: Pick<LockSettings, 'ttlMax' | 'drift'> & Partial<Pick<LockSettings, 'tokenAheadMax'>>
  readonly objects?: Pick<OrderingSettings, 'attemptMax'> & Partial<Pick<OrderingSettings, 'rankAheadMax'>>
  /** Bytes of events that a server keeps: of one client, and of all. */
  readonly events?: { readonly keepMax: number; readonly keepAllMax: number }
  /** Names of the clients that may take a lock from its holder. */
  readonly operators: readonly string[]
}

/** What a process brings along for its events. */
export interface EventsBrings {
  /** The group's id: in every signature. */
  readonly group: string
  /** SHA-256. */
  readonly hash: Hash
  /** Needed where a server may lie. */
  readonly keys?: EventKeys
}

/** What a process brings along for its objects. */
export interface ObjectParts {
  /** SHA-256. */
  readonly hash: Hash
  /** For clients: how operations of an object are applied. */
  readonly findApplier?: OrderingSettings['findApplier']
  /** For servers: the store was lost, and its content is to be taken from the others. */
  readonly rejoins?: boolean
  /** Which signatures count; without, the node has no ledgers. */
  readonly ledgerCrypto?: LedgerCrypto
  /** For servers: what events need; without, the node has none. */
  readonly events?: EventsBrings
  /** For servers: the key with which it votes about ledgers, for a salt. */
  readonly voter?: (salt: Uint8Array) => Signer
  /** For servers with a store that can be put back: the others are asked for a later life, and promises wait for it. */
  readonly hails?: boolean
}

export function lockSettings(settings: NodeSettings): LockSettings {
  const { operators, trust } = settings
  return { ...lockDefaults, ...settings.lock, liars: trust.liars, operators }
}

/** Undefined: the group is too small for objects, and runs the lock alone. */
export function orderingSettings(settings: NodeSettings, parts: ObjectParts): OrderingSettings | undefined {
  const { liars, crashes, orderingQuorum } = settings.trust
  if (orderingQuorum === undefined) return undefined
  const { operators, lock } = settings
  const { hash, findApplier, rejoins } = parts
  const own = { hash, ...(findApplier && { findApplier }), ...(rejoins !== undefined && { rejoins }) }
  return { ...orderingBasics, ...settings.objects, ...own, liars, crashes, operators, drift: lock.drift }
}
