// What is to be passed on. Each claim goes out a bounded number of times, those that went out least first: news overtakes.
// A newer claim of the same matter takes the place of the older.

import type { NodeId } from '../../core/index.ts'
import { type Claim, claimBytes, signerOf } from '../claims.ts'

export interface Waiting {
  readonly key: string
  readonly claim: Claim
  readonly bytes: number
}

/** Claims by how often they went out: `levels[2]` went out twice. */
export interface GossipQueue {
  readonly levels: Map<string, Waiting>[]
  /** Bytes that wait, by who signed them; nobody with none. */
  readonly held: Map<NodeId, number>
}

/** Claims that wait: a whole group of two thousand that joins at once. The most often told give way. */
export const QUEUE_MAX = 2_048
/**
 * Bytes that wait of one signer: its life, its attributes, a burst of its events and a hundred suspicions. Beyond, its own
 * most told gives way: one member that has something to say of everybody would else take the place of all the others.
 */
export const QUEUED_BYTES_OF_SIGNER_MAX = 65_536

export function emptyQueue(): GossipQueue {
  return { levels: [], held: new Map() }
}

export function queueSize({ levels }: GossipQueue): number {
  return levels.reduce((sum, level) => sum + level.size, 0)
}

/** What a claim is about: of one matter only the newest is told. */
function keyOf(claim: Claim): string {
  switch (claim.kind) {
    case 'alive':
    case 'leave':
      return `life ${claim.member}`
    case 'attributes':
      return `attributes ${claim.member}`
    case 'suspect':
    case 'failed':
      return `${claim.kind} ${claim.member} by ${claim.author}`
    case 'measured':
      return `measured ${claim.member} by ${claim.author}`
    case 'event':
      return `event ${claim.member} ${claim.boot} ${claim.number}`
  }
}

export function enqueue(queue: GossipQueue, claim: Claim): void {
  const key = keyOf(claim)
  const bytes = claimBytes(claim)
  const signer = signerOf(claim)
  for (const place of queue.levels.keys()) drop(queue, place, key)
  while ((queue.held.get(signer) ?? 0) + bytes > QUEUED_BYTES_OF_SIGNER_MAX) dropMostTold(queue, signer)
  if (queueSize(queue) >= QUEUE_MAX) dropMostTold(queue)
  put(queue, 0, { key, claim, bytes })
}

function put({ levels, held }: GossipQueue, level: number, waiting: Waiting): void {
  while (levels.length <= level) levels.push(new Map())
  levels[level]!.set(waiting.key, waiting)
  const signer = signerOf(waiting.claim)
  held.set(signer, (held.get(signer) ?? 0) + waiting.bytes)
}

function drop({ levels, held }: GossipQueue, level: number, key: string): void {
  const waiting = levels[level]!.get(key)
  if (waiting === undefined) return
  levels[level]!.delete(key)
  const signer = signerOf(waiting.claim)
  const left = held.get(signer)! - waiting.bytes
  if (left > 0) held.set(signer, left)
  else held.delete(signer)
}

/** A member's new incarnation makes accusations of the old one pointless. */
export function forgetAccusations(queue: GossipQueue, member: NodeId): void {
  for (const [place, level] of queue.levels.entries()) {
    for (const [key, { claim }] of level) {
      if ((claim.kind === 'suspect' || claim.kind === 'failed') && claim.member === member) drop(queue, place, key)
    }
  }
}

/** What was told most often gives way: of all, or of one signer. */
function dropMostTold(queue: GossipQueue, signer?: NodeId): void {
  for (let place = queue.levels.length - 1; place >= 0; place--) {
    for (const [key, { claim }] of queue.levels[place]!) {
      if (signer === undefined || signerOf(claim) === signer) return drop(queue, place, key)
    }
  }
}

/** The next claims within both limits, each counted as told once; what was told `limit` times is done. */
export function nextClaims(queue: GossipQueue, countMax: number, bytesMax: number, limit: number): Claim[] {
  const chosen: { level: number; waiting: Waiting }[] = []
  let room = bytesMax
  for (const [level, waitings] of queue.levels.entries()) {
    for (const waiting of waitings.values()) {
      if (chosen.length >= countMax || room <= 0) break
      if (waiting.bytes > room && chosen.length > 0) continue
      chosen.push({ level, waiting })
      room -= waiting.bytes
    }
  }
  for (const { level, waiting } of chosen) {
    drop(queue, level, waiting.key)
    if (level + 1 < limit) put(queue, level + 1, waiting)
  }
  return chosen.map(({ waiting }) => waiting.claim)
}
