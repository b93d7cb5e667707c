// Block-decaying Bloom filter (b_DBF; Shen and Zhang 2008), THESIS §3.2.1.
//
// A Bloom filter whose bits are expiry dates. The window is cut into blocks; a running clock counts blocks, an element
// writes clock + blocks + 1 into its K counters, and a counter is live while it is above the clock. No false negative
// within the window; an element lives at most one block longer than it should.
//
// The clock must not outgrow the counters: at half their range it starts again from 0, and every counter is set back by
// as much. That pass costs a few cells per element on average (section 5.5 of the paper).
//
// The published form counts a counter equal to the clock as live. At clock 0 that is every empty counter: for one
// block in each turn of the clock everything is a duplicate.

import { lowerAll } from '../cells/decay.ts'
import { scale } from '../cells/draws.ts'
import { PackedCells } from '../cells/packed.ts'
import type { Form, HashOptions, Key, Verdict } from '../filter.ts'
import {
  filterOptions,
  HASH_NAMES,
  HASHES_MAX,
  requireBits,
  requireInteger,
  requireOneOf,
  WINDOW_MAX,
} from '../refusals.ts'
import { HashedFilter } from './hashed-filter.ts'

/** What a block decaying Bloom filter is made with. */
export interface BlockDecayingBloomOptions extends HashOptions {
  readonly bits: number
  /** Elements that must not be forgotten: w. */
  readonly window: number
  readonly form?: Form | undefined
}

const checkOptions = filterOptions<BlockDecayingBloomOptions>({ bits: true, window: true, form: true, ...HASH_NAMES })

/** A Bloom filter whose bits are expiry dates: no false negative within the window. */
export class BlockDecayingBloom extends HashedFilter {
  readonly name = 'BlockDecayingBloom'
  readonly options
  readonly cells: number
  readonly cellBits: number
  readonly hashes: number
  /** Elements per block. */
  readonly block: number
  /** Blocks in a window. */
  readonly blocks: number
  /** What a counter must exceed the clock by, less one. */
  private readonly slack: number
  private readonly turn: number
  private readonly counters: PackedCells
  /** [clock, elements in this block]. */
  private readonly time = new Int32Array(2)

  constructor(options: BlockDecayingBloomOptions) {
    super(checkOptions('BlockDecayingBloom', options))
    const { bits, window, form = 'right' } = options
    requireOneOf('form', form, ['right', 'as published'])
    requireInteger('window', window, 1, WINDOW_MAX)
    requireBits(bits, 2, 'one counter of 2 bits')
    this.cellBits = bestCellBits(bits, window)
    this.cells = Math.floor(bits / this.cellBits)
    this.hashes = Math.min(HASHES_MAX, Math.max(1, Math.round((this.cells / window) * Math.LN2)))
    this.turn = 2 ** (this.cellBits - 1)
    this.block = Math.ceil(window / Math.max(1, this.turn - 1))
    this.blocks = Math.ceil(window / this.block)
    this.slack = form === 'right' ? 0 : 1
    this.counters = new PackedCells(this.cells, this.cellBits)
    this.options = { bits, window, form }
  }

  get bitsUsed(): number {
    return this.counters.bits
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
    const step = two | 1
    const above = this.time[0]! - this.slack
    for (let i = 0, word = one; i < this.hashes; i++, word = (word + step) | 0)
      if (this.counters.get(scale(word, this.cells)) <= above) return false
    return true
  }

  insertWords(one: number, two: number): void {
    const { counters, cells, hashes } = this
    const step = two | 1
    const expiry = this.time[0]! + this.blocks + 1
    for (let i = 0, word = one; i < hashes; i++, word = (word + step) | 0) counters.set(scale(word, cells), expiry)
    this.time[1] = this.time[1]! + 1
    if (this.time[1] === this.block) this.nextBlock()
  }

  parts(): readonly Int32Array[] {
    return [this.counters.words, this.time]
  }

  override isSound(): boolean {
    const [clock, taken] = [this.time[0]!, this.time[1]!]
    return clock >= 0 && clock < this.turn && taken >= 0 && taken < this.block
  }

  clear(): void {
    this.counters.clear()
    this.time.fill(0)
  }

  private nextBlock(): void {
    this.time[1] = 0
    this.time[0] = this.time[0]! + 1
    if (this.time[0] < this.turn) return
    this.time[0] = 0
    lowerAll(this.counters, this.turn)
  }
}

/** Wide counters cut the window finely, narrow ones leave more cells; the paper's optimum has width = K. */
function bestCellBits(bits: number, window: number): number {
  const optimum = Math.ceil(Math.sqrt((bits * Math.LN2) / window))
  const enough = Math.ceil(Math.log2(window + 1)) + 1
  return Math.max(2, Math.min(optimum, enough, 31, bits))
}
