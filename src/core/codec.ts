// The wire codec: fixed field order, one encoding for one value, a limit on everything.
//
// A vocabulary is declared once and gives both directions. Because nothing in the bytes is optional to the writer
// (lengths and numbers are minimal, fields have no names, text is valid UTF-8), equal values have equal bytes:
// what is signed can be encoded again and compared. Decoding returns a value or a refusal; it never throws,
// never reads past the frame, and never allocates more than the frame could hold.

/** Writes values of one type and reads them back. */
export interface Codec<T> {
  write(writer: Writer, value: T): void
  read(reader: Reader): T
}

/** What came of decoding: the value, or why the bytes were refused. */
export type Decoded<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly refusal: string }

/** Thrown inside a reader only, and caught by `decode`. */
class Refusal extends Error {}

/** A value takes more bytes than its writer may hold. */
export class TooLong extends Error {}

const INITIAL_BYTES = 256
/** Texts and bytes up to here are copied one by one: the system's own ways cost more than that. */
const SHORT = 64
/** A writer that has grown beyond it is not kept for the next value. */
const KEPT_BYTES_MAX = 1 << 16
/**
 * Short texts that were read of late. Each is made in one piece: one that is put together letter by letter keeps its
 * parts for as long as it lives, which a table with a million keys would pay for.
 */
const HEARD_MAX = 1024
const heardTexts: (string | undefined)[] = new Array<string | undefined>(HEARD_MAX).fill(undefined)
/** The weight of the eighth byte of a number, which no number below 2^53 goes beyond. */
const LAST_SCALE = 2 ** 49
const FLOAT_BYTES = 8
/** Where a fraction is put together: a view of its own for each would take longer than all the rest of reading it. */
const floatBytes = new Uint8Array(FLOAT_BYTES)
const floatView = new DataView(floatBytes.buffer)
const utf8 = new TextEncoder()
/** A letter of a text, as JavaScript counts, takes at most this many bytes of UTF-8. */
const UTF8_BYTES_MAX = 3
const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Where a value is encoded; it grows, and may serve many values one after the other. */
export class Writer {
  bytes = new Uint8Array(INITIAL_BYTES)
  length = 0
  private readonly bytesMax: number

  /** Beyond `bytesMax` it throws `TooLong`, before it takes the memory for it. */
  constructor(bytesMax = Number.POSITIVE_INFINITY) {
    this.bytesMax = bytesMax
  }

  reset(): this {
    this.length = 0
    return this
  }

  /** Makes room for `length` bytes and returns where they start. */
  reserve(count: number): number {
    const start = this.length
    this.length += count
    if (this.length > this.bytes.length) {
      if (this.length > this.bytesMax) throw new TooLong(`more than ${this.bytesMax} bytes`)
      const grown = new Uint8Array(Math.max(this.length, this.bytes.length * 2))
      grown.set(this.bytes)
      this.bytes = grown
    }
    return start
  }

  byte(value: number): void {
    const at = this.reserve(1)
    this.bytes[at] = value
  }

  /** Seven bits a byte, low first, minimal. */
  uint(value: number): void {
    let rest = value
    while (rest >= 0x80) {
      this.byte((rest % 0x80) | 0x80)
      rest = Math.floor(rest / 0x80)
    }
    this.byte(rest)
  }

  raw(value: Uint8Array): void {
    const at = this.reserve(value.length)
    this.bytes.set(value, at)
  }

  /** A copy of what was written. */
  taken(): Uint8Array {
    return this.bytes.slice(0, this.length)
  }
}

/** Reads a frame from its beginning; what is wrong is a refusal. */
export class Reader {
  private readonly bytes: Uint8Array
  private at = 0

  constructor(bytes: Uint8Array) {
    this.bytes = bytes
  }

  get left(): number {
    return this.bytes.length - this.at
  }

  refuse(why: string): never {
    throw new Refusal(`${why} at byte ${this.at}`)
  }

  byte(): number {
    if (this.at >= this.bytes.length) this.refuse('ends too early')
    return this.bytes[this.at++]!
  }

  uint(): number {
    let value = 0
    let scale = 1
    for (;;) {
      const next = this.byte()
      value += (next & 0x7f) * scale
      // The last byte of the largest number; a longer one would let the scale grow to infinity and the value to NaN.
      if (value > Number.MAX_SAFE_INTEGER || (next >= 0x80 && scale >= LAST_SCALE)) this.refuse('number too large')
      if (next < 0x80) {
        if (next === 0 && scale > 1) this.refuse('number not minimal')
        return value
      }
      scale *= 0x80
    }
  }

  /** A copy: the frame's buffer may be reused. Not by `slice`, which in a Node Buffer is a view. */
  raw(length: number): Uint8Array {
    if (length > SHORT) return new Uint8Array(this.view(length))
    const at = this.skip(length)
    const copy = new Uint8Array(length)
    for (let i = 0; i < length; i++) copy[i] = this.bytes[at + i]!
    return copy
  }

