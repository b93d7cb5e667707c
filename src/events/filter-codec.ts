// Filters as bytes: one encoding for one filter, with a bound on every part. What comes from elsewhere is put into the
// one form and compared: bytes that are not in it are refused, so a digest of them names the filter.

import {
  bool,
  type Codec,
  type Decoded,
  decode,
  encode,
  finite,
  list,
  oneOf,
  option,
  sameBytes,
  struct,
  text,
  variants,
} from '../core/index.ts'
import {
  CLAUSES_MAX,
  type Clause,
  type Filter,
  PREDICATES_MAX,
  type Predicate,
  TESTS_MAX,
  VALUES_MAX,
} from './canonical.ts'
import { FILTER_BYTES_MAX } from './limits.ts'
import { InvalidFilter, refuse, requireFilter } from './refusals.ts'
import type { Test } from './tests.ts'
import { QUEUE_BYTES_MAX, TOPIC_BYTES_MAX } from './topics.ts'
import { ATTRIBUTE_BYTES_MAX, type Scalar, TEXT_BYTES_MAX } from './values.ts'

type Tagged =
  | { readonly kind: 'text'; readonly value: string }
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'boolean'; readonly value: boolean }
  | { readonly kind: 'null' }

const tagged = variants<Tagged>({
  text: { value: text(TEXT_BYTES_MAX) },
  number: { value: finite },
  boolean: { value: bool },
  null: {},
})

/** One item of an attribute, as bytes. */
export const scalarCodec: Codec<Scalar> = {
  write(writer, value) {
    if (typeof value === 'string') return tagged.write(writer, { kind: 'text', value })
    if (typeof value === 'number') return tagged.write(writer, { kind: 'number', value })
    tagged.write(writer, value === null ? { kind: 'null' } : { kind: 'boolean', value })
  },
  read(reader) {
    const read = tagged.read(reader)
    return read.kind === 'null' ? null : read.value
  },
}

type Worded = { [K in Test['op']]: { readonly kind: K } & Omit<Extract<Test, { op: K }>, 'op'> }[Test['op']]

const folding = { not: bool, text: text(TEXT_BYTES_MAX), fold: bool }
const worded = variants<Worded>({
  in: { not: bool, values: list(scalarCodec, VALUES_MAX) },
  range: { not: bool, from: finite, to: finite },
  prefix: folding,
  suffix: folding,
  same: { not: bool, text: text(TEXT_BYTES_MAX) },
  wildcard: { not: bool, text: text(TEXT_BYTES_MAX) },
  cidr: { not: bool, text: text(TEXT_BYTES_MAX) },
  topic: { not: bool, dialect: oneOf('mqtt', 'nats'), text: text(TOPIC_BYTES_MAX) },
})

const testCodec: Codec<Test> = {
  write(writer, { op, ...rest }) {
    worded.write(writer, { kind: op, ...rest } as Worded)
  },
  read(reader) {
    const { kind, ...rest } = worded.read(reader)
    return { op: kind, ...rest } as Test
  },
}

const predicateCodec = struct<Predicate>({
  attribute: text(ATTRIBUTE_BYTES_MAX),
  some: bool,
  tests: list(testCodec, TESTS_MAX),
})

const wholeCodec = struct<{ clauses: readonly Clause[]; queue: string | undefined }>({
  clauses: list(list(predicateCodec, PREDICATES_MAX), CLAUSES_MAX),
  queue: option(text(QUEUE_BYTES_MAX)),
})

/** The one encoding of a filter in its one form. Throws `InvalidFilter` where it is too long. */
export function encodeFilter(filter: Filter): Uint8Array {
  requireFilter(filter)
  const { $any, $queue } = filter
  const encoded = encode(wholeCodec, { clauses: $any, queue: $queue })
  if (encoded.length > FILTER_BYTES_MAX)
    refuse(`the filter takes ${encoded.length} bytes: at most ${FILTER_BYTES_MAX} are allowed.`)
  return encoded
}

/** The filter that these bytes encode, or why they are refused. Never throws. */
export function decodeFilter(bytes: Uint8Array, check: (filter: Filter) => Filter): Decoded<Filter> {
  if (!(bytes instanceof Uint8Array)) return { ok: false, refusal: 'a filter comes as bytes' }
  if (bytes.length > FILTER_BYTES_MAX) return { ok: false, refusal: `more than ${FILTER_BYTES_MAX} bytes` }
  const decoded = decode(wholeCodec, bytes)
  if (!decoded.ok) return decoded
  const { clauses, queue } = decoded.value
  try {
    // Checked first, and only then put into the one form, for which values are asked: a pattern might be none.
    const filter = check({ $any: clauses, ...(queue === undefined ? {} : { $queue: queue }) })
    if (!sameBytes(encodeFilter(filter), bytes)) return { ok: false, refusal: 'a filter that is not in its one form' }
    return { ok: true, value: filter }
  } catch (error) {
    if (error instanceof InvalidFilter) return { ok: false, refusal: error.message }
    throw error
  }
}
