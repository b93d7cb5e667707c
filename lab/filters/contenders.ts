// The filters of THESIS §3.8.2 with its parameters, each as it should be ("right") and as the thesis published it.
// The quotient hash table has one form only.

import {
  A2,
  BlockDecayingBloom,
  Cuckoo,
  type Form,
  QuotientHashTable,
  StableBloom,
  StreamingQuotientFilter,
} from '../../src/filters/index.ts'
import type { Contender } from './measure.ts'

/** The window for which the thesis sets up b_DBF (§3.8.2). */
const DECAYING_WINDOW = 6000

export type Baseline = 'SQF' | 'Cuckoo' | 'SBF' | 'A2' | 'b_DBF'

export const BASELINES: readonly Baseline[] = ['SQF', 'Cuckoo', 'SBF', 'A2', 'b_DBF']

/** QHT, one cell of three bits: the contender that the thesis proposes. */
export function quotientHashTable(bits: number, fingerprintBits = 3, name = 'QHT'): Contender {
  return { name, make: key => new QuotientHashTable({ bits, cells: 1, fingerprintBits, key }) }
}

export function baseline(
  name: Baseline,
  bits: number,
  options: { readonly form?: Form; readonly window?: number; readonly label?: string } = {},
): Contender {
  const { form = 'right', window = DECAYING_WINDOW, label = name } = options
  return { name: label, make: key => makeBaseline(name, bits, form, window, key) }
}

function makeBaseline(name: Baseline, bits: number, form: Form, window: number, key: Uint8Array) {
  switch (name) {
    case 'SQF':
      return new StreamingQuotientFilter({ bits, cells: 1, remainderBits: 2, reducedBits: 1, form, key })
    case 'Cuckoo':
      return new Cuckoo({ bits, cells: 1, fingerprintBits: 3, form, key })
    case 'SBF':
      return new StableBloom({ bits, cellBits: 2, hashes: 2, falsePositiveRate: 0.02, form, key })
    case 'A2':
      return new A2({ bits, falsePositiveRate: 0.1, form, key })
    case 'b_DBF':
      return new BlockDecayingBloom({ bits, window, form, key })
  }
}

/** QHT and the given baselines, right; b_DBF's window shrinks with everything else. */
export function contendersOf(bits: number, names: readonly Baseline[], shrink: number): readonly Contender[] {
  const window = Math.max(2, Math.round(DECAYING_WINDOW / shrink))
  return [quotientHashTable(bits), ...names.map(name => baseline(name, bits, { window }))]
}
