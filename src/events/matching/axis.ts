// How the numbers of an attribute are divided into cells: by quantiles of the ends that ranges have there, so that every
// cell has about as many ends. Cells are shared by all buckets that were built at about the same time, and an event looks
// its cell up once.

import { HIGHEST, LOWEST } from '../tests.ts'

/** Two rows of bits for each cell: 32 bytes a range. Twice as many were no faster, within the noise, and took twice that. */
const CELLS_MAX = 128
/** Ends that are kept to divide by. */
const SAMPLE_MAX = 4096

/** A division into cells. Cell i begins at bound i - 1. */
export class Edges {
  readonly bounds: Float64Array
  private event = 0
  private cell = 0

  constructor(bounds: Float64Array) {
    this.bounds = bounds
  }

  get cells(): number {
    return this.bounds.length + 1
  }

  /** The cell of a number: how many bounds are at or below it. */
  cellOf(value: number): number {
    const { bounds } = this
    let low = 0
    let high = bounds.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (bounds[middle]! <= value) low = middle + 1
      else high = middle
    }
    return low
  }

  /** The same, once an event. */
  cellFor(event: number, value: number): number {
    if (this.event !== event) {
      this.event = event
      this.cell = this.cellOf(value)
    }
    return this.cell
  }

  /** Whether a range that ends in this cell covers its beginning. */
  coversStart(cell: number, from: number): boolean {
    return cell === 0 ? from === LOWEST : from === this.bounds[cell - 1]
  }

  /** And the other way. */
  coversEnd(cell: number, to: number): boolean {
    return cell === this.bounds.length && to === HIGHEST
  }
}

/** The ends of all ranges of an attribute, sampled. */
export class Axis {
  private sample: number[] = []
  private stride = 1
  private seen = 0
  private dividedAt = 0
  private edges = new Edges(new Float64Array(0))

  add(from: number, to: number): void {
    this.addEnd(from)
    this.addEnd(to)
  }

  private addEnd(end: number): void {
    if (end === LOWEST || end === HIGHEST || this.seen++ % this.stride !== 0) return
    this.sample.push(end)
    if (this.sample.length < SAMPLE_MAX) return
    this.sample = this.sample.filter((_end, place) => place % 2 === 0)
    this.stride *= 2
  }

  /** The present division: made anew whenever twice as many ends have been seen. */
  divided(): Edges {
    if (this.seen < 2 * this.dividedAt || this.seen === 0) return this.edges
    this.dividedAt = this.seen
    const ends = Float64Array.from(this.sample).sort()
    const count = Math.min(CELLS_MAX - 1, ends.length)
    const bounds = Array.from({ length: count }, (_, i) => ends[Math.floor((i * ends.length) / count)]!)
    this.edges = new Edges(Float64Array.from(new Set(bounds)))
    return this.edges
  }
}
