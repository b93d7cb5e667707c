// The siege as a table: for a terminal, for a page, as data.

import { isUnwell, type Row } from './verdict.ts'

const HEADS = [
  'lie',
  'each second',
  'throughput',
  'p99',
  'clients',
  'servers',
  'of a core',
  'provable',
  'named',
  'well after',
  'misses',
]

/** In hundredths of a core, more or fewer. */
export const share = (cores: number) => `${cores < 0 ? '' : '+'}${(100 * cores).toFixed(0)} %`

const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`

/** A goal, with the kind of work that it was missed in. */
function inWords({ suffered, slowest }: Row, goal: string): string {
  if (goal === 'throughput') return `${goal} of ${suffered}`
  return goal === 'p99' ? `${goal} of ${slowest}` : goal
}

/** A short siege does not wait for ten seconds after each lie, and then there is nothing to judge. */
function wellAfter(row: Row): string {
  if (row.wellAfter !== undefined) return seconds(row.wellAfter)
  return `${isUnwell(row) ? 'NOT in' : 'over'} ${seconds(row.waited)}`
}

/** How to look at what missed a goal. */
export function adviceOn(rows: readonly Row[]): string {
  const [first] = rows.filter(({ misses }) => misses.length > 0)
  if (first === undefined) return ''
  const lie = `${first.part}/${first.lie}`.replace(/^.*[^\w/-].*$/, name => JSON.stringify(name))
  return `alone, and for longer: npm run siege -- --stages ${first.stage} --lies ${lie} --seconds 60\n`
}

function cells(row: Row): string[] {
  const ratio = (value: number | undefined) => (value === undefined ? '–' : `${value.toFixed(2)} ×`)
  return [
    `${row.stage}: ${row.part}/${row.lie}`,
    row.perSecond === 0 ? 'as it is' : `${row.perSecond} (${row.repeated} said)`,
    ratio(row.throughput),
    ratio(row.p99),
    ratio(row.clientMemory),
    ratio(row.serverMemory),
    row.processor === undefined ? '–' : share(row.processor),
    row.provable ? 'yes' : '',
    row.named ? 'yes' : row.provable ? 'NO' : '',
    wellAfter(row),
    [...row.misses.map(goal => inWords(row, goal)), ...row.once.map(goal => `(${inWords(row, goal)} once)`)].join(', '),
  ]
}

export function table(rows: readonly Row[]): string {
  const lines = [HEADS, ...rows.map(cells)]
  const widths = HEADS.map((_, column) => Math.max(...lines.map(line => line[column]!.length)))
  return lines
    .map(line =>
      line
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

export function markdown(rows: readonly Row[]): string {
  const lines = [HEADS, HEADS.map(() => '---'), ...rows.map(cells)]
  return lines.map(line => `| ${line.join(' | ')} |`).join('\n')
}
