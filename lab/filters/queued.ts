// A contender in the queuing construction (THESIS §4.5): L subfilters of it share the memory.

import {
  Cuckoo,
  type Filter,
  type Form,
  QueueOf,
  QuotientHashTable,
  type Share,
  StableBloom,
  StreamingQuotientFilter,
} from '../../src/filters/index.ts'
import { type Contender, type Counts, measure } from './measure.ts'

export type Queueable = 'QHT' | 'SQF' | 'Cuckoo' | 'SBF'

export const QUEUEABLES: readonly Queueable[] = ['QHT', 'SQF', 'Cuckoo', 'SBF']

export interface Queue {
  readonly bits: number
  readonly subfilters: number
  readonly window: number
}

export function queued(name: Queueable, queue: Queue, label = `queue of ${name}`, form: Form = 'right'): Contender {
  return { name: label, make: key => new QueueOf({ ...queue, key, of: share => part(name, { ...share, form }) }) }
}

function part(name: Queueable, share: Share & { readonly form: Form }): Filter {
  switch (name) {
    case 'QHT':
      return new QuotientHashTable({ ...share, cells: 1, fingerprintBits: 3 })
    case 'SQF':
      return new StreamingQuotientFilter({ ...share, cells: 1, remainderBits: 2, reducedBits: 1 })
    case 'Cuckoo':
      return new Cuckoo({ ...share, cells: 1, fingerprintBits: 3 })
    case 'SBF':
      return new StableBloom({ ...share, cellBits: 2, hashes: 2, falsePositiveRate: 0.02 })
  }
}

/** Elements to stream before counting: the queue has turned over, and every age of its newest part comes equally often. */
export function turnover({ window, subfilters }: Queue, atLeast: number): { warm: number; length: number } {
  const capacity = Math.ceil(window / subfilters)
  const warm = capacity * (subfilters + 1)
  return { warm, length: warm + capacity * Math.max(1, Math.ceil(atLeast / capacity)) }
}

/** One contender, one window, after a warm-up that leaves only the steady state. */
export function steady(
  contender: Contender,
  stream: { readonly alphabet: number; readonly window: number; readonly warm: number; readonly length: number },
  seed: number,
): Counts {
  return measure({ ...stream, contenders: [contender], windows: [stream.window], seed }).at(contender.name)
}
