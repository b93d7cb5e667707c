// LECTURE, "Distributed event matching": a server has the subscriptions of everybody and must say which want an event.
// The index of `src/events/matching` against asking every filter, by number of subscriptions.
//
// That both find the same is a row that must be zero. How many should be found follows from how the filters are drawn: two
// ranges of a tenth hold one event in a hundred. How fast each is depends on the machine and has no expectation; that the
// one grows with the number of subscriptions and the other hardly does is what the picture shows.

import { lineChart } from '../chart.ts'
import { type Experiment, type Row, type RunOptions, row } from '../experiment.ts'
import { bonferroni, meanTolerance, normalQuantile, summarise } from '../statistics.ts'
import { held } from './measuring.ts'
import { drawn, type Workload, workloads } from './workloads.ts'

const SIZES = { small: [1000, 10_000], full: [1000, 10_000, 100_000, 1_000_000] }
const EVENTS = { small: 300, full: 1000 }
const COMPARED = { small: 20, full: 60 }
const CONFIDENCE = 0.999

function run({ scale, seed, progress }: RunOptions) {
  const rows: Row[] = []
  const lines = new Map<string, [number, number][]>()
  const sizes = SIZES[scale]
  const confidence = bonferroni(CONFIDENCE, sizes.length * workloads.length)
  for (const [at, workload] of workloads.entries()) {
    for (const [step, size] of sizes.entries()) {
      progress((at + step / sizes.length) / workloads.length, `${workload.name}, ${size} subscriptions`)
      const { filters, events } = drawn(workload, seed, size, EVENTS[scale])
      const found = held(filters, events, COMPARED[scale], scale)
      const what = `${workload.name}, ${size.toLocaleString('en-US')}`
      rows.push(row(`${what}: events with other hits than asking each`, found.differences, 0, 0))
      const percent = found.shares.map(share => 100 * share)
      const expected = workload.name === 'W5' || workload.share === null ? null : 100 * workload.share
      const tolerance = expected === null ? null : spread(percent, workload, size, confidence)
      rows.push(row(`${what}: matched`, summarise(percent).mean, expected, tolerance, '%'))
      rows.push(row(`${what}: times as fast as asking each`, found.rate / found.naiveRate, null, null))
      add(lines, workload.name, [size, found.rate])
      if (workload.name === 'W1') add(lines, 'asking each, W1', [size, found.naiveRate])
    }
  }
  const svg = lineChart({
    title: 'Events a second on one core, by number of subscriptions',
    x: { label: 'subscriptions', log: true },
    y: { label: 'events a second', log: true },
    note: `Each mark: one set of subscriptions, ${EVENTS[scale]} events; asked of each for ${COMPARED[scale]}.`,
    series: [...lines].map(([name, points]) => ({ name, points })),
  })
  const notes = workloads.map(({ name, title }) => `${name}: ${title}.`)
  return { rows, pictures: [{ name: 'events-matching.svg', svg }], notes }
}

/** Chance has two sources: which events were drawn, and where filters differ in how often they hold, which filters. */
function spread(percent: readonly number[], { deviation }: Workload, filters: number, confidence: number): number {
  if (deviation === undefined) return meanTolerance(percent, confidence)
  const each = bonferroni(confidence, 2)
  const ofFilters = (normalQuantile(0.5 + each / 2) * 100 * deviation) / Math.sqrt(filters)
  return meanTolerance(percent, each) + ofFilters
}

function add(lines: Map<string, [number, number][]>, name: string, point: [number, number]): void {
  lines.set(name, [...(lines.get(name) ?? []), point])
}

export const eventsMatching: Experiment = {
  name: 'events-matching',
  title: 'Which subscriptions want an event: an index against asking every filter',
  source: 'LECTURE, distributed event matching',
  run,
}
