// Runs a scenario: one seed, or many. Safety under faults first, then everything heals and progress is demanded.

import { seededRandom } from '../core/index.ts'
import { heal, schedule } from './faults.ts'
import { calm } from './network.ts'
import type { AnyScenario, Plan, Violation } from './scenario.ts'
import type { TraceEntry } from './trace.ts'
import { World } from './world.ts'

/** What of a plan is kept: everything, unless a failing run is being shrunk. */
export interface Kept {
  /** Numbers of the acts and faults that happen, acts first, then faults; the others are left out. */
  readonly only?: readonly number[]
  /** The network is calm: nothing lost, repeated, reordered. */
  readonly calm?: boolean
}

/** What came of one run. */
export interface RunResult {
  readonly seed: number
  readonly traceHash: string
  readonly messages: number
  readonly simulatedMs: number
  readonly violations: readonly Violation[]
  readonly drawn: Readonly<Record<string, string | number>>
  readonly trace: readonly TraceEntry[]
  /** How many acts and faults the plan has. */
  readonly items: number
}

const CHECK_EVERY = 50_000

/** Runs a scenario with one seed. */
export function runOnce(scenario: AnyScenario, seed: number, kept: Kept = {}, record = false): RunResult {
  const plan: Plan<unknown> = scenario.plan(seededRandom(seed, 1))
  const items = plan.acts.length + plan.faults.length
  const reduced = reduce(plan, kept)
  const world = new World({ seed, network: reduced.network, record })
  const stage = scenario.stage(world, reduced)
  for (const fault of reduced.faults) schedule(world, fault)
  const violations = () => stage.checkers.flatMap(checker => checker.violations())
  const broken = watch(world, reduced, () => stage.healed(), violations)
  return {
    seed,
    traceHash: world.traceHash(),
    messages: world.delivered,
    simulatedMs: Math.round(world.now / 1000),
    violations: broken,
    drawn: plan.drawn,
    trace: world.trace,
    items,
  }
}

function watch(
  world: World,
  plan: Plan<unknown>,
  healed: () => void,
  violations: () => readonly Violation[],
): readonly Violation[] {
  world.at(plan.healsAt, () => {
    heal(world)
    healed()
  })
  // In slices, so that a run stops soon after its first violation and its trace stays short.
  for (let until = CHECK_EVERY; world.now < plan.ends; until += CHECK_EVERY) {
    try {
      world.run(Math.min(until, plan.ends))
    } catch (error) {
      return [{ what: `a machine threw: ${error instanceof Error ? error.message : String(error)}`, at: world.now }]
    }
    const found = violations()
    if (found.length > 0) return found
  }
  return violations()
}

/** The plan with only what is kept. */
export function reduce(plan: Plan<unknown>, kept: Kept): Plan<unknown> {
  const only = kept.only === undefined ? undefined : new Set(kept.only)
  const happens = (item: number) => only === undefined || only.has(item)
  return {
    ...plan,
    network: kept.calm ? calm : plan.network,
    acts: plan.acts.filter((_, place) => happens(place)),
    faults: plan.faults.filter((_, place) => happens(plan.acts.length + place)),
  }
}

/** A run that broke a promise, and how little of it is needed for that. */
export interface Failure {
  readonly seed: number
  readonly violations: readonly Violation[]
  readonly drawn: Readonly<Record<string, string | number>>
  readonly kept: Kept
  readonly itemsKept: number
  readonly items: number
}

/** What came of many runs. */
export interface CampaignResult {
  readonly scenario: string
  readonly firstSeed: number
  readonly runs: number
  readonly simulatedMs: number
  readonly messages: number
  /** A hash over the hashes of all runs. */
  readonly traceHash: string
  readonly failures: readonly Failure[]
}
