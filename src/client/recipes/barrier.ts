// A barrier: while its entry stands, nobody passes.

import type { WaitOptions } from '../waiting.ts'
import { Hold } from './hold.ts'
import { gone, Patience } from './patience.ts'
import { ensure, type Tree } from './tree.ts'

/** Keeps those who come waiting until it is lifted. */
export class Barrier {
  private readonly tree: Tree
  private readonly path: string

  constructor(tree: Tree, path: string) {
    this.tree = tree
    this.path = path
  }

  /** Puts it up, while the answer is held; it also ends with the session. Throws where one is up already. */
  async raise(): Promise<Hold> {
    const parent = this.path.slice(0, this.path.lastIndexOf('/'))
    if (parent !== '') await ensure(this.tree, parent)
    const { path, stat } = await this.tree.create(this.path, undefined, { ephemeral: true })
    return Hold.of(this.tree, path, stat.created)
  }

  /** Waits until it does not stand. */
  async pass(options: WaitOptions = {}): Promise<void> {
    using patience = new Patience(this.tree, this.path, options)
    await gone(this.tree, this.path, patience)
  }
}
