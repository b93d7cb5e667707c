// What is to be passed on. Each claim goes out a bounded number of times, those that went out least first: news overtakes.
// A newer claim of the same matter takes the place of the older.

import type { NodeId } from '../../core/index.ts'
import { type Claim, claimBytes } from '../claims.ts'

export interface Waiting {
  readonly key: string
  readonly claim: Claim
  readonly bytes: number
}

/** Claims by how often they went out: `levels[2]` went out twice. */
export interface GossipQueue {
  readonly levels: Map<string, Waiting>[]
}

/** Claims that wait: a whole group of two thousand that joins at once. The most often told give way. */
export const QUEUE_MAX = 2_048

export function emptyQueue(): GossipQueue {
  return { levels: [] }
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
  remove(queue, key)
  if (queueSize(queue) >= QUEUE_MAX) dropMostTold(queue)
  queue.levels[0] ??= new Map()
  queue.levels[0].set(key, { key, claim, bytes: claimBytes(claim) })
}

/** A member's new incarnation makes accusations of the old one pointless. */
export function forgetAccusations(queue: GossipQueue, member: NodeId): void {
  for (const level of queue.levels) {
    for (const [key, { claim }] of level) {
      if ((claim.kind === 'suspect' || claim.kind === 'failed') && claim.member === member) level.delete(key)
    }
  }
}

function remove(queue: GossipQueue, key: string): void {
  for (const level of queue.levels) if (level.delete(key)) return
}

function dropMostTold({ levels }: GossipQueue): void {
  for (let place = levels.length - 1; place >= 0; place--) {
    const first = levels[place]!.keys().next()
    if (first.done) continue
    levels[place]!.delete(first.value)
    return
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
    queue.levels[level]!.delete(waiting.key)
    if (level + 1 >= limit) continue
    for (let place = queue.levels.length; place <= level + 1; place++) queue.levels.push(new Map())
    queue.levels[level + 1]!.set(waiting.key, waiting)
  }
  return chosen.map(({ waiting }) => waiting.claim)
}
