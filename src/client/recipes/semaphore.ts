// A semaphore: a fixed number hold at one time, no more.
//
// Everybody waits in line; only the first of the line looks at who holds. It takes a permit as soon as there is one
// and leaves the line in the same transaction, so that a permit that comes back wakes one and no more.

import { SettingsError } from '../../core/index.ts'
import type { WaitOptions } from '../waiting.ts'
import { Hold } from './hold.ts'
import { everyone, standInLine } from './line.ts'
import { Patience, until } from './patience.ts'
import { ensure, type Tree } from './tree.ts'

const utf8 = new TextEncoder()
const text = new TextDecoder()

/** Lets a fixed number in at a time, in the order of coming. */
export class Semaphore {
  private readonly tree: Tree
  private readonly path: string
  private readonly permits: number

  constructor(tree: Tree, path: string, permits: number) {
    if (!(Number.isSafeInteger(permits) && permits >= 1)) {
      throw new SettingsError(`permits is ${permits}; it must be a whole number from 1.`)
    }
    this.tree = tree
    this.path = path
    this.permits = permits
  }

  async acquire(options: WaitOptions = {}): Promise<Hold> {
    const { tree, path } = this
    using patience = new Patience(tree, path, options)
    await patience.race(this.agree())
    // The time of waiting in line counts; `patience` ends the rest.
    const turn = await standInLine(tree, `${path}/line`, 'wait', everyone, options)
    try {
      const { path: permit, created } = await until(tree, `${path}/holders`, patience, () => this.take(turn), {
        late: taken => tree.delete(taken.path),
      })
      return await Hold.of(tree, permit, created)
    } catch (error) {
      turn.release().catch(() => {})
      throw error
    }
  }

  /** All who use it must mean the same number. The first writes it down. */
  private async agree(): Promise<void> {
    await ensure(this.tree, this.path, utf8.encode(String(this.permits)))
    const found = await this.tree.get(this.path)
    const agreed = text.decode(found?.value)
    if (agreed !== String(this.permits)) {
      throw new SettingsError(`${this.path} has ${agreed} permits, not ${this.permits}.`)
    }
    await ensure(this.tree, `${this.path}/holders`)
  }

  private async take(turn: Hold): Promise<{ path: string; created: number } | undefined> {
    const holders = `${this.path}/holders`
    const stat = await this.tree.exists(holders)
    if (stat === undefined || stat.children >= this.permits) return undefined
    const permit = { path: `${holders}/permit-`, value: new Uint8Array(), ephemeral: true, sequential: true }
    // Only the first in line adds holders, and it is first until the moment in which it takes.
    const [made] = await this.tree.txn(
      [],
      [
        { kind: 'create', ...permit },
        { kind: 'delete', path: turn.path, version: undefined },
      ],
    )
    return made?.kind === 'created' ? { path: made.path, created: made.stat.created } : undefined
  }
}
