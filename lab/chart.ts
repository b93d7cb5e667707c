// A chart as one SVG text, without a library: lines or points over two axes, a legend beside them. It is looked at
// on light and dark pages alike, so the colours follow the reader's scheme and stand on their own background; and by
// people who see colours differently, so each series also has its own mark (palette after Okabe and Ito).

import { type Axis, type AxisOptions, makeAxis } from './chart-axis.ts'

export interface Series {
  /** As the legend says it. Without a name it is not in the legend: a dashed line in the colour of one that is. */
  readonly name: string
  readonly points: readonly (readonly [number, number])[]
  /** A dashed line without marks: a formula beside a measurement. */
  readonly dashed?: boolean
  /** False draws the marks only. */
  readonly line?: boolean
  /** Series with the same number share a colour: a formula with its measurement. By default each has its own. */
  readonly colour?: number
  /** By how much each point may be off, up and down: a bar through its mark. */
  readonly errors?: readonly number[]
}

export interface Chart {
  readonly title: string
  /** Below the picture: how many runs each mark is of, what the bars mean. */
  readonly note: string
  readonly x: AxisOptions
  readonly y: AxisOptions
  readonly series: readonly Series[]
}

const WIDTH = 760
/** With a legend that is longer the picture grows. */
const HEIGHT_LEAST = 440
const TOP = 44
const BOTTOM = 56
const NOTE_HEIGHT = 20
const LEFT = 74
const LEGEND_GAP = 22
/** A letter at 12 and at 15 pixels is hardly ever wider on average. */
const LETTER = 6.6
const TITLE_LETTER = 9.2
/** Words of the legend are broken into lines of so many letters. */
const LEGEND_LETTERS = 30
const LEGEND_LINE = 15
const LEGEND_SIGN = 33
const LIGHT = ['#0072b2', '#c44e00', '#00805c', '#a3437f', '#8f6a00', '#2f2f9e', '#5c5c5c', '#b30000']
const DARK = ['#5fb8ee', '#ff914d', '#2fcf9f', '#ea9bc9', '#f0c746', '#a3aaff', '#c8c8c8', '#ff7b72']

export function lineChart(chart: Chart): string {
  return draw(chart)
}

/** Marks only, unless a series asks for its line. */
export function scatterChart(chart: Chart): string {
  return draw({ ...chart, series: chart.series.map(series => ({ line: series.dashed === true, ...series })) })
}

interface Frame {
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
  readonly x: Axis
  readonly y: Axis
}

function draw(chart: Chart): string {
  const names = chart.series.map(series => (series.name === '' ? [] : lines(series.name, LEGEND_LETTERS)))
  const longest = Math.max(4, ...names.flat().map(line => line.length))
  const points = chart.series.flatMap(reach)
  const heading = lines(chart.title, Math.floor((WIDTH - LEFT - 10) / TITLE_LETTER))
  const top = TOP + (heading.length - 1) * 19
  const legendHeight = names.reduce((sum, one) => sum + legendRoom(one), 0)
  const height = Math.max(HEIGHT_LEAST, top + legendHeight + 20) + NOTE_HEIGHT
  const frame: Frame = {
    left: LEFT,
    right: WIDTH - (longest * LETTER + LEGEND_GAP + LEGEND_SIGN + 6),
    top,
    bottom: height - BOTTOM - NOTE_HEIGHT,
    x: makeAxis(
      chart.x,
      points.map(point => point[0]),
    ),
    y: makeAxis(
      chart.y,
      points.map(point => point[1]),
    ),
  }
  const title = escapeText(chart.title)
  // Several charts may stand in one page: the clip's name and the rules above must not meet another chart's.
  const clip = `plot-${[...chart.title].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 1_000_003, 7)}`
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" class="chart" role="img" aria-label="${title}">`,
    style(),
    `<rect class="page" width="${WIDTH}" height="${height}"/>`,
    ...heading.map((line, at) => `<text class="title" x="${LEFT}" y="${26 + 19 * at}">${escapeText(line)}</text>`),
    `<text x="${LEFT}" y="${height - 12}">${escapeText(chart.note)}</text>`,
    ...axes(frame),
    `<clipPath id="${clip}"><rect x="${frame.left - 5}" y="${frame.top - 5}" width="${frame.right - frame.left + 10}" height="${frame.bottom - frame.top + 10}"/></clipPath>`,
    `<g clip-path="url(#${clip})">`,
    ...chart.series.map((series, index) => plot(frame, series, index)),
    '</g>',
    ...legend(frame, chart.series, names),
    '</svg>',
    '',
  ].join('\n')
}

