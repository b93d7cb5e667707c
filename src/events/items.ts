// Events in a list, each with the proof that its author signed it, as bytes.
//
// Up to 64 events share a signature. Of a whole batch it is written once, and no path: who has the batch builds the tree
// itself. Of a part each event has its path, and what it shares with that of the event before it is not written again. Most
// lists are whole batches, so that an event takes two bytes more than its content.

import { bytes, type Codec, type Reader, sameBytes, uint, type Writer } from '../core/index.ts'
import { BATCH_MAX, CONTENT_BYTES_MAX, HASH_BYTES, PATH_MAX, SIGNATURE_BYTES } from './limits.ts'
import { pathIn } from './tree.ts'

/** That the author signed this event: the signature over the root of its batch, and how the root is found. */
export interface EventProof {
  readonly first: number
  readonly count: number
  readonly signature: Uint8Array
  /** The path from the event to the root; of an event whose batch came as a whole there is none. */
  readonly path?: readonly Uint8Array[]
  /** Of a whole batch: its tree, one for all its events. It is built by who keeps it, and never sent. */
  readonly tree?: Uint8Array
}

/** An event as it is kept and sent: attributes and payload are encoded in `content`, and hashed as they are. */
export interface Item {
  readonly counter: number
  readonly content: Uint8Array
  readonly proof: EventProof | undefined
}

/**
 * How the proof of an event stands to the one before it: there is none, it has a path of its own, it is of the same batch; or
 * all of its batch follows, numbered from its own counter on, without paths.
 */
const NONE = 0
const OWN = 1
const SAME_BATCH = 2
const WHOLE_BATCH = 3

const counter = uint()
const content = bytes(CONTENT_BYTES_MAX)
const count = uint(BATCH_MAX)
const hash = bytes(HASH_BYTES)
const signature = bytes(SIGNATURE_BYTES)

/** At most so many events. `strict`: what could have been left out must be; what was saved before that was so is not. */
export function itemsCodec(max: number, strict: boolean): Codec<readonly Item[]> {
  return {
    write(writer, items) {
      if (items.length > max) throw new RangeError(`cannot encode a list of more than ${max}: ${items.length}`)
      writer.uint(items.length)
      let before: Written | undefined
      for (let place = 0; place < items.length; ) {
        const whole = wholeAt(items, place)
        if (whole > 0) writeWhole(writer, items, place, whole)
        else {
          const item = items[place]!
          counter.write(writer, item.counter)
          content.write(writer, item.content)
          before = writeProof(writer, item, before)
        }
        // Nothing leans on what has no path.
        if (whole > 0) before = undefined
        place += Math.max(1, whole)
      }
    },
    read(reader) {
      const length = reader.uint()
      if (length > max) reader.refuse(`a list of more than ${max}`)
      const items: Writable<Item>[] = []
      let proof: Written | undefined
      while (items.length < length) {
        const number = counter.read(reader)
        const body = viewed(reader)
        const how = reader.byte()
        if (how === WHOLE_BATCH) {
          readWhole(reader, items, length, number, body)
          proof = undefined
          continue
        }
        proof = readProof(reader, how, proof, strict)
        items.push({ counter: number, content: body, proof })
      }
      for (let place = 0; place < length; ) place = copySome(items, place)
      return items
    },
  }
}

type Writable<T> = { -readonly [Name in keyof T]: T[Name] }
/** A proof as it stands beside an event that goes without its batch. */
type Written = EventProof & { readonly path: readonly Uint8Array[] }

/** How many events the batch has that begins here, where all of it is there, in order, without paths; else 0. */
export function wholeAt(items: readonly Item[], from: number): number {
  const { proof, counter: first } = items[from]!
  if (proof === undefined || proof.path !== undefined || proof.first !== first) return 0
  const { count: all } = proof
  if (all < 2 || from + all > items.length) return 0
  for (let place = 1; place < all; place++) {
    const { counter: number, proof: other } = items[from + place]!
    if (number !== first + place || other === undefined || other.path !== undefined) return 0
    if (other !== proof && !isSameBatch(proof, other)) return 0
  }
  return all
}

/** The way from an event to the root of its batch; undefined where it has none and is not in its batch's tree. */
export function pathOf({ counter: number, proof }: Item): readonly Uint8Array[] | undefined {
  if (proof === undefined || proof.path !== undefined || proof.tree === undefined) return proof?.path
  const place = number - proof.first
  return place >= 0 && place < proof.count ? pathIn(proof.tree, place, proof.count) : undefined
}

/** A list that ends here for want of room: not within a batch that would go as a whole in the next one. */
export function endingWhole(items: Item[]): Item[] {
  const { counter: last = 0, proof } = items.at(-1) ?? {}
  if (proof === undefined || proof.path !== undefined || last === proof.first + proof.count - 1) return items
  const begins = items.findIndex(({ counter: number }) => number >= proof.first)
  return begins > 0 ? items.slice(0, begins) : items
}

function writeWhole(writer: Writer, items: readonly Item[], from: number, length: number): void {
  const { counter: first, proof } = items[from]!
  counter.write(writer, first)
  content.write(writer, items[from]!.content)
  writer.byte(WHOLE_BATCH)
  count.write(writer, length)
  signature.write(writer, proof!.signature)
  for (let place = 1; place < length; place++) content.write(writer, items[from + place]!.content)
}

