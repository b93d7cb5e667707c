// What a member says of itself: numbers, given or looked up.

import { type Rule, SettingsError } from '../../core/index.ts'

/** Numbers that a member says of itself, given or looked up each time. */
export type Attributes = Readonly<Record<string, number | (() => number)>>

export const attributesRule: Rule = {
  must: 'an object of numbers, or of functions that return one',
  fits: value => typeof value === 'object' && value !== null && !Array.isArray(value),
}

export function numberOf(name: string, value: number | (() => number)): number {
  const found = typeof value === 'function' ? value() : value
  if (Number.isFinite(found)) return found
  throw new SettingsError(`attribute ${JSON.stringify(name)} is ${found}; it must be a number.`)
}

/** Those that are functions, looked up now. One that fails or is no number this time keeps the value that it had. */
export function changedValues(attributes: Attributes): Record<string, number> {
  const found: [string, number][] = []
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value !== 'function') continue
    try {
      found.push([name, numberOf(name, value)])
    } catch {
      // A sensor that is out of order must not end its member.
    }
  }
  return Object.fromEntries(found)
}
