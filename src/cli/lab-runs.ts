// Many experiments in one command: on all cores, those that measure the machine's own time alone and at the end.

import { availableParallelism } from 'node:os'
import { Piscina } from 'piscina'
import { type Experiment, type Report, runExperiment, type Scale } from '../../lab/index.ts'
import type { LabTask } from './lab-worker.ts'

export interface Runs {
  readonly scale: Scale
  readonly seed: number
  /** How many run at the same time; with one, all run in this process. */
  readonly jobs: number
  /** Called when an experiment has ended. */
  readonly ended: (report: Report) => void
  /** Called with how far one experiment of this process is. */
  readonly progress: (name: string, fraction: number, doing: string) => void
}

/** As many as there are cores. */
export const jobsDefault = availableParallelism()

/** Runs them and gives their reports in the order of the list. One that fails is reported, and the others go on. */
export async function runSeveral(chosen: readonly Experiment[], runs: Runs): Promise<Report[]> {
  const beside = runs.jobs > 1 ? chosen.filter(({ alone }) => alone !== true) : []
  const byName = new Map<string, Report>()
  const ended = (report: Report) => {
    byName.set(report.name, report)
    runs.ended(report)
  }
  await inWorkers(beside, runs, ended)
  for (const experiment of chosen.filter(one => !beside.includes(one))) {
    const progress = (fraction: number, doing: string) => runs.progress(experiment.name, fraction, doing)
    const run = runExperiment(experiment, { scale: runs.scale, seed: runs.seed, progress })
    ended(await run.catch(error => failed(experiment, runs, error)))
  }
  return chosen.map(({ name }) => byName.get(name)!)
}

async function inWorkers(chosen: readonly Experiment[], runs: Runs, ended: (report: Report) => void): Promise<void> {
  if (chosen.length === 0) return
  const { scale, seed, jobs } = runs
  const pool = new Piscina<LabTask, Report>({
    filename: new URL('./lab-worker.js', import.meta.url).href,
    maxThreads: Math.min(jobs, chosen.length),
  })
  try {
    await Promise.all(
      chosen.map(async experiment => {
        const task = { name: experiment.name, scale, seed }
        ended(await pool.run(task).catch(error => failed(experiment, runs, error)))
      }),
    )
  } finally {
    await pool.destroy()
  }
}

/** Nothing was measured, and so nothing is within. */
function failed({ name, title, source }: Experiment, { scale, seed }: Runs, error: unknown): Report {
  const why = error instanceof Error ? error.message : String(error)
  const nothing = { wallMs: 0, within: false, rows: [], pictures: [] }
  return { name, title, source, scale, seed, ...nothing, notes: [`It failed: ${why}`] }
}

export interface Count {
  readonly name: string
  /** Figures that have an expectation. */
  readonly judged: number
  /** Of those, how many are not within their tolerance. */
  readonly outside: number
  readonly seconds: number
  readonly within: boolean
}

export function countOf(report: Report): Count {
  const { name, rows, wallMs, within } = report
  const judged = rows.filter(row => row.expected !== null).length
  const outside = rows.filter(row => !row.within).length
  return { name, judged, outside, seconds: Math.round(wallMs / 100) / 10, within }
}

export function totalOf(counts: readonly Count[]): Omit<Count, 'name'> {
  const sum = (of: (count: Count) => number) => counts.reduce((total, count) => total + of(count), 0)
  return {
    judged: sum(count => count.judged),
    outside: sum(count => count.outside),
    seconds: Math.round(10 * sum(count => count.seconds)) / 10,
    within: counts.every(count => count.within),
  }
}
