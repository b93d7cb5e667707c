// The composition root: which protocols a node runs, and how they are wired. Everything that a group can do is
// listed here, once for its servers and once for its clients; protocols do not know each other.

import {
  type Codec,
  type ComposedState,
  compose,
  encode,
  type Millis,
  type NodeId,
  type Parted,
  type Protocol,
  type Saved,
  type Trust,
} from '../core/index.ts'
import {
  type LockSettings,
  lockClient,
  lockDefaults,
  lockKeeper,
  lockServer,
  lockVocabulary,
  serverRecord,
} from '../lock/index.ts'
import {
  type Hash,
  type OrderingSettings,
  orderingClient,
  orderingDefaults,
  orderingServer,
  orderingVocabulary,
} from '../ordering/index.ts'
import { partedVocabulary } from './vocabulary.ts'

export type NodeProtocol = Protocol<ComposedState, Parted, Parted, Parted>

/** What every member of a group must know. */
export interface NodeSettings {
  readonly trust: Trust
  readonly lock: Pick<LockSettings, 'ttlMax' | 'drift'>
  readonly objects?: Pick<OrderingSettings, 'attemptMax'>
  /** Names of the clients that may take a lock from its holder. */
  readonly operators: readonly string[]
}

export const nodeVocabulary: Codec<Parted> = partedVocabulary({
  lock: lockVocabulary,
  ordering: orderingVocabulary,
})

function lockSettings(settings: NodeSettings): LockSettings {
  const { operators } = settings
  return { ...lockDefaults, ...settings.lock, liars: settings.trust.liars, operators }
}

/** What a process brings along for its objects. */
export interface ObjectParts {
  /** SHA-256; the default is in TypeScript. */
  readonly hash?: Hash
  /** For clients: how operations of an object are applied. */
  readonly findApplier?: OrderingSettings['findApplier']
  /** For servers: the store was lost, and its content is to be taken from the others. */
  readonly rejoins?: boolean
}

function orderingSettings(settings: NodeSettings, parts: ObjectParts): OrderingSettings {
  const { liars, crashes } = settings.trust
  return { ...orderingDefaults, ...settings.objects, ...parts, liars, crashes, drift: settings.lock.drift }
}

/** A group that is too small for objects runs the lock alone. */
export function serverNode(settings: NodeSettings, parts: ObjectParts = {}): NodeProtocol {
  const lock = lockServer(lockSettings(settings))
  if (settings.trust.orderingQuorum === undefined) return compose('server', { lock })
  return compose('server', { lock, ordering: orderingServer(orderingSettings(settings, parts)) })
}

export function clientNode(settings: NodeSettings, parts: ObjectParts = {}): NodeProtocol {
  const lock = lockClient(lockSettings(settings))
  if (settings.trust.orderingQuorum === undefined) return compose('client', { lock })
  return compose('client', { lock, ordering: orderingClient(orderingSettings(settings, parts)) })
}

/** Renews what a client node holds, from another thread of its process. */
export function keeperNode(settings: NodeSettings, holder: NodeId, blockedMax: Millis): NodeProtocol {
  return compose('keeper', { lock: lockKeeper({ ...lockSettings(settings), holder, blockedMax }) })
}

/** What a server's store holds before its first start: nothing was ever promised. */
export const firstStart: Saved = new Map([['lock', [encode(serverRecord, { kind: 'first' })]]])
