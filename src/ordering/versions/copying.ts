// A copy of an object's whole content, where the changes since are no longer known.
//
// Pages are taken one after the other while the source goes on, so that each is of another version. Because changes
// put absolute values, replaying all changes since the first page over all pages gives exactly the last version.
// Digests do not cover tables, so that one source could lie: copies are taken from b + 1 at once, and must be equal.

import { encode, type Millis, type NodeId, sameBytes } from '../../core/index.ts'
import type { Hash } from '../settings.ts'
import type { ClientMessage, Head, ServerMessage } from '../wire.ts'
import { applyWrites, type Content, decodeChange, emptyContent, type KeptChange, put, sessionCodec } from './content.ts'
import { nextDigest } from './digest.ts'
import { CHANGE_OVERHEAD_BYTES } from './fetched-changes.ts'

export interface Copy {
  readonly content: Content
  /** The version of the first page, by the source's word. */
  first: Head | undefined
  /** The newest version of a page. */
  last: number
  /** The last key so far. */
  after: string
  /** All pages are there. */
  paged: boolean
  /** Since the first page. */
  readonly changes: KeptChange[]
  /** Of all that came. */
  bytes: number
  /** It has answered, and is to be asked for the next part. */
  waits: boolean
  /** When it was asked for what it has not answered yet, and how long it took for what it has. */
  askedAt: Millis | undefined
  tookMs: Millis
}

export interface Copying {
  readonly query: number
  readonly copies: ReadonlyMap<NodeId, Copy>
}

export function newCopying(query: number, sources: readonly NodeId[], now: Millis): Copying {
  const copies = new Map<NodeId, Copy>()
  for (const source of sources) {
    const nothing = { first: undefined, last: 0, after: '', paged: false, changes: [], bytes: 0, waits: false }
    copies.set(source, { content: emptyContent(), ...nothing, askedAt: now, tookMs: 0 })
  }
  return { query, copies }
}

/** `count` of these servers, in their order from a place on; those that did not bring the last copy this far come last. */
export function chooseSources(
  servers: readonly NodeId[],
  count: number,
  first: number,
  before: Copying | undefined,
  target: number,
): NodeId[] {
  const failed = (server: NodeId) => {
    const copy = before?.copies.get(server)
    return copy !== undefined && (!copy.paged || copy.last < target)
  }
  const ring = servers.map((_, place) => servers[(first + place) % servers.length]!)
  return [...ring.filter(server => !failed(server)), ...ring.filter(failed)].slice(0, count)
}

/** What to ask a source for next. */
export function nextQuestion(copying: Copying, object: string, source: NodeId): ClientMessage {
  const { query } = copying
  const copy = copying.copies.get(source)!
  if (!copy.paged) return { kind: 'page', object, query, after: copy.after }
  return { kind: 'fetch', object, query, from: copy.changes.at(-1)?.version ?? copy.first!.version }
}

/** How far one source may be ahead of the slowest. All must be there in the end: a liar could send pages for ever. */
export const COPY_AHEAD_BYTES = 32 * 2 ** 20

/** What the slowest source has given so far. */
export function slowestBytes({ copies }: Copying): number {
  return Math.min(...[...copies.values()].map(({ bytes }) => bytes))
}

function isFarAhead(copying: Copying, { bytes }: Copy): boolean {
  return bytes > slowestBytes(copying) + COPY_AHEAD_BYTES
}

/** Whom to ask for the next part now: those that have answered, are not far ahead of the others, and may give more. */
export function nextSources(copying: Copying, now: Millis, mayGive: (source: NodeId) => boolean): NodeId[] {
  const found: NodeId[] = []
  for (const [source, copy] of copying.copies) {
    if (!copy.waits || isFarAhead(copying, copy) || !mayGive(source)) continue
    copy.waits = false
    copy.askedAt = now
    found.push(source)
  }
  return found
}

/** What came is not taken: its source has given so much for other objects that it waits, and is asked for it again. */
export function putOff(copying: Copying, source: NodeId, query: number): void {
  const copy = copying.copies.get(source)
  if (copy === undefined || query !== copying.query) return
  copy.askedAt = undefined
  copy.waits = true
}

/** Whether nothing is asked of any source, and one waits until it may give more. */
export function isPutOff(copying: Copying): boolean {
  const copies = [...copying.copies.values()]
  return (
    copies.every(({ askedAt }) => askedAt === undefined) &&
    copies.some(copy => copy.waits && !isFarAhead(copying, copy))
  )
}

