// An erratum that ends in two holders: seen with the flaw, then gone without it, and gone under our rule.

import { type LockVariant, lockVariants } from '../../src/papers/lock/index.ts'
import { type AnyScenario, diagram, type RunResult, runOnce, shrink, traceLine } from '../../src/simulator/index.ts'
import { type Experiment, type Picture, type Result, type Row, type RunOptions, row } from '../experiment.ts'

interface Group {
  readonly what: string
  readonly variant: LockVariant
  readonly settings: {
    readonly servers: number
    readonly liars: number
    readonly unsafe?: boolean
    readonly late?: boolean
  }
  readonly seeds: { readonly small: number; readonly full: number }
}

interface Erratum extends Pick<Experiment, 'name' | 'title' | 'source'> {
  readonly flawed: Group
  /** Where nothing may go wrong. */
  readonly sound: readonly Group[]
  /** How much of the run before the two holders is told, in milliseconds, given Δ and δ. */
  readonly told: (hold: number, delayMax: number) => number
}

/** Failures that are shrunk to find a short one. */
const SHRUNK_MAX = 5
/** Seeds of one experiment's seed are told apart below this. */
const SEEDS_MAX = 10_000

export function twoHolders(erratum: Erratum): Experiment {
  const { name, title, source, flawed, sound } = erratum
  return {
    name,
    title,
    source,
    run(options: RunOptions): Result {
      const part = 1 / (1 + sound.length)
      const broken = failures(flawed, options, fraction => fraction * part).filter(hasTwoHolders)
      const rows = [
        row(`${flawed.what}: two holders found (1 = yes)`, broken.length > 0 ? 1 : 0, 1, 0),
        row(`${flawed.what}: runs with two holders`, broken.length, null, null, `of ${flawed.seeds[options.scale]}`),
        ...sound.map((group, place) => soundRow(group, options, fraction => (1 + place + fraction) * part)),
      ]
      if (broken.length === 0) return { rows, pictures: [], notes: [] }
      const { picture, notes } = tell(erratum, broken)
      return { rows, pictures: [picture], notes }
    },
  }
}

function soundRow(group: Group, options: RunOptions, overall: (fraction: number) => number): Row {
  const found = failures(group, options, overall).length
  return row(`${group.what}: violations`, found, 0, 0, `of ${group.seeds[options.scale]}`)
}

function scenarioOf({ variant, settings }: Group): AnyScenario {
  return lockVariants[variant](settings)
}

function failures(group: Group, options: RunOptions, overall: (fraction: number) => number): RunResult[] {
  const scenario = scenarioOf(group)
  const seeds = group.seeds[options.scale]
  const failed: RunResult[] = []
  for (let run = 0; run < seeds; run++) {
    options.progress(overall(run / seeds), group.what)
    const result = runOnce(scenario, options.seed * SEEDS_MAX + run)
    if (result.violations.length > 0) failed.push(result)
  }
  return failed
}

function hasTwoHolders({ violations }: RunResult): boolean {
  return violations.some(violation => violation.what.includes('is held by'))
}

/** The shortest run found, from shortly before the two holders. */
function tell(erratum: Erratum, failed: readonly RunResult[]): { picture: Picture; notes: string[] } {
  const scenario = scenarioOf(erratum.flawed)
  const shrunk = failed.slice(0, SHRUNK_MAX).map(run => shrink(scenario, run))
  const { seed, kept, violations } = shrunk.sort((a, b) => a.itemsKept - b.itemsKept)[0]!
  const { trace, drawn } = runOnce(scenario, seed, kept, true)
  const { at, what } = violations[0]!
  const since = at - 1000 * erratum.told(Number(drawn.hold), Number(drawn.delayMax))
  const story = trace.filter(entry => entry.at <= at && (entry.sentAt ?? entry.at) >= since && entry.kind !== 'start')
  return {
    picture: {
      name: `${erratum.name}.svg`,
      svg: diagram(story, `${erratum.flawed.what}: ${what}`, liarsOf(drawn.liars)),
    },
    notes: [
      `Seed ${seed}: ${what}. Liar: ${drawn.liars}; Δ = ${drawn.hold} ms, δ = ${drawn.delayMax} ms. How it came about:`,
      ...story.map(traceLine),
    ],
  }
}

/** 'server-3 alwaysYes, server-5 silent': the names. */
function liarsOf(drawn: unknown): string[] {
  return String(drawn)
    .split(', ')
    .map(one => one.split(' ')[0]!)
}
