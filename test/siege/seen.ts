// What each lie was seen to cost, as SECURITY.md shows it: one line for each lie, with both rates beside each other. Written from
// a result that `--json` printed, so that the page says what was measured and nothing that somebody typed.

import { share } from './report.ts'
import { NO_PROOF } from './unproved.ts'
import type { Row } from './verdict.ts'

/** What `--json` prints. */
export interface Result {
  readonly seed: number
  readonly seconds: number
  readonly cores: number
  readonly lies: number
  readonly faults: number
  readonly problems: readonly string[]
  readonly rows: readonly Row[]
}

const BEGIN = '<!-- seen: begin -->'
const END = '<!-- seen: end -->'
const HEADS = [
  'lie',
  'throughput',
  'p99',
  "clients' memory",
  "servers' memory",
  'of a core',
  'named',
  'well after',
  'goals missed',
]

/** The result, or what is wrong with it. */
export function readResult(text: string): Result | string {
  let read: Partial<Result>
  try {
    read = JSON.parse(text) as Partial<Result>
  } catch {
    return 'it is no JSON; the siege prints a result with --json, and npm needs --silent.'
  }
  if (!Array.isArray(read.rows) || read.rows.length === 0) return 'it has no rows: was the siege interrupted?'
  for (const field of ['seed', 'seconds', 'cores', 'lies', 'faults'] as const) {
    if (typeof read[field] !== 'number') return `it has no ${field}: a result of an earlier version?`
  }
  return read as Result
}

/** The page with the table in its place. */
export function withTable(page: string, result: Result): string {
  const [before, rest] = page.split(BEGIN)
  const after = rest?.split(END)[1]
  if (before === undefined || after === undefined) throw new Error(`the page has no ${BEGIN} … ${END}`)
  return `${before}${BEGIN}\n\n${seen(result)}\n\n${END}${after}`
}

function seen({ seed, seconds, cores, lies, faults, problems, rows }: Result): string {
  const misses = rows.filter(row => row.misses.length > 0).length
  const promises = problems.length === 0 ? 'no promise was broken' : `**${problems.length} promises were broken**`
  const what =
    `\`npm run siege -- --seconds ${seconds} --seed ${seed}\` on a machine of ${cores} cores: ${lies} lies, ${faults} faults, ` +
    `${promises}, ${misses} of ${rows.length} rows miss a goal. The first figure is the lie as it is, the second as often as it may be said, ` +
    'each against honest running of the same minute: of the kind of work that suffered most, and of the process that grew most; p99 is the ' +
    'median of its stretches against the median of the honest ones. Of a core: by how much more of it the honest process was busy ' +
    'whose work grew most. A dash: too little was done to say.'
  return `${wrapped(what)}\n\n${aligned([HEADS, ...linesOf(rows)])}`
}

/** One line for each lie in each group, its rates in order. */
function linesOf(rows: readonly Row[]): string[][] {
  const lies = new Map<string, Row[]>()
  for (const row of rows) {
    const name = `${row.stage}: ${row.part}/${row.lie}`
    lies.set(name, [...(lies.get(name) ?? []), row])
  }
  return [...lies].map(([name, of]) =>
    lineOf(
      name,
      [...of].sort((one, other) => one.perSecond - other.perSecond),
    ),
  )
}

function lineOf(name: string, rates: readonly Row[]): string[] {
  const both = (cell: (row: Row) => string) => {
    const cells = rates.map(cell)
    return new Set(cells).size === 1 ? cells[0]! : cells.join(', ')
  }
  const ratio = (value: number | undefined) => (value === undefined ? '–' : value.toFixed(2))
  const ofKind = (value: number | undefined, kind: string) => `${ratio(value)}${value === undefined ? '' : ` ${kind}`}`
  return [
    name,
    both(row => ofKind(row.throughput, row.suffered)),
    both(row => ofKind(row.p99, row.slowest)),
    both(row => ratio(row.clientMemory)),
    both(row => ratio(row.serverMemory)),
    both(row => (row.processor === undefined ? '–' : share(row.processor))),
    both(naming),
    both(row => wellAfter(row)),
    [...new Set(rates.flatMap(row => [...row.misses, ...row.once.map(goal => `(${goal}, once)`)]))].join(', '),
  ]
}

/** A liar that is not named has proved nothing, and why that is so is said. */
function naming({ named, provable, part, lie }: Row): string {
  if (named) return 'yes'
  const why = NO_PROOF[`${part}/${lie}`]
  return provable ? '**no**' : `not provable${why === undefined ? '' : `: ${why}`}`
}

function wellAfter({ wellAfter: ms, waited }: Row): string {
  return ms === undefined ? `not in ${(waited / 1_000).toFixed(0)} s` : `${(ms / 1_000).toFixed(1)} s`
}

function aligned(lines: readonly (readonly string[])[]): string {
  const widths = HEADS.map((_, column) => Math.max(...lines.map(line => line[column]!.length)))
  const row = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`
  const rule = row(widths.map(width => '-'.repeat(width)))
  const [heads, ...rest] = lines.map(row)
  return [heads, rule, ...rest].join('\n')
}

const LINE_LETTERS = 140

function wrapped(text: string): string {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last === undefined || last.length + word.length >= LINE_LETTERS) lines.push(word)
    else lines[lines.length - 1] = `${last} ${word}`
  }
  return lines.join('\n')
}
