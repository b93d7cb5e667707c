// What an event carries for others to filter by, and the limits of it.
//
// An attribute is text, a finite number, true or false, null, or a list of these. Nothing is converted: 3 is not '3'.
// A list of none is an attribute that is absent.

import { isText } from '../core/index.ts'
import { InvalidEvent, shown } from './refusals.ts'

/** One item of an attribute. */
export type Scalar = string | number | boolean | null

/** The value of an attribute: one item, or a list of them. */
export type AttributeValue = Scalar | readonly Scalar[]

/** What an event says about itself, and what filters look at. */
export type Attributes = Readonly<Record<string, AttributeValue>>

/** An event is matched by reading all its attributes: this many take about as long as the look-ups behind them. */
export const ATTRIBUTES_MAX = 32
/** Bytes of an attribute's name: names are kept once for each filter that uses them. */
export const ATTRIBUTE_BYTES_MAX = 64
/** Bytes of a text: attributes are for finding events, the payload is for content. */
export const TEXT_BYTES_MAX = 1024
/** Items of a list: a list is asked item by item. */
export const ITEMS_MAX = 16

/** Whether it is a value that an attribute may have as an item. */
export function isScalar(value: unknown): value is Scalar {
  if (typeof value === 'string') return isText(value, TEXT_BYTES_MAX)
  return typeof value === 'boolean' || value === null || (typeof value === 'number' && Number.isFinite(value))
}

/** Minus zero is zero: they are equal, and one value has one encoding. */
export function plainScalar(value: Scalar): Scalar {
  return value === 0 ? 0 : value
}

/** Why a value cannot be an item, to end a sentence with. */
export function whyNotScalar(value: unknown): string {
  if (typeof value === 'number') return `it is ${value}, and numbers must be finite`
  if (typeof value === 'bigint') return 'it is a bigint, and numbers are doubles: use text where all digits matter'
  if (typeof value !== 'string')
    return `it is ${value === undefined ? 'undefined' : shown(value)}: text, a number, true, false or null is needed`
  if (!value.isWellFormed()) return 'it has half of a surrogate pair, which no encoding can carry'
  return `it is longer than ${TEXT_BYTES_MAX} bytes`
}

/** Whether a name can be an attribute's. */
export function isAttributeName(name: string): boolean {
  return name !== '' && isText(name, ATTRIBUTE_BYTES_MAX)
}

/** Whether it is an object of named fields, and not a list, a date, a map or another class's. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const prototype = Object.getPrototypeOf(value)
  // Any realm's Object.prototype: it has no prototype itself.
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

/** The items of an attribute: none where it is absent, or a list of none. */
export function itemsOf(attributes: Attributes, name: string): readonly Scalar[] {
  // Not `attributes[name]` alone, which finds `constructor` in every object.
  if (!Object.hasOwn(attributes, name)) return []
  const value = attributes[name]!
  return typeof value === 'object' && value !== null ? value : [value]
}

/** The attributes of an event to be published, checked and copied. Throws `InvalidEvent`. */
export function parseAttributes(input: unknown): Attributes {
  if (!isPlainObject(input))
    throw new InvalidEvent(
      `an event's attributes are ${shown(input)}: a plain object is needed, such as { price: 9.5 }.`,
    )
  const names = Object.keys(input)
  if (names.length > ATTRIBUTES_MAX)
    throw new InvalidEvent(`an event has ${names.length} attributes: at most ${ATTRIBUTES_MAX} can be filtered by.`)
  const attributes: Record<string, AttributeValue> = Object.create(null)
  for (const name of names) attributes[name] = parseValue(name, input[name])
  return attributes
}

function parseValue(name: string, value: unknown): AttributeValue {
  if (!isAttributeName(name))
    throw new InvalidEvent(`the attribute ${shown(name)} needs a name of 1 to ${ATTRIBUTE_BYTES_MAX} bytes of text.`)
  if (!Array.isArray(value)) return parseItem(name, value)
  if (value.length > ITEMS_MAX)
    throw new InvalidEvent(
      `the attribute ${shown(name)} is a list of ${value.length}: at most ${ITEMS_MAX} are allowed.`,
    )
  return Array.from(value, item => parseItem(name, item))
}

function parseItem(name: string, value: unknown): Scalar {
  if (isScalar(value)) return plainScalar(value)
  throw new InvalidEvent(`the attribute ${shown(name)} cannot be used: ${whyNotScalar(value)}.`)
}
