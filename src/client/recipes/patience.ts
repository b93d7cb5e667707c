// How long a caller waits: until its time is up, its signal fires, or the session under it is lost.

import { because, CoterieError } from '../../core/index.ts'
import { checkWaiting, onWaitEnd, type WaitOptions } from '../waiting.ts'
import type { Tree } from './tree.ts'

/** The wait is over without what was waited for; what was laid down for it is taken back. */
export class WaitEnded extends CoterieError {
  override readonly name = 'WaitEnded'
  readonly outcome = 'did not happen'
  readonly reason: 'timeout' | 'cancelled' | 'session lost'

  constructor(what: string, reason: 'timeout' | 'cancelled' | 'session lost', cause?: unknown) {
    super(
      `${what}: ${{ timeout: 'not in time', cancelled: 'the signal fired', 'session lost': 'the session is lost' }[reason]}.`,
    )
    this.reason = reason
    because(this, cause)
  }
}

export class Patience implements Disposable {
  private readonly over: Promise<never>
  private readonly stop: () => void
  private readonly what: string
  /** The caller wants it now, or not: it waits for the servers, and for nobody else. */
  private readonly now: boolean

  constructor(tree: Tree, what: string, options: WaitOptions) {
    checkWaiting(what, options)
    this.what = what
    this.now = options.timeout === 0
    // What was lost is told to those who held it; who asks now gets a session of its own.
    if (tree.signal.aborted) tree.renew?.()
    let reject: (error: Error) => void = () => {}
    this.over = new Promise((_, no) => {
      reject = no
    })
    // Where nobody is waiting at that moment, the next `race` tells.
    this.over.catch(() => {})
    const stopWaiting = onWaitEnd(options, (why, cause) => reject(new WaitEnded(what, why, cause)))
    const lose = () => reject(new WaitEnded(what, 'session lost'))
    tree.signal.addEventListener('abort', lose, { once: true })
    this.stop = () => {
      stopWaiting()
      tree.signal.removeEventListener('abort', lose)
    }
    if (tree.signal.aborted) lose()
  }

  /** The outcome, unless patience ends first. */
  race<T>(waiting: Promise<T>): Promise<T> {
    return Promise.race([this.over, waiting])
  }

  /** What somebody else must do first. */
  async forOthers(doing: () => Promise<void>): Promise<void> {
    if (this.now) throw new WaitEnded(this.what, 'timeout')
    await this.race(doing())
  }

  [Symbol.dispose](): void {
    this.stop()
  }
}

/** Rings that come while nobody waits are kept, as one. */
class Bell {
  private rung = false
  private wake: (() => void) | undefined

  ring(): void {
    this.rung = true
    this.wake?.()
  }

  quiet(): void {
    this.rung = false
  }

  async heard(): Promise<void> {
    if (!this.rung) await new Promise<void>(resolve => (this.wake = resolve))
  }
}

export interface UntilOptions<T> {
  /** Also changes of all below the path. */
  readonly subtree?: boolean
  /** Takes back what the last look brought after patience had ended. */
  readonly late?: (answer: T) => unknown
}

/** Waits until `look` answers something, looking again after every change of the path. */
export async function until<T>(
  tree: Tree,
  path: string,
  patience: Patience,
  look: () => Promise<T | undefined>,
  { subtree = false, late = () => {} }: UntilOptions<T> = {},
): Promise<T> {
  const bell = new Bell()
  const watching = tree.watch(path, () => bell.ring(), { subtree })
  let looking: Promise<T | undefined> | undefined
  try {
    await patience.race(watching)
    for (;;) {
      // Before the look: a change that comes while we look makes us look again.
      bell.quiet()
      looking = look()
      const answer = await patience.race(looking)
      if (answer !== undefined) return answer
      looking = undefined
      await patience.forOthers(() => bell.heard())
    }
  } catch (error) {
    looking?.then(answer => answer !== undefined && late(answer)).catch(() => {})
    throw error
  } finally {
    // Also where we gave up before the watch had begun. Nobody waits for its end.
    watching.then(watch => watch[Symbol.asyncDispose]()).catch(() => {})
  }
}

/** Waits until there is no such entry. */
export function gone(tree: Tree, path: string, patience: Patience): Promise<true> {
  return until(tree, path, patience, async () => ((await tree.exists(path)) === undefined ? true : undefined))
}
