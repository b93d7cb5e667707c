// Operations become a version: they are applied, at a client, to a view over its replica (BACKOFF figure 2, apply).
// The replica itself changes only when the version is decided.

import { encode, isText } from '../../core/index.ts'
import type { Applier, ApplyContext, Leases, TableView } from '../applier.ts'
import type { OrderingRules } from '../rules.ts'
import {
  type Content,
  isLease,
  newLease,
  RESERVED,
  readSilentName,
  type Session,
  sessionCodec,
  sessionKey,
  sessionName,
} from '../versions/content.ts'
import {
  CHANGE_BYTES_MAX,
  KEY_BYTES_MAX,
  type Operation,
  RESPONSE_BYTES_MAX,
  type Response,
  UNACKNOWLEDGED_MAX,
  VALUE_BYTES_MAX,
  WRITES_MAX,
  type Write,
} from '../wire.ts'

type Writes = Map<string, Uint8Array | undefined>

/** A version in the making. */
export interface Batch {
  readonly object: string
  readonly base: Content
  readonly version: number
  readonly writes: Writes
  /** Sessions as they will be; undefined: ended. */
  readonly sessions: Map<string, Session | undefined>
  /** Session opened here by client and nonce. */
  readonly opened: Map<string, string>
  bytes: number
  operations: number
}

/** From this size on a version takes no more operations: large versions make everybody wait. */
const FULL_BYTES = 2 ** 20
const FULL_OPERATIONS = 4_096
/** Room for the sessions beside what operations write. */
const OPERATION_BYTES_MAX = CHANGE_BYTES_MAX - 4 * 2 ** 20
const ENTRY_OVERHEAD = 8

export function newBatch(object: string, base: Content): Batch {
  return {
    object,
    base,
    version: base.version + 1,
    writes: new Map(),
    sessions: new Map(),
    opened: new Map(),
    bytes: 0,
    operations: 0,
  }
}

export function isFull({ bytes, operations }: Batch): boolean {
  return bytes >= FULL_BYTES || operations >= FULL_OPERATIONS
}

function sessionIn(batch: Batch, session: string): Session | undefined {
  return batch.sessions.has(session) ? batch.sessions.get(session) : batch.base.sessions.get(session)
}

/** An open whose nonce has a living session makes no second one. */
export function openSession(batch: Batch, { client, nonce, ttl }: Operation & { kind: 'open' }): void {
  const name = sessionName(client, nonce)
  if (batch.base.opened.has(name) || batch.opened.has(name)) return
  const session = `${batch.version}.${batch.opened.size}`
  batch.opened.set(name, session)
  batch.sessions.set(session, { client, nonce, ttl, next: 1, responses: [] })
  batch.operations++
}

/** Applies an operation if it is its turn; says whether the session went on. */
export function applyOperation(
  batch: Batch,
  applier: Applier,
  operation: Operation & { kind: 'apply' | 'end' },
  rules: OrderingRules,
): boolean {
  const { session: id, seq, ack, client } = operation
  const session = sessionIn(batch, id)
  if (session === undefined || session.client !== client || !rules.appliesNow(seq, session.next)) return false
  const kept = session.responses.filter(response => response.seq >= ack)
  if (kept.length >= UNACKNOWLEDGED_MAX) return false
  batch.operations++
  if (operation.kind === 'end') {
    endSession(batch, applier, id)
    return true
  }
  const response = run(batch, applier, operation)
  batch.bytes += response.body.length
  batch.sessions.set(id, { ...session, next: seq + 1, responses: [...kept, response] })
  return true
}

function run(batch: Batch, applier: Applier, operation: Operation & { kind: 'apply' }): Response {
  const { session, seq, client, body } = operation
  const { object, version } = batch
  const own: Writes = new Map()
  const changed: OwnLeases = new Map()
  try {
    const context = { object, version, session, client, seq, leases: leasesOf(batch, changed) }
    const result = applier.apply(viewOf(batch, own), body, context)
    if (result.length > RESPONSE_BYTES_MAX) throw new Error(`a response of more than ${RESPONSE_BYTES_MAX} bytes`)
    merge(batch, own)
    mergeLeases(batch, changed)
    return { seq, version, ok: true, body: result }
  } catch (error) {
    return { seq, version, ok: false, body: messageOf(error) }
  }
}

/** Sessions and leases of an object, from which on no lease is granted: each is looked at twice a second by every server. */
export const LEASES_MAX = 10_000

/** Leases as one operation leaves them; undefined: dropped. */
type OwnLeases = Map<string, Session | undefined>