function style(): string {
  const colours = (palette: readonly string[]) =>
    palette.map((colour, index) => `.chart .c${index}{stroke:${colour}}.chart .f${index}{fill:${colour}}`).join('')
  return [
    '<style>',
    '.chart text{font:12px system-ui,"Segoe UI",Helvetica,Arial,sans-serif;fill:#222}',
    '.chart .title{font-size:15px;font-weight:600}',
    '.chart .page{fill:#fff}.chart .grid{stroke:#ddd}.chart .axis{stroke:#555}',
    '.chart .line{fill:none;stroke-width:2;stroke-linejoin:round}',
    `.chart .bar{stroke-width:1.2}.chart .dash{stroke-dasharray:6 4}${colours(LIGHT)}`,
    '@media (prefers-color-scheme:dark){.chart text{fill:#ddd}.chart .page{fill:#16191d}',
    '.chart .grid{stroke:#33383f}.chart .axis{stroke:#9aa0a6}',
    `${colours(DARK)}}`,
    '</style>',
  ].join('\n')
}

function axes({ left, right, top, bottom, x, y }: Frame): string[] {
  const parts: string[] = []
  for (const tick of y.ticks) {
    const height = round(bottom - y.place(tick.value) * (bottom - top))
    parts.push(`<line class="grid" x1="${left}" y1="${height}" x2="${right}" y2="${height}"/>`)
    parts.push(`<text x="${left - 8}" y="${round(height + 4)}" text-anchor="end">${tick.text}</text>`)
  }
  for (const tick of x.ticks) {
    const across = round(left + x.place(tick.value) * (right - left))
    parts.push(`<line class="grid" x1="${across}" y1="${top}" x2="${across}" y2="${bottom}"/>`)
    parts.push(`<text x="${across}" y="${bottom + 18}" text-anchor="middle">${tick.text}</text>`)
  }
  const middle = round((top + bottom) / 2)
  parts.push(`<path class="axis" fill="none" d="M${left} ${top}V${bottom}H${right}"/>`)
  parts.push(
    `<text x="${round((left + right) / 2)}" y="${bottom + 42}" text-anchor="middle">${escapeText(x.label)}</text>`,
  )
  parts.push(
    `<text x="18" y="${middle}" text-anchor="middle" transform="rotate(-90 18 ${middle})">${escapeText(y.label)}</text>`,
  )
  return parts
}

function plot({ left, right, top, bottom, x, y }: Frame, series: Series, index: number): string {
  const colour = (series.colour ?? index) % LIGHT.length
  const places = series.points.map(
    point =>
      [round(left + x.place(point[0]) * (right - left)), round(bottom - y.place(point[1]) * (bottom - top))] as const,
  )
  const parts: string[] = []
  if (series.line !== false) {
    // A value that cannot be shown (log of zero, not a number) breaks the line instead of bending it.
    let pen = 'M'
    let path = ''
    for (const [across, height] of places) {
      const shown = Number.isFinite(across) && Number.isFinite(height)
      if (shown) path += `${pen}${across} ${height}`
      pen = shown ? 'L' : 'M'
    }
    if (path !== '') parts.push(`<path class="line c${colour}${series.dashed ? ' dash' : ''}" d="${path}"/>`)
  }
  parts.push(...bars({ left, right, top, bottom, x, y }, series, colour))
  if (!series.dashed) {
    for (const [across, height] of places) {
      if (Number.isFinite(across) && Number.isFinite(height)) parts.push(mark(across, height, colour))
    }
  }
  return parts.join('')
}

