// What clients and members did, and what that says about a stretch of time.

/** What, when it began, how many milliseconds it took, and whether it did what it was to do. */
export type Operation = readonly [kind: string, began: number, took: number, ok: boolean]

/** Of one kind, in one stretch of time. */
export interface Figures {
  readonly perSecond: number
  /** Of how many; fewer than a hundred have no slowest of a hundred, and then it is the slowest of all. */
  readonly p99: number
  readonly timed: number
  readonly count: number
}

export interface Span {
  readonly from: number
  readonly until: number
}

/** What each process used of one core in it, by name. */
export interface Watched extends Span {
  readonly shares: ReadonlyMap<string, number>
}

/** Milliseconds of them all. */
export function lengthOf(spans: readonly Span[]): number {
  return spans.reduce((sum, { from, until }) => sum + (until - from), 0)
}

const KEPT_MAX = 200_000

export class Operations {
  private kept: Operation[] = []

  add(operations: readonly Operation[]): void {
    this.kept.push(...operations)
    if (this.kept.length > KEPT_MAX) this.kept = this.kept.slice(KEPT_MAX / 2)
  }

  kinds(): string[] {
    return [...new Set(this.kept.map(([kind]) => kind))].sort()
  }

  /** Those that ended well in these stretches, and how slow all were that were under way in them. */
  figures(kind: string, spans: readonly Span[]): Figures {
    const own = this.kept.filter(operation => operation[0] === kind)
    const seconds = lengthOf(spans) / 1_000
    const inside = (at: number) => spans.some(({ from, until }) => at >= from && at < until)
    const count = own.filter(([, began, took, ok]) => ok && inside(began + took)).length
    const times = this.times(kind, spans)
    return {
      count,
      perSecond: seconds === 0 ? 0 : count / seconds,
      p99: percentile(times, 0.99),
      timed: times.length,
    }
  }

  /** How long each took that was under way in these stretches. */
  times(kind: string, spans: readonly Span[]): number[] {
    const isTouching = (began: number, ended: number) => spans.some(one => began < one.until && ended >= one.from)
    return this.kept.flatMap(([own, began, took]) => (own === kind && isTouching(began, began + took) ? [took] : []))
  }
}

export function percentile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0
}
