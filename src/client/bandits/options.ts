// What a run of bandits may be asked for, and what is refused with a sentence.

import type { Algorithm, RewardRange, RingLevel } from '../../bandits/index.ts'
import {
  between,
  oneWord,
  optionsSchema,
  type Rule,
  type Rules,
  required,
  SettingsError,
  textOf,
  whole,
} from '../../core/index.ts'
import { type WaitOptions, waitRules } from '../waiting.ts'

/** Pulls an arm once. `pull` counts the pulls of this arm from 1: the same number asks for the same pull again. */
export type ArmSource = (asked: { readonly pull: number; readonly signal: AbortSignal }) => number | Promise<number>

/**
 * Who may see what: `blind` hides every reward and every pull from all but its arm; `thesis` is UCB-DS2, whose controller sees who is
 * pulled; `open` hides nothing.
 */
export type BanditPrivacy = 'blind' | 'thesis' | 'open'

/** What every run of bandits is asked with. */
export interface BanditOptions extends WaitOptions {
  readonly name: string
  /** The arms by name, each with the function that pulls it. */
  readonly arms: Readonly<Record<string, ArmSource>>
  /** How many pulls there are for all arms together. */
  readonly budget: number
  /** Default `blind`. */
  readonly privacy?: BanditPrivacy
  /** Between which numbers rewards lie. Default [0, 1]. */
  readonly rewards?: RewardRange
  /** How often a pull that throws is tried again, with its number. Default 3. */
  readonly pullRetries?: number
}

/** For `group.bestArm`. */
export interface BestArmOptions extends BanditOptions {
  /** Default `successive-rejects`. */
  readonly algorithm?: 'successive-rejects' | 'sequential-halving'
  readonly privacy?: 'blind' | 'open'
}

/** For `group.maximise`. */
export interface MaximiseOptions extends BanditOptions {
  /** Default `ucb1`. */
  readonly algorithm?: 'ucb1' | 'thompson'
  /** After t pulls the chosen arm is pulled ⌊batch · t⌋ times at once, at least once: fewer rounds for a little less. Default 0. */
  readonly batch?: number
  /** With `privacy: 'thesis'`: which of its protocols, the one without encryption first. Default `ucb-ds2`. */
  readonly protocol?: RingLevel
}

/** The options of either, filled in. */
export interface Asked {
  readonly options: BanditOptions & Pick<MaximiseOptions, 'protocol'>
  readonly names: readonly string[]
  readonly algorithm: Algorithm
  readonly batch: number
}

const RETRIES_MAX = 100

const arms: Rule = {
  must: 'an object with a function for each arm, such as { red: () => shop("red") }',
  fits: value =>
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every(source => typeof source === 'function'),
}

/** The rewards of a run lie between these. */
export const rangeRule: Rule = {
  must: 'two numbers, the smaller first, such as [0, 1]',
  fits: value =>
    Array.isArray(value) && value.length === 2 && value.every(one => Number.isFinite(one)) && value[0] < value[1],
}

const common: Rules<BanditOptions> = {
  ...waitRules,
  name: required(textOf('the name of the run')),
  arms: required(arms),
  budget: required(whole(1)),
  privacy: oneWord(['blind', 'thesis', 'open']),
  rewards: rangeRule,
  pullRetries: whole(0, RETRIES_MAX),
}

const checkBest = optionsSchema<BestArmOptions>({
  ...common,
  algorithm: oneWord(['successive-rejects', 'sequential-halving']),
  privacy: oneWord(['blind', 'open']),
})
const checkMaximise = optionsSchema<MaximiseOptions>({
  ...common,
  algorithm: oneWord(['ucb1', 'thompson']),
  batch: between(0, 1),
  protocol: oneWord(['ucb-d', 'ucb-ds', 'ucb-ds2']),
})

export function askedBest(options: BestArmOptions): Asked {
  checkBest('group.bestArm', options)
  return { options, names: namesOf(options), algorithm: options.algorithm ?? 'successive-rejects', batch: 0 }
}

export function askedMaximise(options: MaximiseOptions): Asked {
  checkMaximise('group.maximise', options)
  if (options.privacy === 'thesis' && (options.algorithm === 'thompson' || (options.batch ?? 0) !== 0)) {
    throw new SettingsError("the level 'thesis' plays ucb1, one pull a round: leave out algorithm and batch.")
  }
  if (options.protocol !== undefined && options.privacy !== 'thesis') {
    throw new SettingsError("protocol is one of the thesis's; it goes with privacy: 'thesis'.")
  }
  return { options, names: namesOf(options), algorithm: options.algorithm ?? 'ucb1', batch: options.batch ?? 0 }
}

function namesOf(options: BanditOptions): string[] {
  const names = Object.keys(options.arms)
  if (names.length < 2) throw new SettingsError(`a run needs at least 2 arms, not ${names.length}.`)
  if (names.includes('')) throw new SettingsError('an arm has no name.')
  return names
}
