// How the figures of the thesis are drawn: error times 100, from 0 to 100, over a logarithmic axis.

import { lineChart, type Series } from '../chart.ts'
import type { Picture } from '../experiment.ts'
import { SEEDS } from './measure.ts'

export const BOUND_NOTE = 'The dashed bound (theorem 3.4.2) is the thesis’s; it is no true bound, see errata-bound.'

/** What every mark of a filter is the mean of. */
export const STREAMS_NOTE = streamsNote(SEEDS)

function streamsNote(streams: number): string {
  return `Each mark: ${streams} streams, each with keys of its own.`
}

/** `shrink`: by what everything was divided; the axis has the thesis's sizes. */
export function errorPicture(
  figure: string,
  [title, x]: readonly [title: string, x: string],
  series: readonly Series[],
  shrink = 1,
  streams = SEEDS,
): Picture {
  const small = shrink === 1 ? '' : `, all sizes divided by ${shrink}`
  const times = shrink === 1 ? '' : `, times ${shrink}`
  const svg = lineChart({
    title: `Figure ${figure}: ${title}${small}`,
    x: { label: `${x}${times}`, log: true },
    y: { label: 'FPR + FNR, times 100', min: 0, max: 100 },
    note: streamsNote(streams),
    series,
  })
  return { name: `filters-figure-${figure.replace('.', '-')}.svg`, svg }
}

/** The thesis's bound, dashed: points of (x, bound). */
export function boundSeries(points: readonly (readonly [number, number])[]): Series {
  const times100 = points.map(([x, bound]) => [x, 100 * bound] as const)
  return { name: 'the thesis’s bound', dashed: true, colour: 7, points: times100 }
}
