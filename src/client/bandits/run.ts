// A run as its caller sees it: a result to wait for, and rounds to follow on the way.

import { ARMS_MAX, scheduleOf } from '../../bandits/index.ts'
import { because, SettingsError } from '../../core/index.ts'
import { onWaitEnd } from '../waiting.ts'
import { RunEnded } from './errors.ts'
import { type OpenPlayed, playInTheOpen } from './in-the-open.ts'
import type { Asked } from './options.ts'
import { Sources } from './sources.ts'
import { told } from './told.ts'

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
}

/** A run that is under way: `result` is its end, and a loop over it follows its rounds. */
export class BanditHandle<Result extends BanditResult> implements AsyncIterable<BanditProgress> {
  readonly result: Promise<Result>
  private readonly asked: Asked
  private readonly ending = new AbortController()
  private progress: BanditProgress
  private listeners: (() => void)[] = []
  private isOver = false
  private fail: (error: Error) => void = () => {}

  /** @internal Made by `group.bestArm` and `group.maximise`. */
  constructor(asked: Asked, answer: (played: Played, sources: Sources, common: BanditResult) => Result) {
    this.asked = asked
    const { options, names, algorithm, batch } = asked
    const course = scheduleOf({ algorithm, arms: names, budget: options.budget, batch })
    const sources = new Sources(asked, this.ending.signal)
    if ((options.privacy ?? 'blind') === 'blind') checkSize(names)
    this.progress = { round: 0, spent: 0, budget: options.budget }
    const common = { spent: course.spent, rounds: course.rounds, told: told(asked) }
    this.result = this.play(sources).then(played => answer(played, sources, common))
    // Who only follows the rounds need not wait for the result: its failure is told by the loop.
    this.result.catch(() => {})
  }

  /** Ends the run before its answer. */
  stop(why: string, cause?: unknown): void {
    this.fail(
      because(new RunEnded(`run '${this.asked.options.name}' has no answer: ${why}. ${this.spentSoFar()}`), cause),
    )
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

  private round(round: number, spent: number): void {
    this.progress = { round, spent, budget: this.asked.options.budget }
    this.wake()
  }

  private play(sources: Sources): Promise<Played> {
    const failed = new Promise<never>((_resolve, reject) => {
      this.fail = reject
    })
    const stopWaiting = onWaitEnd(this.asked.options, (why, cause) =>
      this.stop(why === 'timeout' ? 'its time was up' : 'the signal fired', cause),
    )
    const playing = this.asked.options.privacy === 'open' ? this.playOpen(sources) : this.playBlind(sources)
    return Promise.race([playing, failed]).finally(() => {
      stopWaiting()
      this.isOver = true
      this.ending.abort()
      this.wake()
    })
  }

  private playOpen(sources: Sources): Promise<OpenPlayed> {
    const { names, algorithm, batch, options } = this.asked
    return playInTheOpen({
      algorithm,
      batch,
      arms: names.length,
      budget: options.budget,
      pull: async (arm, number) => {
        if (this.isOver) throw new RunEnded('the run is over.')
        return sources.pull(arm, number)
      },
      round: (round, spent) => this.round(round, spent),
      chance: Math.random,
    })
  }

  /** Machines and seals are loaded with the first run that needs them. */
  private async playBlind(sources: Sources): Promise<Played> {
    const { playBlind } = await import('./blind.ts')
    return playBlind(this.asked, sources, {
      isOver: () => this.isOver,
      round: (round, spent) => this.round(round, spent),
    })
  }
}

function checkSize(names: readonly string[]): void {
  if (names.length <= ARMS_MAX) return
  const why = "each round costs their square. Use privacy: 'open'"
  throw new SettingsError(`a private run has at most ${ARMS_MAX} arms, not ${names.length}: ${why}.`)
}
