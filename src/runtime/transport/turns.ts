// Whose words are worked at, and for how long before the others have their turn.
//
// A few bytes can ask for much: sixty-four kilobytes of questions, each for a large answer, are work for ten seconds. So the
// words of one certificate, however many connections it has, are worked at for `turnMs` in one turn of the event loop; what is
// beyond waits for the next, its connections one after the other. By connection instead, a client with 256 of them would have
// 256 shares, and everybody else would wait for seconds.

import type { Limits } from './limits.ts'

/** Something with words to work at. */
export interface Worker {
  /** One word. False: there is nothing more to do now. */
  step(): boolean
  /** It waits for its next turn, which comes by itself. */
  rest(): void
}

/** What one certificate has spent of this turn, and who of it waits for the next. */
export class Share {
  spentMs = 0
  readonly waiting: Worker[] = []
}

/** Who has spent less than this part of its share needs no new turn yet: it costs a call for each. */
const LITTLE = 1 / 8

export class Turns {
  private readonly turnMs: number
  private readonly now: () => number
  private readonly later: (next: () => void) => void
  /** Those that begin anew in the next turn. */
  private begun = new Set<Share>()

  /** `later` runs what it is given in the next turn of the event loop. */
  constructor(
    { turnMs }: Pick<Limits, 'turnMs'>,
    now = () => performance.now(),
    later: (next: () => void) => void = setImmediate,
  ) {
    this.turnMs = turnMs
    this.now = now
    this.later = later
  }

  /** Does what there is to do, now or when its turn comes. */
  work(share: Share, worker: Worker): void {
    if (share.waiting.length > 0 || share.spentMs >= this.turnMs) this.wait(share, worker)
    else this.spend(share, worker)
  }

  private wait(share: Share, worker: Worker): void {
    worker.rest()
    share.waiting.push(worker)
    this.beginAnew(share)
  }

  private spend(share: Share, worker: Worker): void {
    const before = share.spentMs
    const began = this.now()
    let more = true
    while (more && share.spentMs < this.turnMs) {
      more = worker.step()
      share.spentMs = before + this.now() - began
    }
    if (more) this.wait(share, worker)
    else if (share.spentMs > this.turnMs * LITTLE) this.beginAnew(share)
  }

  private beginAnew(share: Share): void {
    if (this.begun.size === 0) this.later(this.next)
    this.begun.add(share)
  }

  private readonly next = (): void => {
    const shares = this.begun
    this.begun = new Set()
    for (const share of shares) this.goOn(share)
  }

  /** Those that wait, each once, until this turn's share is spent. */
  private goOn(share: Share): void {
    share.spentMs = 0
    for (let left = share.waiting.length; left > 0 && share.spentMs < this.turnMs; left--) {
      this.spend(share, share.waiting.shift()!)
    }
    if (share.waiting.length > 0) this.beginAnew(share)
  }
}
