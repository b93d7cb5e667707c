// What is known of a leaf's bytes: whoever brings them, they are hashed, read and found well signed once. A client hands a
// transaction to every server, the leader proposes it, and it is executed when it is tried and again when it is certified.

import { type Decoded, toHex } from '../core/index.ts'
import { type Hash, leafHash } from './merkle.ts'
import { readTransaction, type Transaction } from './transactions.ts'

/** A leaf, looked at. */
export interface KnownLeaf {
  readonly bytes: Uint8Array
  /** SHA-256 in hex. */
  readonly name: string
  readonly read: Decoded<Transaction>
  /** As the tree has it. */
  readonly hash: Uint8Array
  /** Its signatures and certificates were found good. */
  signed: boolean
}

/** Beyond either, what was kept first is looked at again when it comes. */
const KEPT_MAX = 100_000
const KEPT_BYTES_MAX = 64 << 20

/** Leaves that were looked at: those that are held somewhere, and those that are kept because others will bring them too. */
export class LeafMemory {
  private readonly hash: Hash
  private readonly held = new WeakMap<Uint8Array, KnownLeaf>()
  private readonly kept = new Map<string, KnownLeaf>()
  private bytes = 0

  constructor(hash: Hash) {
    this.hash = hash
  }

  /** The leaf with these bytes. They must not change any more. */
  of(bytes: Uint8Array): KnownLeaf {
    const held = this.held.get(bytes)
    if (held !== undefined) return held
    const name = toHex(this.hash(bytes))
    const known = this.kept.get(name) ?? this.look(bytes, name)
    this.held.set(bytes, known)
    return known
  }

  private look(bytes: Uint8Array, name: string): KnownLeaf {
    return { bytes, name, read: readTransaction(bytes), hash: leafHash(bytes, this.hash), signed: false }
  }

  /** Remembers it for others that bring the same bytes. */
  keep(leaf: KnownLeaf): void {
    if (this.kept.has(leaf.name)) return
    this.kept.set(leaf.name, leaf)
    this.bytes += leaf.bytes.length
    for (const oldest of this.kept.values()) {
      if (this.kept.size <= KEPT_MAX && this.bytes <= KEPT_BYTES_MAX) return
      this.forget(oldest)
    }
  }

  /** It is appended, or nobody holds it any more. */
  forget({ name, bytes }: KnownLeaf): void {
    this.held.delete(bytes)
    if (this.kept.delete(name)) this.bytes -= bytes.length
  }

  forgetNamed(name: string): void {
    const known = this.kept.get(name)
    if (known !== undefined) this.forget(known)
  }
}
