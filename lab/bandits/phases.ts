// THESIS §2.2.2: the phases of successive rejects, and what floating point makes of them.

import { pullsOf, rejectPhases } from '../../src/bandits/index.ts'
import { type PhaseFormula, phaseFormulas, phasesInDoubles } from '../../src/bandits/proof/doubles.ts'
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

/** The first pair that differs, and at full scale how many do. 7 and K = 5, N = 112 are the construction's. */
const DIFFER: Record<keyof typeof phaseFormulas, { readonly first: string; readonly full: number }> = {
  'log first': { first: 'K = 5, N = 112', full: 7 },
  'one division': { first: 'K = 5, N = 112', full: 27 },
  'as printed': { first: 'K = 4, N = 23', full: 261 },
}

/** Every pair of the scale, in order of K and N, for which doubles give another phase. */
function differing(formula: PhaseFormula, exact: readonly ExactPhases[]): string[] {
  return exact
    .filter(({ arms, budget, pulls }) =>
      phasesInDoubles(arms, budget, formula).some((found, place) => found !== pulls[place]),
    )
    .map(({ arms, budget }) => `K = ${arms}, N = ${budget}`)
}

interface ExactPhases {
  readonly arms: number
  readonly budget: number
  readonly pulls: readonly number[]
}

export const floatErratum: Experiment = {
  name: 'errata-bandits-float',
  title: 'Phase lengths in floating point are not those of the formula.',
  source: 'THESIS §2.2.2, algorithm 1',
  run({ scale, progress }) {
    const exact: ExactPhases[] = []
    for (let arms = 2; arms <= ARMS_MAX[scale]; arms++) {
      progress(arms / ARMS_MAX[scale], `K = ${arms}`)
      for (let budget = arms + 1; budget <= BUDGET_MAX[scale]; budget++)
        exact.push({ arms, budget, pulls: rejectPhases(arms, budget).map(({ pulls }) => pulls) })
    }
    const rows = scale === 'full' ? [row('pairs of K ≤ 40, N ≤ 3,000', exact.length, 116_181, 0)] : []
    const notes: string[] = []
    for (const [name, formula] of Object.entries(phaseFormulas)) {
      const { first, full } = DIFFER[name as keyof typeof phaseFormulas]
      const differ = differing(formula, exact)
      rows.push(row(`${name}: the first that differs is ${first} (1 = yes)`, differ[0] === first ? 1 : 0, 1, 0))
      if (scale === 'full') rows.push(row(`${name}: pairs that differ`, differ.length, full, 0))
      notes.push(
        `${name}: ${differ.length} of ${exact.length} pairs differ, the first ${differ.slice(0, 7).join('; ')}.`,
      )
    }
    return {
      rows,
      pictures: [],
      notes: [
        'Doubles are exactly rounded, so each count is one number; which one depends on the order of operations. Log first: ' +
          '((N - K) / logbar(K)) / (K + 1 - j). One division: (N - K) / (logbar(K) · (K + 1 - j)). As printed: 1 / logbar(K) times (N - K) / (K + 1 - j).',
        ...notes,
      ],
    }
  },
}
