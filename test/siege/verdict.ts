// What a lie did, against what honest running was in the same minute, and whether that is within the goals.

import type { LyingPart } from '../../lab/lying-node.ts'
import type { Operations, Span } from './operations.ts'

/** Of honest running: at least half as much done, at most three times as slow, at most 1.3 times the memory. */
export const GOALS = { throughputMin: 0.5, p99Max: 3, memoryMax: 1.3, wellMs: 10_000 } as const

export interface Row {
  readonly stage: string
  readonly part: LyingPart
  readonly lie: string
  /** How often it was said besides, to each peer. */
  readonly perSecond: number
  /** Against honest running: of the kind of work that suffered most. Undefined: too little was done to say. */
  readonly throughput: number | undefined
  readonly p99: number | undefined
  readonly suffered: string
  /** Less was done than half of the honest, by so much that chance does not explain it. */
  readonly isLow: boolean
  readonly clientMemory: number | undefined
  readonly serverMemory: number | undefined
  /** Its words prove it. */
  readonly provable: boolean
  readonly named: boolean
  /** Messages that it really said besides, to all. */
  readonly repeated: number
  /** Milliseconds after the liar turned honest until all was well; undefined: not while anybody waited. */
  wellAfter: number | undefined
  /** How long that was waited for. */
  waited: number
}

/** A kind of which less was done in honest running says nothing. */
const COUNT_MIN = 5

/** Of a hundred honest stretches, one looks as bad by chance. */
const CHANCE_MAX = 0.01

export interface Cost {
  readonly throughput: number | undefined
  readonly p99: number | undefined
  readonly suffered: string
  readonly isLow: boolean
}

/** How likely it is that no more than `count` are done where `expected` are usual (Poisson). */
export function chanceOf(count: number, expected: number): number {
  let term = Math.exp(-expected)
  let sum = term
  for (let done = 1; done <= count; done++) {
    term *= expected / done
    sum += term
  }
  return Math.min(1, sum)
}

/** What a stretch of lying cost against stretches of honest running. */
export function costOf(operations: Operations, lying: Span, honest: readonly Span[]): Cost {
  let cost: Cost = { throughput: undefined, p99: undefined, suffered: '', isLow: false }
  const seconds = (lying.until - lying.from) / 1_000
  for (const kind of operations.kinds()) {
    const before = operations.figures(kind, honest)
    if (before.count < COUNT_MIN || before.perSecond * seconds < COUNT_MIN) continue
    const during = operations.figures(kind, [lying])
    const throughput = during.perSecond / before.perSecond
    const goal = GOALS.throughputMin * before.perSecond * seconds
    // Of ten that are done in a stretch, chance takes half now and then: that is no finding.
    const isLow = during.count < goal && chanceOf(during.count, goal) < CHANCE_MAX
    const isWorse = isLow === cost.isLow ? throughput < (cost.throughput ?? 0) : isLow
    const isWorst = cost.throughput === undefined || isWorse
    const p99 = during.p99 === undefined || !before.p99 ? undefined : during.p99 / before.p99
    cost = {
      throughput: isWorst ? throughput : cost.throughput,
      suffered: isWorst ? kind : cost.suffered,
      isLow: cost.isLow || isLow,
      p99: p99 === undefined ? cost.p99 : Math.max(p99, cost.p99 ?? 0),
    }
  }
  return cost
}

/** The largest growth of one process. */
export function growth(before: ReadonlyMap<string, number>, peak: ReadonlyMap<string, number>): number | undefined {
  const ratios = [...peak].flatMap(([name, bytes]) => (before.has(name) ? [bytes / before.get(name)!] : []))
  return ratios.length === 0 ? undefined : Math.max(...ratios)
}

/** In words, what a row misses. */
export function missed(row: Row): string[] {
  const { isLow, p99, clientMemory, serverMemory, provable, named, wellAfter, waited } = row
  const found: string[] = []
  if (isLow) found.push(`${row.suffered} throughput`)
  if (p99 !== undefined && p99 > GOALS.p99Max) found.push('p99')
  if ((clientMemory ?? 0) > GOALS.memoryMax) found.push("clients' memory")
  if ((serverMemory ?? 0) > GOALS.memoryMax) found.push("servers' memory")
  if (provable && !named) found.push('not named')
  if (wellAfter === undefined && waited >= GOALS.wellMs) found.push('not well after 10 s')
  return found
}
