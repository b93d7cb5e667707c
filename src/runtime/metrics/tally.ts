// How long things take, as a histogram: how many took at most so long. Plain numbers, a few additions for each.

/** Seconds, from a local write to somebody who waits for a minute. */
const BOUNDS = [0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60] as const

/** One number of a metric. `metricName` where it is not the metric's own: `…_bucket`, `…_sum`, `…_count`. */
export interface Sample {
  readonly metricName?: string
  readonly labels: Readonly<Record<string, string | number>>
  readonly value: number
}

export class Tally {
  /** By bound; the last is for all that took longer. */
  private readonly counts = new Array<number>(BOUNDS.length + 1).fill(0)
  private sum = 0

  observe(seconds: number): void {
    let at = 0
    while (at < BOUNDS.length && seconds > BOUNDS[at]!) at++
    this.counts[at] = this.counts[at]! + 1
    this.sum += seconds
  }

  samples(name: string): Sample[] {
    let below = 0
    const found: Sample[] = BOUNDS.map((bound, place) => {
      below += this.counts[place]!
      return { metricName: `${name}_bucket`, labels: { le: bound }, value: below }
    })
    const count = below + this.counts[BOUNDS.length]!
    found.push({ metricName: `${name}_bucket`, labels: { le: '+Inf' }, value: count })
    found.push({ metricName: `${name}_sum`, labels: {}, value: this.sum })
    found.push({ metricName: `${name}_count`, labels: {}, value: count })
    return found
  }
}

/** What began and has not ended, by a key: bounded, so that what is never answered does not stay for ever. */
export class Stopwatches {
  private readonly began = new Map<string, number>()
  private readonly now: () => number

  constructor(now: () => number) {
    this.now = now
  }

  get size(): number {
    return this.began.size
  }

  /** The first time counts. */
  start(key: string, at = this.now()): void {
    if (this.began.has(key)) return
    if (this.began.size >= STOPWATCHES_MAX) this.began.delete(this.began.keys().next().value!)
    this.began.set(key, at)
  }

  /** Seconds since it began; undefined where it did not. */
  stop(key: string): number | undefined {
    const began = this.began.get(key)
    if (began === undefined) return undefined
    this.began.delete(key)
    return Math.max(0, this.now() - began) / 1000
  }
}

/** Things that are measured at once; of more, the oldest go unmeasured. */
const STOPWATCHES_MAX = 10_000
