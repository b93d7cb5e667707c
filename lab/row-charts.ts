// Which charts the rows of an experiment make. A row that names a size ("t = 8: mean response") is a point of a line; rows that
// differ in nothing else are one line; lines over the same size in the same unit are one chart.

export type Cells = readonly [
  what: string,
  expected: number | null,
  measured: number | null,
  tolerance: number | null,
  unit: string,
  within: number,
]

export interface Point {
  readonly x: number
  readonly measured: number
  readonly expected: number | null
  readonly tolerance: number | null
}

export interface Line {
  readonly name: string
  readonly points: readonly Point[]
}

export interface Chart {
  readonly axis: string
  readonly unit: string
  readonly lines: readonly Line[]
}

/** Fewer points are read better from the table; more lines cannot be told apart. */
const POINTS_MIN = 3
const LINES_MAX = 6
const CHARTS_MAX = 4
const NAMED = /(^|[\s,(])([A-Za-zα-ωΔ][\w’']*) = (\d[\d,]*(?:\.\d+)?)(?:\^(\d+))?(?![\w.])/

function sizeIn(what: string): { readonly axis: string; readonly x: number; readonly rest: string } | undefined {
  const found = NAMED.exec(what)
  if (found === null) return undefined
  const [all, before = '', axis = '', digits = '', power] = found
  const base = Number(digits.replaceAll(',', ''))
  const rest = `${what.slice(0, found.index)}${before}${what.slice(found.index + all.length)}`
  const name = rest.replace(/[,\s]+:/, ':').replace(/^[\s:,]+|[\s:,]+$/g, '')
  return { axis, x: power === undefined ? base : base ** Number(power), rest: name }
}

/** The charts that these rows make. */
export function chartsOf(rows: readonly Cells[]): Chart[] {
  const charts = new Map<string, { axis: string; unit: string; lines: Map<string, Point[]> }>()
  for (const [what, expected, measured, tolerance, unit] of rows) {
    const size = sizeIn(what)
    if (size === undefined || measured === null) continue
    const key = `${size.axis} ${unit}`
    const chart = charts.get(key) ?? { axis: size.axis, unit, lines: new Map<string, Point[]>() }
    charts.set(key, chart)
    const line = chart.lines.get(size.rest) ?? []
    chart.lines.set(size.rest, line)
    if (!line.some(({ x }) => x === size.x)) line.push({ x: size.x, measured, expected, tolerance })
  }
  const drawn = [...charts.values()].map(({ axis, unit, lines }) => ({
    axis,
    unit,
    lines: [...lines]
      .map(([name, points]) => ({ name, points: [...points].sort((a, b) => a.x - b.x) }))
      .filter(({ points }) => points.length >= POINTS_MIN)
      .slice(0, LINES_MAX),
  }))
  return drawn.filter(saysSomething).slice(0, CHARTS_MAX)
}

/** Lines that all stay at one value say less than the table. */
function saysSomething({ lines }: Chart): boolean {
  const values = lines.flatMap(({ points }) => points.map(({ measured }) => measured))
  return values.some(value => value !== values[0])
}

export type Scale = (value: number) => number

export interface Axis {
  readonly at: Scale
  readonly ticks: readonly number[]
}

/** Whether these values are read better by powers of ten. */
export function isLogarithmic(values: readonly number[]): boolean {
  const [low, high] = [Math.min(...values), Math.max(...values)]
  return low > 0 && high / low > 30
}

/** A scale and its ticks: by powers of ten where the values need it. */
export function axisOf(values: readonly number[], from: number, to: number): Axis {
  const [low, high] = [Math.min(...values), Math.max(...values)]
  if (isLogarithmic(values)) {
    const [first, last] = [Math.log10(low), Math.log10(high)]
    const at: Scale = value => from + ((Math.log10(value) - first) / (last - first)) * (to - from)
    const powers = Array.from({ length: Math.ceil(last) + 1 - Math.floor(first) }, (_, place) => place)
    const decades = powers.map(place => 10 ** (Math.floor(first) + place)).filter(tick => tick >= low && tick <= high)
    return { at, ticks: decades.length > 1 ? decades : [low, high] }
  }
  const bottom = low > 0 && low < high * 0.7 ? 0 : low
  const room = high - bottom || Math.abs(high) || 1
  const step = 10 ** Math.floor(Math.log10(room / 3))
  const wide = [1, 2, 5, 10].map(times => times * step).find(each => room / each <= 5) ?? step * 10
  const first = Math.floor(bottom / wide) * wide
  const count = Math.ceil((high - first) / wide - 1e-9)
  const last = first + Math.max(1, count) * wide
  const ticks = Array.from({ length: Math.max(1, count) + 1 }, (_, place) =>
    Number((first + place * wide).toPrecision(9)),
  )
  return { at: value => from + ((value - first) / (last - first)) * (to - from), ticks }
}
