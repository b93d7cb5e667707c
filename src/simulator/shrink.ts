// Makes a failing run smaller: leaves out what is not needed for the failure, half of it at a time, then a quarter,
// and so on (delta debugging; Zeller and Hildebrandt 2002). What is left is the story.

import { type Failure, type Kept, type RunResult, runOnce } from './campaign.ts'
import type { AnyScenario } from './scenario.ts'

/** Runs spent on one failure: each is a fraction of a second. */
const RUNS_MAX = 300

/** Leaves out of a failing run all that it can fail without. */
export function shrink(scenario: AnyScenario, failed: RunResult): Failure {
  let runs = 0
  let last = failed
  const fails = (kept: Kept): boolean => {
    if (runs++ >= RUNS_MAX) return false
    const result = runOnce(scenario, failed.seed, kept)
    if (result.violations.length > 0) last = result
    return result.violations.length > 0
  }
  const calm = fails({ calm: true })
  const items = Array.from({ length: failed.items }, (_, item) => item)
  const needed = reduceItems(items, only => fails({ calm, only }))
  const kept: Kept = { calm, only: needed }
  const { seed, violations, drawn } = last
  return { seed, violations, drawn, kept, itemsKept: needed.length, items: failed.items }
}

/** The smallest list found that still fails, given that the whole list does. */
export function reduceItems(items: readonly number[], fails: (keep: readonly number[]) => boolean): readonly number[] {
  let current = items
  let parts = 2
  while (current.length > 0) {
    const size = Math.ceil(current.length / parts)
    const smaller = leaveOutOnePart(current, size, fails)
    if (smaller !== undefined) {
      current = smaller
      parts = Math.max(2, parts - 1)
    } else if (size === 1) break
    else parts = Math.min(current.length, parts * 2)
  }
  return current
}

function leaveOutOnePart(
  items: readonly number[],
  size: number,
  fails: (keep: readonly number[]) => boolean,
): readonly number[] | undefined {
  for (let from = 0; from < items.length; from += size) {
    const keep = [...items.slice(0, from), ...items.slice(from + size)]
    if (fails(keep)) return keep
  }
  return undefined
}