function leasesOf(batch: Batch, own: OwnLeases): Leases {
  const find = (id: string) => {
    const session = own.has(id) ? own.get(id) : sessionIn(batch, id)
    return session !== undefined && isLease(session) ? session : undefined
  }
  return {
    grant(ttl) {
      if (batch.base.sessions.size + own.size >= LEASES_MAX) throw new Error('there are too many leases and sessions')
      const place = batch.opened.size + own.size
      const id = `${batch.version}.${place}`
      own.set(id, newLease(batch.version, place, ttl))
      return id
    },
    has: id => find(id) !== undefined,
    renew(id) {
      const lease = find(id)
      if (lease !== undefined) own.set(id, { ...lease, next: lease.next + 1 })
      return lease !== undefined
    },
    drop(id) {
      if (find(id) !== undefined) own.set(id, undefined)
    },
  }
}

function mergeLeases(batch: Batch, own: OwnLeases): void {
  for (const [id, lease] of own) {
    batch.sessions.set(id, lease)
    // Also what was renewed counts: no two sessions of a version have one place.
    batch.opened.set(`lease ${id}`, id)
  }
}

const NO_LEASES: Leases = { grant: () => '', has: () => false, renew: () => false, drop: () => {} }

/** One that servers call silent; a lease only where it was not renewed since. */
export function endSilent(batch: Batch, applier: Applier, name: string, rules: OrderingRules): void {
  const { id, renewal } = readSilentName(name)
  const session = sessionIn(batch, id)
  if (session === undefined || isLease(session) !== (renewal !== undefined)) return
  if (renewal === undefined || rules.mayEndLease(renewal, session.next)) endSession(batch, applier, id)
}

const utf8 = new TextEncoder()
const ERROR_LENGTH_MAX = 1_000

function messageOf(error: unknown): Uint8Array {
  const text = error instanceof Error ? error.message : String(error)
  return utf8.encode(text.slice(0, ERROR_LENGTH_MAX).toWellFormed())
}

/** By its client's wish, or because it ran out. It stays where what is bound to it cannot be removed in this version. */
export function endSession(batch: Batch, applier: Applier, id: string): void {
  const session = sessionIn(batch, id)
  if (session === undefined) return
  const { object, version } = batch
  const { client, next: seq } = session
  const context: ApplyContext = { object, version, session: id, client, seq, leases: NO_LEASES }
  const own: Writes = new Map()
  try {
    applier.ended?.(viewOf(batch, own), id, context)
    merge(batch, own)
    batch.sessions.set(id, undefined)
  } catch {
    return
  }
}

function merge(batch: Batch, own: Writes): void {
  let bytes = 0
  for (const [key, value] of own) bytes += key.length + (value?.length ?? 0) + ENTRY_OVERHEAD
  if (batch.bytes + bytes > OPERATION_BYTES_MAX) throw new Error('writes more than a version can hold')
  if (batch.writes.size + own.size > WRITES_MAX / 2) throw new Error('writes more entries than a version can hold')
  batch.bytes += bytes
  for (const [key, value] of own) batch.writes.set(key, value)
}

function viewOf({ base, writes }: Batch, own: Writes): TableView {
  const get = (key: string) => {
    if (own.has(key)) return own.get(key)
    if (writes.has(key)) return writes.get(key)
    return base.table.get(key)
  }
  return {
    get,
    set(key, value) {
      if (key.startsWith(RESERVED)) throw new Error('a key begins with U+0000')
      if (!isText(key, KEY_BYTES_MAX)) throw new Error('a key is too long or no text')
      if (value.length > VALUE_BYTES_MAX) throw new Error(`a value of more than ${VALUE_BYTES_MAX} bytes`)
      own.set(key, value)
    },
    remove(key) {
      if (get(key) !== undefined) own.set(key, undefined)
    },
    *keys(prefix) {
      for (const key of base.table.keys()) {
        if (key.startsWith(prefix) && !own.has(key) && !writes.has(key)) yield key
      }
      const fresh = new Set([...writes.keys(), ...own.keys()])
      for (const key of fresh) if (key.startsWith(prefix) && get(key) !== undefined) yield key
    },
  }
}

/** What the version changes. Empty where nothing was applied. */
export function writesOf(batch: Batch): readonly Write[] {
  const found: Write[] = []
  for (const [key, value] of batch.writes) found.push({ key, value })
  for (const [id, session] of batch.sessions) {
    if (session === undefined && !batch.base.sessions.has(id)) continue
    const value = session === undefined ? undefined : encode(sessionCodec, session)
    found.push({ key: sessionKey(id), value })
  }
  return found
}
