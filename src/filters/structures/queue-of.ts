// The queuing construction (THESIS §4.5, algorithm 6): any filter that forgets nothing, or forgets badly, on a window.
//
// L subfilters share the memory. Elements go into the newest; after c = ⌈w / L⌉ of them the oldest is emptied and
// becomes the newest. Duplicate: any subfilter says so. It covers between c(L - 1) and cL elements, as it turns.
//
// All subfilters share one key, so an element is hashed once for all of them. That also makes their errors depend on
// each other: the thesis's theorems 4.5.2 and 4.5.4 assume they do not, and are far too high (protocols/filters).
// Over subfilters without false negatives (Bloom), none occurs within the last c(L - 1) elements.
//
// Algorithm 6, line 7 sets c to 0 where it must be the counter.

import type { Filter, HashOptions, Key, SnapshotOptions, Verdict } from '../filter.ts'
import { freshSecret } from '../hashing/secret.ts'
import { FilterError, filterOptions, HASH_NAMES, requireBits, requireInteger, WINDOW_MAX } from '../refusals.ts'
import { HashedFilter } from './hashed-filter.ts'

/** Every look-up asks every subfilter; beyond this the thesis's optimum never lies. */
const SUBFILTERS_MAX = 1024

/** What a subfilter is made with: its part of the memory, and the common hash. */
export interface Share extends HashOptions {
  readonly bits: number
}

/** What a queue of filters is made with. */
export interface QueueOfOptions extends HashOptions {
  /** M, for all subfilters together. */
  readonly bits: number
  /** w. */
  readonly window: number
  /** L. */
  readonly subfilters: number
  /** Makes one subfilter; must hand on all of `share`. */
  readonly of: (share: Share) => Filter
}

const checkOptions = filterOptions<QueueOfOptions>({
  bits: true,
  window: true,
  subfilters: true,
  of: true,
  ...HASH_NAMES,
})

/** Several filters in turn; the oldest is emptied: the thesis's queuing. */
export class QueueOf extends HashedFilter {
  readonly name = 'QueueOf'
  readonly options: SnapshotOptions
  /** c. */
  readonly insertionsEach: number
  private readonly subfilters: readonly HashedFilter[]
  /** [index of the newest, insertions into it]. */
  private readonly turn = new Int32Array(2)

  constructor(options: QueueOfOptions) {
    const { bits, window, subfilters, of, hashing } = checkOptions('QueueOf', options)
    if (typeof of !== 'function') throw new FilterError('of is missing: it makes one subfilter of its share')
    const key = hashing === 'unkeyed' ? options.key : (options.key ?? freshSecret())
    super({ key, hashing })
    requireInteger('subfilters', subfilters, 1, SUBFILTERS_MAX)
    requireInteger('window', window, 1, WINDOW_MAX)
    requireBits(bits, subfilters, `one bit for each of ${subfilters} subfilters`)
    this.insertionsEach = Math.ceil(window / subfilters)
    const share = { bits: Math.floor(bits / subfilters), key, hashing }
    this.subfilters = Array.from({ length: subfilters }, () => requireShared(of(share), share, this))
    const first = this.subfilters[0]!
    this.options = { bits, window, subfilters, of: { name: first.name, ...first.options } }
  }

  get bitsUsed(): number {
    return this.subfilters.reduce((sum, subfilter) => sum + subfilter.bitsUsed, 0)
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
    for (const subfilter of this.subfilters) if (subfilter.detectWords(one, two)) return true
    return false
  }

  insertWords(one: number, two: number): void {
    const { turn, subfilters } = this
    subfilters[turn[0]!]!.insertWords(one, two)
    turn[1] = turn[1]! + 1
    if (turn[1] < this.insertionsEach) return
    turn[0] = (turn[0]! + 1) % subfilters.length
    turn[1] = 0
    subfilters[turn[0]]!.clear()
  }

  parts(): readonly Int32Array[] {
    return [...this.subfilters.flatMap(subfilter => subfilter.parts()), this.turn]
  }

  override isSound(): boolean {
    const [newest, taken] = [this.turn[0]!, this.turn[1]!]
    const ownTurn = newest >= 0 && newest < this.subfilters.length && taken >= 0 && taken < this.insertionsEach
    return ownTurn && this.subfilters.every(subfilter => subfilter.isSound())
  }

  clear(): void {
    for (const subfilter of this.subfilters) subfilter.clear()
    this.turn.fill(0)
  }
}

function requireShared(made: Filter, share: Share, queue: QueueOf): HashedFilter {
  if (!(made instanceof HashedFilter))
    throw new FilterError(`of makes ${made.name}, which keeps its own window: queue a filter that has none`)
  if (made.bitsUsed > share.bits)
    throw new FilterError(`of makes a filter of ${made.bitsUsed} bits where ${share.bits} are its share: pass on bits`)
  const [one, two] = queue.hash.tag
  if (made.hash.tag[0] !== one || made.hash.tag[1] !== two)
    throw new FilterError('of makes a filter with a key of its own: pass on key and hashing, all subfilters share them')
  return made
}
