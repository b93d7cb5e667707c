// The lab: every table and figure of the seeds, by name.

import { backoffExperiments } from './backoff/index.ts'
import { banditExperiments } from './bandits/index.ts'
import { electionExperiments } from './election/index.ts'
import { eventExperiments } from './events/index.ts'
import type { Experiment } from './experiment.ts'
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
export { type Report, runExperiment } from './report.ts'
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
