// Runs of bandits among the members of a group: the arms that this member serves, and the runs that it asks for.

import {
  type BanditMemberCommand,
  type BanditMemberEvent,
  rewardGrid,
  scheduleOf,
  type Wanted,
} from '../../bandits/index.ts'
import { isNoLie, NO_REWARDS, PATIENCE_MAX } from '../../bandits/machines.ts'
import { called, checkValue, SettingsError } from '../../core/index.ts'
import { ArmFailed, RunEnded, RunRefused, TamperedRound } from '../bandits/errors.ts'
import type { ArmSource } from '../bandits/options.ts'
import {
  BanditHandle,
  type BanditResult,
  type BestArmResult,
  type MaximiseResult,
  type Played,
} from '../bandits/run.ts'
import { toldAmong, toldOfRing, toldOfSearch } from '../bandits/told.ts'
import type { WaitOptions } from '../waiting.ts'
import { RunFiles } from './run-files.ts'
import {
  type AmongOptions,
  askedSearch,
  type BestArmAmongOptions,
  checkArms,
  checkBestAmong,
  checkLost,
  checkMaximiseAmong,
  checkPrivacy,
  checkThesisAmong,
  type MaximiseAmongOptions,
  nameRule,
  type ThesisSearchAmongOptions,
} from './run-options.ts'
import { type ArmOptions, checkArm, ServedArm } from './served-arm.ts'

interface Waiting {
  resolve(played: Played): void
  reject(error: Error): void
  round(round: number, spent: number): void
  /** How far it was when it was last heard of. */
  readonly sofar: { spent: number; readonly budget: number }
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
    for (const [user, bytes] of this.files.taken()) tell({ kind: 'logs', user, bytes })
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

  bestArm(options: BestArmAmongOptions | ThesisSearchAmongOptions): BanditHandle<BestArmResult> {
    if (options?.privacy === 'thesis') return this.search(options)
    checkPrivacy(options)
    checkBestAmong('group.bestArm', options)
    checkArms(options)
    checkLost(options)
    const { algorithm = 'successive-rejects', arms } = options
    const wanted = wantedOf(options, { algorithm, batch: 0, comparator: options.comparator })
    return this.run(options, wanted, toldAmong(wanted), ({ best }, common) => ({ best: arms[best!]!, ...common }))
  }

  maximise(options: MaximiseAmongOptions): BanditHandle<MaximiseResult> {
    checkPrivacy(options)
    checkMaximiseAmong('group.maximise', options)
    checkArms(options)
    checkThesisAmong(options)
    checkLost(options)
    const { algorithm = 'ucb1', batch = 0, privacy, protocol = 'ucb-ds2', shuffler } = options
    const grid = rewardGrid(options.rewards)
    const answer = ({ steps }: Played, common: BanditResult) => ({ sum: grid.sum(steps!, common.spent), ...common })
    if (privacy === 'thesis') {
      const asked = { ...options, audit: false as const }
      const wanted = wantedOf(asked, { algorithm, batch, level: protocol, comparator: shuffler })
      return this.run(options, wanted, toldOfRing(protocol, `'${shuffler}', the controller,`), answer)
    }
    const wanted = wantedOf(options, { algorithm, batch, comparator: options.comparator! })
    return this.run(options, wanted, toldAmong(wanted), answer)
  }

  /** SR-secured: the arms are values that this member knows, and other members draw their rewards. */
  private search(options: ThesisSearchAmongOptions): BanditHandle<BestArmResult> {
    const { names, values, epsilon } = askedSearch(options)
    const { name, budget, shuffler, comparator, drawers, timeout } = options
    const algorithm = 'successive-rejects'
    const asked = {
      name,
      arms: names,
      budget,
      shuffler,
      audit: false as const,
      ...(timeout !== undefined && { timeout }),
    }
    const search = { drawers, values, epsilon }
    const wanted = wantedOf(asked, { algorithm, batch: 0, level: 'sr-secured', comparator, search })
    return this.run(options, wanted, toldOfSearch(shuffler, comparator), ({ best }, common) => ({
      best: names[best!]!,
      ...common,
    }))
  }

