// What a keeper remembers of the leases that it renews, and the words it is spoken to with.

import { assert, type Millis, type NodeId, type Scene, timers } from '../../core/index.ts'
import type { LockSettings } from '../settings.ts'
import { type LockMessage, TTL_MAX } from '../wire.ts'

/** What the holder tells its keeper. */
export type KeeperCommand =
  /** Held, or held on other terms than before: until `deadline` as far as the holder knows. */
  | { kind: 'hold'; id: number; name: string; token: number; ttl: Millis; deadline: Millis }
  /** Let go, or lost. */
  | { kind: 'drop'; id: number; name: string }
  /** When the holder last showed life. */
  | { kind: 'alive'; at: Millis }

/** Enough servers hold until `deadline`. */
export type KeeperEvent = { kind: 'kept'; id: number; name: string; deadline: Millis }

export interface KeeperSettings extends LockSettings {
  /** Who holds, as the servers know it. */
  readonly holder: NodeId
  /** A holder that shows no life for longer loses what it holds. */
  readonly blockedMax: Millis
}

export interface KeeperState {
  readonly servers: readonly NodeId[]
  /** By name: a process holds a name once. */
  readonly leases: Map<string, Kept>
  attempts: number
  aliveAt: Millis
  /** The name that the last input was about: the one whose invariants a step can have broken. */
  latest: string
}

export interface Kept {
  readonly id: number
  readonly name: string
  readonly token: number
  ttl: Millis
  /** Held while now < deadline. */
  deadline: Millis
  /** The renewal under way: its number, when it was sent, and the time it asked for. */
  attempt: number
  sentAt: Millis
  asked: Millis
  /** Until when each server is known to hold. */
  readonly until: Map<NodeId, Millis>
}

export type KeeperScene = Scene<KeeperState, KeeperSettings, LockMessage, KeeperEvent>

/** About a lock's name. */
export const keeperTimers = timers('keep')

export function newKeeper(servers: readonly NodeId[]): KeeperState {
  return { servers, leases: new Map(), attempts: 0, aliveAt: Number.NEGATIVE_INFINITY, latest: '' }
}

export function checkKeeper({ servers, leases, attempts, latest }: KeeperState): void {
  const kept = leases.get(latest)
  if (kept === undefined) return
  assert(kept.name === latest, `the lease of '${kept.name}' is kept as '${latest}'`)
  assert(kept.attempt <= attempts, `'${latest}' is in a renewal that never began`)
  assert(kept.ttl >= 1 && kept.ttl <= TTL_MAX, `a ttl of ${kept.ttl} ms for '${latest}'`)
  assert(Number.isFinite(kept.deadline), `'${latest}' is kept without an end`)
  assert(kept.until.size <= servers.length, `more servers than there are hold '${latest}'`)
}
