// BACKOFF §6.2: how a client adjusts its rank, and what one lying server can make of it.
//
// The paper's rule takes a rank above the maximum that b + 1 RankExceptions report: among them may be one liar's, who
// reports the largest number there is. After that, no rank is left for anybody. The product's rule goes above the
// (b+1)-th largest, which some honest server has heard of.

import { trust } from '../../src/core/index.ts'
import { printedOrderingScenario } from '../../src/papers/ordering/index.ts'
import { runOnce } from '../../src/simulator/index.ts'
import { type Experiment, type Row, type RunOptions, row } from '../experiment.ts'

const RUNS = { small: 60, full: 1_000 }

interface Outcome {
  /** Runs in which an operation submitted after healing had no response. */
  readonly stuck: number
  /** Runs in which the order itself was broken: a version decided twice, a response that does not fit. */
  readonly broken: number
  readonly runs: number
}

/** What the progress checker of the scenario says; every other violation is one of the order. */
const isStuck = ({ what }: { readonly what: string }) => what.includes('was not served')

/** Runs that stood still, and runs that broke the order, by the liar that was there. */
function outcomes(rankRule: 'maximum' | 'masked', options: RunOptions, from: number): Map<string, Outcome> {
  const scenario = printedOrderingScenario(trust({ liars: 1 }), { rankRule })
  const found = new Map<string, Outcome>()
  const runs = RUNS[options.scale]
  for (let run = 0; run < runs; run++) {
    if (run % 20 === 0) options.progress(from + run / runs / 2, `ranks above the ${rankRule}`)
    const { drawn, violations } = runOnce(scenario, options.seed * 10_000 + run)
    const liar = String(drawn.liars).split(' ')[1]!
    const before = found.get(liar) ?? { stuck: 0, broken: 0, runs: 0 }
    found.set(liar, {
      stuck: before.stuck + (violations.some(isStuck) ? 1 : 0),
      broken: before.broken + (violations.every(isStuck) ? 0 : 1),
      runs: before.runs + 1,
    })
  }
  return found
}

export const ranksExperiment: Experiment = {
  name: 'ranks',
  title: 'One liar burns the rank space under the paper’s rule, and cannot under the (b+1)-th largest.',
  source: 'BACKOFF §6.2',
  run(options: RunOptions) {
    const printed = outcomes('maximum', options, 0)
    const masked = outcomes('masked', options, 0.5)
    const share = ({ stuck, runs }: Outcome) => stuck / runs
    const rows: Row[] = []
    for (const [liar, outcome] of [...printed].sort()) {
      // Clients that never collide never adjust a rank: how often they do is the scenario's, not the paper's.
      rows.push(row(`maximum, ${liar} server: runs without progress`, share(outcome), null, null))
    }
    for (const [liar, outcome] of [...masked].sort()) {
      rows.push(row(`(b+1)-th largest, ${liar} server: runs without progress`, share(outcome), 0, 0))
    }
    const broken = [...printed.values(), ...masked.values()].reduce((sum, one) => sum + one.broken, 0)
    rows.push(row('runs under either rule that broke the order', broken, 0, 0, `of ${2 * RUNS[options.scale]}`))
    const burnt = printed.get('rank-burning')
    rows.push(row('maximum: a rank-burning liar stops some runs', burnt !== undefined && burnt.stuck > 0 ? 1 : 0, 1, 0))
    return { rows, pictures: [], notes: NOTES }
  },
}

const NOTES = [
  'Each run has 2 to 4 clients, 7 servers of which one lies, and faults that heal; "without progress" means that an ' +
    'operation submitted after healing had no response within a minute of simulated time. A version decided twice, or ' +
    'a response that does not fit the sequence, is counted apart: neither rule may lead to one.',
  'A rank-burning server answers every call with a RankException that names the largest number. Under the paper’s rule ' +
    'the first client that is refused by one honest server beside it adopts that number.',
]
