// A2 (Yoon 2010, "Aging Bloom filter with two active buffers"), THESIS §3.2.1.
//
// Two Bloom filters of half the memory. Elements go into the younger; when it has taken `capacity` of them, the older
// is emptied and becomes the younger. So no element is forgotten before `capacity` others have been inserted after it,
// and the false positive rate stays below the one asked for. No false negative within the last `capacity` elements.
//
// One buffer may err with 1 - √(1 - rate), and a half-full Bloom filter errs with 2^-K: so K is a logarithm to base 2.
// The published form takes the natural one, gets K = 2 instead of 4 at 10 %, and errs in 38 % of cases (table 3.4).

import { bitField, holdsAll, setAll } from '../cells/bloom-bits.ts'
import type { Form, HashOptions, Key, Verdict } from '../filter.ts'
import {
  FilterError,
  filterOptions,
  HASH_NAMES,
  HASHES_MAX,
  requireBits,
  requireOneOf,
  requireRate,
} from '../refusals.ts'
import { HashedFilter } from './hashed-filter.ts'

/** What an A2 filter is made with. */
export interface A2Options extends HashOptions {
  readonly bits: number
  /** Over both buffers, at worst. */
  readonly falsePositiveRate: number
  readonly form?: Form | undefined
}

const checkOptions = filterOptions<A2Options>({ bits: true, falsePositiveRate: true, form: true, ...HASH_NAMES })

/** Two Bloom filters that take turns: the older is emptied when the younger is full. */
export class A2 extends HashedFilter {
  readonly name = 'A2'
  readonly options
  readonly hashes: number
  /** How many insertions a buffer takes. */
  readonly capacity: number
  private readonly half: number
  private readonly fields: readonly [Int32Array, Int32Array]
  /** [which field is the younger, insertions into it]. */
  private readonly turn = new Int32Array(2)

  constructor(options: A2Options) {
    super(checkOptions('A2', options))
    const { bits, falsePositiveRate, form = 'right' } = options
    requireOneOf('form', form, ['right', 'as published'])
    const each = 1 - Math.sqrt(1 - requireRate('falsePositiveRate', falsePositiveRate))
    const exact = form === 'right' ? -Math.log2(each) : -Math.log(each)
    this.hashes = Math.min(HASHES_MAX, Math.max(1, Math.floor(exact)))
    requireBits(bits, 2, 'two buffers')
    this.half = Math.floor(bits / 2)
    this.capacity = Math.floor((this.half * Math.LN2) / this.hashes)
    if (this.capacity < 1)
      throw new FilterError(
        `bits is ${bits}: with ${this.hashes} hashes no element fits, so bits must be at least ${3 * this.hashes}`,
      )
    this.fields = [bitField(this.half), bitField(this.half)]
    this.options = { bits, falsePositiveRate, form }
  }

  get bitsUsed(): number {
    return 2 * this.half
  }

  stream(key: Key): Verdict {
    const one = this.hash.of(key)
    return this.streamWords(one, this.hash.second[0]!) ? 'duplicate' : 'unseen'
  }

  streamWords(one: number, two: number): boolean {
    const young = this.turn[0]!
    if (holdsAll(this.fields[young]!, this.half, this.hashes, one, two)) return true
    const found = holdsAll(this.fields[1 - young]!, this.half, this.hashes, one, two)
    this.take(one, two)
    return found
  }

  detectWords(one: number, two: number): boolean {
    return (
      holdsAll(this.fields[0], this.half, this.hashes, one, two) ||
      holdsAll(this.fields[1], this.half, this.hashes, one, two)
    )
  }

  insertWords(one: number, two: number): void {
    this.streamWords(one, two)
  }

  parts(): readonly Int32Array[] {
    return [...this.fields, this.turn]
  }

  override isSound(): boolean {
    const [young, taken] = [this.turn[0]!, this.turn[1]!]
    return (young === 0 || young === 1) && taken >= 0 && taken <= this.capacity
  }

  clear(): void {
    for (const part of this.parts()) part.fill(0)
  }

  private take(one: number, two: number): void {
    const { turn, fields, half, hashes } = this
    setAll(fields[turn[0]!]!, half, hashes, one, two)
    turn[1] = turn[1]! + 1
    if (turn[1] < this.capacity) return
    turn[0] = 1 - turn[0]!
    fields[turn[0]]!.fill(0)
    // The element that filled the buffer starts the next one too, as in Yoon's paper.
    setAll(fields[turn[0]]!, half, hashes, one, two)
    turn[1] = 1
  }
}