function readWhole(reader: Reader, items: Writable<Item>[], most: number, first: number, body: Uint8Array): void {
  const length = count.read(reader)
  if (length < 2 || items.length + length > most) reader.refuse('a batch that is not there as a whole')
  if (first > Number.MAX_SAFE_INTEGER - length + 1) reader.refuse('number too large')
  const proof: EventProof = { first, count: length, signature: signature.read(reader) }
  items.push({ counter: first, content: body, proof })
  for (let place = 1; place < length; place++) items.push({ counter: first + place, content: viewed(reader), proof })
}

/** Contents that are copied together: an array of its own for each takes longer than to read it. Whoever keeps one keeps these. */
const TOGETHER_BYTES_MAX = 4_096

function viewed(reader: Reader): Uint8Array {
  const length = reader.uint()
  return length <= CONTENT_BYTES_MAX ? reader.view(length) : reader.refuse(`more than ${CONTENT_BYTES_MAX} bytes`)
}

/** Copies the next contents out of the frame, which is not ours, and says where those begin that are left. */
function copySome(items: Writable<Item>[], from: number): number {
  let end = from + 1
  let bytes = items[from]!.content.length
  for (; end < items.length && bytes + items[end]!.content.length <= TOGETHER_BYTES_MAX; end++)
    bytes += items[end]!.content.length
  const all = new Uint8Array(bytes)
  let at = 0
  for (let place = from; place < end; place++) {
    const item = items[place]!
    all.set(item.content, at)
    item.content = all.subarray(at, at + item.content.length)
    at += item.content.length
  }
  return end
}

/** The proof as it was written, for the next one to lean on. */
function writeProof(writer: Writer, item: Item, before: Written | undefined): Written | undefined {
  if (item.proof === undefined) {
    writer.byte(NONE)
    return undefined
  }
  const path = pathOf(item)
  if (path === undefined) throw new RangeError('cannot encode a part of a batch without its paths')
  const proof: Written = { ...item.proof, path }
  const isNext = before !== undefined && isSameBatch(before, proof)
  writer.byte(isNext ? SAME_BATCH : OWN)
  if (!isNext) {
    counter.write(writer, proof.first)
    count.write(writer, proof.count)
  }
  const shared = isNext ? sharedEnd(before.path, path) : 0
  if (isNext) writer.uint(shared)
  writePath(writer, path, path.length - shared)
  if (!isNext) signature.write(writer, proof.signature)
  return proof
}

function writePath(writer: Writer, path: readonly Uint8Array[], length: number): void {
  if (path.length > PATH_MAX) throw new RangeError(`cannot encode a path of more than ${PATH_MAX}: ${path.length}`)
  writer.uint(length)
  for (let place = 0; place < length; place++) hash.write(writer, path[place]!)
}

function readProof(reader: Reader, how: number, before: Written | undefined, strict: boolean): Written | undefined {
  switch (how) {
    case NONE:
      return undefined
    case OWN: {
      const proof = {
        first: counter.read(reader),
        count: count.read(reader),
        path: readPath(reader),
        signature: signature.read(reader),
      }
      if (strict && before !== undefined && isSameBatch(before, proof)) reader.refuse('a signature that stood there')
      return proof
    }
    case SAME_BATCH:
      return before === undefined ? reader.refuse('an event of the same batch as none') : readNext(reader, before)
    default:
      return reader.refuse('neither a proof nor none')
  }
}

function readNext(reader: Reader, before: Written): Written {
  const shared = reader.uint()
  if (shared > before.path.length) reader.refuse('more of a path than there is')
  const own = readPath(reader)
  if (own.length + shared > PATH_MAX) reader.refuse(`a path of more than ${PATH_MAX}`)
  const last = own.at(-1)
  const beside = before.path[before.path.length - shared - 1]
  if (last !== undefined && beside !== undefined && sameBytes(last, beside)) reader.refuse('a hash that stood there')
  for (let place = before.path.length - shared; place < before.path.length; place++) own.push(before.path[place]!)
  return { first: before.first, count: before.count, path: own, signature: before.signature }
}

function readPath(reader: Reader): Uint8Array[] {
  const length = reader.uint()
  if (length > PATH_MAX) reader.refuse(`a path of more than ${PATH_MAX}`)
  const path: Uint8Array[] = []
  for (let place = 0; place < length; place++) path.push(hash.read(reader))
  return path
}

function isSameBatch(one: EventProof, other: EventProof): boolean {
  if (one.first !== other.first || one.count !== other.count) return false
  return one.signature === other.signature || sameBytes(one.signature, other.signature)
}

/** How many hashes two paths have in common, from the top. */
function sharedEnd(one: readonly Uint8Array[], other: readonly Uint8Array[]): number {
  const most = Math.min(one.length, other.length)
  let shared = 0
  while (shared < most) {
    const [a, b] = [one[one.length - 1 - shared]!, other[other.length - 1 - shared]!]
    if (a !== b && !sameBytes(a, b)) break
    shared++
  }
  return shared
}

/** An event alone, with its path. */
export const itemCodec: Codec<Item> = {
  write(writer, item) {
    counter.write(writer, item.counter)
    content.write(writer, item.content)
    writeProof(writer, item, undefined)
  },
  read(reader) {
    const number = counter.read(reader)
    const body = content.read(reader)
    const how = reader.byte()
    return { counter: number, content: body, proof: readProof(reader, how, undefined, true) }
  },
}
