// Compact Short Hash Filter (CSHF), THESIS §4.3.2.2: an SHF without the dictionary.
//
// All memory goes into the hashes, ⌊M / w⌋ bits each, more than twice as long as an SHF's. The price is time: every
// look-up reads the whole window. For small windows. No false negative within the window.

import { isCursorSound } from '../cells/recent.ts'
import { WideCells } from '../cells/wide-cells.ts'
import type { HashOptions, Key, Verdict } from '../filter.ts'
import { FilterError, filterOptions, HASH_NAMES, requireBits, requireInteger, WINDOW_MAX } from '../refusals.ts'
import { HashedFilter } from './hashed-filter.ts'
import { HASH_BITS_MAX } from './short-hash-filter.ts'

/** What a compact short hash filter is made with. */
export interface CompactShortHashFilterOptions extends HashOptions {
  /** M. */
  readonly bits: number
  /** w. */
  readonly window: number
}

const checkOptions = filterOptions<CompactShortHashFilterOptions>({ bits: true, window: true, ...HASH_NAMES })

/** The hashes of the window's elements without a dictionary: small, and slow for large windows. */
export class CompactShortHashFilter extends HashedFilter {
  readonly name = 'CompactShortHashFilter'
  readonly options
  readonly window: number
  readonly hashBits: number
  private readonly queue: WideCells
  /** [where the next element goes, elements in the queue]. */
  private readonly cursor = new Int32Array(2)

  constructor(options: CompactShortHashFilterOptions) {
    super(checkOptions('CompactShortHashFilter', options))
    const { bits, window } = options
    this.window = requireInteger('window', window, 1, WINDOW_MAX)
    requireBits(bits, 1, 'a filter')
    if (bits < window)
      throw new FilterError(
        `bits is ${bits}: a window of ${window} needs a bit of hash per element, so bits must be at least ${window}`,
      )
    this.hashBits = Math.min(HASH_BITS_MAX, Math.floor(bits / window))
    this.queue = new WideCells(window, this.hashBits)
    this.options = { bits, window }
  }

  get bitsUsed(): number {
    return this.queue.bits
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
    const low = this.lowOf(one)
    const high = this.highOf(two)
    const length = this.cursor[1]!
    for (let position = 0; position < length; position++) if (this.queue.equals(position, low, high)) return true
    return false
  }

  insertWords(one: number, two: number): void {
    const { cursor, window } = this
    const position = cursor[0]!
    this.queue.set(position, this.lowOf(one), this.highOf(two))
    cursor[0] = position + 1 === window ? 0 : position + 1
    if (cursor[1]! < window) cursor[1] = cursor[1]! + 1
  }

  parts(): readonly Int32Array[] {
    return [...this.queue.words, this.cursor]
  }

  override isSound(): boolean {
    return isCursorSound(this.cursor, this.window)
  }

  clear(): void {
    this.queue.clear()
    this.cursor.fill(0)
  }

  private lowOf(one: number): number {
    return one >>> Math.max(0, 32 - this.hashBits)
  }

  private highOf(two: number): number {
    return this.hashBits > 32 ? two >>> (HASH_BITS_MAX - this.hashBits) : 0
  }
}