/** After how long it is looked again whether a source that waits may give more. */
const PUT_OFF_MS: Millis = 200

/** How long to wait for one page. */
const PAGE_MS: Millis = 2_000
/** How many times as long as another a source may take for as much. */
const SLOWER_MAX = 5

/**
 * How long to wait until a copy is begun with others, or undefined where no answer is waited for. With a time for each page
 * alone a source that lies would say a word before every end, and there would never be a copy: of one that others wait
 * for, all that it took counts, beside what those took.
 */
export function patience(copying: Copying, now: Millis): Millis | undefined {
  const { copies } = copying
  if (isPutOff(copying)) return PUT_OFF_MS
  const ends: Millis[] = []
  for (const copy of copies.values()) {
    const { askedAt, tookMs, bytes } = copy
    if (askedAt === undefined) continue
    ends.push(askedAt + PAGE_MS)
    for (const other of copies.values()) {
      if (!other.paged && other.bytes <= bytes + COPY_AHEAD_BYTES) continue
      if (other !== copy) ends.push(askedAt + PAGE_MS + SLOWER_MAX * other.tookMs - tookMs)
    }
  }
  return ends.length === 0 ? undefined : Math.max(0, Math.min(...ends) - now)
}

/** Takes a page or changes in. */
export function hearCopy(
  copying: Copying,
  source: NodeId,
  answer: ServerMessage & { kind: 'entries' | 'changes' },
  hash: Hash,
  now: Millis,
): void {
  const copy = copying.copies.get(source)
  if (copy === undefined || answer.query !== copying.query) return
  // Nobody asked for it: who is so far ahead waits for the others.
  if (isFarAhead(copying, copy)) return
  if (copy.askedAt !== undefined) copy.tookMs += now - copy.askedAt
  copy.askedAt = undefined
  if (answer.kind === 'entries') return hearPage(copy, answer)
  if (!copy.paged) return
  for (const { version, change } of answer.changes) {
    const last = copy.changes.at(-1) ?? copy.first!
    if (version !== last.version + 1) continue
    copy.changes.push({ version, change, digest: nextDigest(hash, last.digest, version, change) })
    copy.bytes += change.length + CHANGE_OVERHEAD_BYTES
    copy.waits = true
  }
}

function hearPage(copy: Copy, { applied, entries, more }: ServerMessage & { kind: 'entries' }): void {
  // A second copy of the same page, or one that does not go on.
  if (copy.paged || entries.some(({ key }) => key <= copy.after)) return
  if (applied.version < (copy.first?.version ?? 0)) return
  copy.first ??= applied
  copy.last = Math.max(copy.last, applied.version)
  for (const write of entries) {
    put(copy.content, write)
    copy.bytes += write.key.length + (write.value?.length ?? 0) + CHANGE_OVERHEAD_BYTES
  }
  copy.after = entries.at(-1)?.key ?? copy.after
  copy.paged = !more
  copy.waits = true
}

/** The content at the target, where `needed` copies of it are equal. */
export function agreed(copying: Copying, target: Head, needed: number): Content | undefined {
  const there: Content[] = []
  for (const copy of copying.copies.values()) if (rollTo(copy, target)) there.push(copy.content)
  for (const content of there) {
    if (there.filter(other => sameContent(content, other)).length >= needed) return content
  }
  return undefined
}

// The chain proves the changes and the version of the first page, if they lead to the digest that is vouched for.
function rollTo({ first, last, paged, content, changes }: Copy, target: Head): boolean {
  if (first === undefined || !paged || last > target.version) return false
  const reached = first.version === target.version ? first : changes.find(({ version }) => version === target.version)
  if (reached === undefined || !sameBytes(reached.digest, target.digest)) return false
  for (const { version, digest, change } of changes) {
    if (version > content.version && version <= target.version)
      applyWrites(content, version, digest, decodeChange(change))
  }
  content.version = target.version
  content.digest = target.digest
  return true
}

function sameContent(a: Content, b: Content): boolean {
  if (a === b) return true
  if (a.table.size !== b.table.size || a.sessions.size !== b.sessions.size) return false
  for (const [key, value] of a.table) {
    const other = b.table.get(key)
    if (other === undefined || !sameBytes(value, other)) return false
  }
  for (const [session, value] of a.sessions) {
    const other = b.sessions.get(session)
    if (other === undefined || !sameBytes(encode(sessionCodec, value), encode(sessionCodec, other))) return false
  }
  return true
}