  private run<Result extends BanditResult>(
    wait: WaitOptions,
    wanted: Wanted,
    told: string,
    answer: (played: Played, common: BanditResult) => Result,
  ): BanditHandle<Result> {
    const { name, budget } = wanted
    const course = scheduleOf(wanted)
    if (this.waiting.has(name)) throw new SettingsError(`a run of the name '${name}' is under way here already.`)
    const common: BanditResult = { spent: course.spent, rounds: course.rounds, told }
    const handle: BanditHandle<Result> = new BanditHandle({
      name,
      budget,
      wait,
      play: async follower => {
        const sofar = { spent: 0, budget }
        const round = (at: number, spent: number) => {
          sofar.spent = spent
          follower.round(at, spent)
        }
        const played = new Promise<Played>((resolve, reject) =>
          this.waiting.set(name, { resolve, reject, round, sofar }),
        )
        this.tell({ kind: 'ask', wanted })
        const found = await played
        return answer(found, { ...common, ...besides(wanted, found) })
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
          resolve(
            error instanceof RunRefused ? new RunRefused(`${error.message.slice(0, -1)}, and ${why}.`) : undefined,
          ),
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
      case 'primes':
        return void this.drawPrimes(event.id)
      case 'progress':
        return this.waiting.get(event.name)?.round(event.round, event.spent)
      case 'answered':
        this.waiting.get(event.name)?.resolve({ ...event, ...this.files.committed(event) })
        break
      case 'stopped':
        this.stopped(event)
        break
      case 'unstarted':
        this.waiting.get(event.name)?.reject(new RunRefused(`run '${event.name}' did not begin: ${event.why}.`))
    }
    this.waiting.delete(event.name)
  }

  private stopped({ name, why }: BanditMemberEvent & { kind: 'stopped' }): void {
    const waiting = this.waiting.get(name)
    waiting?.reject(stoppedError(name, why, waiting.sofar))
  }

  /** Drawing two primes takes a second or so: not in the machine. */
  private async drawPrimes(id: string): Promise<void> {
    const { newPrimes } = await import('../../runtime/printed-tools.ts')
    const { p, q } = await newPrimes()
    if (!this.isEnded) this.tell({ kind: 'primes', id, p, q })
  }

  private isEnded = false

  /** The member has ended. */
  ended(error: Error): void {
    this.isEnded = true
    for (const arm of this.arms.values()) arm.over(error)
    for (const [name, waiting] of this.waiting) {
      waiting.reject(new RunEnded(`run '${name}' has no answer: ${error.message}. Arms may have been pulled.`))
    }
    this.waiting.clear()
  }
}

/** What is told besides, where there is something to tell. */
function besides(wanted: Wanted, { audit, lost = [], again = 0 }: Played): Partial<BanditResult> {
  const { arms, pace = 0 } = wanted
  // Fewer that are left learn more about each other.
  const told = toldAmong({ ...wanted, arms: arms.filter((_, place) => !lost.includes(place)) })
  return {
    ...(audit && { audit }),
    ...(lost.length > 0 && { lost: lost.map(place => arms[place]!), told }),
    ...(pace > 0 && { again }),
  }
}

type AskedRun = Omit<AmongOptions, 'comparator' | 'privacy'>

function wantedOf(
  { name, arms, budget, shuffler, rewards = [0, 1], audit = 'owner', timeout, ...time }: AskedRun,
  how: Pick<Wanted, 'algorithm' | 'batch' | 'comparator' | 'level' | 'search'>,
): Wanted {
  const patience = Math.min(PATIENCE_MAX, Math.ceil(timeout ?? PATIENCE_MAX))
  const { pace = 0, armTimeout = 0, onLost = 'stop' } = time
  const kept = { pace, armTimeout: Math.ceil(armTimeout), drops: onLost === 'drop', audit: audit !== false }
  return { name, arms, budget, rewards, shuffler, patience, ...kept, ...how }
}

/** An arm that fails is no lie, and who is silent or has forgotten the run need be no liar. Which arm failed, its owner knows. */
function stoppedError(
  name: string,
  why: string,
  { spent, budget }: Waiting['sofar'],
): ArmFailed | RunEnded | TamperedRound {
  const sentence = `run '${name}' has no answer: ${why}. About ${spent} of ${budget} pulls were made.`
  if (why === NO_REWARDS) return new ArmFailed(sentence)
  return isNoLie(why) ? new RunEnded(sentence) : new TamperedRound(sentence)
}
