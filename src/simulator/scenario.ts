// A scenario is a workload in one file: what is set up, what users do, what goes wrong, and who checks.
// Its plan is drawn from the seed and is data; staging a plan puts it into a world.

import type { Random } from '../core/index.ts'
import type { Fault, Timed } from './faults.ts'
import type { Micros, NetworkFaults } from './network.ts'
import type { World } from './world.ts'

/** A promise that was broken. */
export interface Violation {
  /** The broken promise, in a sentence. */
  readonly what: string
  readonly at: Micros
}

/** Stands outside the protocol and watches. */
export interface Checker {
  readonly name: string
  /** Violations so far; a run stops at the first. */
  violations(): readonly Violation[]
}

/** What is drawn for one run. */
export interface Plan<Act> {
  readonly network: NetworkFaults
  readonly faults: readonly Timed<Fault>[]
  /** What users do. */
  readonly acts: readonly Timed<Act>[]
  /** Until when faults may happen; then everything heals, and progress is demanded until `ends`. */
  readonly healsAt: Micros
  readonly ends: Micros
  /** Anything else that was drawn: sizes, liars, clock rates. Told with the replay. */
  readonly drawn: Readonly<Record<string, string | number>>
}

/** A plan in a world, with those who watch. */
export interface Stage {
  readonly checkers: readonly Checker[]
  /** Called when everything is healed: users that demand progress. */
  healed(): void
}

/** A workload: what is drawn, and how it is staged. */
export interface Scenario<P extends Plan<Act>, Act> {
  readonly name: string
  plan(random: Random): P
  /** Adds and starts the nodes, and puts what users do into the calendar. Faults are scheduled by the caller. */
  stage(world: World, plan: P): Stage
}

/** A scenario whose plan is not known here. */
// biome-ignore lint/suspicious/noExplicitAny: a campaign runs every scenario
export type AnyScenario = Scenario<any, any>
