// One subscription's events, handed to its handler one at a time.

import { AsyncLocalStorage } from 'node:async_hooks'

import { callHandler, Warning } from '../events/handling.ts'

/** Events that wait for a slow handler. */
export const WAITING_MAX = 10_000

/** Whose handler is at work. */
const inHandler = new AsyncLocalStorage<unknown>()

/** Calls a handler for one event after the other. */
export class Feed<Event> {
  private tail: Promise<void> = Promise.resolve()
  /** Events that are not handled yet. */
  waiting = 0
  private readonly handler: (event: Event) => unknown
  private readonly failed: (error: unknown) => void
  private readonly warning = new Warning()
  private readonly strange = (what: string) => this.warning.say(`The handler of a carried subscription ${what}?`)

  constructor(handler: (event: Event) => unknown, failed: (error: unknown) => void) {
    this.handler = handler
    this.failed = failed
  }

  /** False where so many wait that this one is not taken. */
  push(event: Event): boolean {
    if (this.waiting >= WAITING_MAX) return false
    this.waiting++
    this.tail = this.tail.then(async () => {
      try {
        await inHandler.run(this, () => callHandler(this.handler, event, this.strange))
      } catch (error) {
        this.failed(error)
      }
      this.waiting--
    })
    return true
  }

  /** Everything that was taken is handled. A handler that asks does not wait for itself. */
  done(): Promise<void> {
    return inHandler.getStore() === this ? Promise.resolve() : this.tail
  }
}
