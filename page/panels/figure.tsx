// What an experiment measured, drawn: ours as a line, the paper's figures as diamonds with what they tolerate.

import type { JSX } from 'preact'
import { axisOf, type Cells, type Chart, type Line, type Point, type Scale } from '../../lab/row-charts.ts'

const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [560, 280, 58, 16, 14, 40]

function short(value: number): string {
  if (Math.abs(value) >= 100_000) return value.toLocaleString('en', { notation: 'compact' })
  return value !== 0 && Math.abs(value) < 0.001
    ? value.toExponential(0)
    : value.toLocaleString('en', { maximumFractionDigits: 4 })
}

/** Sizes that were measured, as far as their numbers stand apart. */
function sizesShown(points: readonly Point[], at: Scale): number[] {
  const sizes = [...new Set(points.map(({ x }) => x))].sort((a, b) => b - a)
  const shown: number[] = []
  for (const size of sizes) if (shown.every(other => Math.abs(at(other) - at(size)) >= APART)) shown.push(size)
  return shown
}

const APART = 46

export function Figure({ chart }: { chart: Chart }): JSX.Element {
  const points = chart.lines.flatMap(({ points }) => points)
  const values = points.flatMap(({ measured, expected }) => (expected === null ? [measured] : [measured, expected]))
  const x = axisOf(
    points.map(point => point.x),
    LEFT,
    WIDTH - RIGHT,
  )
  const y = axisOf(values, HEIGHT - BOTTOM, TOP)
  const label = `${chart.lines.map(({ name }) => name || 'measured').join(', ')} against ${chart.axis}. The table below says the same.`
  return (
    <figure class="chart">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={label}>
        {y.ticks.map(tick => (
          <g key={`y${tick}`}>
            <path class="grid-line" d={`M${LEFT} ${y.at(tick)}H${WIDTH - RIGHT}`} />
            <text x={LEFT - 8} y={y.at(tick) + 4} text-anchor="end">
              {short(tick)}
            </text>
          </g>
        ))}
        {sizesShown(points, x.at).map(tick => (
          <text key={`x${tick}`} x={x.at(tick)} y={HEIGHT - BOTTOM + 18} text-anchor="middle">
            {short(tick)}
          </text>
        ))}
        <text x={(LEFT + WIDTH - RIGHT) / 2} y={HEIGHT - 4} text-anchor="middle" class="title">
          {chart.axis}
        </text>
        {chart.lines.map((line, place) => (
          <Drawn key={line.name} line={line} place={place} x={x.at} y={y.at} />
        ))}
      </svg>
      <figcaption>
        {chart.lines.map(({ name }, place) => (
          <span key={name} class={`series s${place}`}>
            <svg viewBox="0 0 26 10" aria-hidden="true">
              <path d="M0 5h26" />
              <circle cx="13" cy="5" r="3" />
            </svg>
            {labelOf(name, chart.unit)}
          </span>
        ))}
        {points.some(({ expected }) => expected !== null) ? (
          <span class="series paper">
            <svg viewBox="0 0 26 10" aria-hidden="true">
              <path class="diamond" d="M13 0l5 5-5 5-5-5z" />
            </svg>
            the paper’s, and what it tolerates
          </span>
        ) : undefined}
      </figcaption>
    </figure>
  )
}

function labelOf(name: string, unit: string): string {
  if (name === '') return unit || 'measured'
  return unit === '' || name.endsWith(unit) ? name : `${name}, ${unit}`
}

function Drawn({ line, place, x, y }: { line: Line; place: number; x: Scale; y: Scale }): JSX.Element {
  const path = line.points.map((point, at) => `${at === 0 ? 'M' : 'L'}${x(point.x)} ${y(point.measured)}`).join('')
  const clamp = (value: number) => Math.max(TOP - 6, Math.min(HEIGHT - BOTTOM + 6, value))
  return (
    <g class={`series s${place}`}>
      {line.points.map(({ x: at, expected, tolerance }) =>
        expected === null ? undefined : (
          <g key={at} class="paper">
            {tolerance ? (
              <path
                class="bar"
                d={`M${x(at)} ${clamp(y(Math.max(expected - tolerance, 1e-12)))}V${clamp(y(expected + tolerance))}`}
              />
            ) : undefined}
            <path class="diamond" d={`M${x(at)} ${y(expected) - 6}l6 6-6 6-6-6z`} />
          </g>
        ),
      )}
      <path class="line" d={path} />
      {line.points.map(({ x: at, measured }) => (
        <circle key={at} cx={x(at)} cy={y(measured)} r="3.2" />
      ))}
    </g>
  )
}

/** Where ours lies within what the paper's figure tolerates: the band is the tolerance, the line in it the paper's. */
export function Judged({ cells }: { cells: Cells }): JSX.Element | null {
  const [, expected, measured, tolerance, , within] = cells
  if (expected === null || measured === null || !tolerance) return null
  const off = Math.max(-1.25, Math.min(1.25, (measured - expected) / tolerance))
  return (
    <svg class={`judged ${within ? 'good' : 'bad'}`} viewBox="0 0 100 16" aria-hidden="true">
      <rect x="14" y="3" width="72" height="10" rx="5" />
      <path d="M50 1v14" />
      <circle cx={50 + off * 36} cy="8" r="4" />
    </svg>
  )
}
