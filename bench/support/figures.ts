// What benchmarks do with numbers: medians, percentiles, tables.

export type Print = (line: string) => void

/** The value below which the given share of all values lies. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5)
}

/** Three digits, and no more precision than a noisy machine has. */
export function show(value: number | undefined): string {
  if (value === undefined || Number.isNaN(value)) return '–'
  if (value >= 1000) return Math.round(value).toLocaleString('en-US')
  return value.toPrecision(3)
}

/** Columns as wide as they must be; the first to the left, numbers to the right. */
export function printTable(print: Print, head: readonly string[], rows: readonly (readonly string[])[]): void {
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map(row => row[column]!.length)))
  const line = (cells: readonly string[]) =>
    cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!))).join('  ')
  print(line(head))
  print(widths.map(width => '-'.repeat(width)).join('  '))
  for (const row of rows) print(line(row).trimEnd())
}
