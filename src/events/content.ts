// An event's attributes, payload and the author's time as bytes: what is hashed, signed, kept and sent as it is.

import { Shelf } from '../core/bytes.ts'
import {
  bool,
  bytes,
  type Codec,
  type Decoded,
  decode,
  finite,
  list,
  type Reader,
  struct,
  text,
  uint,
  variants,
  Writer,
} from '../core/index.ts'
import { scalarCodec } from './filter-codec.ts'
import {
  ATTRIBUTE_BYTES_MAX,
  ATTRIBUTES_MAX,
  type Attributes,
  type AttributeValue,
  ITEMS_MAX,
  type Scalar,
} from './values.ts'
import { PAYLOAD_BYTES_MAX } from './wire.ts'

/** What an event says, and what it carries. */
export interface EventContent {
  readonly attributes: Attributes
  readonly payload: Uint8Array
  /** The author's clock, in milliseconds: it decides only which kept event of a topic is the newest. */
  readonly time: number
  /** Whether it is kept as the newest of its topic. */
  readonly retained?: boolean
  /** The author's clock from which on nobody is to have it; 0: never. */
  readonly expires?: number
}

type Value = { readonly kind: 'one'; readonly of: Scalar } | { readonly kind: 'list'; readonly of: readonly Scalar[] }

const nameCodec = text(ATTRIBUTE_BYTES_MAX)
const valueCodec = variants<Value>({ one: { of: scalarCodec }, list: { of: list(scalarCodec, ITEMS_MAX) } })

/**
 * Into the object at once: every server reads every event. A name is text of its length by its codec; what is left to refuse
 * is none, and one that is not above the last.
 */
function readAttributes(reader: Reader): Attributes {
  const count = reader.uint()
  if (count > ATTRIBUTES_MAX) reader.refuse(`a list of more than ${ATTRIBUTES_MAX}`)
  const attributes: Record<string, AttributeValue> = {}
  let last = ''
  for (let place = 0; place < count; place++) {
    const name = nameCodec.read(reader)
    if (name === '') reader.refuse('an attribute without a name')
    if (place > 0 && !(last < name)) reader.refuse('attributes out of order')
    const value = valueCodec.read(reader).of
    // A name like any other, and not the object's prototype.
    if (name === '__proto__')
      Object.defineProperty(attributes, name, { value, enumerable: true, writable: true, configurable: true })
    else attributes[name] = value
    last = name
  }
  return attributes
}

/** Without a copy: what is handed to a user is copied there, and servers do not look at it. */
const payloadCodec: Codec<Uint8Array> = {
  write: bytes(PAYLOAD_BYTES_MAX).write,
  read(reader) {
    const length = reader.uint()
    return length <= PAYLOAD_BYTES_MAX ? reader.view(length) : reader.refuse(`more than ${PAYLOAD_BYTES_MAX} bytes`)
  },
}

const contentCodec: Codec<Required<EventContent>> = struct<Required<EventContent>>({
  attributes: {
    write(writer, attributes) {
      const names = Object.keys(attributes).sort()
      if (names.length > ATTRIBUTES_MAX)
        throw new RangeError(`cannot encode more than ${ATTRIBUTES_MAX} attributes: ${names.length}`)
      writer.uint(names.length)
      for (const name of names) {
        nameCodec.write(writer, name)
        valueCodec.write(writer, asValue(attributes[name]!))
      }
    },
    read: readAttributes,
  },
  payload: payloadCodec,
  // Before the time, which stands last: the proof's liar changes the last byte, and what it shows can still be read.
  retained: bool,
  expires: uint(),
  time: finite,
})

function asValue(value: AttributeValue): Value {
  return typeof value === 'object' && value !== null ? { kind: 'list', of: value } : { kind: 'one', of: value }
}

/** A writer that has grown beyond it is not kept for the next event. */
const KEPT_BYTES_MAX = 1 << 16
let writer = new Writer()
/** Contents wait together, and go together. */
const shelf = new Shelf()

/** The one encoding of an event's content. Attributes must have passed `parseAttributes`. */
export function encodeContent(content: EventContent): Uint8Array {
  contentCodec.write(writer.reset(), { retained: false, expires: 0, ...content })
  const encoded = shelf.take(writer.length)
  encoded.set(writer.bytes.subarray(0, writer.length))
  if (writer.bytes.length > KEPT_BYTES_MAX) writer = new Writer()
  return encoded
}

/** The content that these bytes encode, or why they are refused. Never throws. */
export function decodeContent(content: Uint8Array): Decoded<Required<EventContent>> {
  return decode(contentCodec, content)
}

/** How many readings are remembered at the least, and at most twice as many. */
const READ_MAX = 1_024
/** What is larger is not held by the reading before it. */
const LINKED_BYTES_MAX = 4_096

interface Reading {
  readonly content: Uint8Array
  readonly read: Decoded<Required<EventContent>>
  /** The one that was made after it. */
  next: Reading | undefined
}

let newer = new WeakMap<Uint8Array, Reading>()
let older = newer
let readings = 0
/** The one that was made last, and the one that was asked for last: a batch is gone through several times, in its order. */
let newest: Reading | undefined
let current: Reading | undefined

/**
 * As `decodeContent`, for bytes that are looked at several times in a row: stored, matched and sent, or checked, matched and
 * handed over. Only the newest are remembered, so that what is kept for days is not kept twice.
 */
export function readContent(content: Uint8Array): Decoded<Required<EventContent>> {
  const next = current?.next
  const known = next?.content === content ? next : (newer.get(content) ?? older.get(content))
  if (known === undefined) return readFirst(content)
  current = known
  return known.read
}

/** The same, for bytes that came just now, and that nobody has read. */
export function readFirst(content: Uint8Array): Decoded<Required<EventContent>> {
  if (++readings > READ_MAX) {
    readings = 0
    older = newer
    newer = new WeakMap()
  }
  const made: Reading = { content, read: decodeContent(content), next: undefined }
  newer.set(content, made)
  if (newest !== undefined && content.length <= LINKED_BYTES_MAX) newest.next = made
  newest = made
  current = made
  return made.read
}
