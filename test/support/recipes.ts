// What the tests of the recipes share: many interleavings, callers that are cut off at any moment, and what must be left.

import { expect } from 'vitest'
import { type Hold, type Tree, WaitEnded } from '../../src/client/recipes/index.ts'
import type { Operation } from '../../src/simulator/index.ts'
import { MemoryTree } from './memory-tree.ts'

export const seeds = Array.from({ length: 25 }, (_, at) => at + 1)
export const bytes = (...items: number[]) => new Uint8Array(items)

/** An abort after some turns of the event loop: it lands between any two steps of a recipe. */
export function abortAfter(turns: number): AbortSignal {
  const controller = new AbortController()
  const wait = async () => {
    for (let turn = 0; turn < turns; turn++) await Promise.resolve()
    controller.abort()
  }
  wait()
  return controller.signal
}

/** What a cut-off caller must leave behind: no entry, no watch. The directories stay. */
export function expectClean(tree: MemoryTree, path: string): void {
  const left = tree.below(path).filter(entry => /-\d{10}$|ready$/.test(entry))
  expect(left).toEqual([])
  expect([...tree.watchers].map(watcher => watcher.path)).toEqual([])
}

/** Holders of something, told apart by the largest number at one time. */
export class Room {
  inside = 0
  most = 0
  readonly tokens: bigint[] = []

  async visit(hold: Hold): Promise<void> {
    this.tokens.push(hold.token)
    this.inside++
    this.most = Math.max(this.most, this.inside)
    for (let turn = 0; turn < 10; turn++) await Promise.resolve()
    this.inside--
    await hold.release()
  }
}

/** Cuts a caller off at every turn; what it got it lets go of. Returns how often it got something, and did not. */
export async function sweep(
  path: string,
  start: (client: Tree, signal: AbortSignal) => Promise<AsyncDisposable>,
  before: (tree: MemoryTree) => Promise<AsyncDisposable | undefined> = async () => undefined,
): Promise<{ got: number; cut: number }> {
  const count = { got: 0, cut: 0 }
  for (let turns = 0; turns < 360; turns += 3) {
    const tree = new MemoryTree(turns)
    const blocker = await before(tree)
    const waiting = start(tree.client(), abortAfter(turns)).then(
      async hold => {
        count.got++
        await hold[Symbol.asyncDispose]()
      },
      error => {
        expect(error).toBeInstanceOf(WaitEnded)
        count.cut++
      },
    )
    if (blocker !== undefined) {
      for (let turn = 0; turn < 80; turn++) await Promise.resolve()
      await blocker[Symbol.asyncDispose]()
    }
    await waiting
    await tree.settle()
    expectClean(tree, path)
  }
  return count
}

/** A clock that counts looks at it: calls and returns get distinct times in the order in which they happen. */
export class Journal<Call, Result> {
  readonly operations: Operation<Call, Result>[] = []
  private now = 0

  async record(client: string, call: Call, doing: Promise<Result>): Promise<void> {
    const calledAt = this.now++
    const result = await doing
    this.operations.push({ client, call, calledAt, outcome: { kind: 'returned', at: this.now++, result } })
  }
}
