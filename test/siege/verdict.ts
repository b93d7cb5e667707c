// What a lie did, against what honest running was in the same minute, and whether that is within the goals.

import type { LyingPart } from '../../lab/lying-node.ts'
import { lengthOf, type Operations, type Span, type Watched } from './operations.ts'

/** Of honest running: at least half as much done, at most three times as slow, at most 1.3 times the memory. */
export const GOALS = { throughputMin: 0.5, p99Max: 3, memoryMax: 1.3, wellMs: 10_000 } as const

/** What was seen of a lie at one rate. */
export interface Measured {
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
  /** The kind of work whose p99 grew most; and whether more was that slow than chance explains. */
  readonly slowest: string
  readonly isSlow: boolean
  readonly clientMemory: number | undefined
  readonly serverMemory: number | undefined
  /** What the honest process that got busiest used more of one core. It hangs on no clock, and little on what else the machine does. */
  readonly processor: number | undefined
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

/** One line of the table. */
export interface Row extends Measured {
  /** Goals that were missed, and missed again. */
  readonly misses: string[]
  /** Goals that were missed in one of two measurements only. */
  readonly once: readonly string[]
}

/** A kind of which less was done in honest running says nothing. */
const COUNT_MIN = 5

/** Fewer have no slowest of a hundred to compare with. Of what is slow there may be few: those count. */
const TIMED_MIN = 100

/** Of a hundred honest stretches, one looks as bad by chance. */
const CHANCE_MAX = 0.01

export interface Cost {
  readonly throughput: number | undefined
  readonly p99: number | undefined
  readonly suffered: string
  readonly isLow: boolean
  readonly slowest: string
  readonly isSlow: boolean
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

const NOTHING: Cost = {
  throughput: undefined,
  p99: undefined,
  suffered: '',
  isLow: false,
  slowest: '',
  isSlow: false,
}

/**
 * What stretches of lying cost against stretches of honest running before, between and after them. The p99 of each kind of stretch is
 * the median of its stretches, which are about as long: one pause of the machine in one of them is no finding, and the slowest of
 * sixty is not held against the slowest in a hundred of two hundred.
 */
export function costOf(operations: Operations, lying: readonly Span[], honest: readonly Span[]): Cost {
  const seconds = lengthOf(lying) / 1_000
  let cost = NOTHING
  for (const kind of operations.kinds()) {
    const before = operations.figures(kind, honest)
    if (before.count < COUNT_MIN || before.perSecond * seconds < COUNT_MIN) continue
    const during = operations.figures(kind, lying)
    const throughput = during.perSecond / before.perSecond
    const goal = GOALS.throughputMin * before.perSecond * seconds
    // Of ten that are done in a stretch, chance takes half now and then: that is no finding.
    const isLow = during.count < goal && chanceOf(during.count, goal) < CHANCE_MAX
    const isWorse = isLow === cost.isLow ? throughput < (cost.throughput ?? 0) : isLow
    if (cost.throughput === undefined || isWorse) cost = { ...cost, throughput, suffered: kind, isLow }
    if (before.timed < TIMED_MIN || during.timed === 0) continue
    const p99 = p99Of(operations, kind, lying) / p99Of(operations, kind, honest)
    const isSlow = p99 > GOALS.p99Max && isSlower(operations.times(kind, lying), GOALS.p99Max * before.p99)
    const isSlower99 = isSlow === cost.isSlow ? p99 > (cost.p99 ?? 0) : isSlow
    if (isSlower99) cost = { ...cost, p99, slowest: kind, isSlow }
  }
  return cost
}

/** The median of the stretches in which something of this kind was under way. */
function p99Of(operations: Operations, kind: string, spans: readonly Span[]): number {
  const all = spans.map(span => operations.figures(kind, [span])).filter(({ timed }) => timed > 0)
  return median(all.map(({ p99 }) => p99))
}

/** Of two in the middle, both count. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other)
  const middle = (sorted.length - 1) / 2
  return (sorted[Math.floor(middle)]! + sorted[Math.ceil(middle)]!) / 2
}

/**
 * Whether the p99 is above a limit: more than one in a hundred took longer. In half a second a hundred things are done, and
 * the slowest of a hundred is one hiccup: where one may be slower, three are by chance once in a dozen stretches.
 */
export function isSlower(times: readonly number[], limit: number): boolean {
  const slow = times.filter(took => took > limit).length
  const expected = times.length / 100
  return slow > expected && 1 - chanceOf(slow - 1, expected) < CHANCE_MAX
}

/** The largest growth of one process. */
export function growth(before: ReadonlyMap<string, number>, peak: ReadonlyMap<string, number>): number | undefined {
  const ratios = [...peak].flatMap(([name, bytes]) => (before.has(name) ? [bytes / before.get(name)!] : []))
  return ratios.length === 0 ? undefined : Math.max(...ratios)
}

/** By how much more of a core the process is busy whose share grew most; of those that were there all the while. */
export function busier(lying: readonly Watched[], honest: readonly Watched[]): number | undefined {
  const shareOf = (name: string, spans: readonly Watched[]) => {
    const shares = spans.flatMap(({ shares }) => shares.get(name) ?? [])
    return shares.length === spans.length && shares.length > 0 ? median(shares) : undefined
  }
  const grown = [...(lying[0]?.shares.keys() ?? [])].flatMap(name => {
    const [during, before] = [shareOf(name, lying), shareOf(name, honest)]
    return during === undefined || before === undefined ? [] : [during - before]
  })
  return grown.length === 0 ? undefined : Math.max(...grown)
}

const NOT_WELL = 'not well after 10 s'

/** In words, which goals one measurement misses. */
export function missed(row: Measured): string[] {
  const { isLow, isSlow, clientMemory, serverMemory, provable, named } = row
  const found: string[] = []
  if (isLow) found.push('throughput')
  if (isSlow) found.push('p99')
  if ((clientMemory ?? 0) > GOALS.memoryMax) found.push("clients' memory")
  if ((serverMemory ?? 0) > GOALS.memoryMax) found.push("servers' memory")
  if (provable && !named) found.push('not named')
  if (isUnwell(row)) found.push(NOT_WELL)
  return found
}

/** It was waited for all the time that it may take. */
export function isUnwell({ wellAfter, waited }: Measured): boolean {
  return wellAfter === undefined && waited >= GOALS.wellMs
}

/**
 * A goal is missed where it is missed twice: all processes and the liar share one machine with whatever else it does, and
 * of two hundred stretches some hold a pause of somebody else's. What is spoiled for good, and what stays, needs no second
 * look: there is nothing to compare with. The figures shown are those of the second, longer look.
 */
export function judged(first: Measured, again?: Measured): Row {
  const before = missed(first)
  if (again === undefined) return { ...first, misses: before, once: [] }
  // What was said once stands, and a client does not say it again.
  const named = first.named || again.named
  const shown: Measured = { ...again, named, wellAfter: first.wellAfter === undefined ? undefined : again.wellAfter }
  const after = missed(shown)
  const misses = after.filter(goal => before.includes(goal) || goal === NOT_WELL)
  const once = [...new Set([...before, ...after])].filter(
    goal => !misses.includes(goal) && !(goal === 'not named' && named),
  )
  return { ...shown, misses, once }
}
