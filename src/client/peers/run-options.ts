// What a run among members may be asked for, and what is refused with a sentence.

import type { RewardRange, RingLevel } from '../../bandits/index.ts'
import {
  between,
  checkValue,
  oneWord,
  optionsSchema,
  type Rule,
  type Rules,
  required,
  SettingsError,
  textOf,
  whole,
} from '../../core/index.ts'
import { rangeRule } from '../bandits/options.ts'
import { type AskedValues, askedOf, searchRules } from '../bandits/thesis-options.ts'
import { type WaitOptions, waitRules } from '../waiting.ts'

/** What every run among members is asked with. */
export interface AmongOptions extends WaitOptions {
  readonly name: string
  /** The arms by name: each is served by a member of its own, with `member.arm`. */
  readonly arms: readonly string[]
  /** How many pulls there are for all arms together. */
  readonly budget: number
  /** The member that seats the arms. It owns no arm, asks for no answer, and does not compare. */
  readonly shuffler: string
  /** The member that compares. It owns no arm, asks for no answer, and does not shuffle. */
  readonly comparator: string
  /** Between which numbers rewards lie. Default [0, 1]. */
  readonly rewards?: RewardRange
  /**
   * `owner`, the default: every message is signed, and every party keeps a log in its folder, so that an auditor whom all owners hand
   * theirs can name who lied. `false`: nothing is signed or kept, which is quicker.
   */
  readonly audit?: 'owner' | false
  /**
   * Milliseconds for a pull: every arm answers so long after its slot came, for each pull of the round, whether it was pulled or not, so
   * that time tells nothing. Take the slowest arm's 99.9th percentile; one that is not ready makes the round be tried again. Default:
   * each answers when it is ready, and the shuffler can see who pulls where pulls are slow.
   */
  readonly pace?: number
  /** Milliseconds after which an arm that is silent is lost. Default: it is waited for until `timeout`. */
  readonly armTimeout?: number
  /**
   * `stop`, the default: a lost arm ends the run. `drop`: the others go on without it, and its rewards are not in the sum; no fewer than
   * half of the arms are left. With `audit: false` only.
   */
  readonly onLost?: 'stop' | 'drop'
  /** Who may see what. Default `blind`; `thesis` is what the thesis has, which cannot be audited. */
  readonly privacy?: 'blind' | 'thesis'
}

/** For `bestArm` of a member. */
export interface BestArmAmongOptions extends AmongOptions {
  /** Default `successive-rejects`. */
  readonly algorithm?: 'successive-rejects' | 'sequential-halving'
  readonly privacy?: 'blind'
}

/** For `bestArm` of a member at the level of the thesis: SR-secured, whose members draw the rewards around values that the caller knows. */
export interface ThesisSearchAmongOptions extends WaitOptions {
  readonly name: string
  readonly privacy: 'thesis'
  /** What each arm is worth. It stays with the caller, and goes to the drawers under encryption. */
  readonly values: Readonly<Record<string, number>>
  /** A reward is its arm's value and a number drawn from -epsilon to epsilon. */
  readonly epsilon: number
  /** How many pulls there are for all arms together. */
  readonly budget: number
  /** BAI: learns in which order the arms are rejected. It does not draw. */
  readonly shuffler: string
  /** Comp: learns the sums, without names. It does not draw. */
  readonly comparator: string
  /** Who draws for each phase: one less than there are arms, all different. */
  readonly drawers: readonly string[]
}

/** For `maximise` of a member. */
export interface MaximiseAmongOptions extends Omit<AmongOptions, 'comparator'> {
  /** The member that compares. It owns no arm, asks for no answer, and does not shuffle. Left out at the level of the thesis. */
  readonly comparator?: string
  /** With `privacy: 'thesis'`: which of its protocols, the one without encryption first. Default `ucb-ds2`. */
  readonly protocol?: RingLevel
  /** Default `ucb1`. */
  readonly algorithm?: 'ucb1' | 'thompson'
  /** After t pulls the chosen arm is pulled ⌊batch · t⌋ times at once, at least once: fewer rounds for a little less. Default 0. */
  readonly batch?: number
}

const NAME = /^[a-z0-9][a-z0-9-]{0,39}$/

/** Names of runs and arms: other members read them. */
export const nameRule: Rule = {
  must: '1 to 40 lower-case letters, digits and hyphens',
  fits: value => typeof value === 'string' && NAME.test(value),
}

const ARMS_MIN = 2
const ARMS_MAX = 32
const armsRule: Rule = {
  must: `a list of ${ARMS_MIN} to ${ARMS_MAX} different names, each 1 to 40 lower-case letters, digits and hyphens`,
  fits: value => Array.isArray(value),
}

/** What is wrong with a list of arms. */
export function checkArms({ arms: named }: { readonly arms: readonly unknown[] }): void {
  const { length } = named
  if (length < ARMS_MIN) throw new SettingsError(`a run needs at least ${ARMS_MIN} arms, not ${length}.`)
  if (length > ARMS_MAX) throw new SettingsError(`a private run has at most ${ARMS_MAX} arms, not ${length}.`)
  for (const [place, arm] of named.entries()) {
    checkValue('the name of an arm', nameRule, arm)
    if (named.indexOf(arm) !== place) throw new SettingsError(`two arms are called '${arm}'.`)
  }
}

