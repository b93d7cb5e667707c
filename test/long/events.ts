// Random pairs of filter and event, in every language: the twin, the meaning and the index must agree on all.
//   events.mjs PAIRS SEED LANGUAGE      pairs in each language (default ten million), the first seed, and one language alone

import { languages } from '../../src/events/index.ts'
import { compareBatch } from '../events/compare.ts'

/** Of every third batch so many filters that lists become buckets. */
const MANY_FILTERS = 400
const FEW_FILTERS = 40
/** A filter takes longer to make, to write and to index than to ask: each is asked about so many events. */
const EVENTS = 200

const pairsWanted = Number(process.argv[2] ?? 10_000_000)
const first = Number(process.argv[3] ?? 1)
const only = process.argv[4]

for (const language of languages) {
  if (only !== undefined && language.name !== only) continue
  const started = performance.now()
  const total = { pairs: 0, matched: 0, refused: 0 }
  let seed = first
  for (; total.pairs < pairsWanted; seed++) {
    const filters = seed % 3 === 0 ? MANY_FILTERS : FEW_FILTERS
    try {
      const { pairs, matched, refused } = compareBatch(language, seed, filters, EVENTS)
      total.pairs += pairs
      total.matched += matched
      total.refused += refused
    } catch (error) {
      process.stderr.write(
        `seed ${seed}, ${filters} filters: ${error instanceof Error ? error.message : String(error)}\n`,
      )
      process.exit(1)
    }
  }
  const seconds = Math.round((performance.now() - started) / 1000)
  const share = ((100 * total.matched) / total.pairs).toFixed(1)
  process.stdout.write(
    `${language.name.padEnd(12)} ${total.pairs.toLocaleString('en-US')} pairs agree (${share} % match), ` +
      `${total.refused} filters beyond the limits, seeds ${first} to ${seed - 1}, ${seconds} s\n`,
  )
}
