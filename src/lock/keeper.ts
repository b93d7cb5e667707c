// Renews what somebody else holds: the same process, whose main thread may be blocked (PROTOCOLS E 7).
//
// Guarantees: `kept` says a deadline only when g servers have promised to hold for the holder until then, counted as
// the holder itself would count; a lease that was over for a moment is never brought back, so whoever saw that it was
// over saw the truth; and a holder that shows no life for `blockedMax` is renewed no more.
//
// The obvious worker renews on a timer and tells the main thread by message. The main thread reads no messages while
// it is blocked: it wakes, finds its own deadline passed, and does not know whether it holds. And a worker that
// renews for ever keeps the locks of a process that hangs for ever.

import type { Millis, NodeId, Protocol, Turn } from '../core/index.ts'
import type { LockMessage } from './messages.ts'
import { kthLargest } from './rules.ts'
import type { LockSettings } from './settings.ts'

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
}

interface Kept {
  readonly id: number
  readonly name: string
  readonly token: number
  ttl: Millis
  /** Held while now < deadline. */
  deadline: Millis
  /** The renewal under way: its number, when it was sent, and for how long it asked. */
  attempt: number
  sentAt: Millis
  asked: Millis
  /** Until when each server is known to hold. */
  readonly until: Map<NodeId, Millis>
}

type KeeperTurn = Turn<LockMessage, KeeperEvent>
export type LockKeeper = Protocol<KeeperState, LockMessage, KeeperCommand, KeeperEvent>

/** The holder itself renews when a third of its belief is over. A little earlier, and it finds that it need not. */
const KEEP_PART = 3 / 10

export function lockKeeper(settings: KeeperSettings): LockKeeper {
  return {
    name: 'lock keeper',
    init: (_self, servers) => ({ servers, leases: new Map(), attempts: 0, aliveAt: Number.NEGATIVE_INFINITY }),
    step(state, input, turn) {
      switch (input.kind) {
        case 'command':
          return command(state, settings, input.body, turn)
        case 'message':
          return answered(state, settings, input.from, input.body, turn)
        case 'timer':
          return due(state, settings, input.name, turn)
        case 'start':
        case 'stop':
          return
      }
    },
  }
}

function command(state: KeeperState, settings: KeeperSettings, body: KeeperCommand, turn: KeeperTurn): void {
  switch (body.kind) {
    case 'hold':
      return hold(state, settings, body, turn)
    case 'drop':
      if (state.leases.get(body.name)?.id === body.id) forget(state, body.name, turn)
      return
    case 'alive':
      state.aliveAt = Math.max(state.aliveAt, body.at)
      return
  }
}

function hold(
  state: KeeperState,
  settings: KeeperSettings,
  asked: KeeperCommand & { kind: 'hold' },
  turn: KeeperTurn,
): void {
  const { id, name, token, ttl, deadline } = asked
  let kept = state.leases.get(name)
  if (kept?.id !== id) {
    kept = { id, name, token, ttl, deadline, attempt: 0, sentAt: 0, asked: 0, until: new Map() }
    state.leases.set(name, kept)
  }
  kept.ttl = Math.min(ttl, settings.ttlMax)
  kept.deadline = Math.max(kept.deadline, deadline)
  plan(settings, kept, turn)
}

function forget(state: KeeperState, name: string, turn: KeeperTurn): void {
  state.leases.delete(name)
  turn.do({ kind: 'cancel', name: `keep:${name}` })
}

// When so much of the belief is over, as if the deadline came from one renewal.
function plan(settings: KeeperSettings, kept: Kept, turn: KeeperTurn): void {
  const at = kept.deadline - (1 - KEEP_PART) * settings.rules.belief(kept.ttl, settings.drift)
  turn.do({ kind: 'timer', name: `keep:${kept.name}`, after: Math.max(0, Math.floor(at - turn.now)) })
}

function due(state: KeeperState, settings: KeeperSettings, timer: string, turn: KeeperTurn): void {
  const kept = state.leases.get(timer.slice('keep:'.length))
  if (kept === undefined) return
  if (turn.now >= kept.deadline) return forget(state, kept.name, turn)
  const again = Math.floor(KEEP_PART * settings.rules.belief(kept.ttl, settings.drift))
  turn.do({ kind: 'timer', name: timer, after: Math.max(1, again) })
  if (turn.now - state.aliveAt > settings.blockedMax) return
  kept.attempt = ++state.attempts
  kept.sentAt = turn.now
  kept.asked = kept.ttl
  const { name, attempt, token, ttl } = kept
  const { holder } = settings
  for (const to of state.servers)
    turn.do({ kind: 'send', to, body: { kind: 'keep', name, attempt, token, ttl, holder } })
}

function answered(
  state: KeeperState,
  settings: KeeperSettings,
  from: NodeId,
  body: LockMessage,
  turn: KeeperTurn,
): void {
  if (body.kind !== 'renewed' || !state.servers.includes(from)) return
  const { rules } = settings
  const kept = state.leases.get(body.name)
  if (kept === undefined || !rules.isCurrent(body.attempt, kept.attempt)) return
  // Its holder may have looked at the clock already, and stopped.
  if (turn.now >= kept.deadline) return forget(state, kept.name, turn)
  // A server may be set to hold for less than was asked.
  const held = Math.min(body.held, kept.asked)
  kept.until.set(from, rules.beliefStart(kept.sentAt, turn.now) + rules.belief(held, settings.drift))
  const deadline = kthLargest(kept.until.values(), rules.grantsNeeded(state.servers.length, settings.liars))
  if (deadline <= kept.deadline) return
  kept.deadline = deadline
  turn.do({ kind: 'emit', event: { kind: 'kept', id: kept.id, name: kept.name, deadline } })
  plan(settings, kept, turn)
}
