// How long to wait before the next try (BACKOFF §4, figure 1): uniformly between the base and 2^s times the base,
// s counting the tries. Clients then spread over a time proportional to how many they are, without knowing it.

import type { Millis } from '../core/index.ts'

const DOUBLINGS_MAX = 30

/** d ←R [base … 2^s · base], never above `max`. `tries` is s, from 1. */
export function exponentialBackoff(base: Millis, tries: number, max: Millis, below: (bound: number) => number): Millis {
  const widest = Math.min(base * 2 ** Math.min(tries, DOUBLINGS_MAX), Math.max(base, max))
  return base + below(Math.floor(widest - base) + 1)
}
