// From events to an async loop: what is pushed comes out once, in order. A reader that is slower than the writer finds
// everything there; one that never reads is cut off, with an error that says so, before it eats the memory. Where each item says all
// that the one before said, only the newest waits: whoever makes the items come must not choose how much is kept.

import { Unavailable } from '../core/index.ts'

/** Items that wait for a slow reader. */
const WAITING_MAX = 100_000

export class Feed<T> {
  private readonly waiting: T[] = []
  private readonly signal: AbortSignal | undefined
  private failure: Error | undefined
  private finished = false
  private wake: (() => void) | undefined
  private readonly keeps: 'all' | 'newest'

  constructor(signal: AbortSignal | undefined, keeps: 'all' | 'newest' = 'all') {
    this.signal = signal
    this.keeps = keeps
  }

  push(item: T): void {
    if (this.finished || this.failure !== undefined) return
    if (this.waiting.length >= WAITING_MAX) {
      this.waiting.length = 0
      return this.fail(new Unavailable(`this watcher is ${WAITING_MAX} items behind: read faster, or watch again.`))
    }
    if (this.keeps === 'newest') this.waiting.length = 0
    this.waiting.push(item)
    this.wake?.()
  }

  fail(error: Error): void {
    this.failure ??= error
    this.wake?.()
  }

  /** No more items: the loop ends when it has read what is there. */
  finish(): void {
    this.finished = true
    this.wake?.()
  }

  async *items(): AsyncGenerator<T, void, undefined> {
    const stop = () => this.finish()
    this.signal?.addEventListener('abort', stop, { once: true })
    try {
      while (!this.signal?.aborted) {
        if (this.waiting.length > 0) yield this.waiting.shift()!
        else if (this.failure !== undefined) throw this.failure
        else if (this.finished) return
        else await this.next()
      }
    } finally {
      this.signal?.removeEventListener('abort', stop)
      this.finished = true
    }
  }

  private next(): Promise<void> {
    return new Promise(resolve => {
      this.wake = () => {
        this.wake = undefined
        resolve()
      }
    })
  }
}
