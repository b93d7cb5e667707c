// What is refused at the door, in a sentence that says what was wrong, where, and what would do.

import { CoterieError, changes } from '../core/index.ts'

/** A filter that cannot be used: mistyped, too large, or beyond what its language can say here. */
export class InvalidFilter extends CoterieError {
  override readonly name = 'InvalidFilter'
  readonly outcome = 'did not happen'
}

/** An event whose attributes cannot be published: of another kind, or beyond the limits. */
export class InvalidEvent extends CoterieError {
  override readonly name = 'InvalidEvent'
  readonly outcome = 'did not happen'
}

/** Refuses a filter. */
export function refuse(sentence: string): never {
  throw new InvalidFilter(sentence)
}

const SHOWN_MAX = 60
/** Further off than this, a known word is no likely meaning of a mistyped one. */
const CHANGES_MAX = 2

/** A value as it can stand in a sentence: short, and never a reason to fail. */
export function shown(value: unknown): string {
  if (typeof value === 'bigint') return `${String(value).slice(0, SHOWN_MAX)}n`
  if (typeof value === 'number') return String(value)
  if (typeof value === 'function' || typeof value === 'symbol') return `a ${typeof value}`
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'a list' : 'an object'
  if (typeof value !== 'string') return String(value)
  return JSON.stringify(value.length > SHOWN_MAX ? `${value.slice(0, SHOWN_MAX)}…` : value)
}

/** " Did you mean 'prefix'?", or nothing where no word is near. */
export function suggestion(word: string, known: readonly string[]): string {
  if (word.length > SHOWN_MAX) return ''
  const [nearest] = known
    .map(candidate => ({ candidate, distance: changes(word.toLowerCase(), candidate.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance)
  return nearest === undefined || nearest.distance > CHANGES_MAX ? '' : ` Did you mean '${nearest.candidate}'?`
}

/** Refuses what is no filter in its one form: our own language, too, is read first. */
export function requireFilter(filter: { readonly $any?: unknown }): void {
  if (Array.isArray(filter?.$any)) return
  refuse(
    `the filter is ${shown(filter)} that was not read: give it to parseFilter first, or to a language such as mqtt.`,
  )
}

/** Refuses what cannot have attributes. */
export function requireAttributes(attributes: unknown): void {
  if (typeof attributes === 'object' && attributes !== null) return
  throw new InvalidEvent(
    `an event's attributes are ${shown(attributes)}: a plain object is needed, such as { price: 9.5 }.`,
  )
}
