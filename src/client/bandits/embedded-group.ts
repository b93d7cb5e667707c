// The group of one process: all that a group has, and runs of bandits whose parties all sit in this process.

import {
  type OpenOptions,
  type OpenRun,
  type OpenSearch,
  playOpen,
  type Source,
  successiveRejects,
  ucb2Open,
} from '../../bandits/open.ts'
import { thompson, ucb1 } from '../../bandits/policies/index.ts'
import { anything, between, called, checkValue, flag, optionsSchema, type Rule, whole } from '../../core/index.ts'
import { Group, type GroupDriver, type GroupShape } from '../group.ts'
import { runHere, searchValues } from './here.ts'
import { askedBest, askedMaximise, type BestArmOptions, type MaximiseOptions } from './options.ts'
import { BanditHandle, type BanditResult, type BestArmResult, type MaximiseResult, type RunShape } from './run.ts'
import { askedValues, type ThesisSearchOptions } from './thesis-options.ts'

/** The algorithms without any privacy, as plain functions on sources: for comparison, and for those who need none. */
export interface OpenBandits {
  /** Earns: upper confidence bounds. */
  ucb1(sources: readonly Source[], budget: number, options?: OpenOptions): OpenRun
  /** Earns: upper confidence bounds in epochs that grow by `alpha`, 0.1 by default. */
  ucb2(sources: readonly Source[], budget: number, alpha?: number, options?: OpenOptions): OpenRun
  /** Earns: each arm draws how good it might be. */
  thompson(sources: readonly Source[], budget: number, options?: OpenOptions): OpenRun
  /** Finds the best arm: the worst leaves after each phase. */
  successiveRejects(sources: readonly Source[], budget: number, options?: OpenOptions): OpenSearch
}

const checkOpen = optionsSchema<OpenOptions>({
  rewards: anything,
  ties: called('that gives the rank of an arm among equals'),
  chance: called('that gives the chance of an arm'),
  batch: between(0, 1),
  record: flag,
})

const sourcesRule: Rule = {
  must: 'a list of at least 2 functions, each of which gives the reward of its next pull',
  fits: value => Array.isArray(value) && value.length >= 2 && value.every(source => typeof source === 'function'),
}
const alphaRule: Rule = {
  must: 'a number above 0, at most 1',
  fits: value => typeof value === 'number' && value > 0 && value <= 1,
}

function checkOpenCall(call: string, sources: readonly Source[], budget: number, options: OpenOptions): void {
  checkValue('sources', sourcesRule, sources)
  checkValue('budget', whole(sources.length), budget)
  checkOpen(call, options)
}

const openBandits: OpenBandits = {
  ucb1(sources, budget, options = {}) {
    checkOpenCall('group.bandits.ucb1', sources, budget, options)
    return playOpen(ucb1, sources, budget, options)
  },
  ucb2(sources, budget, alpha, options = {}) {
    checkOpenCall('group.bandits.ucb2', sources, budget, options)
    if (alpha !== undefined) checkValue('alpha', alphaRule, alpha)
    return ucb2Open(sources, budget, alpha, options)
  },
  thompson(sources, budget, options = {}) {
    checkOpenCall('group.bandits.thompson', sources, budget, options)
    return playOpen(thompson, sources, budget, { chance: () => Math.random, ...options })
  },
  successiveRejects(sources, budget, options = {}) {
    checkOpenCall('group.bandits.successiveRejects', sources, budget, options)
    return successiveRejects(sources, budget, options)
  },
}

/** A whole group in this process; it also plays bandits. */
export class EmbeddedGroup extends Group {
  private readonly runs = new Set<{ stop(why: string): void }>()

  /** @internal Made by `embedded`. */
  constructor(shape: GroupShape, driver: GroupDriver) {
    super(shape, driver)
  }

  /** The open algorithms, as plain functions. */
  get bandits(): OpenBandits {
    return openBandits
  }

  /** Finds the best of several arms with a budget of pulls; by default so that no arm learns another's rewards. */
  bestArm(options: BestArmOptions | ThesisSearchOptions): BanditHandle<BestArmResult> {
    if (options?.privacy === 'thesis') return this.keep(searchValues(askedValues(options)))
    const asked = askedBest(options)
    return this.keep(runHere(asked, ({ best }, _sources, common) => ({ best: asked.names[best!]!, ...common })))
  }

  /** Earns as much as it can with a budget of pulls; by default so that nobody learns more than the sum. */
  maximise(options: MaximiseOptions): BanditHandle<MaximiseResult> {
    const asked = askedMaximise(options)
    return this.keep(
      runHere(asked, ({ steps }, { grid }, common) => ({ sum: grid.sum(steps!, common.spent), ...common })),
    )
  }

  /** Releases what is held, ends runs that are under way, and lets go of connections. */
  override close(): Promise<void> {
    for (const run of this.runs) run.stop('the group was closed')
    return super.close()
  }

  private keep<Result extends BanditResult>(shape: RunShape<Result>): BanditHandle<Result> {
    const run = new BanditHandle(shape)
    this.runs.add(run)
    const forget = () => this.runs.delete(run)
    run.result.then(forget, forget)
    return run
  }
}
