// Parameters that cannot work are refused where they enter, by a sentence with the parameter, the value and a way out.

import { CoterieError, kindOf, unknownName } from '../core/index.ts'

/** What a filter cannot be made of, or a key it cannot take. The message says what would do. */
export class FilterError extends CoterieError {
  override readonly name = 'FilterError'
  readonly outcome = 'did not happen'
}

/** Every option of a type, by its name: the compiler sees to it that none is missing. */
export type Names<Options> = Readonly<Record<keyof Options, true>>

/** The names that every hashed filter knows. */
export const HASH_NAMES = { key: true, hashing: true } as const

/**
 * What refuses options of other names; values are looked at where they are used. Left alone, `{ cell: 4 }` would be taken
 * for the default, and nobody would know why the filter forgets too soon.
 */
export function filterOptions<Options>(names: Names<Options>) {
  const known = new Set(Object.keys(names))
  return <Given extends Options>(call: string, options: Given): Given => {
    if (typeof options !== 'object' || options === null) {
      throw new FilterError(`${call} takes its options as an object, not ${kindOf(options)}: ${[...known].join(', ')}`)
    }
    for (const name in options) if (!known.has(name)) throw new FilterError(unknownName(call, name, [...known]))
    return options
  }
}

/** Bit positions are 32-bit words: 2^32 bits are 512 MiB of cells, and more would need slower arithmetic everywhere. */
export const BITS_MAX = 2 ** 32

/** Ring positions are kept in packed cells of at most 32 bits, one value of which means "none". */
export const WINDOW_MAX = 2 ** 31

export const HASHES_MAX = 64

export function requireInteger(name: string, value: number, least: number, most: number): number {
  if (Number.isInteger(value) && value >= least && value <= most) return value
  throw new FilterError(`${name} is ${value}: it must be a whole number from ${least} to ${most}`)
}

export function requireBits(value: number, least: number, holds: string): number {
  if (!Number.isInteger(value) || value < 1 || value > BITS_MAX)
    throw new FilterError(`bits is ${value}: it must be a whole number from 1 to ${BITS_MAX}`)
  if (value < least)
    throw new FilterError(`bits is ${value}: ${holds} takes ${least}, so bits must be at least ${least}`)
  return value
}

export function requireRate(name: string, value: number): number {
  if (value > 0 && value < 1) return value
  throw new FilterError(`${name} is ${value}: it must lie between 0 and 1, both excluded, such as 0.01`)
}

export function requireCells(cells: number, fingerprints: number, because: string): number {
  requireInteger('cells', cells, 1, 0xffff)
  if (cells <= fingerprints) return cells
  throw new FilterError(
    `cells is ${cells}: ${because} gives ${fingerprints} fingerprints, so more than ${fingerprints} cells in a row ` +
      'cannot all differ; use fewer cells or wider fingerprints',
  )
}

export function requireOneOf<T extends string>(name: string, value: unknown, allowed: readonly T[]): T {
  if (allowed.includes(value as T)) return value as T
  throw new FilterError(`${name} is ${String(value)}: it must be ${allowed.map(word => `'${word}'`).join(' or ')}`)
}
