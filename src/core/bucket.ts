// Token buckets: so much at once, so much a second. A member that wants more is slowed, and after a while named.

import type { Millis } from './process.ts'

/** What one peer may still use of its allowance, and when that was counted. */
export interface Bucket {
  tokens: number
  at: Millis
}

/** How much may come at once, and how much a second for ever. */
export interface Allowance {
  readonly burst: number
  readonly perSecond: number
}

/** The bucket of a peer that has used nothing yet. */
export function fullBucket({ burst }: Allowance, now: Millis): Bucket {
  return { tokens: burst, at: now }
}

/** Takes the cost if it is there. `spends` says what is left; below zero it is refused, and nothing is taken. */
export function take(
  bucket: Bucket,
  allowance: Allowance,
  now: Millis,
  cost: number,
  spends: (tokens: number, cost: number) => number = (tokens, asked) => tokens - asked,
): boolean {
  refill(bucket, allowance, now)
  const left = spends(bucket.tokens, cost)
  if (left < 0) return false
  bucket.tokens = left
  return true
}

function refill(bucket: Bucket, { burst, perSecond }: Allowance, now: Millis): void {
  const passed = Math.max(0, now - bucket.at)
  bucket.tokens = Math.min(burst, bucket.tokens + (passed * perSecond) / 1_000)
  bucket.at = now
}
