// SRCEA §3.1, algorithm 1, with readings SRCEA 4: the heaps against a dumb twin that sorts.

import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../core/index.ts'
import { candidateSelection, type Entry, emptyHeap, insert, remove, root } from './heaps.ts'

function best(entries: Iterable<Entry>): string | undefined {
  return [...entries].sort((one, other) => one.value - other.value || (one.id < other.id ? -1 : 1))[0]?.id
}

describe('a min-heap by (value, id)', () => {
  it('has the best member at its root, whatever came and went in which order', () => {
    const random = seededRandom(7)
    const heap = emptyHeap()
    const twin = new Map<string, Entry>()
    for (let i = 0; i < 3_000; i++) {
      const id = `m${random.below(40)}`
      if (random.chance(0.4)) {
        remove(heap, id)
        twin.delete(id)
      } else {
        const entry = { id, value: random.below(5) }
        insert(heap, entry)
        twin.set(id, entry)
      }
      expect(root(heap)).toBe(best(twin.values()))
      expect(heap.entries.length).toBe(twin.size)
    }
  })

  it('members that heard of each other in different orders agree, also where all values are equal', () => {
    const ids = ['d', 'a', 'c', 'b']
    for (const order of [ids, [...ids].reverse(), [...ids].sort()]) {
      const heap = emptyHeap()
      for (const id of order) insert(heap, { id, value: 0 })
      expect(root(heap)).toBe('a')
    }
  })

  it('one member that goes and is not there changes nothing', () => {
    const heap = emptyHeap()
    insert(heap, { id: 'a', value: 1 })
    remove(heap, 'z')
    expect(root(heap)).toBe('a')
    remove(heap, 'a')
    expect(root(heap)).toBeUndefined()
  })
})

describe('Candidate_Selection', () => {
  const heapOf = (...values: [string, number][]) => {
    const heap = emptyHeap()
    for (const [id, value] of values) insert(heap, { id, value })
    return heap
  }

  it('takes the roots, each member once: |C| is one, two or three', () => {
    const distance = heapOf(['a', 1], ['b', 2], ['c', 3])
    const joined = heapOf(['a', 9], ['b', 2], ['c', 3])
    const failures = heapOf(['a', 9], ['b', 3], ['c', 0])
    expect(candidateSelection([distance, joined, failures])).toEqual(['a', 'b', 'c'])
    expect(candidateSelection([distance, distance, joined])).toEqual(['a', 'b'])
    expect(candidateSelection([distance, distance, distance])).toEqual(['a'])
    expect(candidateSelection([emptyHeap()])).toEqual([])
  })
})
