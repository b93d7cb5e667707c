// One experiment, run, with what was run: apart from the list of all of them, so that a page can load each when it is chosen.

import type { Experiment, Result, RunOptions } from './experiment.ts'

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
