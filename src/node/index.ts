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
import { partedVocabulary } from './vocabulary.ts'

export type NodeProtocol = Protocol<ComposedState, Parted, Parted, Parted>

/** What every member of a group must know. */
export interface NodeSettings {
  readonly trust: Trust
  readonly lock: Pick<LockSettings, 'ttlMax' | 'drift'>
  /** Names of the clients that may take a lock from its holder. */
  readonly operators: readonly string[]
}

export const nodeVocabulary: Codec<Parted> = partedVocabulary({ lock: lockVocabulary })

function lockSettings(settings: NodeSettings): LockSettings {
  const { operators } = settings
  return { ...lockDefaults, ...settings.lock, liars: settings.trust.liars, operators }
}

export function serverNode(settings: NodeSettings): NodeProtocol {
  return compose('server', { lock: lockServer(lockSettings(settings)) })
}

export function clientNode(settings: NodeSettings): NodeProtocol {
  return compose('client', { lock: lockClient(lockSettings(settings)) })
}

/** Renews what a client node holds, from another thread of its process. */
export function keeperNode(settings: NodeSettings, holder: NodeId, blockedMax: Millis): NodeProtocol {
  return compose('keeper', { lock: lockKeeper({ ...lockSettings(settings), holder, blockedMax }) })
}

/** What a server's store holds before its first start: nothing was ever promised. */
export const firstStart: Saved = new Map([['lock', [encode(serverRecord, { kind: 'first' })]]])
