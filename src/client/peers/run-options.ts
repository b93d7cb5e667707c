// What a run among members may be asked for, and what is refused with a sentence.

import type { RewardRange } from '../../bandits/index.ts'
import { between, oneWord, optionsSchema, type Rule, type Rules, required, textOf, whole } from '../../core/index.ts'
import { rangeRule } from '../bandits/options.ts'
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
}

/** For `bestArm` of a member. */
export interface BestArmAmongOptions extends AmongOptions {
  /** Default `successive-rejects`. */
  readonly algorithm?: 'successive-rejects' | 'sequential-halving'
}

/** For `maximise` of a member. */
export interface MaximiseAmongOptions extends AmongOptions {
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
  fits: value =>
    Array.isArray(value) &&
    value.length >= ARMS_MIN &&
    value.length <= ARMS_MAX &&
    value.every(nameRule.fits) &&
    new Set(value).size === value.length,
}

const common: Rules<AmongOptions> = {
  ...waitRules,
  name: required(nameRule),
  arms: required(armsRule),
  budget: required(whole(1)),
  shuffler: required(textOf('the member that shuffles')),
  comparator: required(textOf('the member that compares')),
  rewards: rangeRule,
  audit: { must: "'owner' or false", fits: value => value === 'owner' || value === false },
}

export const checkBestAmong = optionsSchema<BestArmAmongOptions>({
  ...common,
  algorithm: oneWord(['successive-rejects', 'sequential-halving']),
})
export const checkMaximiseAmong = optionsSchema<MaximiseAmongOptions>({
  ...common,
  algorithm: oneWord(['ucb1', 'thompson']),
  batch: between(0, 1),
})
