// What a server hands out of an object's content: entries by key, changes, pages.

import type { NodeId } from '../core/index.ts'
import { encode } from '../core/index.ts'
import { type Content, sessionCodec, sessionKey } from './content.ts'
import { FIRST_DIGEST } from './digest.ts'
import { ANSWER_BYTES_MAX, type ClientMessage, ENTRIES_MAX, type Write } from './messages.ts'
import { newObject, proposedHead, reply, type ServerObject, type ServerState, type ServerTurn } from './objects.ts'
import { changesAfter } from './suffix.ts'

/** An object that nobody has written to is at version 0; reading does not make it. */
export function lookUp(state: ServerState, name: string): ServerObject {
  return state.objects.get(name) ?? newObject(name)
}

export function read(
  object: ServerObject,
  from: NodeId,
  asked: ClientMessage & { kind: 'read' },
  turn: ServerTurn,
): void {
  const { name, committed, proposed, content } = object
  const entries: Write[] = []
  if (asked.content) for (const key of asked.keys) entries.push({ key, value: content.table.get(key) })
  reply(turn, from, {
    kind: 'readings',
    object: name,
    query: asked.query,
    committed,
    proposed: proposedHead(object),
    change: asked.content && proposed !== undefined && proposed.version > committed.version ? proposed.change : undefined,
    applied: content.version,
    entries,
  })
}

export function fetch(
  object: ServerObject,
  from: NodeId,
  asked: ClientMessage & { kind: 'fetch' },
  turn: ServerTurn,
): void {
  const { name, committed } = object
  const changes = changesAfter(object, asked.from)
  const base = digestAt(object, asked.from) ?? FIRST_DIGEST
  const known = changes !== undefined
  reply(turn, from, {
    kind: 'changes',
    object: name,
    query: asked.query,
    from: asked.from,
    base,
    changes: changes ?? [],
    committed,
    known,
  })
}

function digestAt({ suffix, content }: ServerObject, version: number): Uint8Array | undefined {
  if (version === content.version) return content.digest
  return suffix[version - (content.version - suffix.length + 1)]?.digest
}

export function page(
  object: ServerObject,
  from: NodeId,
  asked: ClientMessage & { kind: 'page' },
  turn: ServerTurn,
): void {
  const { content, name } = object
  const { entries, more } = pageAfter(content, asked.after, ANSWER_BYTES_MAX)
  const applied = { version: content.version, digest: content.digest }
  reply(turn, from, { kind: 'entries', object: name, query: asked.query, applied, entries, more })
}

/** The first entries after a key, in the order of keys, sessions among them. */
export function pageAfter(content: Content, after: string, bytesMax: number): { entries: Write[]; more: boolean } {
  const keys: string[] = []
  for (const session of content.sessions.keys()) if (sessionKey(session) > after) keys.push(sessionKey(session))
  for (const key of content.table.keys()) if (key > after) keys.push(key)
  keys.sort()
  const entries: Write[] = []
  let room = bytesMax
  for (const key of keys) {
    const value = valueOf(content, key)
    room -= key.length + value.length
    if ((room < 0 && entries.length > 0) || entries.length >= ENTRIES_MAX) return { entries, more: true }
    entries.push({ key, value })
  }
  return { entries, more: false }
}

function valueOf({ table, sessions }: Content, key: string): Uint8Array {
  const value = table.get(key)
  if (value !== undefined) return value
  return encode(sessionCodec, sessions.get(key.slice(sessionKey('').length))!)
}
