// BACKOFF §4 needs n > 5b servers. One fewer, and two quorums of n - f share only 2b honest servers: b may refuse the
// one client, the other b the other, and both enter. Seen here, then gone with one server more, and with our rule.

import { type LockVariant, lockVariants } from '../../src/lock/index.ts'
import { type AnyScenario, diagram, type RunResult, runOnce, shrink, traceLine } from '../../src/simulator/index.ts'
import { type Experiment, type Picture, type Result, type RunOptions, row } from '../experiment.ts'

interface Group {
  readonly what: string
  readonly variant: LockVariant
  readonly servers: number
  readonly seeds: { readonly small: number; readonly full: number }
}

const TOO_FEW: Group = {
  what: 'printed rule, n = 5b = 5',
  variant: 'printed',
  servers: 5,
  seeds: { small: 300, full: 1_000 },
}
const ENOUGH: Group = {
  what: 'printed rule, n = 5b + 1 = 6',
  variant: 'printed',
  servers: 6,
  seeds: { small: 300, full: 1_000 },
}
const OURS: Group = { what: 'our rule, n = 5', variant: 'product', servers: 5, seeds: { small: 20, full: 300 } }
/** Failures that are shrunk to find a short one. */
const SHRUNK_MAX = 5
/** Seeds of one experiment's seed are told apart below this. */
const SEEDS_MAX = 10_000

export const errata5b: Experiment = {
  name: 'errata-backoff-5b',
  title: 'With n = 5b servers the printed lock has two holders, with n = 5b + 1 it has not.',
  source: 'BACKOFF §4, lemma 1',
  run(options: RunOptions): Result {
    const broken = failures(TOO_FEW, options, 0).filter(hasTwoHolders)
    const kept = failures(ENOUGH, options, 1 / 3)
    const ours = failures(OURS, options, 2 / 3)
    const story = broken.length === 0 ? undefined : tell(scenarioOf(TOO_FEW), broken)
    return {
      rows: [
        row(`${TOO_FEW.what}: two holders found (1 = yes)`, broken.length > 0 ? 1 : 0, 1, 0),
        row(`${TOO_FEW.what}: runs with two holders`, broken.length, null, null, `of ${TOO_FEW.seeds[options.scale]}`),
        row(`${ENOUGH.what}: violations`, kept.length, 0, 0, `of ${ENOUGH.seeds[options.scale]}`),
        row(`${OURS.what}: violations`, ours.length, 0, 0, `of ${OURS.seeds[options.scale]}`),
      ],
      pictures: story === undefined ? [] : [story.picture],
      notes: story === undefined ? [] : story.notes,
    }
  },
}

function scenarioOf({ variant, servers }: Group): AnyScenario {
  return lockVariants[variant]({ servers, liars: 1, unsafe: true })
}

function failures(group: Group, options: RunOptions, from: number): RunResult[] {
  const scenario = scenarioOf(group)
  const seeds = group.seeds[options.scale]
  const failed: RunResult[] = []
  for (let run = 0; run < seeds; run++) {
    options.progress(from + run / seeds / 3, group.what)
    const result = runOnce(scenario, options.seed * SEEDS_MAX + run)
    if (result.violations.length > 0) failed.push(result)
  }
  return failed
}

function hasTwoHolders({ violations }: RunResult): boolean {
  return violations.some(violation => violation.what.includes('is held by'))
}

/** The shortest run found, from the last round trips before the two holders. */
function tell(scenario: AnyScenario, failed: readonly RunResult[]): { picture: Picture; notes: string[] } {
  const shrunk = failed.slice(0, SHRUNK_MAX).map(run => shrink(scenario, run))
  const { seed, kept, violations } = shrunk.sort((a, b) => a.itemsKept - b.itemsKept)[0]!
  const { trace, drawn } = runOnce(scenario, seed, kept, true)
  const { at, what } = violations[0]!
  const since = at - 4_000 * Number(drawn.delayMax)
  const story = trace.filter(entry => entry.at <= at && (entry.sentAt ?? entry.at) >= since && entry.kind !== 'start')
  const title = `n = 5b: ${what} (liar: ${drawn.liars})`
  return {
    picture: { name: 'errata-backoff-5b.svg', svg: diagram(story, title) },
    notes: [
      `Seed ${seed}: ${what}. Liar: ${drawn.liars}; Δ = ${drawn.hold} ms, δ = ${drawn.delayMax} ms. The last messages:`,
      ...story.map(traceLine),
    ],
  }
}
