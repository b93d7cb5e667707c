// How much of our time each other member may have, at once and in a second. One that wants more is not heard until it
// has credit again, and is reported. Nobody else is slowed by it.

import { type Allowance, fullBucket, type Millis, type NodeId, take } from '../../core/index.ts'
import { memberOf } from '../count/electorate.ts'
import { type ElectionMessage, MEMBERS_MAX } from '../wire.ts'
import type { Misbehaviour } from './commands.ts'
import { type ElectionScene, emit } from './scene.ts'
import type { Peer } from './state.ts'

/** How often to report a member: once a minute is enough for a log. */
const REPORTED_EVERY: Millis = 60_000
/** Members of no list that we know share one allowance. */
const STRANGERS = '\u0000strangers'

/** Whether to hear this message; if not, its sender is reported. */
export function isWithinRate(scene: ElectionScene, from: NodeId, body: ElectionMessage): boolean {
  const { settings, turn } = scene
  if (settings.rateLimit === undefined) return true
  const peer = peerOf(scene, from, settings.rateLimit)
  if (take(peer.bucket, settings.rateLimit, turn.now, costOf(body))) return true
  report(scene, from, 'flooding')
  return false
}

/** What this member said proves that it lies, or it asks for too much: it is named, each way once a minute. */
export function report(scene: ElectionScene, from: NodeId, how: Misbehaviour): void {
  const { settings, turn } = scene
  if (settings.rateLimit === undefined) return
  const { reportedAt } = peerOf(scene, from, settings.rateLimit)
  if (turn.now - (reportedAt.get(how) ?? Number.NEGATIVE_INFINITY) < REPORTED_EVERY) return
  reportedAt.set(how, turn.now)
  emit(scene, { kind: 'misbehaved', member: from, how })
}

function peerOf({ state, turn }: ElectionScene, from: NodeId, rateLimit: Allowance): Peer {
  const name = memberOf(state.electorate, from) === undefined ? STRANGERS : from
  const known = state.peers.get(name)
  if (known !== undefined) return known
  // Members that were removed since.
  if (state.peers.size > MEMBERS_MAX) state.peers.clear()
  const peer = { bucket: fullBucket(rateLimit, turn.now), reportedAt: new Map() }
  state.peers.set(name, peer)
  return peer
}

/** About as many as there are signatures to check: reading is nothing beside it. */
function costOf(body: ElectionMessage): number {
  switch (body.kind) {
    case 'claim':
    case 'tally':
      return 1 + body.ballots.length + 2 * body.voided.length
    case 'alive':
    case 'led':
      return 1 + body.grants.length
    case 'list':
      return 1 + body.listed.approvals.length
    default:
      return 1
  }
}
