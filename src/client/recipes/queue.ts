// A queue: what was put first is taken first, each item by one.
//
// Takers stand in line; only the first of the line looks at the items, so that one put wakes one. It takes the item and
// leaves the line in one transaction: nobody else gets the item, and a taker that dies before has taken nothing.

import { bytesOf, type Value } from '../values.ts'
import type { WaitOptions } from '../waiting.ts'
import { everyone, standInLine } from './line.ts'
import { Patience, until } from './patience.ts'
import { ensure, hasCode, type Tree } from './tree.ts'

/** An item that was taken from a queue. */
export interface Taken {
  readonly value: Uint8Array
  /** Grows from item to item. */
  readonly token: bigint
}

/** A queue: items leave it in the order in which they came, each to one taker. */
export class TreeQueue {
  private readonly tree: Tree
  private readonly path: string

  constructor(tree: Tree, path: string) {
    this.tree = tree
    this.path = path
  }

  /** Lays an item at the end. It stays until it is taken. */
  async put(value: Value): Promise<bigint> {
    const bytes = bytesOf(value)
    await ensure(this.tree, this.items)
    const { stat } = await this.tree.create(`${this.items}/item-`, bytes, { sequential: true })
    return BigInt(stat.created)
  }

  /** Waits for an item. If the session is lost meanwhile, an item may have been taken and not have arrived. */
  async take(options: WaitOptions = {}): Promise<Taken> {
    const { tree } = this
    using patience = new Patience(tree, this.path, options)
    await patience.race(ensure(tree, this.items))
    const turn = await standInLine(tree, `${this.path}/takers`, 'take', everyone, options)
    let taking: Promise<Taken | undefined> | undefined
    try {
      return await until(tree, this.items, patience, () => {
        taking = this.takeFirst(turn.path)
        return taking
      })
    } catch (error) {
      // What is under way may still win an item: it is better late than lost.
      const late = await taking?.catch(() => undefined)
      if (late !== undefined) return late
      turn.release().catch(() => {})
      throw error
    }
  }

  /** How many items lie there. */
  async length(): Promise<number> {
    return (await this.tree.exists(this.items))?.children ?? 0
  }

  private get items(): string {
    return `${this.path}/items`
  }

  private async takeFirst(turn: string): Promise<Taken | undefined> {
    for (const name of await this.tree.list(this.items)) {
      const path = `${this.items}/${name}`
      const found = await this.tree.get(path)
      if (found === undefined) continue
      const writes = [path, turn].map(one => ({ kind: 'delete' as const, path: one, version: undefined }))
      try {
        await this.tree.txn([], writes)
        return { value: found.value, token: BigInt(found.stat.created) }
      } catch (error) {
        // An operator took it away under our hands.
        if (!(hasCode(error, 'no-entry') && (await this.tree.exists(turn)) !== undefined)) throw error
      }
    }
    return undefined
  }
}
