// From attributes to keywords, and from filters to the keywords that a reader listens on.
//
// A channel says which attributes can be searched, and how: by equality, by prefixes of given lengths, or by ranges. A
// number has one keyword for each level of a tree of cells; a range is covered by few cells of several levels. Cells
// reach over the ends of a range, and a clause listens on one predicate only, the one with the fewest cells: what comes is
// tested again by the whole filter once it is open.

import { type Codec, encode, finite, list, struct, text, uint, variants } from '../../core/index.ts'
import { framed } from '../../crypto/index.ts'
import type { Filter, Predicate } from '../filter.ts'
import { scalarCodec } from '../filter-codec.ts'
import { refuse } from '../refusals.ts'
import type { Test } from '../tests.ts'
import { ATTRIBUTE_BYTES_MAX, type Attributes, itemsOf, type Scalar } from '../values.ts'
import { mapKeyOf } from './keys.ts'
import { CELLS_MAX, SEARCHABLE_MAX } from './limits.ts'

/** How one attribute can be searched. */
export type Search =
  | { readonly kind: 'equal' }
  /** The first letters, of these lengths, the shortest first. */
  | { readonly kind: 'prefix'; readonly lengths: readonly number[] }
  /** Numbers from `from` to `to` in 2^bits cells; a node of the tree has `base` children. */
  | { readonly kind: 'range'; readonly from: number; readonly to: number; readonly bits: number; readonly base: number }

/** What can be searched, by attribute. */
export interface Searchable {
  readonly attribute: string
  readonly search: Search
}

const LENGTHS_MAX = 16
const LENGTH_MAX = 64
const BITS_MAX = 24
const BASES = [2, 4, 16, 256]

/** What can be searched, on the wire. */
export const searchableCodec: Codec<readonly Searchable[]> = list(
  struct<Searchable>({
    attribute: text(ATTRIBUTE_BYTES_MAX),
    search: variants<Search>({
      equal: {},
      prefix: { lengths: list(uint(LENGTH_MAX), LENGTHS_MAX) },
      range: { from: finite, to: finite, bits: uint(BITS_MAX), base: uint(256) },
    }),
  }),
  SEARCHABLE_MAX,
)

/** What is wrong with a list of what can be searched, as a sentence; nothing where it is sound. */
export function whyNotSearchable(all: readonly Searchable[]): string | undefined {
  if (all.length === 0) return 'a secret channel needs an attribute that can be searched, such as { symbol: "equal" }.'
  if (all.length > SEARCHABLE_MAX) return `${all.length} attributes can be searched: at most ${SEARCHABLE_MAX} may be.`
  if (new Set(all.map(({ attribute }) => attribute)).size !== all.length) return 'an attribute is listed twice.'
  for (const { attribute, search } of all) {
    if (search.kind === 'prefix' && !isRising(search.lengths))
      return `the prefixes of ${attribute} need lengths from 1 to ${LENGTH_MAX}, each longer than the one before.`
    if (search.kind === 'range' && !isRange(search))
      return `the range of ${attribute} needs from below to, 1 to ${BITS_MAX} bits, and a base of ${BASES.join(', ')} whose digits divide them.`
  }
  return undefined
}

function isRising(lengths: readonly number[]): boolean {
  return (
    lengths.length > 0 &&
    lengths.length <= LENGTHS_MAX &&
    lengths.every((length, at) => length >= 1 && length <= LENGTH_MAX && (at === 0 || length > lengths[at - 1]!))
  )
}

type Range = Search & { kind: 'range' }

function isRange({ from, to, bits, base }: Range): boolean {
  return from < to && bits >= 1 && bits <= BITS_MAX && BASES.includes(base) && bits % Math.log2(base) === 0
}

const equalKeyword = (attribute: string, item: Scalar) => framed(attribute, 'equal', encode(scalarCodec, item))
const prefixKeyword = (attribute: string, letters: string) => framed(attribute, 'prefix', letters)
const cellKeyword = (attribute: string, level: number, cell: number) => framed(attribute, 'cell', level, cell)

/** The cell of a number on the lowest level; what is outside is in the first or the last. */
function cellOf({ from, to, bits }: Range, value: number): number {
  const cells = 2 ** bits
  return Math.min(cells - 1, Math.max(0, Math.floor(((value - from) / (to - from)) * cells)))
}

/** Levels below the root. The root is no keyword: every event would have it. */
function levelsOf({ bits, base }: Range): number {
  return bits / Math.log2(base)
}

