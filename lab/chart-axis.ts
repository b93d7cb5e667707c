// Axes of a chart: from a range of values to pixels, and where the ticks stand. Linear ticks are 1, 2 or 5 times a
// power of ten; logarithmic ones are powers of ten, with 2 and 5 between them when the range is short.

export interface AxisOptions {
  readonly label: string
  readonly log?: boolean
  /** Fixed ends; by default the axis ends at the first ticks outside the data. */
  readonly min?: number
  readonly max?: number
}

export interface Axis {
  readonly label: string
  readonly ticks: readonly { readonly value: number; readonly text: string }[]
  /** A value's place, 0 at the lower end and 1 at the upper end. NaN for what the axis cannot show. */
  place(value: number): number
}

const TICKS_ABOUT = 6
/** A tick further than this from the data is left out: the axis then ends at the data. */
const FAR = 1.6

export function makeAxis(options: AxisOptions, values: readonly number[]): Axis {
  const shown = values.filter(value => Number.isFinite(value) && (!options.log || value > 0))
  const low = options.min ?? Math.min(...shown)
  const high = options.max ?? Math.max(...shown)
  if (!Number.isFinite(low) || !Number.isFinite(high)) return linearAxis(options, 0, 1)
  return options.log && low > 0 ? logAxis(options, low, high) : linearAxis(options, low, high)
}

function linearAxis(options: AxisOptions, low: number, high: number): Axis {
  const spread = high - low || Math.abs(high) || 1
  const step = niceStep(spread / TICKS_ABOUT)
  const from = options.min ?? Math.floor(low / step + 1e-9) * step
  const to = options.max ?? Math.max(Math.ceil(high / step - 1e-9) * step, from + step)
  const ticks: number[] = []
  for (let index = Math.ceil(from / step - 1e-9); index * step <= to + step * 1e-9; index++) ticks.push(index * step)
  return {
    label: options.label,
    ticks: ticks.map(value => ({ value, text: tickText(value) })),
    place: value => (value - from) / (to - from),
  }
}

function logAxis(options: AxisOptions, low: number, high: number): Axis {
  const decades = Math.log10(high / low)
  const factors = decades > 2.5 ? [1] : [1, 2, 5]
  const every = Math.max(1, Math.ceil(decades / 9))
  const candidates: number[] = []
  for (let power = Math.floor(Math.log10(low)) - 1; power <= Math.ceil(Math.log10(high)) + 1; power++) {
    if (power % every === 0) candidates.push(...factors.map(factor => factor * 10 ** power))
  }
  const below = candidates.findLast(value => value <= low * (1 + 1e-9)) ?? low
  const from = options.min ?? (low / below < FAR ? below : low)
  const above = candidates.find(value => value >= high * (1 - 1e-9) && value > from) ?? high
  const to = options.max ?? (above / high < FAR || high <= from ? above : high)
  const ticks = candidates.filter(value => value >= from * (1 - 1e-9) && value <= to * (1 + 1e-9))
  const span = Math.log(to / from) || 1
  return {
    label: options.label,
    ticks: ticks.map(value => ({ value, text: tickText(value) })),
    place: value => (value > 0 ? Math.log(value / from) / span : Number.NaN),
  }
}

function niceStep(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(rough))
  const factor = [1, 2, 5, 10].find(candidate => candidate * power >= rough * (1 - 1e-9)) ?? 10
  return factor * power
}

/** 0.001, 0.5, 20, 5,000, then 10 k, 2 M; very small ones as 10⁻⁶. */
export function tickText(value: number): string {
  if (value === 0) return '0'
  const size = Math.abs(value)
  if (size >= 1e15 || size < 1e-4) return powerText(value)
  for (const [unit, name] of [
    [1e12, 'T'],
    [1e9, 'G'],
    [1e6, 'M'],
    [1e4, 'k'],
  ] as const) {
    if (size >= unit * (1 - 1e-9)) return `${plain(value / (unit === 1e4 ? 1e3 : unit))} ${name}`
  }
  return plain(value)
}

function plain(value: number): string {
  return Number(value.toPrecision(6)).toLocaleString('en-US', { maximumFractionDigits: 6 })
}

function powerText(value: number): string {
  const power = Math.floor(Math.log10(Math.abs(value)) + 1e-9)
  const factor = Number((value / 10 ** power).toPrecision(3))
  const raised = [...String(power)].map(digit => '⁰¹²³⁴⁵⁶⁷⁸⁹'['0123456789'.indexOf(digit)] ?? '⁻').join('')
  return factor === 1 ? `10${raised}` : `${factor}·10${raised}`
}