function bars({ top, bottom, left, right, x, y }: Frame, { points, errors = [] }: Series, colour: number): string[] {
  const place = (value: number) => round(bottom - y.place(value) * (bottom - top))
  return errors.flatMap((error, at) => {
    const [across, low, high] = [
      round(left + x.place(points[at]![0]) * (right - left)),
      place(points[at]![1] - error),
      place(points[at]![1] + error),
    ]
    // On a logarithmic axis a bar that reaches below zero goes down to the frame.
    const foot = Number.isFinite(low) ? low : bottom
    if (!(error > 0) || !Number.isFinite(across) || !Number.isFinite(high)) return []
    return [
      `<path class="line bar c${colour}" d="M${across} ${foot}V${high}M${round(across - 3)} ${high}h6M${round(across - 3)} ${foot}h6"/>`,
    ]
  })
}

/** Circle, square, triangle, diamond, triangle down, plus, cross, bar: one per colour. */
function mark(x: number, y: number, colour: number): string {
  const shapes = [
    `<circle class="f${colour}" cx="${x}" cy="${y}" r="3.6"/>`,
    `<rect class="f${colour}" x="${round(x - 3.3)}" y="${round(y - 3.3)}" width="6.6" height="6.6"/>`,
    `<path class="f${colour}" d="M${x} ${round(y - 4.4)}l4.2 7.6h-8.4z"/>`,
    `<path class="f${colour}" d="M${x} ${round(y - 4.6)}l4.6 4.6l-4.6 4.6l-4.6 -4.6z"/>`,
    `<path class="f${colour}" d="M${x} ${round(y + 4.4)}l4.2 -7.6h-8.4z"/>`,
    `<path class="line c${colour}" d="M${round(x - 4)} ${y}h8M${x} ${round(y - 4)}v8"/>`,
    `<path class="line c${colour}" d="M${round(x - 3.2)} ${round(y - 3.2)}l6.4 6.4m0 -6.4l-6.4 6.4"/>`,
    `<rect class="f${colour}" x="${round(x - 1.6)}" y="${round(y - 4.4)}" width="3.2" height="8.8"/>`,
  ]
  return shapes[colour] ?? ''
}

/** The points, and the ends of their bars: what the axes must show. */
function reach({ points, errors }: Series): (readonly [number, number])[] {
  if (errors === undefined) return [...points]
  return points.flatMap(([x, y], at) => [[x, y - errors[at]!] as const, [x, y + errors[at]!] as const])
}

/** A text in lines of at most so many letters, broken between words where that can be. */
function lines(text: string, most: number): string[] {
  const out: string[] = []
  for (const word of text.split(' ')) {
    const joined = out.length === 0 ? word : `${out.at(-1)} ${word}`
    if (out.length > 0 && joined.length <= most) out[out.length - 1] = joined
    else for (let at = 0; at < word.length || at === 0; at += most) out.push(word.slice(at, at + most))
  }
  return out
}

function legend({ right, top }: Frame, all: readonly Series[], names: readonly (readonly string[])[]): string[] {
  let y = top + 8
  return all.map((series, index) => {
    if (series.name === '') return ''
    const colour = (series.colour ?? index) % LIGHT.length
    const x = right + LEGEND_GAP
    const dash = series.dashed ? ' dash' : ''
    const line = series.line === false ? '' : `<path class="line c${colour}${dash}" d="M${x} ${y}h26"/>`
    const sign = series.dashed ? '' : mark(x + 13, y, colour)
    const words = names[index]!.map(
      (text, at) => `<text x="${x + LEGEND_SIGN}" y="${y + 4 + at * LEGEND_LINE}">${escapeText(text)}</text>`,
    )
    y += legendRoom(names[index]!)
    return `${line}${sign}${words.join('')}`
  })
}

function legendRoom(words: readonly string[]): number {
  return words.length === 0 ? 0 : 5 + words.length * LEGEND_LINE
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}

export function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
