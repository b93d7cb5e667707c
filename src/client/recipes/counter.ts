// A counter: the value of an entry, set with the version expected, and tried again where somebody was quicker.

import { checkValue, whole } from '../../core/index.ts'
import type { TreeWrite } from '../../ordering/tree/index.ts'
import type { WaitOptions } from '../waiting.ts'
import { Patience } from './patience.ts'
import { ensure, hasCode, type Tree } from './tree.ts'

const utf8 = new TextEncoder()
const text = new TextDecoder()

/** Beyond it, a number is not the number that was meant. */
const ADDEND = whole(Number.MIN_SAFE_INTEGER)

/** What adding answers. */
export interface Counted {
  readonly sum: bigint
  /** Grows with every change of the counter. */
  readonly token: bigint
}

/** A number that many count on, each time exactly once. */
export class Counter {
  private readonly tree: Tree
  private readonly path: string

  constructor(tree: Tree, path: string) {
    this.tree = tree
    this.path = path
  }

  /** Adds, and answers the sum. Each call counts once, also over retries. */
  async add(by: bigint | number = 1, options: WaitOptions = {}): Promise<Counted> {
    if (typeof by !== 'bigint') checkValue('by', ADDEND, by)
    using patience = new Patience(this.tree, this.path, options)
    await patience.race(ensure(this.tree, this.path))
    const { sum, modified } = await addTo(this.tree, this.path, patience, value => ({ sum: value + BigInt(by) }))
    return { sum, token: BigInt(modified) }
  }

  async value(): Promise<bigint> {
    return read((await this.tree.get(this.path))?.value)
  }
}

const read = (value: Uint8Array | undefined): bigint => BigInt(text.decode(value) || '0')

/** Puts a new number where the old one was, with other writes beside it, all or nothing. */
export async function addTo(
  tree: Tree,
  path: string,
  patience: Patience,
  next: (value: bigint) => { sum: bigint; beside?: readonly TreeWrite[] },
): Promise<{ sum: bigint; modified: number }> {
  for (;;) {
    const found = await patience.race(tree.get(path))
    const { sum, beside = [] } = next(read(found?.value))
    const value = utf8.encode(String(sum))
    try {
      // Not raced: whether it counted must be known.
      const [set] = await tree.txn([], [{ kind: 'set', path, value, version: found?.stat.version }, ...beside])
      return { sum, modified: set?.kind === 'changed' ? set.stat.modified : 0 }
    } catch (error) {
      if (!hasCode(error, 'bad-version')) throw error
    }
  }
}
