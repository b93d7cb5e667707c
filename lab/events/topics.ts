// LECTURE, "Distributed event matching": the oldest kind of subscription, by topic. Filters of MQTT with + and #, in the
// index and asked one by one; how many hold follows from how they are drawn, level by level.

import { type Experiment, type Row, type RunOptions, row } from '../experiment.ts'
import { bonferroni, meanTolerance, normalQuantile, summarise } from '../statistics.ts'
import { held } from './measuring.ts'
import { drawnTopics, topicDeviation, topicShare } from './workloads.ts'

const SIZES = { small: [1000, 10_000], full: [1000, 10_000, 100_000] }
const EVENTS = { small: 400, full: 2000 }
const COMPARED = { small: 40, full: 100 }
const CONFIDENCE = 0.999

function run({ scale, seed, progress }: RunOptions) {
  const rows: Row[] = []
  const sizes = SIZES[scale]
  const confidence = bonferroni(CONFIDENCE, sizes.length)
  for (const [step, size] of sizes.entries()) {
    progress(step / sizes.length, `${size} subscriptions`)
    const { filters, topics } = drawnTopics(seed, size, EVENTS[scale])
    const events = topics.map(topic => ({ topic }))
    const found = held(filters, events, COMPARED[scale], scale)
    const what = `${size.toLocaleString('en-US')} topic filters`
    rows.push(row(`${what}: topics with other hits than asking each`, found.differences, 0, 0))
    // Each topic against what topics of its length should match: what is left is chance.
    const off = topics.map((topic, at) => 100 * (found.shares[at]! - topicShare(topic.split('/').length)))
    rows.push(
      row(`${what}: matched beyond what is expected`, summarise(off).mean, 0, spread(off, size, confidence), '%'),
    )
    rows.push(row(`${what}: times as fast as asking each`, found.rate / found.naiveRate, null, null))
  }
  return {
    rows,
    pictures: [],
    notes: ['Three to five levels of 40 words; a fifth of the levels is +, a fifth of the filters ends in #.'],
  }
}

/** Chance has two sources: which topics were drawn, and which filters, of which some hold for much more than others. */
function spread(off: readonly number[], filters: number, confidence: number): number {
  const each = bonferroni(confidence, 2)
  const ofFilters = (normalQuantile(0.5 + each / 2) * 100 * topicDeviation()) / Math.sqrt(filters)
  return meanTolerance(off, each) + ofFilters
}

export const eventsTopics: Experiment = {
  name: 'events-topics',
  title: 'Topic filters with wildcards: an index against asking every filter',
  source: 'LECTURE, distributed event matching',
  run,
}
