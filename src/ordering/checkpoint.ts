// The log is kept short without one big snapshot: an account of everything is written page by page, among the records
// of the day, and when it is whole, what stands before it is forgotten.
//
// Pages are of different versions. Replaying the log in its order gives the exact state all the same: a page puts what
// the table had when it was written, and every change since stands behind it.

import { encode } from '../core/index.ts'
import { type Content, sessionCodec, sessionKey } from './content.ts'
import { ANSWER_BYTES_MAX, ENTRIES_MAX, type Write } from './messages.ts'
import type { ServerObject, ServerState, ServerTurn } from './objects.ts'
import { proposalRecord, saveLazily } from './records.ts'
import type { OrderingSettings } from './settings.ts'

/** A new account begins after the bytes of the settings, or after twice what the last one took: that is its price. */
const ACCOUNTS_BYTES = 2

export interface Account {
  /** Objects still to come. */
  readonly objects: string[]
  /** Of the present one: keys still to come, from `next` on. */
  keys: readonly string[]
  next: number
  object: string
  bytes: number
}

/** Goes on with the account by a step, or begins one when it is time. */
export function goOn(state: ServerState, settings: OrderingSettings, turn: ServerTurn): void {
  const { account } = state
  if (account === undefined) {
    if (state.saved < Math.max(settings.accountBytesMin, ACCOUNTS_BYTES * state.accounted)) return
    state.saved = 0
    state.account = { objects: [...state.objects.keys()], keys: [], next: 0, object: '', bytes: 0 }
    return nextObject(state, state.account, true, turn)
  }
  const object = state.objects.get(account.object)
  if (object !== undefined && account.next < account.keys.length)
    return writePage(state, settings, account, object, turn)
  nextObject(state, account, false, turn)
}

function nextObject(state: ServerState, account: Account, begins: boolean, turn: ServerTurn): void {
  const name = account.objects.pop()
  const object = name === undefined ? undefined : state.objects.get(name)
  if (object === undefined) {
    state.account = undefined
    state.accounted = account.bytes
    return turn.do({ kind: 'forget' })
  }
  account.object = object.name
  account.keys = keysOf(object.content)
  account.next = 0
  writeHead(state, object, begins, turn)
}

function writeVersion(state: ServerState, object: ServerObject, begins: boolean, turn: ServerTurn): void {
  const { name, promised, proof, content, committed } = object
  const applied = { version: content.version, digest: content.digest }
  saveLazily(state, { kind: 'head', object: name, promised, proof, applied, committed }, turn, begins)
}

function writeHead(state: ServerState, object: ServerObject, begins: boolean, turn: ServerTurn): void {
  const { name, promised, proof, proposed, ahead, doubtful } = object
  writeVersion(state, object, begins, turn)
  for (const { version, digest, parent, change } of ahead.values()) {
    saveLazily(state, { kind: 'caught', object: name, head: { version, digest }, parent, change }, turn)
  }
  for (const { version, digest, parent, change } of doubtful.values()) {
    saveLazily(state, { kind: 'doubtful', object: name, head: { version, digest }, parent, change }, turn)
  }
  if (proposed === undefined) return
  saveLazily(state, proposalRecord(name, proposed), turn)
  // A proposal carries its own rank; a higher one may have been promised since.
  saveLazily(state, { kind: 'rank', object: name, rank: promised, proof }, turn)
}

function writePage(
  state: ServerState,
  settings: OrderingSettings,
  account: Account,
  object: ServerObject,
  turn: ServerTurn,
): void {
  const { entries, next, bytes } = page(object.content, account.keys, account.next, settings.accountPageBytes)
  account.next = next
  account.bytes += bytes
  // A commit has no record: without the version, the log would lead to the one before it, with entries of this one.
  writeVersion(state, object, false, turn)
  saveLazily(state, { kind: 'entries', object: object.name, entries }, turn)
}

export function keysOf({ table, sessions }: Content): string[] {
  const keys = [...table.keys()]
  for (const session of sessions.keys()) keys.push(sessionKey(session))
  return keys
}

/** Entries of these keys from a place on, as many as fit, and the place of the first that does not. */
export function page(
  content: Content,
  keys: readonly string[],
  from: number,
  bytesMax = ANSWER_BYTES_MAX,
): { entries: Write[]; next: number; bytes: number } {
  const entries: Write[] = []
  let bytes = 0
  let next = from
  for (; next < keys.length && entries.length < ENTRIES_MAX; next++) {
    const key = keys[next]!
    const value = valueUnder(content, key)
    // Removed since the keys were listed: the change that did it says so.
    if (value === undefined) continue
    const size = key.length + value.length
    if (entries.length > 0 && bytes + size > bytesMax) break
    bytes += size
    entries.push({ key, value })
  }
  return { entries, next, bytes }
}

function valueUnder({ table, sessions }: Content, key: string): Uint8Array | undefined {
  if (key.charCodeAt(0) !== 0) return table.get(key)
  const session = sessions.get(key.slice(sessionKey('').length))
  return session === undefined ? undefined : encode(sessionCodec, session)
}
