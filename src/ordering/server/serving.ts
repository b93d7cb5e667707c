// What a server hands out of an object's content: entries by key, changes, pages.

import type { Millis, NodeId } from '../../core/index.ts'
import { LOWEST_RANK } from '../rules.ts'
import type { Content } from '../versions/content.ts'
import { FIRST_DIGEST } from '../versions/digest.ts'
import { keysOf, page as pageFrom } from '../versions/pages.ts'
import type { ClientMessage, ProposedHead, Write } from '../wire.ts'
import { changesAfter } from './recent-changes.ts'
import { reply } from './send.ts'
import { nameSilent } from './sessions.ts'
import type { ServerScene } from './state.ts'
import { lookUp, proposedHead, type ServerObject } from './state.ts'

/**
 * What one answer to a read holds. A change always fits, where nothing else is asked for: a server that rejoins asks for it
 * alone. Without a bound one read of a large value, under a thousand keys that are all the same, would be gigabytes.
 */
export const READ_BYTES_MAX = 15 * 2 ** 20
const NO_ENTRIES: { readonly entries: readonly Write[]; readonly bytes: number } = { entries: [], bytes: 0 }

export function onRead(scene: ServerScene, from: NodeId, asked: ClientMessage & { kind: 'read' }): void {
  const { state, turn } = scene
  const object = lookUp(state, asked.object)
  const { name, committed, content } = object
  const { entries, bytes } = asked.content ? entriesOf(content, asked.keys) : NO_ENTRIES
  reply(scene, from, {
    kind: 'readings',
    object: name,
    query: asked.query,
    committed,
    proposed: takenHead(object),
    change: asked.content ? openChange(object, READ_BYTES_MAX - bytes) : undefined,
    applied: content.version,
    entries,
    silent: state.servers.includes(from) ? [] : nameSilent(object, turn.now),
  })
}

/** All of them, or none where they do not fit into one answer: a reader takes what is not there for no value. */
function entriesOf({ table }: Content, keys: readonly string[]): typeof NO_ENTRIES {
  const entries: Write[] = []
  let bytes = 0
  for (const key of keys) {
    const value = table.get(key)
    bytes += key.length + (value?.length ?? 0)
    if (bytes > READ_BYTES_MAX) return NO_ENTRIES
    entries.push({ key, value })
  }
  return { entries, bytes }
}

/** Of a version that is not known to be decided, where it fits. */
function openChange({ proposed, committed }: ServerObject, bytesLeft: number): Uint8Array | undefined {
  if (proposed === undefined || proposed.version <= committed.version) return undefined
  return proposed.change.length <= bytesLeft ? proposed.change : undefined
}

/** A reader counts the servers that took it in one rank. A server that only heard of it took it in none. */
function takenHead(object: ServerObject): ProposedHead | undefined {
  const head = proposedHead(object)
  return head !== undefined && object.proposed?.heard ? { ...head, rank: LOWEST_RANK } : head
}

export function onFetch(scene: ServerScene, from: NodeId, asked: ClientMessage & { kind: 'fetch' }): void {
  const object = lookUp(scene.state, asked.object)
  const { name, committed } = object
  const changes = changesAfter(object, asked.from)
  const base = digestAt(object, asked.from) ?? FIRST_DIGEST
  const known = changes !== undefined
  reply(scene, from, {
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

function digestAt({ recent, content }: ServerObject, version: number): Uint8Array | undefined {
  if (version === content.version) return content.digest
  return recent[version - (content.version - recent.length + 1)]?.digest
}

/** A part of the table, after a key. The keys are listed when a copy begins: those that come later come as changes. */
export function onPage(scene: ServerScene, from: NodeId, asked: ClientMessage & { kind: 'page' }): void {
  const object = lookUp(scene.state, asked.object)
  const { settings } = scene
  const { content, name } = object
  const keys = listedKeys(scene, object, asked.after === '')
  const { entries, next } = pageFrom(content, keys, placeAfter(keys, asked.after), settings.copyPageBytes)
  const more = next < keys.length
  const applied = { version: content.version, digest: content.digest }
  reply(scene, from, { kind: 'entries', object: name, query: asked.query, applied, entries, more })
}

/**
 * Putting a million keys in order takes a second, and a question for them a few bytes: of one version they are put in order once,
 * whoever asks and however often.
 */
function listedKeys({ turn }: ServerScene, object: ServerObject, begins: boolean): readonly string[] {
  const { content, listed } = object
  const isOld = listed === undefined || (begins && listed.version !== content.version)
  const keys = isOld ? keysOf(content).sort() : listed.keys
  object.listed = { keys, version: isOld ? content.version : listed.version, askedAt: turn.now }
  return keys
}

/** How long the list is kept for those who go on with their copy. */
const LISTED_MS: Millis = 10_000

export function sweepListed(object: ServerObject, now: Millis): void {
  if (object.listed !== undefined && now > object.listed.askedAt + LISTED_MS) object.listed = undefined
}

/** How many keys are at or before this one, by halving. */
function placeAfter(keys: readonly string[], after: string): number {
  let low = 0
  let high = keys.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (keys[middle]! <= after) low = middle + 1
    else high = middle
  }
  return low
}
