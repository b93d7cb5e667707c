// Peer sampling with views of c references (LECTURE, "peer sampling"), in the variant of Cyclon (Voulgaris, Gavidia, van
// Steen 2005): the partner is the reference that was held longest, and references are swapped, not copied.
//
// Swapping keeps the number of references to each member nearly constant; asking the oldest finds the dead first. A
// reference to a member that is gone leaves the view when it is asked and does not answer.

import type { NodeId } from '../../core/index.ts'

/** A member that a view points to. */
export interface Reference {
  readonly id: NodeId
  /** Rounds since the member itself put this reference into the world. */
  readonly age: number
}

type Below = (bound: number) => number

/** The same view, one round older. */
export function aged(view: readonly Reference[]): Reference[] {
  return view.map(({ id, age }) => ({ id, age: age + 1 }))
}

/** The reference held longest: ties go to the first. */
export function oldest(view: readonly Reference[]): Reference | undefined {
  let found = view[0]
  for (const reference of view) if (reference.age > found!.age) found = reference
  return found
}

/** Up to `count` of the items, at random, without those left out. */
export function draw<T>(
  items: readonly T[],
  count: number,
  below: Below,
  without: (item: T) => boolean = () => false,
): T[] {
  const pool = items.filter(item => !without(item))
  const drawn: T[] = []
  while (drawn.length < count && pool.length > 0) drawn.push(...pool.splice(below(pool.length), 1))
  return drawn
}

/** What is sent to begin an exchange: a fresh reference to oneself, and some of the view without the partner. */
export function offer(
  view: readonly Reference[],
  self: NodeId,
  partner: NodeId,
  size: number,
  below: Below,
): Reference[] {
  return [{ id: self, age: 0 }, ...draw(view, size - 1, below, ({ id }) => id === partner)]
}

/**
 * The view after an exchange. What was received fills free places first, then takes those of what was sent; nothing else
 * gives way. Oneself and what is there already is left out.
 */
export function swapped(
  view: readonly Reference[],
  received: readonly Reference[],
  sent: readonly Reference[],
  capacity: number,
  self: NodeId,
): Reference[] {
  const next = new Map(view.map(reference => [reference.id, reference]))
  const givable = sent.map(({ id }) => id).filter(id => next.has(id))
  for (const reference of received) {
    if (reference.id === self || next.has(reference.id)) continue
    if (next.size >= capacity) {
      const given = givable.pop()
      if (given === undefined) break
      next.delete(given)
    }
    next.set(reference.id, reference)
  }
  return [...next.values()]
}
