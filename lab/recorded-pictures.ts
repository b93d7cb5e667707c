// Pictures of rows, recorded (docs/papers/results) or measured just now: lines over the sizes that the rows name, and where
// each judged figure lies within what it tolerates. They are made of the rows alone, so whatever is measured can be drawn.

import { escapeText, lineChart, type Series } from './chart.ts'
import type { Picture, Row } from './experiment.ts'
import { type Chart, chartsOf, isLogarithmic, type Line } from './row-charts.ts'

interface Recorded {
  readonly name: string
  readonly title: string
  readonly rows: readonly Row[]
}

/** At most so many rows in one picture of judgements: a longer table is read better as a table. */
const JUDGED_MAX = 40
const JUDGED_MIN = 2

const RECORDED_NOTE = 'As recorded in docs/papers/results: one run of the experiment.'

/** The pictures that these rows make, named after the experiment. The note says where the rows come from. */
export function recordedPictures({ name, title, rows }: Recorded, note = RECORDED_NOTE): Picture[] {
  const charts = chartsOf(
    rows.map(({ what, expected, measured, tolerance, unit, within }) => [
      what,
      expected,
      measured,
      tolerance,
      unit ?? '',
      within ? 1 : 0,
    ]),
  )
  const drawn = charts.map((chart, place) => ({
    name: `${name}-${place + 1}.svg`,
    svg: chartPicture(chart, title, note),
  }))
  const judged = rows.filter(({ expected, tolerance }) => expected !== null && tolerance !== null && tolerance > 0)
  if (judged.length < JUDGED_MIN) return drawn
  return [
    ...drawn,
    { name: `${name}-judged.svg`, svg: judgedPicture(judged.slice(0, JUDGED_MAX), judged.length, note) },
  ]
}

function chartPicture({ axis, unit, lines }: Chart, title: string, note: string): string {
  const points = lines.flatMap(line => line.points)
  const values = points.flatMap(({ measured, expected }) => (expected === null ? [measured] : [measured, expected]))
  return lineChart({
    title,
    x: { label: axis, log: isLogarithmic(points.map(({ x }) => x)) },
    y: { label: unit || 'measured', log: isLogarithmic(values) },
    series: lines.flatMap(seriesOf),
    note: points.some(({ expected }) => expected !== null) ? `${note} Dashed: the paper’s, with its tolerance.` : note,
  })
}

function seriesOf({ name, points }: Line, colour: number): Series[] {
  const ours: Series = { name: name || 'measured', colour, points: points.map(({ x, measured }) => [x, measured]) }
  const given = points.filter(({ expected }) => expected !== null)
  if (given.length === 0) return [ours]
  const theirs: Series = {
    name: '',
    colour,
    dashed: true,
    points: given.map(({ x, expected }) => [x, expected!]),
    errors: given.map(({ tolerance }) => tolerance ?? 0),
  }
  return [ours, theirs]
}

const LINE = 22
const TOP = 56
const EDGE = 20
/** Room for the note below. */
const NOTE = 16
const BAND_WIDTH = 230
/** Between a label and its band: a dot that lies beyond has room. */
const LABEL_GAP = 30
const BEYOND_NOTE = 'A dot beyond its band: further off than chance takes it, as is claimed.'
/** Room for a letter of a label. A longer label is cut: the table beside the picture has it whole. */
const LETTER = 6.6
const LETTERS = { least: 40, most: 110 }

/** A figure that must differ from the paper's by more than chance allows, and does. */
const isBeyond = ({ expected, measured, tolerance, within }: Row) =>
  within && Math.abs(measured - expected!) > tolerance!

/** Each figure as a dot: the middle line is the paper's figure, the band what it tolerates. */
function judgedPicture(rows: readonly Row[], count: number, note: string): string {
  const below = TOP + rows.length * LINE + 16
  const height = below + NOTE
  const letters = Math.max(LETTERS.least, Math.min(LETTERS.most, Math.max(...rows.map(({ what }) => what.length))))
  const bandLeft = Math.round(EDGE + letters * LETTER + LABEL_GAP)
  const width = bandLeft + BAND_WIDTH + 2 * EDGE
  const more = count > rows.length ? `, the first ${rows.length} of ${count}` : ''
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" class="judged" role="img" aria-label="Where each figure lies within its tolerance${more}. The table says the same.">`,
    '<style>',
    '.judged text{font:12px system-ui,"Segoe UI",Helvetica,Arial,sans-serif;fill:#222}.judged .title{font-size:15px;font-weight:600}',
    '.judged .page{fill:#fff}.judged .band{fill:#e4ecf3}.judged .mid{stroke:#5c6b7a}.judged .in{fill:#0072b2}.judged .out{fill:#b30000}',
    '@media (prefers-color-scheme:dark){.judged text{fill:#ddd}.judged .page{fill:#16191d}.judged .band{fill:#26313c}.judged .mid{stroke:#9aa0a6}.judged .in{fill:#5fb8ee}.judged .out{fill:#ff7b72}}',
    '</style>',
    `<rect class="page" width="${width}" height="${height}"/>`,
    `<text class="title" x="20" y="26">Ours (dots) within what the paper’s figures tolerate (bands)${more}</text>`,
    ...rows.map((row, place) => judgedLine(row, TOP + place * LINE, bandLeft)),
    `<text x="${EDGE}" y="${below}">${escapeText(rows.some(isBeyond) ? `${note} ${BEYOND_NOTE}` : note)}</text>`,
    '</svg>',
    '',
  ].join('\n')
}

function judgedLine({ what, expected, measured, tolerance, within }: Row, y: number, left: number): string {
  const middle = left + BAND_WIDTH / 2
  const off = Math.max(-1.15, Math.min(1.15, (measured - expected!) / tolerance!))
  const label = what.length > LETTERS.most ? `${what.slice(0, LETTERS.most - 1)}…` : what
  return [
    `<text x="${left - LABEL_GAP}" y="${y + 12}" text-anchor="end">${escapeText(label)}</text>`,
    `<rect class="band" x="${left}" y="${y}" width="${BAND_WIDTH}" height="${LINE - 6}" rx="8"/>`,
    `<path class="mid" d="M${middle} ${y}v${LINE - 6}"/>`,
    `<circle class="${within ? 'in' : 'out'}" cx="${Math.round((middle + (off * BAND_WIDTH) / 2) * 10) / 10}" cy="${y + (LINE - 6) / 2}" r="5"/>`,
  ].join('')
}
