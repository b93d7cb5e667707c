// What each peer may do: a number of messages and checks a second. A peer that wants more is slowed and named; one that
// brings forged claims is not heard for a while, and named. A peer is the one that the transport says is speaking.

import { type Allowance, fullBucket, type Millis, type NodeId, take } from '../../core/index.ts'
import type { Misbehaviour } from '../events.ts'
import { type MemberScene, PEERS_MAX, type PeerRecord } from './state.ts'

/** A joining member is sent a whole view at once; afterwards a few messages a second are usual. */
export const TALK: Allowance = { burst: 1_024, perSecond: 256 }
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
/** How many records are looked at for one that nobody misses, each time. */
const LOOKS = 16

function recordOf(scene: MemberScene, peer: NodeId): PeerRecord {
  const { state, turn } = scene
  const known = state.peers.get(peer)
  if (known !== undefined) return known
  const name = hasRoom(scene) ? peer : CROWD
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

/** Forgets a peer that has not spoken for long, if there must be one fewer; those that were looked at go to the end of the line. */
function hasRoom({ state: { peers }, turn }: MemberScene): boolean {
  if (peers.size < PEERS_MAX) return true
  // Else who forged in the crowd would be heard again under a record of its own.
  if (turn.now < (peers.get(CROWD)?.mutedUntil ?? turn.now)) return false
  let looks = 0
  for (const [id, record] of peers) {
    if (++looks > LOOKS) return false
    peers.delete(id)
    if (isQuiet(record, turn.now)) return true
    peers.set(id, record)
  }
  return false
}

/** A record like a new one: nothing is lost with it. */
function isQuiet({ bucket, forged, mutedUntil, namedAt }: PeerRecord, now: Millis): boolean {
  const full = bucket.tokens + ((now - bucket.at) * TALK.perSecond) / 1_000 >= TALK.burst
  return full && forged === 0 && now >= mutedUntil && now - namedAt >= NAMED_EVERY
}

/** Whether everything that the peer brings is ignored for now. If one of the crowd forged, all of the crowd are ignored. */
export function isMuted({ state, turn }: MemberScene, peer: NodeId): boolean {
  const record = state.peers.get(peer) ?? state.peers.get(CROWD)
  return record !== undefined && turn.now < record.mutedUntil
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
