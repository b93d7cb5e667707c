// The arithmetic of m-of-N votes (LECTURE, "Decentralized mutual exclusion"), exact where it can be.
//
// N coordinators with one vote each, m > N/2 of them needed. A holder has v ≥ m votes. If f of those v coordinators
// reset and forget, N - v + f votes are free, and a second process is let in once that is m or more: f ≥ v + m - N.
// The lecture takes v = m, so f ≥ 2m - N. Each of the v resets with probability p while the holder is inside.

/** The fewest votes such that any two sets of that many share one. */
export function majority(coordinators: number): number {
  return Math.floor(coordinators / 2) + 1
}

/** How many of the holder's coordinators must forget before a second can be let in. */
export function resetsThatBreak(coordinators: number, needed: number, held: number = needed): number {
  return Math.max(0, held + needed - coordinators)
}

/** A probability as a fraction of whole numbers: 3 seconds an hour is 3 / 3600. */
export interface Fraction {
  readonly over: bigint
  readonly under: bigint
}

/** n over k. */
export function choose(n: number, k: number): bigint {
  let ways = 1n
  for (let i = 1; i <= k; i++) ways = (ways * BigInt(n - k + i)) / BigInt(i)
  return ways
}

/** P[at least `least` of `trials` happen], each with probability p, as an exact fraction. */
export function binomialTail(trials: number, least: number, p: Fraction): Fraction {
  const not = p.under - p.over
  let over = 0n
  for (let k = least; k <= trials; k++) over += choose(trials, k) * p.over ** BigInt(k) * not ** BigInt(trials - k)
  return { over, under: p.under ** BigInt(trials) }
}

/** LECTURE: the probability that exclusion is violated, Σ P[k] for k from 2m - N to m; with `held` votes, in general. */
export function violationProbability(coordinators: number, needed: number, p: Fraction, held = needed): Fraction {
  return binomialTail(held, resetsThatBreak(coordinators, needed, held), p)
}

const PRECISION_BITS = 64

/** The nearest number, also where over and under are far beyond what a number holds. */
export function toNumber({ over, under }: Fraction): number {
  if (over === 0n) return 0
  const shift = Math.max(0, under.toString(2).length - over.toString(2).length + PRECISION_BITS)
  return Number((over << BigInt(shift)) / under) * 2 ** -shift
}

const DOUBLINGS_MAX = 20

/** How long to wait after `failed` attempts: uniform, over a range that doubles, so that splits do not repeat. */
export function backoffMs(baseMs: number, failed: number, maxMs: number, below: (bound: number) => number): number {
  const widest = Math.min(maxMs, baseMs * 2 ** Math.min(failed, DOUBLINGS_MAX))
  return 1 + below(Math.max(1, Math.floor(widest)))
}
