// The sequences of the accounts that this process spends from: one spending of an account after the other, so that none
// hangs behind one that was refused. Other processes may spend from the same account: then the servers say what is next.

import { type WaitEnd, type WaitOptions, within } from '../waiting.ts'

/** What the one is told whose turn does not come in time. */
type Failure = (why: WaitEnd, cause?: unknown) => Error

export class Sequences {
  private readonly nexts = new Map<string, number>()
  private readonly lines = new Map<string, Promise<void>>()

  /** Waits for its turn, as long as the options allow; what it returns ends it. */
  async hold(account: string, options: WaitOptions, failure: Failure): Promise<() => void> {
    const before = this.lines.get(account)
    let release = () => {}
    const mine = new Promise<void>(resolve => {
      release = resolve
    })
    const line = (before ?? Promise.resolve()).then(() => mine)
    this.lines.set(account, line)
    // Only when all before it have ended: one that gives up leaves the others waiting for those.
    line.then(() => {
      if (this.lines.get(account) === line) this.lines.delete(account)
    })
    try {
      if (before !== undefined) await within(before, options, failure)
    } catch (error) {
      release()
      throw error
    }
    return release
  }

  next(account: string): number | undefined {
    return this.nexts.get(account)
  }

  known(account: string, next: number): void {
    this.nexts.set(account, next)
  }

  used(account: string): void {
    const next = this.nexts.get(account)
    if (next !== undefined) this.nexts.set(account, next + 1)
  }

  /** What is next is not known any more: the servers are asked. */
  forget(account: string): void {
    this.nexts.delete(account)
  }
}
