// What a server says of itself to people who look: the leases that are out, and who waits for them.

import type { Millis, NodeId } from '../../core/index.ts'
import {
  type ClientMessage,
  INSPECTED_MAX,
  INSPECTED_WAITERS_MAX,
  type InspectedLease,
  WAITERS_SHOWN_MAX,
} from '../wire.ts'
import { isOut, recovering, reply, type ServerScene, type ServerState } from './state.ts'
import { firstNames } from './waiters.ts'

export function onInspect(scene: ServerScene, from: NodeId, asked: Extract<ClientMessage, { kind: 'inspect' }>): void {
  const { state, turn } = scene
  const { held, leases } = leasesOut(state, turn.now)
  const uptime = Math.floor(turn.now - state.startedAt)
  const wait = Math.ceil(recovering(state, turn.now))
  reply(scene, from, { kind: 'inspected', query: asked.query, uptime, recovering: Math.max(0, wait), held, leases })
}

// All are counted; as many as one answer may hold are shown.
function leasesOut(state: ServerState, now: Millis): { held: number; leases: InspectedLease[] } {
  const leases: InspectedLease[] = []
  let held = 0
  let room = INSPECTED_WAITERS_MAX
  for (const [name, entry] of state.locks) {
    if (!isOut(entry, now)) continue
    held++
    if (leases.length >= INSPECTED_MAX) continue
    const { holder, token } = entry
    const age = Math.max(0, Math.floor(now - entry.since))
    const waiters = firstNames(entry.waiters ?? [], now, Math.min(room, WAITERS_SHOWN_MAX))
    room -= waiters.length
    leases.push({ name, holder, token, age, remaining: Math.ceil(entry.until - now), waiters })
  }
  return { held, leases }
}
