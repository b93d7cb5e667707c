// Streaming Quotient Filter (SQF; Dutta, Narang, Bera 2013), THESIS §3.2.2: the structure the QHT improves on.
//
// Like a QHT, with another fingerprint: of a remainder of r bits it keeps the r' lowest and the number of ones in all r.
// The two overlap, so the fingerprints are fewer than their width allows: 2^r' · (r - r' + 1) of them, not even equally
// likely. That is the waste §3.5.1 removes.
//
// Ones without a low one are possible, a low one without ones is not: that code marks the empty cell, so no element
// needs another fingerprint. The published form rounds the rows down to a power of two; this one takes any number.
// Found right after insertion; false positives and negatives as with a QHT; no security decisions.

import { Draws, scale } from '../cells/draws.ts'
import { PackedCells } from '../cells/packed.ts'
import { rowHolds, streamRow } from '../cells/rows.ts'
import type { Form, HashOptions, Key, Verdict } from '../filter.ts'
import { filterOptions, HASH_NAMES, requireBits, requireCells, requireInteger, requireOneOf } from '../refusals.ts'
import { HashedFilter } from './hashed-filter.ts'

/** The fingerprint of every remainder is looked up: 2^16 of them are 256 kB. */
const REMAINDER_BITS_MAX = 16

/** What a streaming quotient filter is made with. */
export interface StreamingQuotientFilterOptions extends HashOptions {
  readonly bits: number
  /** Cells in a row: k. */
  readonly cells: number
  /** r. */
  readonly remainderBits: number
  /** r', less than r. */
  readonly reducedBits: number
  /** `as published` wastes up to half of the memory. */
  readonly form?: Form | undefined
}

const checkOptions = filterOptions<StreamingQuotientFilterOptions>({
  bits: true,
  cells: true,
  remainderBits: true,
  reducedBits: true,
  form: true,
  ...HASH_NAMES,
})

/** The streaming quotient filter: short remainders in rows. */
export class StreamingQuotientFilter extends HashedFilter {
  readonly name = 'StreamingQuotientFilter'
  readonly options
  readonly rows: number
  readonly cells: number
  /** How many different fingerprints there are. */
  readonly fingerprints: number
  readonly fingerprintBits: number
  private readonly fingerprintOf: Int32Array
  private readonly table: PackedCells
  private readonly draws: Draws

  constructor(options: StreamingQuotientFilterOptions) {
    super(checkOptions('StreamingQuotientFilter', options))
    const { bits, cells, remainderBits, reducedBits, form = 'right' } = options
    requireOneOf('form', form, ['right', 'as published'])
    requireInteger('remainderBits', remainderBits, 2, REMAINDER_BITS_MAX)
    requireInteger('reducedBits', reducedBits, 1, remainderBits - 1)
    this.fingerprints = 2 ** reducedBits * (remainderBits - reducedBits + 1)
    this.cells = requireCells(cells, this.fingerprints, `remainderBits ${remainderBits}, reducedBits ${reducedBits}`)
    const weightBits = Math.ceil(Math.log2(remainderBits + 1))
    this.fingerprintBits = reducedBits + weightBits
    requireBits(bits, cells * this.fingerprintBits, `one row of ${cells} cells of ${this.fingerprintBits} bits`)
    const rows = Math.floor(bits / (cells * this.fingerprintBits))
    this.rows = form === 'right' ? rows : 2 ** Math.floor(Math.log2(rows))
    this.fingerprintOf = fingerprints(remainderBits, reducedBits, weightBits)
    this.table = new PackedCells(this.rows * cells, this.fingerprintBits)
    this.draws = new Draws(this.hash.drawsSeed)
    this.options = { bits, cells, remainderBits, reducedBits, form }
  }

  get bitsUsed(): number {
    return this.table.bits
  }

  stream(key: Key): Verdict {
    const one = this.hash.of(key)
    return this.streamWords(one, this.hash.second[0]!) ? 'duplicate' : 'unseen'
  }

  streamWords(one: number, two: number): boolean {
    const fingerprint = this.fingerprintOf[scale(two, this.fingerprintOf.length)]!
    return streamRow(this.table, scale(one, this.rows) * this.cells, this.cells, fingerprint, this.draws)
  }

  detectWords(one: number, two: number): boolean {
    const fingerprint = this.fingerprintOf[scale(two, this.fingerprintOf.length)]!
    return rowHolds(this.table, scale(one, this.rows) * this.cells, this.cells, fingerprint)
  }

  insertWords(one: number, two: number): void {
    this.streamWords(one, two)
  }

  parts(): readonly Int32Array[] {
    return [this.table.words, this.draws.state]
  }

  clear(): void {
    this.table.clear()
  }
}

/** For every remainder its code, turned so that the impossible code is 0: a fresh table is an empty one. */
function fingerprints(remainderBits: number, reducedBits: number, weightBits: number): Int32Array {
  const impossible = 1 << weightBits
  return Int32Array.from({ length: 2 ** remainderBits }, (_, remainder) => {
    const reduced = remainder & (2 ** reducedBits - 1)
    return ((reduced << weightBits) | ones(remainder)) ^ impossible
  })
}

function ones(word: number): number {
  let count = 0
  for (let rest = word; rest !== 0; rest &= rest - 1) count++
  return count
}
