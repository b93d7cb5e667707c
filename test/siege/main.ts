// The siege, from the command line to its exit code.

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { type LyingPart, namesOfLies } from '../../lab/lying-node.ts'
import { besiege } from './campaign.ts'
import { moreMemberLies, moreServerLies, type ToldLie } from './lies.ts'
import { Members } from './members.ts'
import { HELP, type Options, readOptions, type StageName } from './options.ts'
import { endAll } from './processes.ts'
import { adviceOn, markdown, table } from './report.ts'
import { type Result, readResult, withTable } from './seen.ts'
import { FOUR, SEVEN, Servers } from './servers.ts'
import type { Stage } from './stage.ts'
import { GOALS, type Row } from './verdict.ts'

const STAGES: Readonly<
  Record<StageName, { readonly share: number; readonly windows: number; readonly least: number; make(): Stage }>
> = {
  seven: { share: 0.45, windows: 1, least: 12, make: () => new Servers(SEVEN) },
  four: { share: 0.15, windows: 1, least: 5, make: () => new Servers(FOUR) },
  // Seats and elections are seldom: they are looked at for longer.
  members: { share: 0.4, windows: 1.5, least: 10, make: () => new Members() },
  // A few lies, of which one member's ballots are enough to see.
  secret: { share: 0.05, windows: 1.5, least: 2, make: () => new Members('secret') },
}
/** A lie is told twice, then all is to be well, then honest running is looked at. */
const WINDOWS_PER_LIE = 4
const WINDOW_MIN_MS = 500
const WINDOW_MAX_MS = 4_000
/** In ten minutes a stretch is long enough for a p99 of what is done often; fewer lies are told rather. */
const LONG_SECONDS = 300
const LONG_WINDOW_MIN_MS = 2_000
/** Of whoever accuses everybody, a dozen suspicions must be refuted before that is a lie. */
const NAMING_MS = 20_000
const EXIT_USAGE = 2
const EXIT_INTERRUPTED = 130

export async function main(words: readonly string[]): Promise<number> {
  const options = readOptions(words)
  if (typeof options === 'string') {
    process.stderr.write(`${options}\n\n${HELP}`)
    return EXIT_USAGE
  }
  if (options.help) process.stdout.write(HELP)
  else if (options.list) process.stdout.write(`${listed(options).join('\n')}\n`)
  if (options.help || options.list) return 0
  if (options.write !== undefined) return write(options.write)
  const known = listed(options)
  const unknown = options.lies.filter(lie => !known.some(line => matches(lie, line.slice(line.indexOf(' ') + 1))))
  if (unknown.length > 0) {
    process.stderr.write(`there is no lie ${unknown.join(', ')}; --list says which there are.\n`)
    return EXIT_USAGE
  }
  return siege(options)
}

const PAGE = 'SECURITY.md'

/** What was seen goes into the page, in place of what was seen before. */
function write(file: string): number {
  // The bundle stands in dist/siege.
  const page = join(import.meta.dirname, '../..', PAGE)
  const result = existsSync(file) ? readResult(readFileSync(file, 'utf8')) : 'there is no such file.'
  if (typeof result === 'string') {
    process.stderr.write(`${file}: ${result}\n`)
    return EXIT_USAGE
  }
  writeFileSync(page, withTable(readFileSync(page, 'utf8'), result))
  process.stdout.write(`${PAGE}: ${result.lies} lies\n`)
  return 0
}

async function siege(options: Options): Promise<number> {
  let interrupted = false
  const interrupt = () => {
    interrupted = true
  }
  process.once('SIGINT', interrupt)
  process.once('SIGTERM', interrupt)
  const progress = (line: string) => process.stderr.write(`${line}\n`)
  progress(`seed ${options.seed}`)
  const rows: Row[] = []
  const problems: string[] = []
  let faults = 0
  try {
    // A group in which none of the lies is told is not started for nothing.
    const stages = options.stages.filter(name => liesOf(name, options).length > 0)
    for (const name of stages) {
      if (interrupted) break
      const result = await besiege({ ...plan(name, { ...options, stages }), progress, isOver: () => interrupted })
      rows.push(...result.rows)
      problems.push(...result.problems)
      faults += result.faults
    }
  } finally {
    await endAll()
    process.removeListener('SIGINT', interrupt)
    process.removeListener('SIGTERM', interrupt)
  }
  show(options, { rows, problems, faults })
  if (interrupted) return EXIT_INTERRUPTED
  const misses = rows.some(row => row.misses.length > 0)
  return problems.length > 0 || (options.strict && misses) ? 1 : 0
}

