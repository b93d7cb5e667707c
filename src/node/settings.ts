// What every server and client of a group must know, and what follows from it for each protocol.

import type { Trust } from '../core/index.ts'
import type { Signer } from '../crypto/index.ts'
import {
  type LedgerCrypto,
  type LedgerServerSettings,
  type LedgerSettings,
  ledgerDefaults,
  ledgerServersNeeded,
} from '../ledger/index.ts'
import { type LockSettings, lockDefaults } from '../lock/index.ts'
import { type Hash, type OrderingSettings, orderingDefaults } from '../ordering/index.ts'

export interface NodeSettings {
  readonly trust: Trust
  readonly lock: Pick<LockSettings, 'ttlMax' | 'drift'>
  readonly objects?: Pick<OrderingSettings, 'attemptMax'>
  /** Names of the clients that may take a lock from its holder. */
  readonly operators: readonly string[]
}

/** What a process brings along for its objects. */
export interface ObjectParts {
  /** SHA-256; the default is in TypeScript. */
  readonly hash?: Hash
  /** For clients: how operations of an object are applied. */
  readonly findApplier?: OrderingSettings['findApplier']
  /** For servers: the store was lost, and its content is to be taken from the others. */
  readonly rejoins?: boolean
  /** Which signatures count; without, the node has no ledgers. */
  readonly ledgerCrypto?: LedgerCrypto
  /** For servers: the key with which it votes about ledgers, for a salt. */
  readonly voter?: (salt: Uint8Array) => Signer
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
  const own = { ...(hash && { hash }), ...(findApplier && { findApplier }), ...(rejoins !== undefined && { rejoins }) }
  return { ...orderingDefaults, ...settings.objects, ...own, liars, crashes, operators, drift: lock.drift }
}

/** Undefined: the group is too small for ledgers, or the process brought nothing for them. */
export function ledgerSettings({ trust }: NodeSettings, { ledgerCrypto }: ObjectParts): LedgerSettings | undefined {
  const { servers, liars, crashes } = trust
  if (ledgerCrypto === undefined || servers < ledgerServersNeeded(liars, crashes)) return undefined
  return { ...ledgerDefaults, suite: ledgerCrypto, liars, crashes }
}

/** What a server needs besides: its voting key. */
export function ledgerServerSettings(settings: NodeSettings, parts: ObjectParts): LedgerServerSettings | undefined {
  const shared = ledgerSettings(settings, parts)
  return shared === undefined || parts.voter === undefined ? undefined : { ...shared, voter: parts.voter }
}
