// The exact sliding window (THESIS theorem 4.3.1): the last w keys in a queue, a dictionary beside it. It never errs.
//
// It needs to know how large a key can be: `alphabet` for integers below a bound (packed into log2 of it), `keyBytes`
// for anything else; a larger key is refused, not shortened. The theorem's memory is w · (log2 w + 2 log2 |Γ|). Keeping
// positions instead of keys in the dictionary (recent.ts) brings that to w · (log2 |Γ| + 2 log2 (w + 1)) here.
//
// With no false negative and no false positive it may decide security: a replay check sized for the peak rate.

import { scale } from '../cells/draws.ts'
import { ByteRing, IntegerRing, type KeyRing } from '../cells/key-ring.ts'
import { isCursorSound, RecentPositions, type Ring } from '../cells/recent.ts'
import type { Filter, HashOptions, Key, SnapshotOptions, Verdict } from '../filter.ts'
import { KeyHash } from '../hashing/key-hash.ts'
import {
  BITS_MAX,
  FilterError,
  filterOptions,
  HASH_NAMES,
  requireBits,
  requireInteger,
  WINDOW_MAX,
} from '../refusals.ts'
import { writeSnapshot } from '../snapshot.ts'

const SLOTS_PER_ENTRY = 2
/** Longer keys are better kept as a 64-bit hash: ShortHashFilter. */
const KEY_BYTES_MAX = 65_535

/** What an exact window is made with. */
export interface ExactWindowOptions extends HashOptions {
  /** w. */
  readonly window: number
  /** Keys are integers from 0 to alphabet - 1; or give keyBytes. */
  readonly alphabet?: number | undefined
  /** The longest key, in bytes. */
  readonly keyBytes?: number | undefined
  /** If given, a window that needs more is refused. */
  readonly bits?: number | undefined
}

const checkOptions = filterOptions<ExactWindowOptions>({
  window: true,
  alphabet: true,
  keyBytes: true,
  bits: true,
  ...HASH_NAMES,
})

/** Remembers the whole window: never wrong, and large. */
export class ExactWindow implements Filter, Ring {
  readonly name = 'ExactWindow'
  readonly options: SnapshotOptions
  readonly hash: KeyHash
  readonly window: number
  private readonly keys: KeyRing
  private readonly recent: RecentPositions
  /** [where the next key goes, keys in the queue]. */
  private readonly cursor = new Int32Array(2)

  constructor(options: ExactWindowOptions) {
    const { window, alphabet, keyBytes, bits } = checkOptions('ExactWindow', options)
    this.hash = new KeyHash(options)
    this.window = requireInteger('window', window, 1, WINDOW_MAX)
    requireFit(options)
    this.keys =
      alphabet === undefined ? new ByteRing(window, keyBytes!, this.hash) : new IntegerRing(window, alphabet, this.hash)
    this.recent = new RecentPositions(window * SLOTS_PER_ENTRY, window, this)
    const size = alphabet === undefined ? { keyBytes: keyBytes! } : { alphabet }
    this.options = { window, ...size, ...(bits === undefined ? {} : { bits }) }
  }

  get bitsUsed(): number {
    return this.keys.bits + this.recent.bits
  }

  stream(key: Key): Verdict {
    return this.streamCandidate(this.keys.take(key))
  }

  streamRange(bytes: Uint8Array, start: number, end: number): Verdict {
    return this.streamCandidate(this.keys.takeRange(bytes, start, end))
  }

  detect(key: Key): boolean {
    return this.recent.has(scale(this.keys.take(key), this.recent.slots))
  }

  insert(key: Key): void {
    this.insertCandidate(scale(this.keys.take(key), this.recent.slots))
  }

  homeOf(position: number): number {
    return scale(this.keys.hashAt(position), this.recent.slots)
  }

  isCandidate(position: number): boolean {
    return this.keys.isCandidate(position)
  }

  parts(): readonly Int32Array[] {
    return [...this.keys.words, this.recent.words, this.cursor]
  }

  snapshot(): Uint8Array {
    return writeSnapshot({ name: this.name, options: this.options, hash: this.hash, parts: this.parts() })
  }

  isSound(): boolean {
    return isCursorSound(this.cursor, this.window) && this.recent.isSound(this.cursor[1]!)
  }

  clear(): void {
    this.keys.clear()
    this.recent.clear()
    this.cursor.fill(0)
  }

  private streamCandidate(hash: number): Verdict {
    const home = scale(hash, this.recent.slots)
    const found = this.recent.has(home)
    this.insertCandidate(home)
    return found ? 'duplicate' : 'unseen'
  }

  private insertCandidate(home: number): void {
    const { cursor, window } = this
    const position = cursor[0]!
    if (cursor[1] === window) this.recent.forget(position)
    else cursor[1] = cursor[1]! + 1
    this.keys.store(position)
    this.recent.put(home, position)
    cursor[0] = position + 1 === window ? 0 : position + 1
  }
}

function requireFit({ window, alphabet, keyBytes, bits }: ExactWindowOptions): void {
  if ((alphabet === undefined) === (keyBytes === undefined))
    throw new FilterError('alphabet or keyBytes must be given, one of them: how large can a key be?')
  if (alphabet !== undefined) requireInteger('alphabet', alphabet, 1, Number.MAX_SAFE_INTEGER)
  else requireInteger('keyBytes', keyBytes!, 1, KEY_BYTES_MAX)
  if (bits !== undefined) requireBits(bits, 1, 'a filter')
  const needed = exactWindowBits(window, alphabet === undefined ? { keyBytes: keyBytes! } : { alphabet })
  const most = bits ?? BITS_MAX
  if (needed > most)
    throw new FilterError(
      `window is ${window}: the exact window takes ${needed} bits and ${most} are allowed; ` +
        `use a window of at most ${Math.floor((window * most) / needed) || 0}, or a ShortHashFilter`,
    )
}

/** What an exact window takes, without building it. */
export function exactWindowBits(window: number, size: { alphabet: number } | { keyBytes: number }): number {
  const positions = window * SLOTS_PER_ENTRY * Math.ceil(Math.log2(window + 1))
  if ('alphabet' in size) return positions + window * Math.max(1, Math.ceil(Math.log2(size.alphabet)))
  return positions + Math.ceil((window * size.keyBytes) / 4) * 32 + window * Math.ceil(Math.log2(size.keyBytes + 1))
}
