// Runs of bandits among the members of a group: the arms that this member serves, and the runs that it asks for.

import {
  type BanditMemberCommand,
  type BanditMemberEvent,
  rewardGrid,
  scheduleOf,
  type Wanted,
} from '../../bandits/index.ts'
import { PATIENCE_MAX } from '../../bandits/machines.ts'
import { called, checkValue, SettingsError } from '../../core/index.ts'
import { RunEnded, RunRefused, TamperedRound } from '../bandits/errors.ts'
import type { ArmSource } from '../bandits/options.ts'
import {
  BanditHandle,
  type BanditResult,
  type BestArmResult,
  type MaximiseResult,
  type Played,
} from '../bandits/run.ts'
import { toldAmong } from '../bandits/told.ts'
import { RunFiles } from './run-files.ts'
import {
  type BestArmAmongOptions,
  checkBestAmong,
  checkMaximiseAmong,
  type MaximiseAmongOptions,
  nameRule,
} from './run-options.ts'
import { type ArmOptions, checkArm, ServedArm } from './served-arm.ts'

interface Waiting {
  resolve(played: Played): void
  reject(error: Error): void
  round(round: number, spent: number): void
}

/** What a member does with runs. */
export class MemberRuns {
  private readonly tell: (command: BanditMemberCommand) => void
  private readonly files: RunFiles
  private readonly arms = new Map<string, ServedArm>()
  private readonly waiting = new Map<string, Waiting>()
  private readonly open = new Set<BanditHandle<BanditResult>>()

  constructor(tell: (command: BanditMemberCommand) => void, folder?: string) {
    this.tell = tell
    this.files = new RunFiles(folder)
  }

  serve(name: string, arm: string, source: ArmSource, options: ArmOptions): ServedArm {
    checkValue('the name of a run', nameRule, name)
    checkValue('the name of an arm', nameRule, arm)
    checkValue('the source of an arm', called('that pulls the arm once and gives its reward'), source)
    checkArm('member.arm', options)
    const key = `${name}/${arm}`
    if (this.arms.has(key)) throw new SettingsError(`this member serves arm '${arm}' of '${name}' already.`)
    const served = new ServedArm({ name, arm }, source, options, this.tell)
    this.arms.set(key, served)
    const forget = () => this.arms.get(key) === served && this.arms.delete(key)
    served.ended.then(forget, forget)
    served.begin()
    return served
  }

  bestArm(options: BestArmAmongOptions): BanditHandle<BestArmResult> {
    checkBestAmong('group.bestArm', options)
    const { algorithm = 'successive-rejects', arms } = options
    return this.run(options, { algorithm, batch: 0 }, ({ best }, common) => ({ best: arms[best!]!, ...common }))
  }

  maximise(options: MaximiseAmongOptions): BanditHandle<MaximiseResult> {
    checkMaximiseAmong('group.maximise', options)
    const { algorithm = 'ucb1', batch = 0 } = options
    const grid = rewardGrid(options.rewards)
    return this.run(options, { algorithm, batch }, ({ steps }, common) => ({
      sum: grid.sum(steps!, common.spent),
      ...common,
    }))
  }

  private run<Result extends BanditResult>(
    options: BestArmAmongOptions | MaximiseAmongOptions,
    { algorithm, batch }: Pick<Wanted, 'algorithm' | 'batch'>,
    answer: (played: Played, common: BanditResult) => Result,
  ): BanditHandle<Result> {
    const { name, arms, budget, rewards = [0, 1], shuffler, comparator, audit = 'owner' } = options
    const course = scheduleOf({ algorithm, arms, budget, batch })
    if (this.waiting.has(name)) throw new SettingsError(`a run of the name '${name}' is under way here already.`)
    const patience = Math.min(PATIENCE_MAX, Math.ceil(options.timeout ?? PATIENCE_MAX))
    const wanted: Wanted = {
      name,
      algorithm,
      arms,
      budget,
      batch,
      rewards,
      shuffler,
      comparator,
      patience,
      audit: audit !== false,
    }
    const common: BanditResult = { spent: course.spent, rounds: course.rounds, told: toldAmong(wanted) }
    const handle: BanditHandle<Result> = new BanditHandle({
      name,
      budget,
      wait: options,
      play: async follower => {
        const played = new Promise<Played>((resolve, reject) =>
          this.waiting.set(name, { resolve, reject, round: (round, spent) => follower.round(round, spent) }),
        )
        this.tell({ kind: 'ask', wanted })
        const found = await played
        return answer(found, { ...common, ...(found.audit && { audit: found.audit }) })
      },
      // The member says whether it had begun.
      giveUp: why => this.giveUp(name, why),
    })
    this.open.add(handle)
    const forget = () => this.open.delete(handle)
    handle.result.then(forget, forget)
    return handle
  }

  private giveUp(name: string, why: string): Promise<Error | undefined> {
    const waiting = this.waiting.get(name)
    if (waiting === undefined) return Promise.resolve(undefined)
    return new Promise(resolve => {
      this.waiting.set(name, {
        ...waiting,
        reject: error =>
          resolve(error instanceof RunRefused ? new RunRefused(`${error.message} So ${why}.`) : undefined),
      })
      this.tell({ kind: 'cancel', name })
    })
  }

  take(event: BanditMemberEvent): void {
    switch (event.kind) {
      case 'log':
        return this.files.write(event)
      case 'asked':
        return this.arms.get(`${event.terms.name}/${event.arm}`)?.take(event)
      case 'pull':
      case 'released':
        return this.arms.get(`${event.name}/${event.arm}`)?.take(event)
      case 'progress':
        return this.waiting.get(event.name)?.round(event.round, event.spent)
      case 'answered':
        this.waiting.get(event.name)?.resolve({ ...event, ...this.files.committed(event) })
        break
      case 'stopped':
        this.waiting.get(event.name)?.reject(new TamperedRound(`run '${event.name}' has no answer: ${event.why}.`))
        break
      case 'unstarted':
        this.waiting.get(event.name)?.reject(new RunRefused(`run '${event.name}' did not begin: ${event.why}.`))
    }
    this.waiting.delete(event.name)
  }

  /** The member has ended. */
  ended(error: Error): void {
    for (const arm of this.arms.values()) arm.over(error)
    for (const [name, waiting] of this.waiting) {
      waiting.reject(new RunEnded(`run '${name}' has no answer: ${error.message}. Arms may have been pulled.`))
    }
    this.waiting.clear()
  }
}
