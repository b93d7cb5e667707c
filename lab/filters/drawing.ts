// How the figures of the thesis are drawn: error times 100, from 0 to 100, over a logarithmic axis.

import { lineChart, type Series } from '../chart.ts'
import type { Picture } from '../experiment.ts'

export const BOUND_NOTE = 'The dashed bound (theorem 3.4.2) is the thesis’s; it is no true bound, see errata-bound.'

export function errorPicture(figure: string, title: string, x: string, series: readonly Series[]): Picture {
  const svg = lineChart({
    title: `Figure ${figure}: ${title}`,
    x: { label: x, log: true },
    y: { label: 'FPR + FNR, times 100', min: 0, max: 100 },
    series,
  })
  return { name: `filters-figure-${figure.replace('.', '-')}.svg`, svg }
}

/** The thesis's bound, dashed: points of (x, bound). */
export function boundSeries(points: readonly (readonly [number, number])[]): Series {
  const times100 = points.map(([x, bound]) => [x, 100 * bound] as const)
  return { name: 'the thesis’s bound', dashed: true, colour: 7, points: times100 }
}
