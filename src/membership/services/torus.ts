// A torus out of nothing (LECTURE, "overlay construction"): members with places on an N × N grid find their neighbours.
//
// Two lists: below, random peers; above, the c nearest known. The lecture's rule (look at a random peer, keep the nearer)
// converges only as fast as chance finds neighbours. The variant here is T-Man (Jelasity, Montresor, Babaoglu 2009): ask
// one of the nearest, tell it those of my list that are nearest to it, take from its answer those that are nearest to me.
// Neighbours of neighbours are neighbours, so it takes about log N rounds.

import type { NodeId } from '../../core/index.ts'

/** A place on the grid. */
export interface Place {
  readonly x: number
  readonly y: number
}

/** A member and its place. */
export interface Placed extends Place {
  readonly id: NodeId
}

/** d1 + d2 with di = min(N - |ai - bi|, |ai - bi|). */
export function torusDistance(size: number, a: Place, b: Place): number {
  const across = Math.abs(a.x - b.x)
  const along = Math.abs(a.y - b.y)
  return Math.min(size - across, across) + Math.min(size - along, along)
}

/** The `count` nearest to a place, the nearest first, each once; ties by name, so that all choose alike. */
export function nearest(size: number, to: Place, known: readonly Placed[], count: number, without: NodeId): Placed[] {
  const once = new Map(known.filter(({ id }) => id !== without).map(placed => [placed.id, placed]))
  return [...once.values()]
    .sort((a, b) => torusDistance(size, to, a) - torusDistance(size, to, b) || (a.id < b.id ? -1 : 1))
    .slice(0, count)
}
