// The recipes of a group, by name: each is a path of the group's tree.

import { kindOf, SettingsError } from '../../core/index.ts'
import { isPath } from '../../ordering/tree/index.ts'
import type { Jobs } from '../jobs/jobs.ts'
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
import type { Json } from './state-table.ts'

const FOLDER = '/recipes'

/** A recipe's name is a step of a path, or several. */
function placeOf(folder: string, name: string): string {
  const path = `${FOLDER}/${folder}/${name}`
  if (typeof name === 'string' && name !== '' && isPath(path)) return path
  const said = typeof name === 'string' ? JSON.stringify(name) : kindOf(name)
  throw new SettingsError(
    `the name of a recipe is ${said}; it must be text that can stand in a path, such as 'mail' or 'mail/out'.`,
  )
}

/** What is usually built on a tree, by name. */
export class Recipes {
  private readonly tree: Tree
  private readonly openJobs: (name: string) => Jobs

  constructor(tree: Tree, openJobs: (name: string) => Jobs) {
    this.tree = tree
    this.openJobs = openJobs
  }

  /**
   * A queue of jobs: tried again with backoff, delayed, by priority, at a rate, with dead letters. Each is done at least once,
   * by one worker at a time, with a token that fences.
   */
  jobs<Data extends Json = Json, Result extends Json | undefined = Json>(name: string): Jobs<Data, Result> {
    placeOf('jobs', name)
    return this.openJobs(name) as unknown as Jobs<Data, Result>
  }

  counter(name: string): Counter {
    return new Counter(this.tree, placeOf('counters', name))
  }

  /** At most `permits` holders at a time. */
  semaphore(name: string, permits: number): Semaphore {
    return new Semaphore(this.tree, placeOf('semaphores', name), permits)
  }

  /** Many readers, or one writer. */
  readWriteLock(name: string): ReadWriteLock {
    return new ReadWriteLock(this.tree, placeOf('read-write-locks', name))
  }

  /** While somebody has raised it, nobody passes. */
  barrier(name: string): Barrier {
    return new Barrier(this.tree, placeOf('barriers', name))
  }

  /** `size` processes begin together and end together. */
  doubleBarrier(name: string, size: number): DoubleBarrier {
    return new DoubleBarrier(this.tree, placeOf('double-barriers', name), size)
  }

  queue(name: string): TreeQueue {
    return new TreeQueue(this.tree, placeOf('queues', name))
  }

  /** Opens when it was counted down `count` times, and stays open. */
  latch(name: string, count: number): Latch {
    return new Latch(this.tree, placeOf('latches', name), count)
  }

  /** The LECTURE's lock on a tree: create, watch the one before, delete. `group.lock` is quicker, and needs no tree. */
  lock(name: string): TreeLock {
    return new TreeLock(this.tree, placeOf('locks', name))
  }
}
