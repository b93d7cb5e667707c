// Short Hash Filter (SHF), THESIS §4.3.2, algorithm 5: the window's elements as short hashes, in a queue with a
// dictionary beside it.
//
// No false negative within the window: what came among the last w elements is always called a duplicate. A false
// positive is two hashes that collide: w / 2^h at most for a hash of h bits. With `hashBits: 64` that is below 10^-13
// for a million elements, and the filter may stand in a replay check (with a secret key, sized for the peak rate).
//
// Given memory M the hash takes h = ⌊M / 2w - ½ log2 w⌋ bits: the thesis's own figure. The floor matters: below some
// M / w the hash is too short, and the false positives go from almost none to almost all (§4.3.2.3).

import { scale } from '../cells/draws.ts'
import { isCursorSound, positionBits, RecentPositions, type Ring } from '../cells/recent.ts'
import { WideCells } from '../cells/wide-cells.ts'
import type { HashOptions, Key, SnapshotOptions, Verdict } from '../filter.ts'
import { finalise } from '../hashing/unkeyed.ts'
import {
  BITS_MAX,
  FilterError,
  filterOptions,
  HASH_NAMES,
  requireBits,
  requireInteger,
  WINDOW_MAX,
} from '../refusals.ts'
import { HashedFilter } from './hashed-filter.ts'

/** HalfSipHash gives no more. */
export const HASH_BITS_MAX = 64
/** Twice as many slots as entries: a search looks at less than three slots on average. */
const SLOTS_PER_ENTRY = 2
/** More free slots than these gain nothing. */
const SLOTS_PER_ENTRY_MAX = 4

/** What a short hash filter is made with. */
export interface ShortHashFilterOptions extends HashOptions {
  /** w. */
  readonly window: number
  /** M, from which the width of the hash follows; or give `hashBits`, from which the memory follows. */
  readonly bits?: number | undefined
  readonly hashBits?: number | undefined
}

const checkOptions = filterOptions<ShortHashFilterOptions>({ window: true, bits: true, hashBits: true, ...HASH_NAMES })

/** The short hashes of the window's elements. */
export class ShortHashFilter extends HashedFilter implements Ring {
  readonly name = 'ShortHashFilter'
  readonly options: SnapshotOptions
  readonly window: number
  readonly hashBits: number
  private readonly queue: WideCells
  private readonly recent: RecentPositions
  /** [where the next element goes, elements in the queue]. */
  private readonly cursor = new Int32Array(2)
  /** Low and high word of the hash at hand; an array, because a number above 2^31 in a field may be allocated. */
  private readonly candidate = new Uint32Array(2)

  constructor(options: ShortHashFilterOptions) {
    super(checkOptions('ShortHashFilter', options))
    const { window, bits, hashBits } = options
    this.window = requireInteger('window', window, 1, WINDOW_MAX)
    const plan = hashBits === undefined ? planFromBits(window, bits) : planFromHash(window, hashBits, bits)
    this.hashBits = plan.hashBits
    this.queue = new WideCells(window, plan.hashBits)
    this.recent = new RecentPositions(plan.slots, window, this)
    this.options = { window, ...(bits === undefined ? {} : { bits }), ...(hashBits === undefined ? {} : { hashBits }) }
  }

  get bitsUsed(): number {
    return this.queue.bits + this.recent.bits
  }

  stream(key: Key): Verdict {
    const one = this.hash.of(key)
    return this.streamWords(one, this.hash.second[0]!) ? 'duplicate' : 'unseen'
  }

  streamWords(one: number, two: number): boolean {
    const found = this.detectWords(one, two)
    this.insertCandidate()
    return found
  }

  detectWords(one: number, two: number): boolean {
    this.take(one, two)
    return this.recent.has(this.home(this.candidate[0]!, this.candidate[1]!))
  }

  insertWords(one: number, two: number): void {
    this.take(one, two)
    this.insertCandidate()
  }

  homeOf(position: number): number {
    return this.home(this.queue.low(position), this.queue.high(position))
  }

  isCandidate(position: number): boolean {
    return this.queue.equals(position, this.candidate[0]!, this.candidate[1]!)
  }

  parts(): readonly Int32Array[] {
    return [...this.queue.words, this.recent.words, this.cursor]
  }

  override isSound(): boolean {
    return isCursorSound(this.cursor, this.window) && this.recent.isSound(this.cursor[1]!)
  }

  clear(): void {
    this.queue.clear()
    this.recent.clear()
    this.cursor.fill(0)
  }

  private insertCandidate(): void {
    const { cursor, window } = this
    const [low, high] = [this.candidate[0]!, this.candidate[1]!]
    const position = cursor[0]!
    if (cursor[1] === window) this.recent.forget(position)
    else cursor[1] = cursor[1]! + 1
    this.queue.set(position, low, high)
    this.recent.put(this.home(low, high), position)
    cursor[0] = position + 1 === window ? 0 : position + 1
  }

  private take(one: number, two: number): void {
    this.candidate[0] = one >>> Math.max(0, 32 - this.hashBits)
    this.candidate[1] = this.hashBits > 32 ? two >>> (HASH_BITS_MAX - this.hashBits) : 0
  }

  private home(low: number, high: number): number {
    return scale(finalise(low ^ Math.imul(high, 0x9e3779b1)), this.recent.slots)
  }
}

interface Plan {
  readonly hashBits: number
  readonly slots: number
}

function planFromBits(window: number, bits: number | undefined): Plan {
  if (bits === undefined) throw new FilterError('bits is missing: give bits, or hashBits such as 64')
  requireBits(bits, 1, 'a filter')
  const thesis = Math.floor(bits / (2 * window) - Math.log2(window) / 2)
  for (let hashBits = Math.min(thesis, HASH_BITS_MAX); hashBits >= 1; hashBits--) {
    const slots = Math.floor((bits - window * hashBits) / positionBits(window))
    if (slots > Math.min(window, 2 ** hashBits))
      return { hashBits, slots: Math.min(slots, window * SLOTS_PER_ENTRY_MAX) }
  }
  const least = Math.ceil(window * (4 + Math.log2(window)))
  throw new FilterError(
    `bits is ${bits}: for a window of ${window} not one bit of hash is left; use at least ${least} bits or a smaller window`,
  )
}

function planFromHash(window: number, hashBits: number, bits: number | undefined): Plan {
  requireInteger('hashBits', hashBits, 1, HASH_BITS_MAX)
  if (bits !== undefined) requireBits(bits, 1, 'a filter')
  const slots = window * SLOTS_PER_ENTRY
  const needed = window * hashBits + slots * positionBits(window)
  if (needed > (bits ?? BITS_MAX))
    throw new FilterError(
      `window is ${window}: with hashBits ${hashBits} it takes ${needed} bits and ${bits ?? BITS_MAX} are allowed; ` +
        'use a smaller window or a shorter hash',
    )
  return { hashBits, slots }
}
