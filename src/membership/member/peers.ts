// What each peer may do: a number of messages and checks a second. A peer that wants more is slowed and named; one that
// brings forged claims is not heard for a while, and named. A peer is the one that the transport says is speaking.

import { type Allowance, fullBucket, type Millis, type NodeId, take } from '../../core/index.ts'
import type { Misbehaviour } from '../events.ts'
import { type MemberScene, PEERS_MAX, type PeerRecord } from './state.ts'

/** A joining member is sent a whole view at once; afterwards a few messages a second are usual. */
const TALK: Allowance = { burst: 1_024, perSecond: 256 }
/**
 * How long a peer is not heard after its first, second and third forged claim; with the third it is named. One claim may
 * be broken by a broken memory, so the first costs little; but while it costs, nothing of that peer is checked: many
 * forgers at once would else have three signatures checked each.
 */
const MUTED_FOR: readonly Millis[] = [1_000, 5_000, 30_000]
/** One name a minute in the log is enough. */
const NAMED_EVERY: Millis = 60_000
/** Peers beyond those remembered share one record. */
const CROWD = '\u0000crowd'

function recordOf({ state, turn }: MemberScene, peer: NodeId): PeerRecord {
  const known = state.peers.get(peer)
  if (known !== undefined) return known
  const name = state.peers.size < PEERS_MAX ? peer : CROWD
  const record = state.peers.get(name) ?? {
    bucket: fullBucket(TALK, turn.now),
    forged: 0,
    mutedUntil: Number.NEGATIVE_INFINITY,
    namedAt: Number.NEGATIVE_INFINITY,
    slowed: 0,
  }
  state.peers.set(name, record)
  return record
}

/** Whether the peer may have so much of this member's time; if not, it is counted, and named when it keeps on. */
export function spendOn(scene: MemberScene, peer: NodeId, cost: number): boolean {
  const { state, turn, settings } = scene
  const record = recordOf(scene, peer)
  if (take(record.bucket, TALK, turn.now, cost, settings.rules.spends)) return true
  state.refusals.slowed++
  record.slowed++
  if (turn.now - record.namedAt >= NAMED_EVERY) {
    record.namedAt = turn.now
    name(scene, peer, 'flooding')
  }
  return false
}

/** The peer brought a claim whose signature does not hold. */
export function blame(scene: MemberScene, peer: NodeId): void {
  const record = recordOf(scene, peer)
  record.mutedUntil = scene.turn.now + MUTED_FOR[record.forged]!
  record.forged++
  if (record.forged < MUTED_FOR.length) return
  record.forged = 0
  name(scene, peer, 'forging')
}

function name({ turn }: MemberScene, member: NodeId, how: Misbehaviour): void {
  turn.do({ kind: 'emit', event: { kind: 'misbehaved', member, how } })
}