/** The keywords of an event, each once. */
export function keywordsOf(searchable: readonly Searchable[], attributes: Attributes): Uint8Array[] {
  const found = new Map<string, Uint8Array>()
  for (const { attribute, search } of searchable) {
    for (const item of itemsOf(attributes, attribute)) {
      for (const keyword of itemKeywords(attribute, search, item)) found.set(mapKeyOf(keyword), keyword)
    }
  }
  return [...found.values()]
}

function itemKeywords(attribute: string, search: Search, item: Scalar): Uint8Array[] {
  if (search.kind === 'equal') return [equalKeyword(attribute, item)]
  if (search.kind === 'prefix') {
    if (typeof item !== 'string') return []
    return search.lengths.filter(length => item.length >= length).map(l => prefixKeyword(attribute, item.slice(0, l)))
  }
  if (typeof item !== 'number') return []
  const cell = cellOf(search, item)
  return Array.from({ length: levelsOf(search) }, (_, level) =>
    cellKeyword(attribute, level, Math.floor(cell / search.base ** level)),
  )
}

/** The keywords that a filter listens on: for each clause those of one predicate. Throws `InvalidFilter`. */
export function listenedOf(searchable: readonly Searchable[], filter: Filter): Uint8Array[] {
  const found = new Map<string, Uint8Array>()
  for (const clause of filter.$any) {
    let best: Uint8Array[] | undefined
    for (const predicate of clause) {
      const cells = predicateCells(searchable, predicate)
      if (cells !== undefined && (best === undefined || cells.length < best.length)) best = cells
    }
    if (best === undefined)
      return refuse(`a clause asks for nothing that this channel can be searched by: ${described(searchable)}.`)
    for (const keyword of best) found.set(mapKeyOf(keyword), keyword)
  }
  if (found.size > CELLS_MAX)
    return refuse(`the filter listens on ${found.size} keywords: at most ${CELLS_MAX} are allowed.`)
  return [...found.values()]
}

function described(searchable: readonly Searchable[]): string {
  return searchable.map(({ attribute, search }) => `${attribute} (${search.kind})`).join(', ')
}

function predicateCells(searchable: readonly Searchable[], predicate: Predicate): Uint8Array[] | undefined {
  if (!predicate.some) return undefined
  const search = searchable.find(({ attribute }) => attribute === predicate.attribute)?.search
  if (search === undefined) return undefined
  let best: Uint8Array[] | undefined
  for (const test of predicate.tests) {
    const cells = test.not ? undefined : testCells(predicate.attribute, search, test)
    if (cells !== undefined && (best === undefined || cells.length < best.length)) best = cells
  }
  return best
}

/** Every event that passes the test has one of these keywords. Nothing: there is no such list. */
function testCells(attribute: string, search: Search, test: Test): Uint8Array[] | undefined {
  if (search.kind === 'equal') {
    if (test.op === 'range' && test.from === test.to) return [equalKeyword(attribute, test.from)]
    return test.op === 'in' ? test.values.map(value => equalKeyword(attribute, value)) : undefined
  }
  if (search.kind === 'prefix') return prefixCells(attribute, search.lengths, test)
  if (test.op === 'in') {
    if (!test.values.every(value => typeof value === 'number')) return undefined
    return test.values.map(value => cellKeyword(attribute, 0, cellOf(search, value as number)))
  }
  return test.op === 'range' ? coverOf(attribute, search, test.from, test.to) : undefined
}

function prefixCells(attribute: string, lengths: readonly number[], test: Test): Uint8Array[] | undefined {
  const begins = (letters: string) => {
    const length = lengths.findLast(one => one <= letters.length)
    return length === undefined ? undefined : prefixKeyword(attribute, letters.slice(0, length))
  }
  const texts = test.op === 'prefix' && !test.fold ? [test.text] : test.op === 'in' ? test.values : []
  const cells = texts.map(one => (typeof one === 'string' ? begins(one) : undefined))
  return cells.length > 0 && cells.every(cell => cell !== undefined) ? cells : undefined
}

/** The fewest cells that cover a range, from the lowest level upwards: ends that fill no whole parent stay below. */
function coverOf(attribute: string, search: Range, from: number, to: number): Uint8Array[] {
  const cells: Uint8Array[] = []
  let low = cellOf(search, from)
  let high = cellOf(search, to)
  const top = levelsOf(search) - 1
  for (let level = 0; low <= high; level++) {
    const isTop = level === top
    while (low <= high && (isTop || low % search.base !== 0)) cells.push(cellKeyword(attribute, level, low++))
    while (low <= high && (isTop || (high + 1) % search.base !== 0)) cells.push(cellKeyword(attribute, level, high--))
    low = Math.floor(low / search.base)
    high = Math.floor((high + 1) / search.base) - 1
  }
  return cells
}
