// What a server hands out of an object's content: entries by key, changes, pages.

import type { NodeId } from '../../core/index.ts'
import { LOWEST_RANK } from '../rules.ts'
import { FIRST_DIGEST } from '../versions/digest.ts'
import { keysOf, page as pageFrom } from '../versions/pages.ts'
import type { ClientMessage, ProposedHead, Write } from '../wire.ts'
import { changesAfter } from './recent-changes.ts'
import { reply } from './send.ts'
import { nameSilent } from './sessions.ts'
import type { ServerScene } from './state.ts'
import { lookUp, proposedHead, type ServerObject } from './state.ts'

export function onRead(scene: ServerScene, from: NodeId, asked: ClientMessage & { kind: 'read' }): void {
  const { state, turn } = scene
  const object = lookUp(state, asked.object)
  const { name, committed, proposed, content } = object
  const entries: Write[] = []
  if (asked.content) for (const key of asked.keys) entries.push({ key, value: content.table.get(key) })
  reply(scene, from, {
    kind: 'readings',
    object: name,
    query: asked.query,
    committed,
    proposed: takenHead(object),
    change:
      asked.content && proposed !== undefined && proposed.version > committed.version ? proposed.change : undefined,
    applied: content.version,
    entries,
    silent: state.servers.includes(from) ? [] : nameSilent(object, turn.now),
  })
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
  if (object.listed === undefined || asked.after === '') object.listed = keysOf(content).sort()
  const { listed } = object
  const { entries, next } = pageFrom(content, listed, placeAfter(listed, asked.after), settings.copyPageBytes)
  const more = next < listed.length
  if (!more) object.listed = undefined
  const applied = { version: content.version, digest: content.digest }
  reply(scene, from, { kind: 'entries', object: name, query: asked.query, applied, entries, more })
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
