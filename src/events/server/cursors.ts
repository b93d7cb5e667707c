// Where durable subscriptions stand: kept by all servers for their owners. The newest generation wins, then the newest save.

import { encode, type NodeId } from '../../core/index.ts'
import { newer } from '../cursor.ts'
import { certificateOf } from '../rules.ts'
import { isOwnersCursor } from '../signed.ts'
import { ENTRIES_MAX, type EventsMessage, eventsRecord, isName, type Position, type SavedCursor } from '../wire.ts'
import { write } from './disk.ts'
import { charge, NO_NUMBER, NO_ROOM, refuse, shareOf, whyFull } from './shares.ts'
import { CURSORS_MAX, OWNER_CURSORS_MAX, type ServerScene, type ServerState } from './state.ts'

type Message<Kind extends EventsMessage['kind']> = EventsMessage & { kind: Kind }

type Named = Pick<SavedCursor, 'channel' | 'owner' | 'name'>

/** Of a cursor, and of each of its positions: in memory, and less on the disk. */
const CURSOR_BYTES = 1_000
const POSITION_BYTES = 120

function cursorKey({ channel, owner, name }: Named): string {
  return `${channel}\u0000${owner}\u0000${name}`
}

export function onLoad({ state, turn }: ServerScene, from: NodeId, { sub, channel, name }: Message<'load'>): void {
  if (state.fresh) return
  const owner = certificateOf(from)
  const cursor = state.cursors.get(cursorKey({ channel, owner, name }))
  const entries: Position[] = []
  for (const { source, held: counter } of state.streams.values()) {
    if (source.channel !== channel || entries.length >= ENTRIES_MAX) continue
    entries.push({ author: source.author, boot: source.boot, counter })
  }
  turn.do({ kind: 'send', to: from, body: { kind: 'loaded', sub, cursor, entries } })
}

export function onSave(scene: ServerScene, from: NodeId, { sub, cursor }: Message<'save'>): void {
  const { state, settings, turn } = scene
  const { channel, name, owner, generation, serial } = cursor
  if (owner !== certificateOf(from) || !isName(channel) || !isName(name)) return
  if (!isOwnersCursor(settings, cursor)) return
  const known = state.cursors.get(cursorKey(cursor))
  if (known !== undefined && newer(known, cursor) && !sameLife(known, cursor)) {
    return turn.do({ kind: 'send', to: from, body: { kind: 'passed', sub, cursor: known } })
  }
  if (known === undefined || newer(cursor, known)) {
    const why = whyNot(scene, cursor)
    if (why !== undefined) return refuse(scene, from, sub, why)
    remember(state, cursor)
    write(scene, encode(eventsRecord, { kind: 'cursor', cursor }))
  }
  turn.do({ kind: 'send', to: from, body: { kind: 'saved', sub, generation, serial } })
}

function sameLife(one: SavedCursor, other: SavedCursor): boolean {
  return one.generation === other.generation && one.instance === other.instance
}

/** Why there is no room for it, or undefined. */
export function whyNot(scene: ServerScene, cursor: SavedCursor): number | undefined {
  const { state } = scene
  const known = state.cursors.get(cursorKey(cursor))
  const more = bytesOf(cursor) - (known === undefined ? 0 : bytesOf(known))
  if (known === undefined && shareOf(state, cursor.owner).cursors >= OWNER_CURSORS_MAX) return NO_NUMBER
  if (known === undefined && state.cursors.size >= CURSORS_MAX) return NO_ROOM
  return whyFull(scene, cursor.owner, more)
}

function bytesOf({ entries, identity }: SavedCursor): number {
  return entries.reduce((sum, { author }) => sum + POSITION_BYTES + author.length, CURSOR_BYTES + identity.length)
}

/** Also at the start, from the records. Says whether it is news. */
export function remember(state: ServerState, cursor: SavedCursor): boolean {
  const key = cursorKey(cursor)
  const known = state.cursors.get(key)
  if (known !== undefined && !newer(cursor, known)) return false
  if (known !== undefined) charge(state, cursor.owner, -bytesOf(known), 'cursors')
  charge(state, cursor.owner, bytesOf(cursor), 'cursors')
  state.cursors.set(key, cursor)
  return true
}
