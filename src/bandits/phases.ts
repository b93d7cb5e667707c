// How the budget of a search is divided: by exact whole numbers. With floating point, 7 to 261 of 116,181 pairs (K ≤ 40,
// N ≤ 3,000) get another phase, by how the formula is written down (THESIS §2.2.2, algorithm 1; `errata-bandits-float`).

import { SettingsError } from '../core/index.ts'

/** A stretch of a search: every arm that is still in is pulled equally often, then all but the best `stay` leave. */
export interface Phase {
  /** Pulls of each arm that is in. */
  readonly pulls: number
  /** Arms that are in. */
  readonly arms: number
  /** Arms that stay afterwards. */
  readonly stay: number
}

/** Sums of rewards stay exact, and indices below 2^53, up to here. */
export const BUDGET_MAX = 2 ** 24

function checkBudget(arms: number, budget: number, needed: number): void {
  if (!Number.isInteger(arms) || arms < 2) throw new SettingsError(`a search needs at least 2 arms, not ${arms}.`)
  if (Number.isInteger(budget) && budget >= needed && budget <= BUDGET_MAX) return
  throw new SettingsError(
    `a budget for ${arms} arms is a whole number from ${needed} to ${BUDGET_MAX.toLocaleString('en')}, not ${budget}.`,
  )
}

/** Successive rejects: K - 1 phases, and after each the worst arm leaves. It spends at most the budget. */
export function rejectPhases(arms: number, budget: number): Phase[] {
  checkBudget(arms, budget, arms + 1)
  // ½ + 1/2 + … + 1/K as a fraction.
  let [over, under] = [1n, 2n]
  for (let place = 2n; place <= BigInt(arms); place++) [over, under] = [over * place + under, under * place]
  const phases: Phase[] = []
  let before = 0
  for (let phase = 1; phase < arms; phase++) {
    const total = Number(divideUp(BigInt(budget - arms) * under, over * BigInt(arms + 1 - phase)))
    phases.push({ pulls: total - before, arms: arms + 1 - phase, stay: arms - phase })
    before = total
  }
  return phases
}

/** Sequential halving: ⌈log₂ K⌉ phases of about equal cost, and after each the worse half leaves. */
export function halvingPhases(arms: number, budget: number): Phase[] {
  const rounds = Math.max(1, 32 - Math.clz32(Math.max(arms, 2) - 1))
  checkBudget(arms, budget, arms * rounds)
  const phases: Phase[] = []
  for (let left = arms; left > 1; left = Math.ceil(left / 2)) {
    phases.push({ pulls: Math.floor(budget / (left * rounds)), arms: left, stay: Math.ceil(left / 2) })
  }
  return phases
}

/** All pulls of a search. */
export function pullsOf(phases: readonly Phase[]): number {
  return phases.reduce((sum, { pulls, arms }) => sum + pulls * arms, 0)
}

const divideUp = (over: bigint, under: bigint): bigint => (over + under - 1n) / under
