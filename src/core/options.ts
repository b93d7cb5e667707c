// Options of public functions, checked by one small schema: names, kinds, ranges.
//
// Why: an option that is ignored is a promise that is not kept. `lock('x', { tll: 5 })` would hold for ten seconds, and
// `embedded({ liarz: 1 })` would mask nobody. So a name that is not known is refused, with the one that was probably meant.
//
// A schema is a check that was made once; using it costs a look-up and a comparison for each option that was given.

import { SettingsError } from './errors.ts'
import { changes } from './spelling.ts'

/** What a value must be. */
export interface Rule {
  /** Ends the sentence "it must be …". */
  readonly must: string
  readonly required?: boolean
  fits(value: unknown): boolean
}

/** One rule for every option of the type, no more and no fewer: the compiler sees to it. */
export type Rules<Options> = { readonly [Name in keyof Options]-?: Rule }

/** Refuses what is no set of these options. `call` is the function as its user wrote it: `group.lock`. */
export type Schema<Options> = ((call: string, options: Options) => void) & { readonly names: readonly string[] }

/** Makes the check of an options type. */
export function optionsSchema<Options>(rules: Rules<Options>): Schema<Options> {
  const known = new Map<string, Rule>(Object.entries<Rule>(rules))
  const names = [...known.keys()]
  const required = names.filter(name => known.get(name)!.required)
  const check = (call: string, options: unknown): void => {
    if (typeof options !== 'object' || options === null || Array.isArray(options)) {
      throw new SettingsError(`${call} takes its options as an object, not ${kindOf(options)}: ${listed(names)}.`)
    }
    for (const name in options) {
      const rule = known.get(name)
      if (rule === undefined) throw new SettingsError(unknownName(call, name, names))
      const value = (options as Record<string, unknown>)[name]
      if (value !== undefined && !rule.fits(value)) throw new SettingsError(wrong(name, value, rule))
    }
    for (const name of required) {
      if ((options as Record<string, unknown>)[name] !== undefined) continue
      throw new SettingsError(`${call} needs ${name}: ${known.get(name)!.must}.`)
    }
  }
  return Object.assign(check, { names })
}

/** Refuses a value that is none of an option's: for an argument that stands alone. */
export function checkValue(name: string, rule: Rule, value: unknown): void {
  if (!rule.fits(value)) throw new SettingsError(wrong(name, value, rule))
}

/** The rule, for an option that cannot be left out. */
export const required = (rule: Rule): Rule => ({ ...rule, required: true })

const isNumber = (value: unknown): value is number => typeof value === 'number' && !Number.isNaN(value)

/** True or false. */
export const flag: Rule = { must: 'true or false', fits: value => typeof value === 'boolean' }

/** A time to wait: any number of milliseconds, also none and also for ever. */
export const waitTime: Rule = {
  must: 'a number of milliseconds, 0 or more',
  fits: value => isNumber(value) && value >= 0,
}

/** Something that fires: an AbortSignal, of this or another realm. */
export const abortSignal: Rule = {
  must: 'an AbortSignal, such as the signal of an AbortController',
  fits: value => {
    const { aborted, addEventListener } = (typeof value === 'object' && value !== null ? value : {}) as AbortSignalLike
    return typeof aborted === 'boolean' && typeof addEventListener === 'function'
  },
}

interface AbortSignalLike {
  readonly aborted?: unknown
  readonly addEventListener?: unknown
}

/** A function. `does`: what it is for. */
export const called = (does: string): Rule => ({
  must: `a function ${does}`,
  fits: value => typeof value === 'function',
})

/** Text that is not empty. `names`: what it says. */
export const textOf = (names: string): Rule => ({
  must: `${names}, as text`,
  fits: value => typeof value === 'string' && value !== '',
})

/** One of several words. */
export const oneWord = (words: readonly string[]): Rule => ({
  must: `one of ${words.join(', ')}`,
  fits: value => words.includes(value as string),
})

/** A whole number of a range, such as `whole(1, 10, 'milliseconds')`. */
export function whole(from: number, to: number = Number.MAX_SAFE_INTEGER, unit = ''): Rule {
  const range = to === Number.MAX_SAFE_INTEGER ? `from ${from}` : `from ${from} to ${to}`
  return {
    must: `a whole number ${unit === '' ? '' : `of ${unit} `}${range}`,
    fits: value => Number.isSafeInteger(value) && (value as number) >= from && (value as number) <= to,
  }
}

/** A number of a range, both ends included. */
export const between = (from: number, to: number): Rule => ({
  must: `a number from ${from} to ${to}`,
  fits: value => isNumber(value) && value >= from && value <= to,
})

/** A list whose items keep a rule. */
export const listOf = (item: Rule, what: string): Rule => ({
  must: `a list of ${what}`,
  fits: value => Array.isArray(value) && value.every(one => item.fits(one)),
})

/** Any object that has these functions. */
export const objectWith = (names: readonly string[], what: string): Rule => ({
  must: what,
  fits: value =>
    typeof value === 'object' &&
    value !== null &&
    names.every(name => typeof (value as Record<string, unknown>)[name] === 'function'),
})

/** Checked elsewhere, by those who know more. */
export const anything: Rule = { must: 'anything', fits: () => true }

/** What a value is, in words: "an array", "a Date", "the number 5". Never the contents of an object. */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value)
  if (typeof value === 'object') return kindOfObject(value)
  if (typeof value === 'number') return Number.isFinite(value) ? `the number ${value}` : String(value)
  if (typeof value === 'string') return 'text'
  return typeof value === 'boolean' ? String(value) : `a ${typeof value}`
}

function kindOfObject(value: object): string {
  if (Array.isArray(value)) return 'an array'
  const parent = Object.getPrototypeOf(value)
  const name = parent === null ? 'Object' : String(value.constructor?.name ?? 'Object')
  if (name === 'Object') return 'an object'
  return `${/^[AEIOU]/.test(name) && !name.startsWith('U') ? 'an' : 'a'} ${name}`
}

const SHOWN_MAX = 60

function wrong(name: string, value: unknown, { must }: Rule): string {
  return `${name} is ${shown(value)}; it must be ${must}.`
}

function shown(value: unknown): string {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (typeof value !== 'string') return kindOf(value)
  const text = JSON.stringify(value)
  return text.length <= SHOWN_MAX ? text : `${text.slice(0, SHOWN_MAX)}…"`
}

const listed = (names: readonly string[]) => (names.length === 0 ? 'it knows none' : `it knows ${names.join(', ')}`)

/** "lock has no option 'tll'. Did you mean ttl?" */
export function unknownName(call: string, name: string, names: readonly string[]): string {
  const near = nearest(name, names)
  const hint = near === undefined ? `${listed(names)}.`.replace('it', 'It') : `Did you mean ${near}?`
  return `${call} has no option ${shown(name)}. ${hint}`
}

/** A third of the letters may be wrong, and two always. */
export function nearest(name: string, names: readonly string[]): string | undefined {
  const most = Math.max(2, Math.floor(name.length / 3))
  const short = name.slice(0, SHOWN_MAX).toLowerCase()
  const found = names
    .map(known => ({ known, apart: changes(short, known.toLowerCase()) }))
    .filter(({ known, apart }) => apart <= most && apart < known.length)
    .sort((one, other) => one.apart - other.apart)
  return found[0]?.known
}
