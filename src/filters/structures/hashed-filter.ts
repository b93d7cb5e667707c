// What all hash-based filters share: a key becomes two words, and the structure works on the words alone.
//
// Structures implement the three word operations. `stream` is written out again in each of them, three lines that
// look the same: kept here it would be one call site for all structures, which V8 stops inlining after the fourth.
//
// State is a list of typed arrays (`parts`): that alone gives snapshot, restore and clear for every structure.

import type { Filter, HashOptions, Key, SnapshotOptions, Verdict } from '../filter.ts'
import { KeyHash } from '../hashing/key-hash.ts'
import { writeSnapshot } from '../snapshot.ts'

export abstract class HashedFilter implements Filter {
  abstract readonly name: string
  abstract readonly bitsUsed: number
  readonly hash: KeyHash

  constructor(options: HashOptions) {
    this.hash = new KeyHash(options)
  }

  /** Detect and insert in one pass; true for duplicate. */
  abstract streamWords(one: number, two: number): boolean
  abstract detectWords(one: number, two: number): boolean
  abstract insertWords(one: number, two: number): void
  /** Constructor options that rebuild this filter, without key. */
  abstract readonly options: SnapshotOptions
  /** Everything that changes while streaming, in a fixed order. */
  abstract parts(): readonly Int32Array[]
  abstract clear(): void
  /** Whether restored parts can have come from such a filter. Cells may hold anything; places and clocks may not. */
  isSound(): boolean {
    return true
  }

  abstract stream(key: Key): Verdict

  detect(key: Key): boolean {
    const one = this.hash.of(key)
    return this.detectWords(one, this.hash.second[0]!)
  }

  insert(key: Key): void {
    const one = this.hash.of(key)
    this.insertWords(one, this.hash.second[0]!)
  }

  streamRange(bytes: Uint8Array, start: number, end: number): Verdict {
    const one = this.hash.ofRange(bytes, start, end)
    return this.streamWords(one, this.hash.second[0]!) ? 'duplicate' : 'unseen'
  }

  snapshot(): Uint8Array {
    return writeSnapshot({ name: this.name, options: this.options, hash: this.hash, parts: this.parts() })
  }
}
