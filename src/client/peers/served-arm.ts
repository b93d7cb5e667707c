// An arm that this process serves to runs of its group: the owner is asked for consent, and its source for rewards.

import {
  type BanditMemberCommand,
  type BanditMemberEvent,
  type RewardGrid,
  type RingLevel,
  rewardGrid,
  type Terms,
} from '../../bandits/index.ts'
import { called, optionsSchema, whole } from '../../core/index.ts'
import type { ArmFailed } from '../bandits/errors.ts'
import type { ArmSource } from '../bandits/options.ts'
import { pullOnce, RETRIES_DEFAULT } from '../bandits/sources.ts'

/** What the owner of an arm is shown before it takes part: who asks, who plays, and for how much. */
export interface RunTerms {
  readonly name: string
  /** The arm that is asked for. */
  readonly arm: string
  /** The member that gets the answer. */
  readonly user: string
  readonly shuffler: string
  readonly comparator: string
  /** All arms, and who has them. */
  readonly arms: readonly { readonly arm: string; readonly member: string }[]
  readonly algorithm: string
  /** `thesis` hides less: who shuffles sees who is pulled in each round, and from that nearly all rewards. */
  readonly privacy: 'blind' | 'thesis'
  /** With `privacy: 'thesis'`: which of its protocols. The one without encryption, `ucb-d`, hides nothing from the arms. */
  readonly protocol?: RingLevel
  readonly budget: number
  readonly batch: number
  readonly rewards: readonly [number, number]
  /** Whether every party signs what it says, and keeps a log for an auditor. */
  readonly audit: boolean
}

/** How an arm is served. */
export interface ArmOptions {
  /**
   * How many runs it serves in all, those of earlier lives of this member included. Default 1: k runs tell the others what one
   * run with k times the budget tells.
   */
  readonly runs?: number
  /** Is shown every run before the arm takes part, and says whether it does. Default: yes. */
  readonly accept?: (settings: RunTerms) => boolean | Promise<boolean>
  /** How often a pull that throws is tried again, with its number. Default 3. */
  readonly pullRetries?: number
}

const RETRIES_MAX = 100
const RUNS_MAX = 1_000_000

export const checkArm = optionsSchema<ArmOptions>({
  runs: whole(1, RUNS_MAX),
  accept: called('that is shown the run and says whether this arm takes part'),
  pullRetries: whole(0, RETRIES_MAX),
})

interface Serving {
  readonly id: string
  readonly grid: RewardGrid
  readonly ending: AbortController
}

/** An arm that this process serves, until it is closed. */
export class ServedArm {
  readonly name: string
  readonly arm: string
  /** Ends when the arm is closed; rejects with `ArmFailed` where its source gave no reward. */
  readonly ended: Promise<void>
  private readonly source: ArmSource
  private readonly options: ArmOptions
  private readonly tell: (command: BanditMemberCommand) => void
  private readonly terms = new Map<string, Terms>()
  private serving: Serving | undefined
  private end: (error?: Error) => void = () => {}
  private pulled = 0
  private isClosed = false

  /** @internal Made by `member.arm`. */
  constructor(
    place: { readonly name: string; readonly arm: string },
    source: ArmSource,
    options: ArmOptions,
    tell: (command: BanditMemberCommand) => void,
  ) {
    this.name = place.name
    this.arm = place.arm
    this.source = source
    this.options = options
    this.tell = tell
    this.ended = new Promise((resolve, reject) => {
      this.end = error => (error === undefined ? resolve() : reject(error))
    })
    this.ended.catch(() => {})
  }

  /** @internal Once somebody hands it what it is asked: a run that goes on after a restart asks at once. */
  begin(): void {
    this.tell({ kind: 'serve', name: this.name, arm: this.arm, runs: this.options.runs ?? 1 })
  }

  /** How often it was pulled in this life of the process. */
  get pulls(): number {
    return this.pulled
  }

  /** Serves no more. A run that it is in ends with an error. */
  async close(): Promise<void> {
    if (this.isClosed) return
    this.isClosed = true
    this.tell({ kind: 'retire', name: this.name, arm: this.arm })
    this.over()
    this.end()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  /** @internal The member has ended. */
  over(error?: Error): void {
    this.serving?.ending.abort()
    this.serving = undefined
    if (error === undefined) return
    this.isClosed = true
    this.end(error)
  }

  /** @internal */
  take(event: BanditMemberEvent & { kind: 'asked' | 'pull' | 'released' }): void {
    switch (event.kind) {
      case 'asked':
        return void this.asked(event.terms)
      case 'pull':
        return void this.pull(event)
      case 'released':
        if (this.serving?.id === event.id) this.over()
        this.terms.delete(event.id)
    }
  }

  private async asked(terms: Terms): Promise<void> {
    const { id } = terms
    let why: string | undefined
    try {
      const accepts = (await this.options.accept?.(shownOf(terms, this.arm))) ?? true
      if (accepts !== true) why = `the owner of arm '${this.arm}' does not take part`
    } catch {
      why = `the owner of arm '${this.arm}' could not say whether it takes part`
    }
    this.tell({ kind: 'consent', id, why })
  }

  private async pull({ id, number, rewards }: BanditMemberEvent & { kind: 'pull' }): Promise<void> {
    if (this.serving?.id !== id) {
      this.over()
      this.serving = { id, grid: rewardGrid(rewards), ending: new AbortController() }
    }
    const { grid, ending } = this.serving
    const { source, arm: name, options } = this
    const { pullRetries: retries = RETRIES_DEFAULT } = options
    try {
      const steps = await pullOnce({ name, source, grid, retries, signal: ending.signal }, number)
      this.pulled++
      this.tell({ kind: 'reward', id, number, steps })
    } catch (error) {
      if (ending.signal.aborted) return
      this.tell({ kind: 'fail', id })
      this.end(error as ArmFailed)
    }
  }
}

function shownOf(terms: Terms, arm: string): RunTerms {
  const { name, user, shuffler, comparator, seats, algorithm, budget, batch, least, most, level, audit } = terms
  const parties = { name, arm, user, shuffler, comparator, arms: seats }
  const asked = { algorithm, budget, batch, rewards: [least, most] as const, audit }
  if (level === 'blind' || level === 'sr-secured') return { ...parties, ...asked, privacy: 'blind' }
  return { ...parties, ...asked, privacy: 'thesis', protocol: level }
}
