// SRCEA §3.2, equation 2 and lines 32–40 of algorithm 2: preference votes become a weighted count.
//
// As printed, a vote with preference j counts j: the first preference 1, the third 3. The largest sum wins, so the
// least wanted candidate does; for three candidates always, since what j gives and what 4 - j gives add up to the same
// for everybody. Meant are the weights 3, 2, 1. M_wv = 3n/2 is then a check of the turnout: with three candidates the
// best has at least twice as many points as there are ballots, so it fails when fewer than three quarters voted.

export type Weights = 'literal' | 'meant'

const PREFERENCES = 3

export function weightOf(preference: number, weights: Weights): number {
  return weights === 'literal' ? preference : PREFERENCES + 1 - preference
}

export interface Count {
  /** By candidate, in the order given. */
  readonly points: readonly number[]
  /** The most points, and of those with as many the smallest id. */
  readonly winner: number
  readonly enough: boolean
}

/** A ballot lists candidates, the most wanted first. `members` is n. */
export function tally(
  candidates: readonly number[],
  ballots: Iterable<readonly number[]>,
  members: number,
  weights: Weights,
): Count {
  const points = candidates.map(() => 0)
  for (const ballot of ballots) {
    for (const [at, candidate] of ballot.slice(0, PREFERENCES).entries()) {
      const place = candidates.indexOf(candidate)
      if (place >= 0) points[place]! += weightOf(at + 1, weights)
    }
  }
  const most = Math.max(...points)
  const best = candidates.filter((_, place) => points[place] === most)
  return { points, winner: Math.min(...best), enough: most >= (members * PREFERENCES) / 2 }
}
