// The same contention again and again: several runs for each number of clients, all drawn from one seed.

import type { RunOptions } from '../experiment.ts'
import { meanTolerance, summarise } from '../statistics.ts'
import { type Contention, contend, SETTINGS } from './contention.ts'

/** How sure a tolerance is: an honest run fails one of a thousand times. */
export const CONFIDENCE = 0.999
/** Runs of one seed are told apart below this: more are never asked for. */
const RUNS_MAX = 10_000

export interface Measured {
  readonly clients: number
  readonly runs: readonly Contention[]
}

/** Runs for each number of clients. Run i of one number and run i of another make one sample of the curve. */
export function measure(counts: readonly number[], runs: number, options: RunOptions): Measured[] {
  const whole = counts.reduce((sum, clients) => sum + clients, 0)
  let done = 0
  return counts.map(clients => {
    const results: Contention[] = []
    for (let run = 0; run < runs; run++) {
      options.progress((done + (clients * run) / runs) / whole, `${clients} clients`)
      results.push(contend(clients, options.seed * RUNS_MAX + run))
    }
    done += clients
    return { clients, runs: results }
  })
}

/** A time as a multiple of Δt, the paper's measure. */
export function perClient(millis: number, clients: number): number {
  return millis / (SETTINGS.hold * clients)
}

export type Figure = 'mean' | 'makespan'

export function average(measured: Measured, figure: Figure): number {
  return summarise(measured.runs.map(run => run[figure])).mean
}

export function violations(all: readonly Measured[]): number {
  return all.reduce((sum, { runs }) => sum + runs.reduce((count, run) => count + run.violations, 0), 0)
}

export interface Estimate {
  readonly value: number
  /** Half the width of its confidence interval. */
  readonly uncertainty: number
}

/**
 * A figure of the whole curve, worked out for each sample apart: the mean over the samples, and how far it may be off
 * (Student's t over the samples, which are independent of each other).
 */
export function estimate(
  all: readonly Measured[],
  figure: Figure,
  of: (points: readonly (readonly [number, number])[]) => number,
): Estimate {
  const samples = all[0]!.runs.map((_, run) =>
    of(all.map(measured => [measured.clients, measured.runs[run]![figure]] as const)),
  )
  return { value: summarise(samples).mean, uncertainty: meanTolerance(samples, CONFIDENCE) }
}
