// Renews what somebody else holds: the same process, whose main thread may be blocked (protocols/lock 7).
//
// Guarantees: `kept` says a deadline only when g servers have promised to hold for the holder until then, counted as
// the holder itself would count; a lease that was over for a moment is never brought back, so a holder that saw that it
// was over saw the truth; and a holder that shows no life for `blockedMax` is renewed no more.
//
// The obvious worker renews on a timer and tells the main thread by message. The main thread reads no messages while
// it is blocked: it wakes, finds its own deadline passed, and does not know whether it holds. And a worker that
// renews for ever keeps the locks of a process that hangs for ever.

import { kthLargest, type Millis, type NodeId, type Protocol } from '../../core/index.ts'
import type { LockMessage, ServerMessage } from '../wire.ts'
import {
  checkKeeper,
  type KeeperCommand,
  type KeeperEvent,
  type KeeperScene,
  type KeeperSettings,
  type KeeperState,
  type Kept,
  keeperTimers,
  newKeeper,
} from './state.ts'

/** The keeper as a protocol. */
export type LockKeeper = Protocol<KeeperState, LockMessage, KeeperCommand, KeeperEvent>

/** The holder itself renews when a third of its belief is over. A little earlier, and it finds that it need not. */
const KEEP_PART = 3 / 10

/** Renews what another thread of the same process holds. */
export function lockKeeper(settings: KeeperSettings): LockKeeper {
  return {
    name: 'lock keeper',
    init: (_self, servers) => newKeeper(servers),
    step(state, input, turn) {
      const scene: KeeperScene = { state, settings, turn }
      switch (input.kind) {
        case 'message':
          return onMessage(scene, input.from, input.body)
        case 'command':
          return onCommand(scene, input.body)
        case 'timer':
          return onTimer(scene, keeperTimers.due(input.name))
        case 'start':
        case 'stop':
          return
      }
    },
    check: checkKeeper,
  }
}

function onMessage(scene: KeeperScene, from: NodeId, body: LockMessage): void {
  if (!scene.state.servers.includes(from)) return
  switch (body.kind) {
    case 'renewed':
      return onRenewed(scene, from, body)
    default:
      // A server that does not renew may do so at the next try, while the lease lasts.
      return
  }
}

function onCommand(scene: KeeperScene, body: KeeperCommand): void {
  switch (body.kind) {
    case 'hold':
      return onHold(scene, body)
    case 'drop':
      return onDrop(scene, body)
    case 'alive':
      return onAlive(scene, body)
  }
}

function onTimer(scene: KeeperScene, { kind, about }: ReturnType<typeof keeperTimers.due>): void {
  switch (kind) {
    case 'keep':
      return onKeepTimer(scene, about)
  }
}

function onHold(scene: KeeperScene, asked: KeeperCommand & { kind: 'hold' }): void {
  const { state, settings } = scene
  const { id, name, token, ttl, deadline } = asked
  state.latest = name
  let kept = state.leases.get(name)
  if (kept?.id !== id) {
    kept = { id, name, token, ttl, deadline, attempt: 0, sentAt: 0, asked: 0, until: new Map() }
    state.leases.set(name, kept)
  }
  kept.ttl = Math.min(ttl, settings.ttlMax)
  kept.deadline = Math.max(kept.deadline, deadline)
  schedule(scene, kept)
}

function onDrop(scene: KeeperScene, { id, name }: KeeperCommand & { kind: 'drop' }): void {
  if (scene.state.leases.get(name)?.id === id) forget(scene, name)
}

function onAlive({ state }: KeeperScene, { at }: KeeperCommand & { kind: 'alive' }): void {
  state.aliveAt = Math.max(state.aliveAt, at)
}

function forget({ state, turn }: KeeperScene, name: string): void {
  state.leases.delete(name)
  keeperTimers.cancel(turn, 'keep', name)
}

// When this part of the belief is over, as if the deadline came from one renewal.
function schedule(scene: KeeperScene, kept: Kept): void {
  const { turn } = scene
  const at = kept.deadline - (1 - KEEP_PART) * beliefOf(scene, kept)
  keeperTimers.set(turn, 'keep', Math.max(0, Math.floor(at - turn.now)), kept.name)
}

function beliefOf({ settings }: KeeperScene, { ttl }: Kept): Millis {
  return settings.rules.belief(ttl, settings.drift)
}

function onKeepTimer(scene: KeeperScene, about: string): void {
  const { state, settings, turn } = scene
  state.latest = about
  const kept = state.leases.get(about)
  if (kept === undefined) return
  if (turn.now >= kept.deadline) return forget(scene, about)
  keeperTimers.set(turn, 'keep', Math.max(1, Math.floor(KEEP_PART * beliefOf(scene, kept))), about)
  if (turn.now - state.aliveAt > settings.blockedMax) return
  kept.attempt = ++state.attempts
  kept.sentAt = turn.now
  kept.asked = kept.ttl
  const { name, attempt, token, ttl } = kept
  const { holder } = settings
  for (const to of state.servers)
    turn.do({ kind: 'send', to, body: { kind: 'keep', name, attempt, token, ttl, holder } })
}

function onRenewed(scene: KeeperScene, from: NodeId, body: ServerMessage & { kind: 'renewed' }): void {
  const { state, settings, turn } = scene
  const { rules } = settings
  state.latest = body.name
  const kept = state.leases.get(body.name)
  if (kept === undefined || !rules.isCurrent(body.attempt, kept.attempt)) return
  // Its holder may have looked at the clock already, and stopped.
  if (turn.now >= kept.deadline) return forget(scene, kept.name)
  // A server may be set to hold for less than was asked.
  const held = Math.min(body.held, kept.asked)
  kept.until.set(from, rules.beliefStart(kept.sentAt, turn.now) + rules.belief(held, settings.drift))
  const deadline = kthLargest(kept.until.values(), rules.grantsNeeded(state.servers.length, settings.liars))
  if (deadline <= kept.deadline) return
  kept.deadline = deadline
  turn.do({ kind: 'emit', event: { kind: 'kept', id: kept.id, name: kept.name, deadline } })
  schedule(scene, kept)
}
