// The recipes of a group, by name: each is a path of the group's tree.

import {
  Barrier,
  Counter,
  DoubleBarrier,
  Latch,
  ReadWriteLock,
  Semaphore,
  type Tree,
  TreeLock,
  TreeQueue,
} from '../recipes/index.ts'

const FOLDER = '/recipes'

/** What is usually built on a tree, by name. */
export class Recipes {
  private readonly tree: Tree

  constructor(tree: Tree) {
    this.tree = tree
  }

  counter(name: string): Counter {
    return new Counter(this.tree, `${FOLDER}/counters/${name}`)
  }

  /** At most `permits` holders at a time. */
  semaphore(name: string, permits: number): Semaphore {
    return new Semaphore(this.tree, `${FOLDER}/semaphores/${name}`, permits)
  }

  /** Many readers, or one writer. */
  readWriteLock(name: string): ReadWriteLock {
    return new ReadWriteLock(this.tree, `${FOLDER}/read-write-locks/${name}`)
  }

  /** While somebody has raised it, nobody passes. */
  barrier(name: string): Barrier {
    return new Barrier(this.tree, `${FOLDER}/barriers/${name}`)
  }

  /** `size` processes begin together and end together. */
  doubleBarrier(name: string, size: number): DoubleBarrier {
    return new DoubleBarrier(this.tree, `${FOLDER}/double-barriers/${name}`, size)
  }

  queue(name: string): TreeQueue {
    return new TreeQueue(this.tree, `${FOLDER}/queues/${name}`)
  }

  /** Opens when it was counted down `count` times, and stays open. */
  latch(name: string, count: number): Latch {
    return new Latch(this.tree, `${FOLDER}/latches/${name}`, count)
  }

  /** The LECTURE's lock on a tree: create, watch the one before, delete. `group.lock` is quicker, and needs no tree. */
  lock(name: string): TreeLock {
    return new TreeLock(this.tree, `${FOLDER}/locks/${name}`)
  }
}
