// Stable Bloom filter (Deng and Rafiei 2006), THESIS §3.2.1.
//
// Counters of d bits instead of bits. Each element first takes one from P neighbouring counters at a random place, then
// sets its K counters to the maximum. Non-zero counters settle at a fixed share, so the false positive rate settles
// too, at the one asked for; elements not seen for long fade (false negatives).
// Found right after insertion; no security decisions.
//
// An element is a duplicate when ALL its counters are above zero. The published form asks for one of them, which turns
// a target of 2 % into 26 % (table 3.4, whose authors note that they could not find the reason).

import { decrementRun } from '../cells/decay.ts'
import { Draws, scale } from '../cells/draws.ts'
import { PackedCells } from '../cells/packed.ts'
import type { Form, HashOptions, Key, Verdict } from '../filter.ts'
import {
  filterOptions,
  HASH_NAMES,
  HASHES_MAX,
  requireBits,
  requireInteger,
  requireOneOf,
  requireRate,
} from '../refusals.ts'
import { HashedFilter } from './hashed-filter.ts'

/** What a stable Bloom filter is made with. */
export interface StableBloomOptions extends HashOptions {
  readonly bits: number
  /** Width of a counter: d. */
  readonly cellBits: number
  /** Counters per element: K. */
  readonly hashes: number
  /** Where it settles. */
  readonly falsePositiveRate: number
  readonly form?: Form | undefined
}

const checkOptions = filterOptions<StableBloomOptions>({
  bits: true,
  cellBits: true,
  hashes: true,
  falsePositiveRate: true,
  form: true,
  ...HASH_NAMES,
})

/** A Bloom filter of counters; each element lowers some of them at random. */
export class StableBloom extends HashedFilter {
  readonly name = 'StableBloom'
  readonly options
  readonly hashes: number
  readonly cells: number
  /** P: how many counters lose one per element. */
  readonly decrements: number
  private readonly top: number
  private readonly needed: number
  private readonly counters: PackedCells
  private readonly draws: Draws

  constructor(options: StableBloomOptions) {
    super(checkOptions('StableBloom', options))
    const { bits, cellBits, hashes, falsePositiveRate, form = 'right' } = options
    requireOneOf('form', form, ['right', 'as published'])
    requireInteger('cellBits', cellBits, 1, 16)
    this.hashes = requireInteger('hashes', hashes, 1, HASHES_MAX)
    requireRate('falsePositiveRate', falsePositiveRate)
    requireBits(bits, (hashes + 1) * cellBits, `${hashes} hashes and a spare among cells of ${cellBits} bits`)
    this.cells = Math.floor(bits / cellBits)
    this.top = 2 ** cellBits - 1
    this.decrements = decrements(this.cells, this.top, hashes, falsePositiveRate)
    this.needed = form === 'right' ? hashes : 1
    this.counters = new PackedCells(this.cells, cellBits)
    this.draws = new Draws(this.hash.drawsSeed)
    this.options = { bits, cellBits, hashes, falsePositiveRate, form }
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
    let live = 0
    for (let i = 0, word = one; i < this.hashes; i++, word = (word + step) | 0)
      if (this.counters.get(scale(word, this.cells)) !== 0) live++
    return live >= this.needed
  }

  insertWords(one: number, two: number): void {
    const { counters, cells, decrements } = this
    const start = this.draws.below(cells)
    const beforeEnd = Math.min(decrements, cells - start)
    decrementRun(counters, start, beforeEnd)
    if (beforeEnd < decrements) decrementRun(counters, 0, decrements - beforeEnd)
    const step = two | 1
    for (let i = 0, word = one; i < this.hashes; i++, word = (word + step) | 0)
      counters.set(scale(word, cells), this.top)
  }

  parts(): readonly Int32Array[] {
    return [this.counters.words, this.draws.state]
  }

  clear(): void {
    this.counters.clear()
  }
}

/** The paper's stable point solved for P: with these many decrements the rate settles at the target. */
function decrements(cells: number, top: number, hashes: number, rate: number): number {
  const zeroShare = 1 - rate ** (1 / hashes)
  const exact = 1 / ((1 / zeroShare ** (1 / top) - 1) * (1 / hashes - 1 / cells))
  return Math.min(cells, Math.max(1, Math.floor(exact)))
}
