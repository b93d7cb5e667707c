// How much of our time each other member may have, at once and in a second. One that wants more is not heard until it
// has credit again, and is reported. Nobody else is slowed by it.

import { type Allowance, fullBucket, type Millis, type NodeId, take } from '../../core/index.ts'
import { memberOf } from '../count/electorate.ts'
import type { ElectionSettings } from '../settings.ts'
import { type Claim, type ElectionMessage, MEMBERS_MAX } from '../wire.ts'
import type { Misbehaviour } from './commands.ts'
import { type ElectionScene, emit } from './scene.ts'
import type { Peer } from './state.ts'

/** How often to report a member: once a minute is enough for a log. */
const REPORTED_EVERY: Millis = 60_000
/** Members of no list that we know share one allowance. */
const STRANGERS = '\u0000strangers'

/** Whether to hear this message; if not, its sender is reported. */
export function isWithinRate(scene: ElectionScene, from: NodeId, body: ElectionMessage): boolean {
  return spend(scene, from, costOf(body, scene.settings))
}

/** Whether it may have so much more of our time for what it asked; if not, it is reported. */
export function spend(scene: ElectionScene, from: NodeId, cost: number): boolean {
  const { settings, turn } = scene
  if (settings.rateLimit === undefined) return true
  const peer = peerOf(scene, from, settings.rateLimit)
  if (take(peer.bucket, settings.rateLimit, turn.now, cost)) return true
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
  const peer = {
    bucket: fullBucket(rateLimit, turn.now),
    proofs: fullBucket(proofsOf(rateLimit), turn.now),
    reportedAt: new Map(),
  }
  state.peers.set(name, peer)
  return peer
}

/**
 * A secret ballot, and a candidate's share of the totals, in signatures: one takes about 10 ms to check, and a signature 0.15. At
 * 32 a lying member costs two thirds of a core at most, and a claim of a full list still fits into the burst.
 */
export const PROOF_COST = 32
/** Secret ballots that are only read for the price of a signature: a digest is made of them. */
const BALLOTS_A_TOKEN = 8

/**
 * Whether so many of its proofs may be checked now. They count when they are checked and not when they are said: honest members
 * say the same again while others are busy with it, and where each time counted, many elections at once would never end. So
 * who is beyond it is not reported either, and says it again.
 */
export function mayCheck(scene: ElectionScene, from: NodeId, proofs: number): boolean {
  const { settings, turn } = scene
  if (settings.mode !== 'secret' || settings.rateLimit === undefined) return true
  const { rateLimit } = settings
  return take(peerOf(scene, from, rateLimit).proofs, proofsOf(rateLimit), turn.now, proofs)
}

function proofsOf({ burst, perSecond }: Allowance): Allowance {
  return { burst: burst / PROOF_COST, perSecond: perSecond / PROOF_COST }
}

/** About as many as there are signatures to check: reading is nothing beside it. */
function costOf(body: ElectionMessage, { mode }: ElectionSettings): number {
  switch (body.kind) {
    case 'claim':
    case 'tally':
      return 1 + ballotsIn(body) / (mode === 'secret' ? BALLOTS_A_TOKEN : 1)
    case 'alive':
    case 'led':
      return 1 + body.grants.length
    case 'list':
      return 1 + body.listed.approvals.length
    default:
      return 1
  }
}

/** Of a claim or tally that is checked: its ballots, and the shares of the totals. */
export function proofsIn(body: Pick<Claim, 'ballots' | 'voided'> & Partial<Pick<Claim, 'openings'>>): number {
  return ballotsIn(body) + (body.openings?.length ?? 0)
}

function ballotsIn({ ballots, voided }: Pick<Claim, 'ballots' | 'voided'>): number {
  return ballots.length + 2 * voided.length
}
