// Events in a list, each with the proof that its author signed it, as bytes.
//
// Up to 64 events share a signature, and neighbours in a batch share most of their paths: of a whole batch only two hashes an
// event differ from those of the event before it. So what an event shares with the one before it is not written again. It
// halves what is sent and kept of signed events, and what is read back shares its arrays.

import { bytes, type Codec, type Reader, sameBytes, uint, type Writer } from '../core/index.ts'
import { BATCH_MAX, CONTENT_BYTES_MAX, HASH_BYTES, PATH_MAX, SIGNATURE_BYTES } from './limits.ts'

/** That the author signed this event: the path from it to the root of its batch, and the signature over the root. */
export interface EventProof {
  readonly first: number
  readonly count: number
  readonly path: readonly Uint8Array[]
  readonly signature: Uint8Array
}

/** An event as it is kept and sent: attributes and payload are encoded in `content`, and hashed as they are. */
export interface Item {
  readonly counter: number
  readonly content: Uint8Array
  readonly proof: EventProof | undefined
}

/** How the proof of an event stands to the one before it: there is none, it is whole, it is of the same batch. */
const NONE = 0
const WHOLE = 1
const SAME_BATCH = 2

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
      let before: EventProof | undefined
      for (const item of items) {
        counter.write(writer, item.counter)
        content.write(writer, item.content)
        writeProof(writer, item.proof, before)
        before = item.proof
      }
    },
    read(reader) {
      const length = reader.uint()
      if (length > max) reader.refuse(`a list of more than ${max}`)
      const items: Writable<Item>[] = []
      let proof: EventProof | undefined
      for (let place = 0; place < length; place++) {
        const number = counter.read(reader)
        const body = viewed(reader)
        proof = readProof(reader, proof, strict)
        items.push({ counter: number, content: body, proof })
      }
      for (let place = 0; place < length; ) place = copySome(items, place)
      return items
    },
  }
}

type Writable<T> = { -readonly [Name in keyof T]: T[Name] }

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

function writeProof(writer: Writer, proof: EventProof | undefined, before: EventProof | undefined): void {
  if (proof === undefined) return writer.byte(NONE)
  const isNext = before !== undefined && isSameBatch(before, proof)
  writer.byte(isNext ? SAME_BATCH : WHOLE)
  if (!isNext) {
    counter.write(writer, proof.first)
    count.write(writer, proof.count)
  }
  const shared = isNext ? sharedEnd(before.path, proof.path) : 0
  if (isNext) writer.uint(shared)
  writePath(writer, proof.path, proof.path.length - shared)
  if (!isNext) signature.write(writer, proof.signature)
}

function writePath(writer: Writer, path: readonly Uint8Array[], length: number): void {
  if (path.length > PATH_MAX) throw new RangeError(`cannot encode a path of more than ${PATH_MAX}: ${path.length}`)
  writer.uint(length)
  for (let place = 0; place < length; place++) hash.write(writer, path[place]!)
}

function readProof(reader: Reader, before: EventProof | undefined, strict: boolean): EventProof | undefined {
  switch (reader.byte()) {
    case NONE:
      return undefined
    case WHOLE: {
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

function readNext(reader: Reader, before: EventProof): EventProof {
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
