// Makes a failing run smaller: leaves out what is not needed for the failure, half of it at a time, then a quarter,
// and so on (delta debugging; Zeller and Hildebrandt 2002). What is left is the story, and it is the same one: a smaller run
// that breaks something else, or in which a machine throws, says nothing about what was found.

import { type Failure, type Kept, type RunResult, runOnce } from './campaign.ts'
import type { AnyScenario, Violation } from './scenario.ts'

/** Runs spent on one failure: each is a fraction of a second. */
const RUNS_MAX = 300

/** Names in quotes, and words with a number in them: a count, a time, or the name of a node. */
const PARTICULARS = /'[^']*'|"[^"]*"|\S*\d\S*/g

/** Which promise a sentence says is broken: the sentence without numbers and names, which are others in a smaller run. */
export function promiseOf(what: string): string {
  return what.replace(PARTICULARS, '').replace(/\s+/g, ' ').trim()
}

/** Of what a run broke, the first is told. */
function brokenFirst(violations: readonly Violation[]): string | undefined {
  return violations[0] && promiseOf(violations[0].what)
}

/**
 * The failing run with what does not matter left out: first the network's faults, then acts and faults, from the first on. Where the runs
 * are used up before nothing more can be left out, from the last on as well; the smaller one counts.
 */
export function shrink(scenario: AnyScenario, failed: RunResult): Failure {
  const items = Array.from({ length: failed.items }, (_, item) => item)
  const first = shrinkInOrder(scenario, failed, items)
  if (first.runs <= RUNS_MAX) return first.failure
  const last = shrinkInOrder(scenario, failed, items.reverse())
  return last.failure.itemsKept < first.failure.itemsKept ? last.failure : first.failure
}

function shrinkInOrder(
  scenario: AnyScenario,
  failed: RunResult,
  items: readonly number[],
): { readonly failure: Failure; readonly runs: number } {
  let runs = 0
  let last = failed
  const promise = brokenFirst(failed.violations)
  const fails = (kept: Kept): boolean => {
    if (runs++ >= RUNS_MAX) return false
    const result = runOnce(scenario, failed.seed, kept)
    const isSame = result.violations.length > 0 && brokenFirst(result.violations) === promise
    if (isSame) last = result
    return isSame
  }
  const calm = fails({ calm: true })
  const inOrder = (only: readonly number[]): readonly number[] => [...only].sort((one, other) => one - other)
  const needed = inOrder(reduceItems(items, only => fails({ calm, only: inOrder(only) })))
  const { seed, violations, drawn } = last
  const kept: Kept = { calm, only: needed }
  return { failure: { seed, violations, drawn, kept, itemsKept: needed.length, items: failed.items }, runs }
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
