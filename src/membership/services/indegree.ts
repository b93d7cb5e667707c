// The hub attack, and its defence by statistics (LECTURE, "Secure gossiping").
//
// Colluding members answer every exchange with references to each other only, and soon all views point to them. The defence:
// a benign member uses the answer to an exchange either for its view, or only to count whom others point to; the partner
// cannot tell which. In a healthy overlay every member is pointed to about equally often. A member that is counted far more
// often than chance explains is a hub, and is left out.

import type { NodeId } from '../../core/index.ts'

/** How often each member was pointed to. */
export interface InDegrees {
  /** How often each name was in an answer that was used for statistics. */
  readonly counts: Map<NodeId, number>
  answers: number
}

/** Names that are counted: more would let an attacker with invented names fill the memory. */
export const COUNTED_MAX = 4_096
/** How many answers there are when the counts are halved: what was long ago weighs less. */
export const ANSWERS_MAX = 400
/** Deviations beyond what is typical: chance does this to one name in a thousand or so, and only for a while. */
const DEVIATIONS = 4
/** How many answers it takes before anything is said about anybody. */
const ANSWERS_LEAST = 10

/** Before anything was counted. */
export function emptyDegrees(): InDegrees {
  return { counts: new Map(), answers: 0 }
}

/** One answer, used for statistics only: each name counts once. */
export function count(degrees: InDegrees, names: readonly NodeId[]): void {
  for (const name of new Set(names)) {
    const before = degrees.counts.get(name)
    if (before !== undefined || degrees.counts.size < COUNTED_MAX) degrees.counts.set(name, (before ?? 0) + 1)
  }
  if (++degrees.answers < ANSWERS_MAX) return
  degrees.answers = Math.floor(degrees.answers / 2)
  for (const [name, times] of degrees.counts) {
    if (times < 2) degrees.counts.delete(name)
    else degrees.counts.set(name, Math.floor(times / 2))
  }
}

/** Names pointed to far more often than the others. The median is the measure: hubs raise a mean. */
export function hubs(degrees: InDegrees): Set<NodeId> {
  const found = new Set<NodeId>()
  if (degrees.answers < ANSWERS_LEAST || degrees.counts.size === 0) return found
  const sorted = [...degrees.counts.values()].sort((a, b) => a - b)
  const typical = Math.max(1, sorted[sorted.length >> 1]!)
  const limit = typical + DEVIATIONS * Math.sqrt(typical)
  for (const [name, times] of degrees.counts) if (times > limit) found.add(name)
  return found
}
