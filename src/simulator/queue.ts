// A binary heap of events by time, then by order of entry: the same events always come out in the same order.

export interface Timed {
  /** Microseconds of true time. */
  time: number
  /** Order of entry; breaks ties. */
  order: number
}

export class EventQueue<E extends Timed> {
  private readonly heap: E[] = []
  private entries = 0

  get size(): number {
    return this.heap.length
  }

  peek(): E | undefined {
    return this.heap[0]
  }

  push(event: E): void {
    event.order = this.entries++
    const { heap } = this
    let at = heap.length
    heap.push(event)
    while (at > 0) {
      const parent = (at - 1) >> 1
      const above = heap[parent]!
      if (!before(event, above)) break
      heap[at] = above
      at = parent
    }
    heap[at] = event
  }

  pop(): E | undefined {
    const { heap } = this
    const first = heap[0]
    const last = heap.pop()
    if (heap.length > 0 && last !== undefined) this.sink(last)
    return first
  }

  private sink(event: E): void {
    const { heap } = this
    const { length } = heap
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= length) break
      if (child + 1 < length && before(heap[child + 1]!, heap[child]!)) child++
      if (!before(heap[child]!, event)) break
      heap[at] = heap[child]!
      at = child
    }
    heap[at] = event
  }
}

function before(a: Timed, b: Timed): boolean {
  return a.time < b.time || (a.time === b.time && a.order < b.order)
}
