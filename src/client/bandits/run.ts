// A run as its caller sees it: a result to wait for, and rounds to follow on the way.

import { because, checkValue, textOf } from '../../core/index.ts'
import { onWaitEnd, type WaitOptions } from '../waiting.ts'
import { RunEnded, RunRefused } from './errors.ts'

/** How far a run is. */
export interface BanditProgress {
  /** Rounds that are over. */
  readonly round: number
  /** Pulls of all arms, once this round's winner has pulled. */
  readonly spent: number
  readonly budget: number
}

/** What every run gives besides its answer. */
export interface BanditResult {
  readonly spent: number
  readonly rounds: number
  /** Who learned what, in sentences. */
  readonly told: string
  /** What the parties committed their logs with, where the run can be audited. */
  readonly audit?: RunAudit
  /** Arms that were silent too long, and that the others went on without. */
  readonly lost?: readonly string[]
  /** With `pace`: how often a round was tried again since an arm was not ready. The shuffler knows it, too. */
  readonly again?: number
}

/** What an audit begins with: `coterie bandit audit` needs this file and those of the other parties. */
export interface RunAudit {
  /** This member's own log. It has its secrets: hand it to nobody but the auditor. */
  readonly file: string | undefined
  /** Each party's last word on its log: it cannot change the log any more. */
  readonly heads: readonly RunHead[]
}

/** What one party committed its log with. */
export interface RunHead {
  readonly member: string
  /** Entries in its log. */
  readonly entries: number
  /** A salted hash of them all, in hexadecimal digits. */
  readonly head: string
  /** Its signature under both. */
  readonly signature: string
}

/** The answer of `group.bestArm`. */
export interface BestArmResult extends BanditResult {
  readonly best: string
}

/** The answer of `group.maximise`. */
export interface MaximiseResult extends BanditResult {
  /** Of all rewards of all arms. */
  readonly sum: number
}

/** The answer, as places and steps. */
export interface Played {
  readonly best: number | undefined
  readonly steps: number | undefined
  readonly audit?: RunAudit
  readonly lost?: readonly number[]
  readonly again?: number
}

/** Who follows a run: it is told of rounds, and says when nobody waits any more. */
export interface Follower {
  readonly signal: AbortSignal
  isOver(): boolean
  round(round: number, spent: number): void
}

/** What is played, and where. */
export interface RunShape<Result extends BanditResult> {
  readonly name: string
  readonly budget: number
  readonly wait: WaitOptions
  play(follower: Follower): Promise<Result>
  /** Ends it elsewhere, and says what became of it. Undefined: arms may have been pulled, and no more is known. */
  giveUp?(why: string): Promise<Error | undefined>
}

/** A run that is under way: `result` is its end, and a loop over it follows its rounds. */
export class BanditHandle<Result extends BanditResult> implements AsyncIterable<BanditProgress> {
  readonly result: Promise<Result>
  private readonly shape: RunShape<Result>
  private readonly ending = new AbortController()
  private progress: BanditProgress
  private listeners: (() => void)[] = []
  private isOver = false
  private fail: (error: Error) => void = () => {}

  /** @internal Made by `bestArm` and `maximise`. */
  constructor(shape: RunShape<Result>) {
    this.shape = shape
    this.progress = { round: 0, spent: 0, budget: shape.budget }
    this.result = this.play()
    // Who only follows the rounds need not wait for the result: its failure is told by the loop.
    this.result.catch(() => {})
  }

  /** Ends the run before its answer. */
  stop(why: string, cause?: unknown): void {
    checkValue('why', textOf('why it ends'), why)
    const unknown = () => new RunEnded(`run '${this.shape.name}' has no answer: ${why}. ${this.spentSoFar()}`)
    if (this.shape.giveUp === undefined) return this.fail(because(unknown(), cause))
    void this.shape.giveUp(why).then(error => this.fail(because(error ?? unknown(), cause)))
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<BanditProgress, void, undefined> {
    let seen: BanditProgress | undefined
    for (;;) {
      if (seen !== this.progress && this.progress.round > 0) {
        seen = this.progress
        yield seen
      } else if (this.isOver) {
        await this.result
        return
      } else await new Promise<void>(resolve => this.listeners.push(resolve))
    }
  }

  private spentSoFar(): string {
    return `About ${this.progress.spent} of ${this.progress.budget} pulls were made.`
  }

  private wake(): void {
    for (const listener of this.listeners.splice(0)) listener()
  }

  private play(): Promise<Result> {
    const { signal } = this.shape.wait
    if (signal?.aborted) {
      this.isOver = true
      return Promise.reject(
        because(new RunRefused(`run '${this.shape.name}' did not begin: the signal had fired.`), signal.reason),
      )
    }
    const failed = new Promise<never>((_resolve, reject) => {
      this.fail = reject
    })
    const stopWaiting = onWaitEnd(this.shape.wait, (why, cause) =>
      this.stop(why === 'timeout' ? 'its time was up' : 'the signal fired', cause),
    )
    const playing = this.shape.play({
      signal: this.ending.signal,
      isOver: () => this.isOver,
      round: (round, spent) => {
        if (round <= this.progress.round) return
        this.progress = { round, spent, budget: this.shape.budget }
        this.wake()
      },
    })
    return Promise.race([playing, failed]).finally(() => {
      stopWaiting()
      this.isOver = true
      this.ending.abort()
      this.wake()
    })
  }
}