/** As many lies as fit into the stage's share of the time, each for as long as there is room. */
function plan(name: StageName, options: Options) {
  const { share, windows, least: liesMin, make } = STAGES[name]
  const whole = options.stages.reduce((sum, stage) => sum + STAGES[stage].share, 0)
  const budgetMs = (options.seconds * 1_000 * share) / whole
  const lies = inOrder(liesOf(name, options), options.seed)
  const room = budgetMs / (Math.max(1, lies.length) * WINDOWS_PER_LIE)
  const least = options.seconds < LONG_SECONDS ? WINDOW_MIN_MS : LONG_WINDOW_MIN_MS
  const windowMs = windows * Math.min(WINDOW_MAX_MS, Math.max(least, room))
  // Where there is no room to wait for each lie's end, the last one's is waited for.
  const patienceMs = room < WINDOW_MIN_MS ? 2 * windowMs : GOALS.wellMs
  const namingMs = room < WINDOW_MIN_MS ? windowMs : NAMING_MS
  return { make, lies, budgetMs, windowMs, patienceMs, namingMs, liesMin }
}

function liesOf(name: StageName, { lies: wanted }: Options): ToldLie[] {
  const { role, parts } = STAGES[name].make()
  const more = role === 'server' ? moreServerLies : moreMemberLies
  const told = new Set(name === 'secret' ? namesIn(namesOfLies(role, more)) : [])
  const found = namesIn(namesOfLies(role, more, name === 'secret')).filter(lie => !told.has(lie))
  const lies = found.map(lie => {
    const [part, ...rest] = lie.split('/')
    return { part: part as LyingPart, lie: rest.join('/') }
  })
  return lies.filter(
    ({ part, lie }) =>
      parts.includes(part) && (wanted.length === 0 || wanted.some(one => matches(one, `${part}/${lie}`))),
  )
}

function namesIn(lies: ReadonlyMap<LyingPart, readonly string[]>): string[] {
  return [...lies].flatMap(([part, names]) => names.map(lie => `${part}/${lie}`))
}

function matches(wanted: string, full: string): boolean {
  return wanted === full || full.endsWith(`/${wanted}`)
}

function listed(options: Options): string[] {
  return options.stages.flatMap(name =>
    liesOf(name, { ...options, lies: [] }).map(({ part, lie }) => `${name}: ${part}/${lie}`),
  )
}

/** Drawn from the seed, with the parts taking turns: also a short siege has some of each. */
function inOrder(lies: readonly ToldLie[], seed: number): ToldLie[] {
  let state = seed + 1
  const draw = () => {
    state = (state * 48_271) % 2_147_483_647
    return state
  }
  const shuffled = lies.map(lie => ({ lie, at: draw() })).sort((a, b) => a.at - b.at)
  const counts = new Map<string, number>()
  const turns = shuffled.map(({ lie }) => {
    const turn = counts.get(lie.part) ?? 0
    counts.set(lie.part, turn + 1)
    return { lie, turn }
  })
  return turns.sort((a, b) => a.turn - b.turn).map(({ lie }) => lie)
}

interface Found {
  readonly rows: readonly Row[]
  readonly problems: readonly string[]
  readonly faults: number
}

function show(options: Options, { rows, problems, faults }: Found): void {
  const lies = new Set(rows.map(({ stage, part, lie }) => `${stage} ${part}/${lie}`)).size
  if (options.json) {
    const { seed, seconds } = options
    const result: Result = { seed, seconds, cores: cpus().length, lies, faults, problems, rows }
    process.stdout.write(`${JSON.stringify(result, null, 2)}\n`)
    return
  }
  process.stdout.write(`${options.markdown ? markdown(rows) : table(rows)}\n\n`)
  const broken = problems.length === 0 ? 'no promise was broken' : `${problems.length} promises were broken`
  const misses = rows.filter(row => row.misses.length > 0).length
  const once = rows.filter(row => row.once.length > 0).length
  process.stdout.write(`${lies} lies, ${faults} faults: ${broken}; ${misses} of ${rows.length} rows miss a goal, `)
  process.stdout.write(`${once} missed one once and not again\n`)
  process.stdout.write(adviceOn(rows))
  for (const problem of problems) process.stdout.write(`BROKEN ${problem}\n`)
}
