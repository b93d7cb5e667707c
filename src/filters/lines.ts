// Lines of a byte stream through a filter: the pure part of `coterie dedup`.
//
// Chunks come as they come; a line may lie across several. What is to be written leaves as ranges of the bytes that
// came in, neighbouring lines as one range, so that a stream without duplicates is passed on whole and nothing is
// copied except the piece of a line at the end of a chunk. A line's key is its bytes without the newline, or one field
// of it. A line without that field has the empty key, as in `awk '!seen[$3]++'`.

import { kindOf } from '../core/index.ts'
import type { Filter, Verdict } from './filter.ts'
import { FilterError, filterOptions, requireInteger, requireOneOf } from './refusals.ts'

const NEWLINE = 10
const SPACE = 32
const TAB = 9
/** Up to here a plain loop finds the newline sooner than a call of the engine's search. */
const SHORT_LINE_BYTES = 48
/** A stream without newlines must not fill the memory. */
const LINE_BYTES_MAX = 16 * 2 ** 20
const CARRY_BYTES = 4096

/** Called with bytes to pass on. They are valid during the call only. */
export type Emit = (bytes: Uint8Array, start: number, end: number) => void

/** Which filter looks at the lines of a text, and which lines are passed on. */
export interface LineOptions {
  readonly filter: Filter
  /** Which lines to pass on. */
  readonly keep?: 'unseen' | 'duplicate' | undefined
  /** The key is this field, counted from 1, and not the whole line. */
  readonly field?: number | undefined
  /** What separates fields: one byte. Left out: any run of spaces and tabs. */
  readonly separator?: number | undefined
}

const checkOptions = filterOptions<LineOptions>({ filter: true, keep: true, field: true, separator: true })

/** Passes on the lines of a text that a filter has not seen, or those that it has. */
export class LineStream {
  lines = 0
  duplicates = 0
  bytes = 0
  private readonly filter: Filter
  private readonly keepDuplicates: boolean
  private readonly field: number
  private readonly separator: number | undefined
  /** The beginning of a line whose end has not come yet. */
  private carry = new Uint8Array(CARRY_BYTES)
  private carried = 0
  /** Where the line at hand ends: the place of its newline. */
  private lineEnd = 0
  /** Where the field at hand ends, in that line. */
  private fieldEnd = 0

  constructor(options: LineOptions) {
    const { filter, keep = 'unseen', field, separator } = checkOptions('LineStream', options)
    requireOneOf('keep', keep, ['unseen', 'duplicate'])
    if (typeof filter?.streamRange !== 'function')
      throw new FilterError('filter is missing: what says which lines are new')
    this.filter = filter
    this.keepDuplicates = keep === 'duplicate'
    this.field = field === undefined ? 0 : requireInteger('field', field, 1, 1_000_000)
    this.separator = separator === undefined ? undefined : requireInteger('separator', separator, 0, 255)
  }

  push(chunk: Uint8Array, emit: Emit): void {
    requireChunk(chunk)
    requireEmit(emit)
    this.bytes += chunk.length
    let at = 0
    if (this.carried > 0) {
      at = nextNewline(chunk, 0) + 1
      this.append(chunk, 0, at === 0 ? chunk.length : at)
      if (at === 0) return
      this.flushCarry(emit)
    }
    this.pushLines(chunk, at, emit)
  }

  /** The last line may lack its newline; it is passed on as it came. */
  finish(emit: Emit): void {
    requireEmit(emit)
    if (this.carried > 0) this.flushCarry(emit)
  }

  private pushLines(chunk: Uint8Array, from: number, emit: Emit): void {
    const limit = chunk.lastIndexOf(NEWLINE) + 1
    let start = from
    let keptFrom = -1
    while (start < limit) {
      const passes = this.field === 0 ? this.passesLine(chunk, start) : this.passesField(chunk, start, limit)
      if (passes) {
        if (keptFrom === -1) keptFrom = start
      } else if (keptFrom !== -1) {
        emit(chunk, keptFrom, start)
        keptFrom = -1
      }
      start = this.lineEnd + 1
    }
    if (keptFrom !== -1) emit(chunk, keptFrom, start)
    this.append(chunk, start, chunk.length)
  }

