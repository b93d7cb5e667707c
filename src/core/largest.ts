// The k-th largest: how a count of promises becomes a time, and how reports of which b may be lies become a number.
// The (b+1)-th largest of what servers report is at most what an honest one reported.

/** k from 1; minus infinity where there are fewer. */
export function kthLargest(values: Iterable<number>, k: number): number {
  const sorted = [...values].sort((one, other) => other - one)
  return sorted[k - 1] ?? Number.NEGATIVE_INFINITY
}
