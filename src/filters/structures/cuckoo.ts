// Cuckoo filter (Fan, Andersen, Kaminsky, Mitzenmacher 2014) on an endless stream, THESIS §3.2.1.
//
// Each fingerprint may stand in two buckets, and either can be computed from the other. When both are full, a random
// occupant moves to its own other bucket, and so on. The original gives up when nobody finds a place; a stream cannot,
// so the last one without a place is dropped. Duplicates are inserted again, as in the original.
//
// An endless stream keeps it full, and then every insertion walks to the limit and drops somebody: moving serves the
// filling only, so the walk is short here. The newcomer itself may, rarely, be who is dropped: not even an immediate
// repetition is certain to be found. False positives: two buckets, so about 2k / S; no security decisions.
//
// The two buckets of a pair add up to a number that the fingerprint gives, modulo the buckets: any number of buckets
// works. The published form needs a power of two, and by mistaking s for 2^s uses a fifth of its memory; it also turns
// fingerprint 0 into 1, which is then twice as likely.

import { Draws, scale } from '../cells/draws.ts'
import { PackedCells } from '../cells/packed.ts'
import { rowHolds } from '../cells/rows.ts'
import type { Form, HashOptions, Key, Verdict } from '../filter.ts'
import { finalise } from '../hashing/unkeyed.ts'
import { filterOptions, HASH_NAMES, requireBits, requireCells, requireInteger, requireOneOf } from '../refusals.ts'
import { HashedFilter } from './hashed-filter.ts'

/** The authors' benchmark walks 50 steps; in a full filter they change nothing but the time. */
const RELOCATIONS_PUBLISHED = 50
const RELOCATIONS = 8
/** Up to this width the pair sums of all fingerprints are computed beforehand: 16 kB that follow from the key. */
const SUMS_KEPT_BITS = 12

/** What a cuckoo filter is made with. */
export interface CuckooOptions extends HashOptions {
  readonly bits: number
  /** Cells in a bucket. */
  readonly cells: number
  readonly fingerprintBits: number
  readonly form?: Form | undefined
}

const checkOptions = filterOptions<CuckooOptions>({
  bits: true,
  cells: true,
  fingerprintBits: true,
  form: true,
  ...HASH_NAMES,
})

/** A cuckoo filter: fingerprints in one of two buckets. */
export class Cuckoo extends HashedFilter {
  readonly name = 'Cuckoo'
  readonly options
  readonly buckets: number
  readonly cells: number
  readonly fingerprints: number
  private readonly published: boolean
  private readonly relocations: number
  private readonly seed: number
  private readonly sums: Uint32Array | null
  private readonly table: PackedCells
  private readonly draws: Draws

  constructor(options: CuckooOptions) {
    super(checkOptions('Cuckoo', options))
    const { bits, cells, fingerprintBits, form = 'right' } = options
    requireOneOf('form', form, ['right', 'as published'])
    this.published = form === 'as published'
    requireInteger('fingerprintBits', fingerprintBits, 1, 32)
    this.fingerprints = 2 ** fingerprintBits - 1
    this.cells = requireCells(cells, this.fingerprints, `fingerprintBits ${fingerprintBits}`)
    const share = cells * (this.published ? 2 ** fingerprintBits : fingerprintBits)
    requireBits(bits, share, `one bucket of ${cells} cells of ${fingerprintBits} bits`)
    const buckets = Math.floor(bits / share)
    this.buckets = this.published ? 2 ** Math.floor(Math.log2(buckets)) : buckets
    this.relocations = this.published ? RELOCATIONS_PUBLISHED : RELOCATIONS
    this.table = new PackedCells(this.buckets * cells, fingerprintBits)
    this.seed = this.hash.drawsSeed
    this.draws = new Draws(this.seed)
    this.sums =
      fingerprintBits > SUMS_KEPT_BITS
        ? null
        : Uint32Array.from({ length: this.fingerprints + 1 }, (_, f) => this.sum(f))
    this.options = { bits, cells, fingerprintBits, form }
  }

  get bitsUsed(): number {
    return this.table.bits
  }

  stream(key: Key): Verdict {
    const one = this.hash.of(key)
    return this.streamWords(one, this.hash.second[0]!) ? 'duplicate' : 'unseen'
  }

  streamWords(one: number, two: number): boolean {
    const found = this.detectWords(one, two)
    this.insertWords(one, two)
    return found
  }

  detectWords(one: number, two: number): boolean {
    const fingerprint = this.fingerprintOf(two)
    const bucket = scale(one, this.buckets)
    return this.holds(bucket, fingerprint) || this.holds(this.other(bucket, fingerprint), fingerprint)
  }

  insertWords(one: number, two: number): void {
    const fingerprint = this.fingerprintOf(two)
    const bucket = scale(one, this.buckets)
    const other = this.other(bucket, fingerprint)
    if (this.putInEmpty(bucket, fingerprint) || this.putInEmpty(other, fingerprint)) return
    this.relocate(this.draws.below(2) === 0 ? bucket : other, fingerprint)
  }

  parts(): readonly Int32Array[] {
    return [this.table.words, this.draws.state]
  }

  clear(): void {
    this.table.clear()
  }

  private relocate(start: number, newcomer: number): void {
    let bucket = start
    let homeless = newcomer
    for (let moves = 0; moves < this.relocations; moves++) {
      const at = bucket * this.cells + (this.cells === 1 ? 0 : this.draws.below(this.cells))
      const evicted = this.table.get(at)
      this.table.set(at, homeless)
      homeless = evicted
      bucket = this.other(bucket, homeless)
      if (this.putInEmpty(bucket, homeless)) return
    }
  }

  private fingerprintOf(two: number): number {
    if (!this.published) return 1 + scale(two, this.fingerprints)
    return scale(two, this.fingerprints + 1) || 1
  }

  private other(bucket: number, fingerprint: number): number {
    const sum = this.sums === null ? this.sum(fingerprint) : this.sums[fingerprint]!
    return sum >= bucket ? sum - bucket : sum - bucket + this.buckets
  }

  private sum(fingerprint: number): number {
    return scale(finalise(fingerprint ^ this.seed), this.buckets)
  }

  private holds(bucket: number, fingerprint: number): boolean {
    return rowHolds(this.table, bucket * this.cells, this.cells, fingerprint)
  }

  private putInEmpty(bucket: number, fingerprint: number): boolean {
    const start = bucket * this.cells
    for (let at = start; at < start + this.cells; at++) {
      if (this.table.get(at) !== 0) continue
      this.table.set(at, fingerprint)
      return true
    }
    return false
  }
}
