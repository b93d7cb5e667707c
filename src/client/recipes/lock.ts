// The tree lock of the LECTURE (create, watch, delete) without a herd, and a lock that readers share.

import type { WaitOptions } from '../waiting.ts'
import type { Hold } from './hold.ts'
import { type Ahead, everyone, standInLine } from './line.ts'

import type { Tree } from './tree.ts'

/** One holder at a time, in the order of coming. */
export class TreeLock {
  private readonly tree: Tree
  private readonly path: string

  constructor(tree: Tree, path: string) {
    this.tree = tree
    this.path = path
  }

  acquire(options: WaitOptions = {}): Promise<Hold> {
    return standInLine(this.tree, this.path, 'lock', everyone, options)
  }
}

const WRITER = 'write'

/** A reader waits for the last writer in front of it: other readers do not matter to it. */
const writers: Ahead = (names, own) => names.slice(0, own).findLast(name => name.startsWith(WRITER))

/** One writer or many readers, in the order of coming: a waiting writer is not passed by later readers. */
export class ReadWriteLock {
  private readonly tree: Tree
  private readonly path: string

  constructor(tree: Tree, path: string) {
    this.tree = tree
    this.path = path
  }

  read(options: WaitOptions = {}): Promise<Hold> {
    return standInLine(this.tree, this.path, 'read', writers, options)
  }

  write(options: WaitOptions = {}): Promise<Hold> {
    return standInLine(this.tree, this.path, WRITER, everyone, options)
  }
}
