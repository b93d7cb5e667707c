// An object's content, as servers and replicas have it: a table, and the sessions, which are entries under reserved
// keys. A version's change leads from its parent to it; nobody needs `apply` for that.

import { bytes, type Codec, decode, encode, isText, list, type NodeId, struct, text, uint } from '../../core/index.ts'
import {
  COUNTER_MAX,
  type Head,
  type Operation,
  type Response,
  responseCodec,
  SESSION_TTL_MAX,
  UNACKNOWLEDGED_MAX,
  WRITES_MAX,
  type Write,
  writeCodec,
} from '../wire.ts'
import { FIRST_DIGEST } from './digest.ts'
import { Table } from './table.ts'

/** Keys of users do not begin with it. */
export const RESERVED = '\u0000'
const SESSION_KEY = `${RESERVED}s`
/**
 * Bytes of a session's name: a version and a place take half of it. A key holds more than a message does: a client that opened a
 * session under a longer name would have servers that cannot say it, and end, again after each start.
 */
export const SESSION_NAME_BYTES_MAX = 64

export interface Session {
  readonly client: NodeId
  /** By which its client knows it before it has a number. */
  readonly nonce: Uint8Array
  readonly ttl: number
  /** Every operation before this one is applied. */
  readonly next: number
  /** Of operations whose client may not have them yet. */
  readonly responses: readonly Response[]
}

export interface Content {
  version: number
  digest: Uint8Array
  readonly table: Map<string, Uint8Array>
  readonly sessions: Map<string, Session>
  /** Living sessions by client and nonce. */
  readonly opened: Map<string, string>
}

/** A lease is a session that no client speaks in: it has this one's name, and `next` counts its renewals. */
const NOBODY = ''

export function isLease({ client }: Pick<Session, 'client'>): boolean {
  return client === NOBODY
}

/** A lease that begins. The place tells it from the others of its version. */
export function newLease(version: number, place: number, ttl: number): Session {
  const nonce = new Uint8Array(LEASE_NONCE_BYTES)
  const view = new DataView(nonce.buffer)
  view.setFloat64(0, version)
  view.setUint32(8, place)
  return { client: NOBODY, nonce, ttl, next: 1, responses: [] }
}

const LEASE_NONCE_BYTES = 12

/** How a server names what is silent: a lease together with its renewal, so that word of an older one ends nothing. */
export function silentName(id: string, session: Session): string {
  return isLease(session) ? `${id}@${session.next}` : id
}

/** The session that is meant, and of a lease the renewal. */
export function readSilentName(name: string): { readonly id: string; readonly renewal: number | undefined } {
  const mark = name.indexOf('@')
  return mark < 0
    ? { id: name, renewal: undefined }
    : { id: name.slice(0, mark), renewal: Number(name.slice(mark + 1)) }
}

/** What a change did to a session. */
export interface Touched {
  readonly session: string
  readonly before: Session | undefined
  readonly after: Session | undefined
}

export function emptyContent(): Content {
  return { version: 0, digest: FIRST_DIGEST, table: new Table(), sessions: new Map(), opened: new Map() }
}

export const sessionCodec: Codec<Session> = struct<Session>({
  client: text(100),
  nonce: bytes(16),
  ttl: uint(SESSION_TTL_MAX),
  next: uint(COUNTER_MAX),
  responses: list(responseCodec, UNACKNOWLEDGED_MAX),
})

const changeCodec = list(writeCodec, WRITES_MAX)

export function encodeChange(writes: readonly Write[]): Uint8Array {
  return encode(changeCodec, writes)
}

/** The writes of a change, or none where the bytes are no change. Clients do not lie: none would be a version of nothing. */
export function decodeChange(change: Uint8Array): readonly Write[] {
  const decoded = decode(changeCodec, change)
  return decoded.ok ? decoded.value : []
}

export function sessionKey(session: string): string {
  return SESSION_KEY + session
}

export function sessionName(client: NodeId, nonce: Uint8Array): string {
  return `${client} ${nonce.join('.')}`
}

/** The version that opened a session. */
export function openedAt(session: string): number {
  return Number.parseInt(session, 10) || 0
}

/** Goes on to the next version, in place; says which sessions it touched. */
export function applyWrites(
  content: Content,
  version: number,
  digest: Uint8Array,
  writes: readonly Write[],
): Touched[] {
  content.version = version
  content.digest = digest
  const touched: Touched[] = []
  for (const write of writes) {
    const session = put(content, write)
    if (session !== undefined) touched.push(session)
  }
  return touched
}

/** Puts one entry, in place. */
export function put(content: Content, { key, value }: Write): Touched | undefined {
  if (key.charCodeAt(0) === 0) {
    const session = sessionIn(key)
    return session === undefined ? undefined : putSession(content, session, value)
  }
  if (value === undefined) content.table.delete(key)
  else content.table.set(key, value)
  return undefined
}

/** The session that a reserved key is about, if it can be one. */
function sessionIn(key: string): string | undefined {
  const session = key.slice(SESSION_KEY.length)
  return isText(session, SESSION_NAME_BYTES_MAX) ? session : undefined
}

function putSession(content: Content, session: string, value: Uint8Array | undefined): Touched | undefined {
  const before = content.sessions.get(session)
  const decoded = value === undefined ? undefined : decode(sessionCodec, value)
  const after = decoded?.ok ? decoded.value : undefined
  if (after === undefined) {
    content.sessions.delete(session)
    if (before !== undefined) content.opened.delete(sessionName(before.client, before.nonce))
  } else {
    content.sessions.set(session, after)
    if (before === undefined) content.opened.set(sessionName(after.client, after.nonce), session)
  }
  return { session, before, after }
}

/** The sessions that writes would leave behind. */
export function sessionsIn(
  writes: readonly Write[],
): { readonly session: string; readonly after: Session | undefined }[] {
  const found = []
  for (const { key, value } of writes) {
    if (key.charCodeAt(0) !== 0) continue
    const session = sessionIn(key)
    if (session === undefined) continue
    const decoded = value === undefined ? undefined : decode(sessionCodec, value)
    found.push({ session, after: decoded?.ok ? decoded.value : undefined })
  }
  return found
}

export interface KeptChange extends Head {
  readonly change: Uint8Array
}

export interface LinkedChange extends KeptChange {
  readonly parent: Uint8Array
}

export function operationKey(operation: Operation): string {
  if (operation.kind === 'open') return `open ${sessionName(operation.client, operation.nonce)}`
  return `${operation.session} ${operation.seq}`
}
