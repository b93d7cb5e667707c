// The lab: every table and figure of the seeds, by name.

import { backoffExperiments } from './backoff/index.ts'
import { banditExperiments } from './bandits/index.ts'
import { electionExperiments } from './election/index.ts'
import { eventExperiments } from './events/index.ts'
import type { Experiment, RunOptions } from './experiment.ts'
import { filterExperiments } from './filters/index.ts'
import { gossipExperiments } from './gossip/index.ts'
import { ledgerExperiments } from './ledger/index.ts'
import { lockLabExperiments } from './lock/index.ts'
import { membershipExperiments } from './membership/index.ts'
import { mutexExperiments } from './mutex/index.ts'
import { omaExperiments } from './oma/index.ts'
import { orderingExperiments } from './ordering/index.ts'
import { recordedPictures } from './recorded-pictures.ts'
import { redlockExperiments } from './redlock/index.ts'
import { type Report, runExperiment as runAlone } from './report.ts'

export type { Experiment, Scale } from './experiment.ts'
export { nearestNames } from './nearest.ts'
export type { Report } from './report.ts'
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

/** Runs one experiment. Where it draws nothing itself, its rows are drawn: lines over sizes, and each figure in its band. */
export async function runExperiment(experiment: Experiment, options: RunOptions): Promise<Report> {
  const report = await runAlone(experiment, options)
  if (report.pictures.length > 0) return report
  return { ...report, pictures: recordedPictures(report, `One run of the experiment, scale ${options.scale}.`) }
}
