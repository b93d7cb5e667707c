// What each member may ask of another: so much at once, so much a second. Whoever wants more is not heard until it has
// credit again, and is named. Nobody else is slowed by it, and nobody can fill the list of elections with names.

import { type Allowance, fullBucket, type Millis, type NodeId, take } from '../core/index.ts'
import { memberOf } from './electorate.ts'
import { type ElectionMessage, MEMBERS_MAX } from './messages.ts'
import type { Context, Peer } from './state.ts'

/** Sixty-four elections at once, with ballots said again; at rest it is three messages a second for each. */
export const TALK: Allowance = { burst: 8_192, perSecond: 2_048 }
/** One name a minute in the log is enough. */
const NAMED_EVERY: Millis = 60_000
/** Who is in no list that we know shares one allowance with all such. */
const STRANGERS = '\u0000strangers'

/** Whether this member may have our time; if not, it is named when it keeps on. */
export function mayAsk(context: Context, from: NodeId, body: ElectionMessage): boolean {
  const { settings, turn } = context
  if (settings.talk === undefined) return true
  const peer = peerOf(context, from, settings.talk)
  if (take(peer.bucket, settings.talk, turn.now, costOf(body))) return true
  if (turn.now - peer.namedAt >= NAMED_EVERY) {
    peer.namedAt = turn.now
    turn.do({ kind: 'emit', event: { kind: 'misbehaved', member: from, how: 'flooding' } })
  }
  return false
}

function peerOf({ state, turn }: Context, from: NodeId, talk: Allowance): Peer {
  const name = memberOf(state.electorate, from) === undefined ? STRANGERS : from
  const known = state.peers.get(name)
  if (known !== undefined) return known
  // Members that were removed since.
  if (state.peers.size > MEMBERS_MAX) state.peers.clear()
  const peer = { bucket: fullBucket(talk, turn.now), namedAt: Number.NEGATIVE_INFINITY }
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
