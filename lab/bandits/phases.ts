// THESIS §2.2.2: the phases of successive rejects, and what floating point makes of them.

import { pullsOf, rejectPhases } from '../../src/bandits/index.ts'
import { phasesInDoubles } from '../../src/bandits/proof/index.ts'
import { type Experiment, row } from '../experiment.ts'

export const phasesExperiment: Experiment = {
  name: 'bandits-sr-phases',
  title: 'Phases of successive rejects for four arms and 500 pulls.',
  source: 'THESIS §2.2.2, example',
  run() {
    const phases = rejectPhases(4, 500)
    const expected = [79, 26, 52]
    return {
      rows: [
        ...phases.map(({ pulls, arms }, place) =>
          row(`phase ${place + 1}: pulls of each of ${arms} arms`, pulls, expected[place]!, 0),
        ),
        row('all pulls', pullsOf(phases), 498, 0),
      ],
      pictures: [],
      notes: ['Computed with whole numbers: ⌈(N - K) / (logbar(K) · (K + 1 - j))⌉, logbar(K) = ½ + 1/2 + … + 1/K.'],
    }
  },
}

const ARMS_MAX = { small: 12, full: 40 }
const BUDGET_MAX = { small: 600, full: 3_000 }

export const floatErratum: Experiment = {
  name: 'errata-bandits-float',
  title: 'Phase lengths in floating point are not those of the formula.',
  source: 'THESIS §2.2.2, algorithm 1',
  run({ scale, progress }) {
    const differ: string[] = []
    let pairs = 0
    for (let arms = 2; arms <= ARMS_MAX[scale]; arms++) {
      progress(arms / ARMS_MAX[scale], `K = ${arms}`)
      for (let budget = arms + 1; budget <= BUDGET_MAX[scale]; budget++) {
        pairs++
        const exact = rejectPhases(arms, budget)
        if (phasesInDoubles(arms, budget).some((pulls, place) => pulls !== exact[place]!.pulls))
          differ.push(`K = ${arms}, N = ${budget}`)
      }
    }
    const first = differ[0] === 'K = 5, N = 112' ? 1 : 0
    const rows = [row('the first that differs is K = 5, N = 112 (1 = yes)', first, 1, 0)]
    if (scale === 'full')
      rows.push(row(`pairs of K ≤ 40, N ≤ 3,000 that differ`, differ.length, 7, 0), row('pairs', pairs, 116_181, 0))
    return {
      rows,
      pictures: [],
      notes: [
        `Differing: ${differ.join('; ')}. K ≤ ${ARMS_MAX[scale]}, N ≤ ${BUDGET_MAX[scale]} were run: ${pairs} pairs.`,
      ],
    }
  },
}
