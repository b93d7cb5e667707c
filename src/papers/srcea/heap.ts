// SRCEA §3.1: the group view as one min-heap per attribute, so that the best node of each is found in constant time.
//
// As printed, a heap orders values only. Failure counts start equal, and then the root is the first that was inserted:
// two nodes that learned of the members in different orders have different candidates. By (value, id) all agree.

export type Ties = 'id' | 'arrival'

export interface HeapEntry {
  readonly value: number
  /** The member's place. */
  readonly id: number
}

function before(a: HeapEntry, b: HeapEntry, ties: Ties): boolean {
  return a.value < b.value || (ties === 'id' && a.value === b.value && a.id < b.id)
}

export function insert(heap: HeapEntry[], entry: HeapEntry, ties: Ties): void {
  let at = heap.push(entry) - 1
  while (at > 0) {
    const parent = (at - 1) >> 1
    if (!before(heap[at]!, heap[parent]!, ties)) return
    swap(heap, at, parent)
    at = parent
  }
}

/** Takes a member out: it has left, or failed. */
export function remove(heap: HeapEntry[], id: number, ties: Ties): void {
  const left = heap.filter(entry => entry.id !== id)
  heap.length = 0
  for (const entry of left) insert(heap, entry, ties)
}

export function root(heap: readonly HeapEntry[]): number | undefined {
  return heap[0]?.id
}

/** Levels of a heap of that size, the root's included: equation 3 multiplies the number of nodes by it. */
export function height(size: number): number {
  return size < 1 ? 0 : Math.floor(Math.log2(size)) + 1
}

function swap(heap: HeapEntry[], a: number, b: number): void {
  const kept = heap[a]!
  heap[a] = heap[b]!
  heap[b] = kept
}
