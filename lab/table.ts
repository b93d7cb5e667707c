// A result for people (a table), for programs (JSON) and for spreadsheets (CSV).

import type { Row } from './experiment.ts'

const HEAD = ['', 'expected', 'measured', '', 'tolerance', '']
/** Words stand at the left of their column, numbers at the right. */
const WORDS = [true, false, false, true, false, true]
/** Four digits say all that a tolerance can judge; whole numbers are shown whole. */
const DIGITS = 4

export function formatTable(rows: readonly Row[]): string {
  const cells = [HEAD, ...rows.map(cellsOf)]
  const widths = HEAD.map((_, column) => Math.max(...cells.map(line => width(line[column]!))))
  return cells
    .map(line => line.map((cell, column) => pad(cell, widths[column]!, WORDS[column]!)).join('  '))
    .map(line => line.trimEnd())
    .join('\n')
}

function cellsOf(row: Row): string[] {
  const sign = row.expected === null ? '' : row.within ? '✓' : '✗'
  const tolerance = row.tolerance === null ? '' : `± ${shown(row.tolerance)}`
  const expected = row.expected === null ? '' : shown(row.expected)
  return [row.what, expected, shown(row.measured), row.unit ?? '', tolerance, sign]
}

function shown(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 1e15) return String(value)
  return Number.isFinite(value) ? String(Number(value.toPrecision(DIGITS))) : String(value)
}

// Letters, not code units: a sign outside the basic plane is one column wide.
function width(text: string): number {
  return [...text].length
}

function pad(text: string, to: number, left: boolean): string {
  const space = ' '.repeat(to - width(text))
  return left ? text + space : space + text
}

/** Rows as JSON can hold them: a number that it cannot (an infinite tolerance) becomes null. */
export function toJson(rows: readonly Row[]): string {
  return `${JSON.stringify(rows, undefined, 2)}\n`
}

const COLUMNS = ['what', 'expected', 'measured', 'tolerance', 'unit', 'within'] as const

/** Rows as CSV (RFC 4180), with a head; no value where there is none. */
export function toCsv(rows: readonly Row[]): string {
  const lines = rows.map(row => COLUMNS.map(column => quoted(row[column])).join(','))
  return [COLUMNS.join(','), ...lines, ''].join('\r\n')
}

function quoted(value: string | number | boolean | null | undefined): string {
  const text = value === null || value === undefined ? '' : String(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
