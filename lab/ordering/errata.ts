// BACKOFF §6, §7: what figures 2 and 3 promise they keep; two ways to save work, one of them the paper's own, break it.
//
// The figures are run under faults and held to theorem 1 (one order, and responses that fit it) and theorem 2 (whoever
// lives is served). Then without a get for every version: a holder that goes on from what it committed itself may not have
// heard of what was decided between. And with `reflects` as §6.1 would have it in practice, by the highest number that was
// performed for each client: 6 comes before 5, and 5 is taken for done.

import { trust } from '../../src/core/index.ts'
import { printedOrderingScenario } from '../../src/papers/ordering/index.ts'
import { runOnce } from '../../src/simulator/index.ts'
import { type Experiment, type Row, type RunOptions, row } from '../experiment.ts'

type Change = Parameters<typeof printedOrderingScenario>[1]

interface Runs {
  /** As printed; also those without a get, at full scale: one in a thousand of them breaks the order. */
  readonly printed: number
  readonly withoutGet: number
  /** Four in five of them never end, and take a hundred times as long as the others. */
  readonly highest: number
}

const RUNS: Readonly<Record<RunOptions['scale'], Runs>> = {
  small: { printed: 200, withoutGet: 0, highest: 6 },
  full: { printed: 5_000, withoutGet: 20_000, highest: 100 },
}
/** A run of the scenario without gets in which a version is decided twice: found by the simulator, kept. */
const DECIDED_TWICE = 8794

interface Outcome {
  readonly runs: number
  /** Runs that broke theorem 1. */
  readonly broken: number
  /** Runs in which a client that lives had no response a minute after everything had healed: theorem 2. */
  readonly unserved: number
}

const isUnserved = ({ what }: { readonly what: string }) => what.includes('was not served')

function played(liars: number, change: Change, seeds: readonly number[], told: (share: number) => void): Outcome {
  const scenario = printedOrderingScenario(trust({ liars }), change)
  let [broken, unserved] = [0, 0]
  for (const [at, seed] of seeds.entries()) {
    if (at % 20 === 0) told(at / seeds.length)
    const { violations } = runOnce(scenario, seed)
    if (violations.some(isUnserved)) unserved++
    if (!violations.every(isUnserved)) broken++
  }
  return { runs: seeds.length, broken, unserved }
}

export const orderingErrata: Experiment = {
  name: 'errata-ordering',
  title: 'Figures 2 and 3 keep one order; without a get, or with reflects by the highest number, they do not.',
  source: 'BACKOFF §6.1, figures 2 and 3, theorems 1 and 2',
  run({ scale, seed, progress }) {
    const { printed, withoutGet, highest } = RUNS[scale]
    const seeds = (count: number) => Array.from({ length: count }, (_, run) => seed * 100_000 + run)
    const from = (begin: number, doing: string) => (share: number) => progress(begin + share / 4, doing)
    const honest = played(0, {}, seeds(printed), from(0, 'figures 2 and 3'))
    const lied = played(1, { rankRule: 'masked' }, seeds(printed), from(0.25, 'with one liar'))
    const pinned = played(0, { skipsGet: true }, [DECIDED_TWICE], () => {})
    const skipped = played(0, { skipsGet: true }, seeds(withoutGet), from(0.5, 'without a get'))
    const byHighest = played(0, { reflects: 'highest' }, seeds(highest), from(0.75, 'by the highest number'))
    return {
      rows: [
        ...kept('n = 3', honest),
        ...kept('n = 7, one liar, ranks above the (b+1)-th largest', lied),
        row('without a get, a pinned run: a version is decided twice (1 = yes)', pinned.broken, 1, 0),
        ...(withoutGet > 0 ? some('without a get: runs that break the order', skipped.broken, skipped.runs) : []),
        ...some('by the highest number: runs with an operation never applied', byHighest.unserved, byHighest.runs),
        row('by the highest number: runs that break the order', byHighest.broken, 0, 0, `of ${byHighest.runs}`),
      ],
      pictures: [],
      notes: NOTES,
    }
  },
}

const kept = (what: string, { runs, broken, unserved }: Outcome): Row[] => [
  row(`figures 2 and 3, ${what}: runs that break the order (theorem 1)`, broken, 0, 0, `of ${runs}`),
  row(`figures 2 and 3, ${what}: runs with an operation not served (theorem 2)`, unserved, 0, 0, `of ${runs}`),
]

const some = (what: string, found: number, runs: number): Row[] => [
  row(`${what} (1 = some)`, found > 0 ? 1 : 0, 1, 0),
  row(what, found, null, null, `of ${runs}`),
]

const NOTES = [
  'Each run has 2 to 4 clients, which submit up to four operations within a twentieth of a second and may die, and faults that heal after five seconds; every ' +
    'operation of a client that lives must have its response within a minute of simulated time.',
  'Without a get about one run in a thousand decides a version twice: the pinned one is seed 8794. The rules of protocols/ordering make it safe.',
  '§6.1 would record the highest number performed for each client. A client that does not wait for 5 before it submits 6 loses 5 whenever b + 1 servers ' +
    'have heard of 6 first. Ours takes the numbers of a session one after the other.',
]
