// What each member may ask of another: so much at once, so much a second. Whoever wants more is not heard until it has
// credit again, and is named. Nobody else is slowed by it, and nobody can fill the list of elections with names.

import { type Allowance, fullBucket, type Millis, type NodeId, take } from '../../core/index.ts'
import { memberOf } from '../count/electorate.ts'
import { type ElectionMessage, MEMBERS_MAX } from '../wire.ts'
import { type ElectionScene, emit } from './scene.ts'
import type { Peer } from './state.ts'

/** One name a minute in the log is enough. */
const NAMED_EVERY: Millis = 60_000
/** Who is in no list that we know shares one allowance with all such. */
const STRANGERS = '\u0000strangers'

/** Whether this member may have our time; if not, it is named when it keeps on. */
export function isWithinRate(scene: ElectionScene, from: NodeId, body: ElectionMessage): boolean {
  const { settings, turn } = scene
  if (settings.rateLimit === undefined) return true
  const peer = peerOf(scene, from, settings.rateLimit)
  if (take(peer.bucket, settings.rateLimit, turn.now, costOf(body))) return true
  if (turn.now - peer.namedAt >= NAMED_EVERY) {
    peer.namedAt = turn.now
    emit(scene, { kind: 'misbehaved', member: from, how: 'flooding' })
  }
  return false
}

function peerOf({ state, turn }: ElectionScene, from: NodeId, rateLimit: Allowance): Peer {
  const name = memberOf(state.electorate, from) === undefined ? STRANGERS : from
  const known = state.peers.get(name)
  if (known !== undefined) return known
  // Members that were removed since.
  if (state.peers.size > MEMBERS_MAX) state.peers.clear()
  const peer = { bucket: fullBucket(rateLimit, turn.now), namedAt: Number.NEGATIVE_INFINITY }
  state.peers.set(name, peer)
  return peer
}

/** In signatures that are checked, or so: reading is nothing beside it. */
function costOf(body: ElectionMessage): number {
  switch (body.kind) {
    case 'claim':
    case 'tally':
      return 1 + body.ballots.length + 2 * body.voided.length
    case 'alive':
      return 1 + body.grants.length
    case 'list':
      return 1 + body.listed.approvals.length
    default:
      return 1
  }
}
