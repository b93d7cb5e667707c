// What a member wants, as boxes: intervals of numbers, one for each attribute that is bounded. A text is a point, by its hash. What a
// box cannot say (a prefix, an absence) it leaves open: more comes than is wanted, and is filtered on receipt.

import { framed } from '../../crypto/index.ts'
import type { Clause, Filter, Predicate } from '../canonical.ts'
import type { Hash } from '../settings.ts'
import { HIGHEST, LOWEST } from '../tests.ts'
import type { Attributes, Scalar } from '../values.ts'
import { ATTRIBUTES_A_BOX, BOXES_MAX } from './limits.ts'

/** What a box says of one attribute. Names of numbers begin with n, those of points with t. */
export interface Interval {
  readonly attribute: string
  readonly from: number
  readonly to: number
}

/** Intervals that all hold, by the order of their attributes. */
export type Box = readonly Interval[]

/** An event: under each name its numbers. */
export type Point = ReadonlyMap<string, readonly number[]>

const POINT_BYTES = 6
const CHANNEL = 't$channel'

/** 48 bits of a hash, as a number. */
export function number48(hash: Uint8Array): number {
  let value = 0
  for (let at = 0; at < POINT_BYTES; at++) value = value * 256 + hash[at]!
  return value
}

function pointAt(hash: Hash, value: Scalar): number {
  return number48(hash(framed('coterie/events/point', typeof value, String(value))))
}

/** The point that an event is. */
export function pointOf(hash: Hash, channel: string, attributes: Attributes): Point {
  const point = new Map<string, number[]>([[CHANNEL, [pointAt(hash, channel)]]])
  const add = (name: string, value: number) => point.set(name, [...(point.get(name) ?? []), value])
  for (const [name, value] of Object.entries(attributes)) {
    for (const item of Array.isArray(value) ? value : [value as Scalar]) {
      if (typeof item === 'number') add(`n${name}`, item)
      else add(`t${name}`, pointAt(hash, item))
    }
  }
  return point
}

/** The boxes of a filter, in a channel. */
export function boxesOf(hash: Hash, channel: string, filter: Filter): Box[] {
  return filter.$any.map(clause => boxOf(hash, channel, clause))
}

function boxOf(hash: Hash, channel: string, clause: Clause): Box {
  const at = pointAt(hash, channel)
  const found = new Map<string, Interval>([[CHANNEL, { attribute: CHANNEL, from: at, to: at }]])
  for (const predicate of clause) {
    const interval = intervalOf(hash, predicate)
    if (interval === undefined || found.size >= ATTRIBUTES_A_BOX) continue
    const other = found.get(interval.attribute)
    // Two demands on one attribute may be met by two items of a list: the first alone is said.
    if (other === undefined) found.set(interval.attribute, interval)
  }
  return [...found.values()].sort((one, other) => (one.attribute < other.attribute ? -1 : 1))
}

/** The interval that an item must lie in, where the tests say one. */
function intervalOf(hash: Hash, { attribute, some, tests }: Predicate): Interval | undefined {
  if (!some) return undefined
  let [from, to] = [LOWEST, HIGHEST]
  let isBound = false
  for (const test of tests) {
    if (test.not) continue
    if (test.op === 'range') {
      isBound = true
      from = Math.max(from, test.from)
      to = Math.min(to, test.to)
    }
    if (test.op !== 'in') continue
    const numbers = test.values.filter(value => typeof value === 'number')
    if (test.values.length === 1 && numbers.length === 0) {
      const at = pointAt(hash, test.values[0]!)
      return { attribute: `t${attribute}`, from: at, to: at }
    }
    if (numbers.length < test.values.length) continue
    isBound = true
    from = Math.max(from, Math.min(...numbers))
    to = Math.min(to, Math.max(...numbers))
  }
  return isBound && from <= to ? { attribute: `n${attribute}`, from, to } : undefined
}

/** No more boxes than may be said: the last ones become the smallest box around them. */
export function fewer(boxes: readonly Box[]): readonly Box[] {
  if (boxes.length <= BOXES_MAX) return boxes
  return [...boxes.slice(0, BOXES_MAX - 1), boxes.slice(BOXES_MAX - 1).reduce(around)]
}

function around(one: Box, other: Box): Box {
  return one.flatMap(({ attribute, from, to }) => {
    const also = other.find(interval => interval.attribute === attribute)
    return also === undefined ? [] : [{ attribute, from: Math.min(from, also.from), to: Math.max(to, also.to) }]
  })
}

/** Whether one of the boxes holds the point. Loops, as below: a crowd asks it a million times a second. */
export function holdsPoint(boxes: readonly Box[], point: Point): boolean {
  for (const box of boxes) if (isInside(box, point)) return true
  return false
}

function isInside(box: Box, point: Point): boolean {
  for (const { attribute, from, to } of box) {
    const values = point.get(attribute)
    if (values === undefined || !isBetween(values, from, to)) return false
  }
  return true
}

function isBetween(values: readonly number[], from: number, to: number): boolean {
  for (const value of values) if (value >= from && value <= to) return true
  return false
}

/** What both boxes hold, or nothing. */
export function common(one: Box, other: Box): Box | undefined {
  const found = new Map(one.map(interval => [interval.attribute, interval]))
  for (const { attribute, from, to } of other) {
    const own = found.get(attribute)
    const both = { attribute, from: Math.max(from, own?.from ?? from), to: Math.min(to, own?.to ?? to) }
    if (both.from > both.to) return undefined
    found.set(attribute, both)
  }
  return [...found.values()]
}

/** Whether two interests have a point in common. */
export function overlap(ones: readonly Box[], others: readonly Box[]): boolean {
  for (const one of ones) for (const other of others) if (meet(one, other)) return true
  return false
}

/** Whether `common` finds something, without making it. */
function meet(one: Box, other: Box): boolean {
  for (const { attribute, from, to } of other) {
    if (from > to) return false
    for (const own of one) if (own.attribute === attribute && (own.from > to || own.to < from)) return false
  }
  return true
}

/** How far the nearest box is from the point: 0 inside, and less than 1 for every attribute that is missed. */
export function gapOf(boxes: readonly Box[], point: Point): number {
  let least = Number.POSITIVE_INFINITY
  for (const box of boxes) {
    let gap = 0
    for (const interval of box) gap += missedBy(interval, point.get(interval.attribute))
    least = Math.min(least, gap)
  }
  return least
}

function missedBy({ attribute, from, to }: Interval, values: readonly number[] | undefined): number {
  if (values === undefined) return 1
  const miss = Math.min(...values.map(value => Math.max(0, from - value, value - to)))
  if (miss === 0) return 0
  // Between points there is no nearer and no further.
  return attribute.startsWith('t') ? 1 : miss / (1 + miss)
}