  /** Names are short and plain, and come again: the same text serves for all. Nothing where it is another kind. */
  shortAscii(length: number): string | undefined {
    if (length > SHORT || length > this.left) return undefined
    const { bytes, at } = this
    let mixed = length
    for (let i = at; i < at + length; i++) {
      const byte = bytes[i]!
      if (byte >= 0x80) return undefined
      mixed = (Math.imul(mixed, 31) + byte) | 0
    }
    this.at += length
    const place = (mixed ^ (mixed >>> 11)) & (HEARD_MAX - 1)
    const heard = heardTexts[place]
    if (heard !== undefined && isAscii(heard, bytes, at, length)) return heard
    const text = String.fromCharCode.apply(undefined, bytes.subarray(at, at + length) as unknown as number[])
    heardTexts[place] = text
    return text
  }

  view(length: number): Uint8Array {
    const at = this.skip(length)
    return this.bytes.subarray(at, at + length)
  }

  /** Goes past `length` bytes and returns where they start. */
  private skip(length: number): number {
    if (length > this.left) this.refuse('ends too early')
    this.at += length
    return this.at - length
  }
}

function isAscii(text: string, bytes: Uint8Array, at: number, length: number): boolean {
  if (text.length !== length) return false
  for (let i = 0; i < length; i++) if (text.charCodeAt(i) !== bytes[at + i]) return false
  return true
}

function outOfRange(what: string, value: unknown): never {
  throw new RangeError(`cannot encode ${what}: ${String(value)}`)
}

/** An integer from 0 to `max`, at most 2^53 - 1. */
export function uint(max: number = Number.MAX_SAFE_INTEGER): Codec<number> {
  return {
    write(writer, value) {
      if (!(Number.isSafeInteger(value) && value >= 0 && value <= max)) outOfRange(`an integer up to ${max}`, value)
      writer.uint(value)
    },
    read(reader) {
      const value = reader.uint()
      return value <= max ? value : reader.refuse(`number over ${max}`)
    },
  }
}

/** True or false, in one byte. */
export const bool: Codec<boolean> = {
  write: (writer, value) => writer.byte(value ? 1 : 0),
  read(reader) {
    const value = reader.byte()
    return value <= 1 ? value === 1 : reader.refuse('neither true nor false')
  },
}

/** A finite number with a fraction, in eight bytes; minus zero would be a second encoding of zero. */
export const finite: Codec<number> = {
  write(writer, value) {
    if (!Number.isFinite(value)) outOfRange('a finite number', value)
    floatView.setFloat64(0, value === 0 ? 0 : value)
    writer.raw(floatBytes)
  },
  read(reader) {
    for (let place = 0; place < FLOAT_BYTES; place++) floatBytes[place] = reader.byte()
    const value = floatView.getFloat64(0)
    return Number.isFinite(value) && !Object.is(value, -0) ? value : reader.refuse('not a finite number')
  },
}

/** Up to `max` bytes. */
export function bytes(max: number): Codec<Uint8Array> {
  return {
    write(writer, value) {
      if (value.length > max) outOfRange(`more than ${max} bytes`, value.length)
      writer.uint(value.length)
      writer.raw(value)
    },
    read(reader) {
      const length = reader.uint()
      return length <= max ? reader.raw(length) : reader.refuse(`more than ${max} bytes`)
    },
  }
}

/** Text of up to `max` bytes of UTF-8. */
export function text(max: number): Codec<string> {
  return {
    write(writer, value) {
      if (isShortAscii(value)) return writeAscii(writer, value, max)
      // A lone surrogate would be replaced in silence, and two names would become one.
      if (!value.isWellFormed()) outOfRange('text with a lone surrogate', JSON.stringify(value))
      const encoded = utf8.encode(value)
      if (encoded.length > max) outOfRange(`more than ${max} bytes of text`, encoded.length)
      writer.uint(encoded.length)
      writer.raw(encoded)
    },
    read(reader) {
      const length = reader.uint()
      if (length > max) reader.refuse(`more than ${max} bytes of text`)
      return reader.shortAscii(length) ?? decodeUtf8(reader, reader.view(length))
    },
  }
}

/** Whether it is text of at most `max` bytes of UTF-8. */
export function isText(value: string, max: number): boolean {
  if (!value.isWellFormed()) return false
  return value.length * UTF8_BYTES_MAX <= max || utf8.encode(value).length <= max
}

function isShortAscii(value: string): boolean {
  if (value.length > SHORT) return false
  for (let i = 0; i < value.length; i++) if (value.charCodeAt(i) >= 0x80) return false
  return true
}

function writeAscii(writer: Writer, value: string, max: number): void {
  if (value.length > max) outOfRange(`more than ${max} bytes of text`, value.length)
  writer.uint(value.length)
  const at = writer.reserve(value.length)
  for (let i = 0; i < value.length; i++) writer.bytes[at + i] = value.charCodeAt(i)
}

