// The lab: every table and figure of the seeds, by name.

import { backoffExperiments } from './backoff/index.ts'
import { banditExperiments } from './bandits/index.ts'
import { electionExperiments } from './election/index.ts'
import { eventExperiments } from './events/index.ts'
import type { Experiment, Result, RunOptions } from './experiment.ts'
import { filterExperiments } from './filters/index.ts'
import { gossipExperiments } from './gossip/index.ts'
import { ledgerExperiments } from './ledger/index.ts'
import { lockLabExperiments } from './lock/index.ts'
import { membershipExperiments } from './membership/index.ts'
import { mutexExperiments } from './mutex/index.ts'
import { omaExperiments } from './oma/index.ts'
import { orderingExperiments } from './ordering/index.ts'
import { redlockExperiments } from './redlock/index.ts'

export type { Experiment, Scale } from './experiment.ts'
export { nearestNames } from './nearest.ts'
export { formatTable, toCsv, toJson } from './table.ts'

/** In the order in which they are listed and run: one line for each folder. */
export const experiments: readonly Experiment[] = [
  ...backoffExperiments, // BACKOFF §4
  ...lockLabExperiments, // the lock in real processes
  ...mutexExperiments, // LECTURE, mutual exclusion
  ...orderingExperiments, // BACKOFF §6
  ...membershipExperiments, // LECTURE, gossip: membership as it is run
  ...electionExperiments, // SRCEA; LECTURE, election algorithms
  ...gossipExperiments, // LECTURE, gossip-based coordination
  ...eventExperiments, // LECTURE, distributed event matching
  ...redlockExperiments, // a lock service in use, and one liar
  ...omaExperiments, // OMA: slots
  ...filterExperiments, // THESIS chapters 3 and 4
  ...ledgerExperiments, // THESIS chapter 5
  ...banditExperiments, // THESIS chapters 6 and 7
]

export function findExperiment(name: string): Experiment | undefined {
  return experiments.find(experiment => experiment.name === name)
}

export interface Report extends Result {
  readonly name: string
  readonly title: string
  readonly source: string
  readonly scale: RunOptions['scale']
  readonly seed: number
  readonly wallMs: number
  /** Every row is, and there is one: what was not measured is not within anything. */
  readonly within: boolean
}

/** Runs one experiment, and says with its result what was run. */
export async function runExperiment(experiment: Experiment, options: RunOptions): Promise<Report> {
  const { name, title, source } = experiment
  const start = performance.now()
  const result = await experiment.run(options)
  const wallMs = Math.round(performance.now() - start)
  const within = result.rows.length > 0 && result.rows.every(row => row.within)
  return { name, title, source, scale: options.scale, seed: options.seed, wallMs, within, ...result }
}
