// How long to wait before the next try, where nobody keeps a list (`fair: false`): strategies of one shape.
//
// `exponential` is the printed one (BACKOFF §4, figure 1): uniformly between the base and 2^s times the base, s counting
// the tries. Clients then spread over a time proportional to how many they are, without knowing it. `polynomial` widens
// more slowly, and so tries more often. `decorrelated` draws between the base and three times what it waited last: it
// may come back down after an unlucky draw. `none` does not wait at all (§5, avoiding backoff by breaking symmetry): for
// one client that contends again and again, among others that do back off. If all used it, they would only meet again.

import type { Millis } from '../core/index.ts'

/** The ways to draw how long to wait before the next try. */
export type BackoffName = 'exponential' | 'polynomial' | 'decorrelated' | 'none'

export interface Backoff {
  /** The least wait, and the most: never less than the base. */
  readonly base: Millis
  readonly max: Millis
  /** s: tries that failed, from 1. */
  readonly tries: number
  /** The wait before this one; 0 before the first. */
  readonly last: Millis
}

/** Uniform in [0, bound). */
type Below = (bound: number) => number

export interface BackoffStrategy {
  /** Whether `last` matters; what does not is not worth remembering. */
  readonly remembers: boolean
  wait(backoff: Backoff, below: Below): Millis
}

const DOUBLINGS_MAX = 30
const DEGREE = 2
const SPREAD = 3

export const backoffStrategies: Readonly<Record<BackoffName, BackoffStrategy>> = {
  exponential: {
    remembers: false,
    wait: ({ base, tries, max }, below) => exponentialBackoff(base, tries, max, below),
  },
  polynomial: {
    remembers: false,
    wait: ({ base, tries, max }, below) => draw(base, base * (tries + 1) ** DEGREE, max, below),
  },
  decorrelated: {
    remembers: true,
    wait: ({ base, last, max }, below) => draw(base, SPREAD * Math.max(base, last), max, below),
  },
  none: { remembers: false, wait: () => 0 },
}

/** All of them. */
export const backoffNames = Object.keys(backoffStrategies) as readonly BackoffName[]

/** d ←R [base … 2^s · base], never above `max`. `tries` is s, from 1. */
export function exponentialBackoff(base: Millis, tries: number, max: Millis, below: Below): Millis {
  return draw(base, base * 2 ** Math.min(tries, DOUBLINGS_MAX), max, below)
}

function draw(base: Millis, widest: Millis, max: Millis, below: Below): Millis {
  return base + below(Math.floor(Math.min(widest, Math.max(base, max)) - base) + 1)
}
