// What the arithmetic says of a contender, where it is known: the quotient hash table and the streaming quotient filter.

import {
  type ErrorRates,
  queuingRates,
  type StreamShape,
  streamingQuotientRates,
  tableRates,
  tableShape,
} from '../../src/filters/index.ts'

export type Known = 'QHT' | 'SQF'

export const isKnown = (name: string): name is Known => name === 'QHT' || name === 'SQF'

/** One cell of three bits per row in both; the SQF has four fingerprints, all equally likely. */
export function ratesOf(known: Known, bits: number, stream: StreamShape): ErrorRates {
  const shape = tableShape({ bits, cells: 1, fingerprintBits: 3 })
  if (known === 'QHT') return tableRates('QHT', shape, stream)
  return streamingQuotientRates({ rows: shape.rows, cells: 1, remainderBits: 2, reducedBits: 1 }, stream)
}

/** The same in a queue of `subfilters`. */
export function queuedRatesOf(
  known: Known,
  queue: { readonly bits: number; readonly subfilters: number; readonly window: number; readonly alphabet: number },
): ErrorRates {
  const rows = Math.floor(Math.floor(queue.bits / queue.subfilters) / 3)
  const fingerprints = known === 'QHT' ? 7 : 4
  return queuingRates({
    subfilters: queue.subfilters,
    rows,
    fingerprints,
    window: queue.window,
    alphabet: queue.alphabet,
  })
}
