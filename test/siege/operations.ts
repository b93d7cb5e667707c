// What clients and members did, and what that says about a stretch of time.

/** What, when it began, how many milliseconds it took, and whether it did what it was to do. */
export type Operation = readonly [kind: string, began: number, took: number, ok: boolean]

/** Of one kind, in one stretch of time. */
export interface Figures {
  readonly perSecond: number
  /** Undefined where too few were done for it to mean anything. */
  readonly p99: number | undefined
  readonly count: number
}

export interface Span {
  readonly from: number
  readonly until: number
}

/** Fewer than these say nothing about the slowest of a hundred. */
const MEANINGFUL_MIN = 50
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
    const seconds = spans.reduce((sum, { from, until }) => sum + (until - from), 0) / 1_000
    const inside = (at: number) => spans.some(({ from, until }) => at >= from && at < until)
    const count = own.filter(([, began, took, ok]) => ok && inside(began + took)).length
    const touching = own.filter(([, began, took]) => spans.some(one => began < one.until && began + took >= one.from))
    return {
      count,
      perSecond: seconds === 0 ? 0 : count / seconds,
      p99:
        touching.length < MEANINGFUL_MIN
          ? undefined
          : percentile(
              touching.map(([, , took]) => took),
              0.99,
            ),
    }
  }
}

export function percentile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0
}
