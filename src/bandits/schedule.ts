// What everybody knows of a run beforehand: how many rounds there are, after how many pulls each is, and how often its
// winners are pulled. It depends on the settings alone, so an arm refuses any other number.

import { SettingsError } from '../core/index.ts'
import { batchOf } from './open.ts'
import { BUDGET_MAX, halvingPhases, type Phase, pullsOf, rejectPhases } from './phases.ts'
import type { Policy } from './policies/index.ts'
import { thompson, ucb1 } from './policies/index.ts'
import type { BanditRun } from './settings.ts'

/** A comparison of all arms. */
export interface Round {
  /** Pulls of all arms before it. Two rounds may have the same: a phase can be empty. */
  readonly all: number
  /** How many win. */
  readonly stay: number
  /** How often each winner is pulled afterwards. */
  readonly pulls: number
}

/** The course of a run. */
export interface Schedule {
  /** Pulls of every arm before the first round. */
  readonly first: number
  readonly rounds: number
  /** Pulls of all arms in all. */
  readonly spent: number
  /** Bits of an index. */
  readonly bits: number
  /** Undefined for a search: there the sum is the index. */
  readonly policy: Policy | undefined
  /** Undefined beyond the last. */
  at(round: number): Round | undefined
}

/** What of a run decides its course. */
export type Course = Pick<BanditRun, 'algorithm' | 'budget' | 'batch'> & { readonly arms: { readonly length: number } }

/** The course of a run, from its settings. Throws a sentence for a budget that cannot be divided. */
export function scheduleOf({ algorithm, arms, budget, batch }: Course): Schedule {
  const count = arms.length
  switch (algorithm) {
    case 'successive-rejects':
      return searching(rejectPhases(count, budget))
    case 'sequential-halving':
      return searching(halvingPhases(count, budget))
    case 'ucb1':
      return earning(ucb1, count, budget, batch)
    case 'thompson':
      return earning(thompson, count, budget, batch)
  }
}

function searching(phases: readonly Phase[]): Schedule {
  const alls: number[] = []
  let most = 0
  for (const { pulls, arms } of phases) {
    alls.push((alls.at(-1) ?? 0) + pulls * arms)
    most += pulls
  }
  return {
    first: phases[0]!.pulls,
    rounds: phases.length,
    spent: pullsOf(phases),
    // 1 and `most` rewards of 2^20 each.
    bits: 21 + Math.max(0, 32 - Math.clz32(most - 1)),
    policy: undefined,
    at(round) {
      const phase = phases[round]
      return phase && { all: alls[round]!, stay: phase.stay, pulls: phases[round + 1]?.pulls ?? 0 }
    },
  }
}

function earning(policy: Policy, arms: number, budget: number, batch: number): Schedule {
  if (!(Number.isInteger(budget) && budget >= arms && budget <= BUDGET_MAX)) {
    const range = `from ${arms} to ${BUDGET_MAX.toLocaleString('en')}`
    throw new SettingsError(`a budget for ${arms} arms is a whole number ${range}, not ${budget}.`)
  }
  // While a batch is a single pull, a round's pulls are its number; only what is beyond is kept.
  const single = Math.min(batch === 0 ? budget : firstBatch(batch, arms), budget)
  const later: number[] = []
  for (let all = single; all < budget; all += batchOf(batch, all, budget)) later.push(all)
  const rounds = single - arms + later.length
  return {
    first: 1,
    rounds,
    spent: budget,
    bits: policy.bits,
    policy,
    at(round) {
      if (!(round >= 0 && round < rounds)) return undefined
      const all = arms + round < single ? arms + round : later[arms + round - single]!
      return { all, stay: 1, pulls: batchOf(batch, all, budget) }
    },
  }
}

/** The least number of pulls after which a batch has more than one. */
function firstBatch(batch: number, arms: number): number {
  let all = Math.max(arms, Math.floor(2 / batch) - 1)
  while (Math.floor(batch * all) < 2) all++
  return all
}
