// A latch: opens for good when it was counted down to nothing.
// Those who wait watch for the entry `open` alone, so that counting wakes nobody until the end.

import { SettingsError } from '../../core/index.ts'
import type { WaitOptions } from '../waiting.ts'
import { addTo } from './counter.ts'
import { Patience, until } from './patience.ts'
import { ensure, type Tree } from './tree.ts'

const utf8 = new TextEncoder()

/** Opens when it was counted down often enough, and stays open. */
export class Latch {
  private readonly tree: Tree
  private readonly path: string
  private readonly count: number

  constructor(tree: Tree, path: string, count: number) {
    if (!(Number.isSafeInteger(count) && count >= 1)) {
      throw new SettingsError(`count is ${count}; it must be a whole number from 1.`)
    }
    this.tree = tree
    this.path = path
    this.count = count
  }

  /** Counts down by one and answers what is left. An open latch stays open. */
  async countDown(options: WaitOptions = {}): Promise<number> {
    using patience = new Patience(this.tree, this.path, options)
    await patience.race(ensure(this.tree, this.path, utf8.encode(String(this.count))))
    const create = { path: this.open, value: new Uint8Array(), ephemeral: false, sequential: false }
    const { sum } = await addTo(this.tree, this.path, patience, left => ({
      sum: left > 0n ? left - 1n : 0n,
      beside: left === 1n ? [{ kind: 'create', ...create }] : [],
    }))
    return Number(sum)
  }

  /** Waits until it is open. */
  async wait(options: WaitOptions = {}): Promise<void> {
    using patience = new Patience(this.tree, this.path, options)
    await until(this.tree, this.open, patience, async () =>
      (await this.tree.exists(this.open)) === undefined ? undefined : true,
    )
  }

  private get open(): string {
    return `${this.path}/open`
  }
}
