// A line of jobs in the table of an object: the one with the smallest rank is found at once, and to put one in or take it out
// changes a handful of entries, however many wait. It is a heap whose nodes are entries, with many children to a node:
// reads are cheap here, and every entry that changes travels to all servers.

import type { TableView } from '../../ordering/index.ts'

/** What the lines and jobs of a queue need of the object's table. */
export type JobTable = Pick<TableView, 'get' | 'set' | 'remove'>

/** One place in a line. */
export interface Spot {
  readonly rank: number
  /** Of equal rank, who came first. */
  readonly seq: number
  readonly id: string
}

/** Ten thousand jobs are five levels. */
const CHILDREN = 8
const ENCODER = new TextEncoder()
const DECODER = new TextDecoder()

export class Line {
  private readonly table: JobTable
  private readonly prefix: string
  /** Entries, void ones too. */
  size: number

  constructor(table: JobTable, prefix: string, size: number) {
    this.table = table
    this.prefix = prefix
    this.size = size
  }

  first(): Spot | undefined {
    return this.size === 0 ? undefined : this.at(0)
  }

  push(spot: Spot): void {
    let place = this.size++
    while (place > 0) {
      const parent = Math.floor((place - 1) / CHILDREN)
      const above = this.at(parent)
      if (!isBefore(spot, above)) break
      this.put(place, above)
      place = parent
    }
    this.put(place, spot)
  }

  /** Takes the first out. */
  shift(): void {
    const last = this.at(--this.size)
    this.table.remove(this.prefix + this.size)
    if (this.size === 0) return
    let place = 0
    for (let child = this.firstChild(0); child !== undefined; child = this.firstChild(place)) {
      const spot = this.at(child)
      if (!isBefore(spot, last)) break
      this.put(place, spot)
      place = child
    }
    this.put(place, last)
  }

  /** Lets go of all but these. */
  replace(spots: readonly Spot[]): void {
    const sorted = [...spots].sort((one, other) => (isBefore(one, other) ? -1 : 1))
    // What is sorted is a heap.
    for (const [place, spot] of sorted.entries()) this.put(place, spot)
    for (let place = sorted.length; place < this.size; place++) this.table.remove(this.prefix + place)
    this.size = sorted.length
  }

  *all(): Generator<Spot> {
    for (let place = 0; place < this.size; place++) yield this.at(place)
  }

  /** Of the nodes below this one, the one that goes first. */
  private firstChild(place: number): number | undefined {
    const from = place * CHILDREN + 1
    const to = Math.min(from + CHILDREN, this.size)
    let best: number | undefined
    let found: Spot | undefined
    for (let child = from; child < to; child++) {
      const spot = this.at(child)
      if (found !== undefined && !isBefore(spot, found)) continue
      best = child
      found = spot
    }
    return best
  }

  private at(place: number): Spot {
    return readSpot(this.table.get(this.prefix + place)!)
  }

  private put(place: number, { rank, seq, id }: Spot): void {
    this.table.set(this.prefix + place, ENCODER.encode(`${rank} ${seq} ${id}`))
  }
}

export function readSpot(bytes: Uint8Array): Spot {
  const text = DECODER.decode(bytes)
  const first = text.indexOf(' ')
  const second = text.indexOf(' ', first + 1)
  return { rank: Number(text.slice(0, first)), seq: Number(text.slice(first + 1, second)), id: text.slice(second + 1) }
}

function isBefore(one: Spot, other: Spot): boolean {
  return one.rank === other.rank ? one.seq < other.seq : one.rank < other.rank
}
