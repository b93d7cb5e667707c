// How long a caller waits: until its time is up, its signal fires, or the session under it is lost.

import { CoterieError, type Millis, SettingsError } from '../../core/index.ts'
import type { Tree } from './tree.ts'

export interface WaitOptions {
  /** How long to wait, in milliseconds. Default: for ever. */
  readonly timeout?: Millis
  /** Gives up waiting when it fires. */
  readonly signal?: AbortSignal
}

/** The wait is over without what was waited for; what was laid down for it is taken back. */
export class WaitEnded extends CoterieError {
  override readonly name = 'WaitEnded'
  readonly outcome = 'did not happen'
  readonly reason: 'timeout' | 'cancelled' | 'session lost'

  constructor(what: string, reason: 'timeout' | 'cancelled' | 'session lost') {
    super(
      `${what}: ${{ timeout: 'not in time', cancelled: 'the signal fired', 'session lost': 'the session is lost' }[reason]}.`,
    )
    this.reason = reason
  }
}

/** The longest timer there is; it fires at once when asked for more. */
const TIMER_MAX_MS = 2 ** 31 - 1

export class Patience implements Disposable {
  private readonly over: Promise<never>
  private readonly stop: () => void

  constructor(tree: Tree, what: string, { timeout, signal }: WaitOptions) {
    if (timeout !== undefined && !(timeout >= 0)) {
      throw new SettingsError(`timeout is ${timeout}; it must be 0 or more.`)
    }
    let reject: (error: Error) => void = () => {}
    this.over = new Promise((_, no) => {
      reject = no
    })
    // Where nobody is waiting at that moment, the next `race` tells.
    this.over.catch(() => {})
    const cancel = () => reject(new WaitEnded(what, 'cancelled'))
    const lose = () => reject(new WaitEnded(what, 'session lost'))
    const late = () => reject(new WaitEnded(what, 'timeout'))
    const timer = timeout === undefined || timeout > TIMER_MAX_MS ? undefined : setTimeout(late, timeout)
    signal?.addEventListener('abort', cancel, { once: true })
    tree.signal.addEventListener('abort', lose, { once: true })
    this.stop = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', cancel)
      tree.signal.removeEventListener('abort', lose)
    }
    if (signal?.aborted) cancel()
    if (tree.signal.aborted) lose()
  }

  /** The outcome, unless patience ends first. */
  race<T>(waiting: Promise<T>): Promise<T> {
    return Promise.race([this.over, waiting])
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
      await patience.race(bell.heard())
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