function decodeUtf8(reader: Reader, encoded: Uint8Array): string {
  try {
    return strictUtf8.decode(encoded)
  } catch {
    return reader.refuse('text is not UTF-8')
  }
}

/** Up to `max` values. */
export function list<T>(of: Codec<T>, max: number): Codec<readonly T[]> {
  return {
    write(writer, value) {
      if (value.length > max) outOfRange(`a list of more than ${max}`, value.length)
      writer.uint(value.length)
      for (const item of value) of.write(writer, item)
    },
    read(reader) {
      const length = reader.uint()
      if (length > max) reader.refuse(`a list of more than ${max}`)
      const items: T[] = []
      for (let i = 0; i < length; i++) items.push(of.read(reader))
      return items
    },
  }
}

/** One of several words. The number on the wire is the place in the list: append only. */
export function oneOf<const T extends string>(...words: readonly T[]): Codec<T> {
  return {
    write(writer, value) {
      const place = words.indexOf(value)
      if (place < 0) outOfRange(`one of ${words.join(', ')}`, value)
      writer.uint(place)
    },
    read(reader) {
      const place = reader.uint()
      return words[place] ?? reader.refuse(`unknown word ${place}`)
    },
  }
}

/** A value or nothing. */
export function option<T>(of: Codec<T>): Codec<T | undefined> {
  return {
    write(writer, value) {
      bool.write(writer, value !== undefined)
      if (value !== undefined) of.write(writer, value)
    },
    read(reader) {
      if (!bool.read(reader)) return undefined
      // An option within an option would have two encodings for nothing.
      return of.read(reader) ?? reader.refuse('a value that is nothing')
    },
  }
}

/** A codec for each field of an object. */
export type Fields<T> = { readonly [K in keyof T]-?: Codec<T[K]> }

/** Fields in the order in which they are declared. */
export function struct<T extends object>(fields: Fields<T>): Codec<T> {
  const names = Object.keys(fields) as (keyof T & string)[]
  const codecs = names.map(name => fields[name])
  return {
    write(writer, value) {
      for (let i = 0; i < names.length; i++) codecs[i]!.write(writer, value[names[i]!])
    },
    read(reader) {
      const value: Partial<T> = {}
      for (let i = 0; i < names.length; i++) value[names[i]!] = codecs[i]!.read(reader)
      return value as T
    },
  }
}

/** For each kind of a vocabulary, the codecs of its fields. */
export type Variants<T extends { kind: string }> = {
  readonly [K in T['kind']]: Fields<Omit<Extract<T, { kind: K }>, 'kind'>>
}

/** One of several messages, told apart by `kind`. The number on the wire is the place in the declaration: append only. */
export function variants<T extends { kind: string }>(of: Variants<T>): Codec<T> {
  const kinds = Object.keys(of) as T['kind'][]
  const places = new Map<string, number>(kinds.map((kind, place) => [kind, place]))
  const names = kinds.map(kind => Object.keys(of[kind]))
  const codecs = kinds.map((kind, place) =>
    names[place]!.map(name => (of[kind] as Record<string, Codec<unknown>>)[name]!),
  )
  return {
    write(writer, value) {
      const place = places.get(value.kind) ?? outOfRange('a message of kind', value.kind)
      writer.uint(place)
      const fields = names[place]!
      for (let i = 0; i < fields.length; i++) {
        codecs[place]![i]!.write(writer, (value as unknown as Record<string, unknown>)[fields[i]!])
      }
    },
    read(reader) {
      const place = reader.uint()
      const fields = names[place] ?? reader.refuse(`unknown kind ${place}`)
      const value: Record<string, unknown> = { kind: kinds[place] }
      for (let i = 0; i < fields.length; i++) value[fields[i]!] = codecs[place]![i]!.read(reader)
      return value as unknown as T
    },
  }
}

/** The writer that `encode` uses where none is given; taken while it is in use. */
let spare: Writer | undefined

/** The one encoding of a value. Throws a RangeError for what the codec does not allow: a bug of the caller. */
export function encode<T>(codec: Codec<T>, value: T, given?: Writer): Uint8Array {
  if (given !== undefined) return written(given, codec, value)
  const writer = spare ?? new Writer()
  spare = undefined
  const encoded = written(writer, codec, value)
  if (writer.bytes.length <= KEPT_BYTES_MAX) spare = writer
  return encoded
}

function written<T>(writer: Writer, codec: Codec<T>, value: T): Uint8Array {
  writer.reset()
  codec.write(writer, value)
  return writer.taken()
}

/** The value that these bytes encode, all of them; or a refusal. Never throws. */
export function decode<T>(codec: Codec<T>, input: Uint8Array): Decoded<T> {
  const reader = new Reader(input)
  try {
    const value = codec.read(reader)
    if (reader.left > 0) return { ok: false, refusal: `${reader.left} bytes too many` }
    return { ok: true, value }
  } catch (error) {
    if (error instanceof Refusal) return { ok: false, refusal: error.message }
    throw error
  }
}
