// What a search at the level of the thesis is asked with: values that a data owner knows, and no functions.

import { ARMS_MAX } from '../../bandits/index.ts'
import { optionsSchema, type Rule, required, SettingsError, textOf, whole } from '../../core/index.ts'
import { type WaitOptions, waitRules } from '../waiting.ts'

/** For `group.bestArm` at the level of the thesis: its nodes draw the rewards, each around the value of its arm. */
export interface ThesisSearchOptions extends WaitOptions {
  readonly name: string
  readonly privacy: 'thesis'
  /** What each arm is worth. */
  readonly values: Readonly<Record<string, number>>
  /** A reward is its arm's value and a number drawn from -epsilon to epsilon. */
  readonly epsilon: number
  /** How many pulls there are for all arms together. */
  readonly budget: number
}

/** The options, filled in: values and epsilon in steps. */
export interface AskedValues {
  readonly options: ThesisSearchOptions
  readonly names: readonly string[]
  readonly values: readonly number[]
  readonly epsilon: number
}

/** A value is a whole number of these. */
const UNITS = 2 ** 20
/** Sums of 2^24 of them stay far from a quarter of the modulus, and exact. */
const VALUE_MAX = 2 ** 20

const isValue = (value: unknown) => Number.isFinite(value) && Math.abs(value as number) <= VALUE_MAX

const valuesRule: Rule = {
  must: `an object with a number from -${VALUE_MAX} to ${VALUE_MAX} for each arm, such as { red: 13, green: 17 }`,
  fits: value =>
    typeof value === 'object' && value !== null && !Array.isArray(value) && Object.values(value).every(isValue),
}

const epsilonRule: Rule = {
  must: `a number from 0 to ${VALUE_MAX}`,
  fits: value => isValue(value) && (value as number) >= 0,
}

/** The rules of what every search at this level is asked with. */
export const searchRules = {
  ...waitRules,
  name: required(textOf('the name of the run')),
  privacy: required({ must: "'thesis'", fits: (value: unknown) => value === 'thesis' }),
  values: required(valuesRule),
  epsilon: required(epsilonRule),
  budget: required(whole(1)),
}

const checkThesis = optionsSchema<ThesisSearchOptions>(searchRules)

export function askedValues(options: ThesisSearchOptions): AskedValues {
  return askedOf('group.bestArm', options, checkThesis)
}

/** Refuses what is no search at this level, and gives values and epsilon in steps. */
export function askedOf<Options extends ThesisSearchOptions>(
  call: string,
  options: Options,
  check: (call: string, options: Options) => void,
): AskedValues {
  if ('arms' in options) {
    throw new SettingsError(
      "a search at the level 'thesis' takes values and epsilon, not arms: its nodes draw the rewards. Use privacy: 'blind' for sources.",
    )
  }
  check(call, options)
  const names = Object.keys(options.values)
  if (names.length < 2) throw new SettingsError(`a run needs at least 2 arms, not ${names.length}.`)
  if (names.length > ARMS_MAX) {
    throw new SettingsError(`a private run has at most ${ARMS_MAX} arms, not ${names.length}.`)
  }
  const values = names.map(name => Math.round(options.values[name]! * UNITS))
  return { options, names, values, epsilon: Math.round(options.epsilon * UNITS) }
}
