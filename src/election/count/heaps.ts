// The group view in min-heaps, one for each attribute (SRCEA §3.1, algorithm 1).
//
// The root of a heap is the member with the best value, so that Candidate_Selection looks at one place in each heap.
// Equal values are ordered by id: failure counts start equal, and members that heard of each other in different orders
// must still agree on the candidates. Members that are left out, above all the coordinator that failed, leave first.

import type { NodeId } from '../../core/index.ts'
import { type ElectionRules, electionRules } from '../rules.ts'

export interface Entry {
  readonly id: NodeId
  readonly value: number
}

/** entries[0] is the best; a parent never comes after its children. */
export interface Heap {
  readonly entries: Entry[]
  readonly places: Map<NodeId, number>
}

type Before = ElectionRules['before']

export function emptyHeap(): Heap {
  return { entries: [], places: new Map() }
}

export function insert(heap: Heap, entry: Entry, before: Before = electionRules.before): void {
  if (heap.places.has(entry.id)) remove(heap, entry.id, before)
  heap.entries.push(entry)
  heap.places.set(entry.id, heap.entries.length - 1)
  rise(heap, heap.entries.length - 1, before)
}

export function remove(heap: Heap, id: NodeId, before: Before = electionRules.before): void {
  const place = heap.places.get(id)
  if (place === undefined) return
  const last = heap.entries.pop()!
  heap.places.delete(id)
  if (last.id === id) return
  heap.entries[place] = last
  heap.places.set(last.id, place)
  rise(heap, place, before)
  sink(heap, heap.places.get(last.id)!, before)
}

export function root(heap: Heap): NodeId | undefined {
  return heap.entries[0]?.id
}

/** Algorithm 1, Candidate_Selection: the roots, each member once, in the order of the attributes. */
export function candidateSelection(heaps: readonly Heap[]): NodeId[] {
  const candidates: NodeId[] = []
  for (const heap of heaps) {
    const best = root(heap)
    if (best !== undefined && !candidates.includes(best)) candidates.push(best)
  }
  return candidates
}

function comes(heap: Heap, first: number, second: number, before: Before): boolean {
  const one = heap.entries[first]!
  const other = heap.entries[second]!
  return before(one.value, one.id, other.value, other.id)
}

function swap(heap: Heap, first: number, second: number): void {
  const one = heap.entries[first]!
  const other = heap.entries[second]!
  heap.entries[first] = other
  heap.entries[second] = one
  heap.places.set(other.id, first)
  heap.places.set(one.id, second)
}

function rise(heap: Heap, from: number, before: Before): void {
  for (let place = from; place > 0; ) {
    const parent = (place - 1) >> 1
    if (!comes(heap, place, parent, before)) return
    swap(heap, place, parent)
    place = parent
  }
}

function sink(heap: Heap, from: number, before: Before): void {
  for (let place = from; ; ) {
    let best = place
    for (const child of [2 * place + 1, 2 * place + 2]) {
      if (child < heap.entries.length && comes(heap, child, best, before)) best = child
    }
    if (best === place) return
    swap(heap, place, best)
    place = best
  }
}
