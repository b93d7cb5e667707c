// Experiments that the page can measure itself, in a worker: those that import nothing of Node. Each folder of the laboratory is
// one script, loaded when one of its experiments is asked for.

import type { Experiment } from '../lab/experiment.ts'
import { type Report, runExperiment } from '../lab/report.ts'
import { registerTask } from './registry.ts'
import { serveTasks } from './worker.ts'

/** Kept by test/page-measures.test.ts: every experiment is here or has a reason there. */
export const measuredHere: Readonly<Record<string, readonly string[]>> = {
  backoff: [
    'backoff-response',
    'errata-backoff-makespan',
    'errata-backoff-5b',
    'errata-backoff-late',
    'backoff-strategies',
    'backoff-improvements',
  ],
  bandits: [
    'errata-bandits-bound',
    'errata-bandits-controller',
    'errata-bandits-masks',
    'errata-bandits-7-4-8',
    'bandits-7-4-2',
    'errata-bandits-7-4-3',
    'errata-bandits-noise',
    'bandits-parties',
    'bandits-regret',
    'errata-bandits-float',
    'bandits-sr-phases',
    'bandits-batch',
    'bandits-figure-7-3',
    'bandits-figure-7-4',
    'bandits-figure-7-5',
    'bandits-search',
    'bandits-dp',
    'bandits-view',
  ],
  election: ['srcea-messages', 'elections-table', 'errata-srcea-weights'],
  events: ['events-routing', 'events-trees'],
  filters: [
    'filters-table-3-1',
    'filters-table-3-2',
    'filters-table-3-3',
    'filters-table-3-4',
    'filters-table-3-5',
    'filters-table-3-6',
    'filters-figure-3-3',
    'filters-figure-3-4',
    'filters-figure-3-5',
    'filters-figure-4-1',
    'filters-figure-4-2',
    'filters-figure-4-3',
    'filters-figure-4-5',
    'filters-figure-4-6',
    'filters-figure-4-7',
    'filters-figure-4-8',
    'filters-figure-4-9',
    'filters-theorem-4-3',
    'filters-two-buffers',
    'filters-games',
    'errata-queue-fn',
    'errata-baselines',
    'errata-best',
    'errata-bound',
    'errata-33-percent',
    'errata-3-9-1',
    'errata-figures',
  ],
  gossip: ['gossip-average', 'gossip-spread', 'torus', 'hyparview', 'hub-attack'],
  ledger: [
    'ledger-loss',
    'ledger-split',
    'errata-ledger-spent',
    'ledger-two-in-one',
    'ledger-impossible',
    'ledger-no-view',
  ],
  membership: ['accrual', 'membership-rest', 'swim-flaps', 'swim-large'],
  mutex: ['mutex-table', 'violation-probability'],
  oma: [
    'trivial-token',
    'errata-oma-coordinator',
    'errata-oma-decoding',
    'errata-oma-release',
    'errata-oma-rounds',
    'caie-many',
    'caie-order',
    'caie-release',
    'strong-or',
    'third-party',
    'token-cost',
    'utilisation',
  ],
  ordering: ['ordering-roundtrips', 'ordering-liars', 'errata-ordering', 'ranks', 'zookeeper'],
}

/** The script that measures this experiment; nothing where a page cannot. */
export function measureScript(name: string): string | undefined {
  const found = Object.entries(measuredHere).find(([, names]) => names.includes(name))
  return found && `measure-${found[0]}`
}

export interface Measure {
  readonly name: string
  readonly seed: number
}

export type Measured = Report

/** Which experiments a script has brought. */
export const measures = new Map<string, Experiment>()

export function registerMeasures(...experiments: readonly Experiment[]): void {
  for (const experiment of experiments) measures.set(experiment.name, experiment)
  registerTask('measure', (given, tell) => {
    const { name, seed } = given as Measure
    const experiment = measures.get(name)
    if (experiment === undefined) throw new Error(`there is no experiment ${name} here.`)
    const progress = (fraction: number, doing: string) => tell({ fraction, doing })
    return runExperiment(experiment, { scale: 'small', seed, progress })
  })
  if (typeof document === 'undefined' && typeof postMessage === 'function') serveTasks()
}