/** A minute for a pull, and a week of silence. */
const PACE_MAX = 60_000
const PATIENCE_MAX = 604_800_000

const common: Rules<AmongOptions> = {
  ...waitRules,
  name: required(nameRule),
  arms: required(armsRule),
  budget: required(whole(1)),
  shuffler: required(textOf('the member that shuffles')),
  comparator: required(textOf('the member that compares')),
  rewards: rangeRule,
  audit: { must: "'owner' or false", fits: value => value === 'owner' || value === false },
  privacy: oneWord(['blind', 'thesis']),
  pace: whole(1, PACE_MAX),
  armTimeout: whole(1, PATIENCE_MAX),
  onLost: oneWord(['stop', 'drop']),
}

export const checkBestAmong = optionsSchema<BestArmAmongOptions>({
  ...common,
  algorithm: oneWord(['successive-rejects', 'sequential-halving']),
  privacy: oneWord(['blind']),
})

const DRAWERS_MAX = ARMS_MAX - 1
const checkSearch = optionsSchema<ThesisSearchAmongOptions>({
  ...searchRules,
  shuffler: required(textOf('the member that is BAI')),
  comparator: required(textOf('the member that is Comp')),
  drawers: required({
    must: `a list of 1 to ${DRAWERS_MAX} different members, one less than there are arms`,
    fits: value =>
      Array.isArray(value) &&
      value.length >= 1 &&
      value.length <= DRAWERS_MAX &&
      value.every(one => typeof one === 'string' && one !== '') &&
      new Set(value).size === value.length,
  }),
})

const NO_LOGS = "the level 'thesis' keeps no logs, so nobody can audit it: leave out audit, or take privacy: 'blind'."

/** Who hides nothing from the others needs no run among members, but for one protocol of the thesis. */
export function checkPrivacy(options: { readonly privacy?: unknown }): void {
  if (options?.privacy !== 'open') return
  throw new SettingsError(
    "privacy: 'open' is for one process: among members take maximise with privacy: 'thesis' and protocol: 'ucb-d', which encrypts nothing.",
  )
}

/** What a search at the level of the thesis is asked with, in steps. */
export function askedSearch(options: ThesisSearchAmongOptions): AskedValues {
  if ((options as { readonly audit?: unknown }).audit === 'owner') throw new SettingsError(NO_LOGS)
  const asked = askedOf('group.bestArm', options, checkSearch)
  checkValue('name', nameRule, options.name)
  if (options.drawers.length !== asked.names.length - 1) {
    const [arms, drawers] = [asked.names.length, options.drawers.length]
    throw new SettingsError(`${arms} arms need ${arms - 1} drawers, one for each phase, not ${drawers}.`)
  }
  return asked
}

/** An arm that pulls is silent for the beat at least; and what was lost cannot be audited. */
export function checkLost(options: AmongOptions | MaximiseAmongOptions): void {
  const { pace = 0, armTimeout, onLost = 'stop', audit = 'owner', rewards = [0, 1] } = options
  if (armTimeout !== undefined && armTimeout <= pace) {
    throw new SettingsError(`armTimeout is ${armTimeout}; with a pace of ${pace} it must be more than that.`)
  }
  if (onLost === 'stop') return
  if (armTimeout === undefined) throw new SettingsError("onLost is 'drop': say with armTimeout when an arm is lost.")
  if (audit !== false) throw new SettingsError("onLost is 'drop': such a run cannot be audited yet. Say audit: false.")
  if (rewards[0] !== 0)
    throw new SettingsError("onLost is 'drop': rewards must begin at 0, as nobody knows the pulls of those left.")
}

/** The thesis's protocols play what they play, and keep no logs. */
export function checkThesisAmong(options: MaximiseAmongOptions): void {
  const { privacy = 'blind', protocol, algorithm, batch = 0, audit, comparator } = options
  if (privacy === 'blind') {
    if (protocol !== undefined)
      throw new SettingsError("protocol is one of the thesis's; it goes with privacy: 'thesis'.")
    if (comparator === undefined) throw new SettingsError('which member compares? Name it with comparator.')
    return
  }
  if (algorithm === 'thompson' || batch !== 0) {
    throw new SettingsError("the level 'thesis' plays ucb1, one pull a round: leave out algorithm and batch.")
  }
  if (options.pace !== undefined || options.armTimeout !== undefined || options.onLost !== undefined) {
    throw new SettingsError('only a blind run keeps time: leave out pace, armTimeout and onLost.')
  }
  if (audit === 'owner') throw new SettingsError(NO_LOGS)
  if (comparator !== undefined) {
    throw new SettingsError("at the level 'thesis' the arms compare, along a ring: leave out comparator.")
  }
}

export const checkMaximiseAmong = optionsSchema<MaximiseAmongOptions>({
  ...common,
  comparator: textOf('the member that compares'),
  algorithm: oneWord(['ucb1', 'thompson']),
  batch: between(0, 1),
  protocol: oneWord(['ucb-d', 'ucb-ds', 'ucb-ds2']),
})