  private flushCarry(emit: Emit): void {
    const { carry, carried } = this
    this.carried = 0
    const end = carry[carried - 1] === NEWLINE ? carried - 1 : carried
    const verdict = this.field === 0 ? this.filter.streamRange(carry, 0, end) : this.streamField(carry, 0, end)
    if (this.count(verdict)) emit(carry, 0, carried)
  }

  private passesLine(bytes: Uint8Array, start: number): boolean {
    this.lineEnd = nextNewline(bytes, start)
    return this.count(this.filter.streamRange(bytes, start, this.lineEnd))
  }

  /** The field is found first, and the line's end is looked for behind it: no byte is looked at twice. */
  private passesField(bytes: Uint8Array, start: number, limit: number): boolean {
    const verdict = this.streamField(bytes, start, limit)
    this.lineEnd = nextNewline(bytes, this.fieldEnd)
    return this.count(verdict)
  }

  private count(verdict: Verdict): boolean {
    this.lines++
    if (verdict === 'unseen') return !this.keepDuplicates
    this.duplicates++
    return this.keepDuplicates
  }

  private streamField(bytes: Uint8Array, lineStart: number, limit: number): Verdict {
    const { separator } = this
    let start = separator === undefined ? skipBlanks(bytes, lineStart, limit) : lineStart
    for (let nth = 1; ; nth++) {
      const end =
        separator === undefined ? blankFrom(bytes, start, limit) : separatorFrom(bytes, start, limit, separator)
      this.fieldEnd = end
      if (nth === this.field) return this.filter.streamRange(bytes, start, end)
      if (end === limit || bytes[end] === NEWLINE) return this.filter.streamRange(bytes, end, end)
      start = separator === undefined ? skipBlanks(bytes, end, limit) : end + 1
    }
  }

  private append(chunk: Uint8Array, start: number, end: number): void {
    const length = this.carried + end - start
    if (length > LINE_BYTES_MAX)
      throw new FilterError(`line ${this.lines + 1} has more than ${LINE_BYTES_MAX} bytes: is this a stream of lines?`)
    if (length > this.carry.length) {
      const larger = new Uint8Array(2 ** Math.ceil(Math.log2(length)))
      larger.set(this.carry.subarray(0, this.carried))
      this.carry = larger
    }
    if (end > start) this.carry.set(chunk.subarray(start, end), this.carried)
    this.carried = length
  }
}

function requireChunk(chunk: Uint8Array): void {
  if (chunk instanceof Uint8Array) return
  throw new FilterError(`chunk is ${kindOf(chunk)}: it must be bytes (Uint8Array) of a text`)
}

function requireEmit(emit: Emit): void {
  if (typeof emit === 'function') return
  throw new FilterError(`emit is ${kindOf(emit)}: it must be a function that is given bytes to pass on`)
}

function nextNewline(bytes: Uint8Array, from: number): number {
  const near = Math.min(from + SHORT_LINE_BYTES, bytes.length)
  for (let at = from; at < near; at++) if (bytes[at] === NEWLINE) return at
  return bytes.indexOf(NEWLINE, near)
}

function skipBlanks(bytes: Uint8Array, from: number, limit: number): number {
  let at = from
  while (at < limit && (bytes[at] === SPACE || bytes[at] === TAB)) at++
  return at
}

/** The first blank or newline from here on, or the limit. */
function blankFrom(bytes: Uint8Array, from: number, limit: number): number {
  let at = from
  // Almost every byte is above the three, and needs one comparison only.
  while (at < limit && (bytes[at]! > SPACE || (bytes[at] !== SPACE && bytes[at] !== TAB && bytes[at] !== NEWLINE))) at++
  return at
}

function separatorFrom(bytes: Uint8Array, from: number, limit: number, separator: number): number {
  let at = from
  while (at < limit && bytes[at] !== separator && bytes[at] !== NEWLINE) at++
  return at
}
