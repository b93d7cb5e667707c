// Where durable subscriptions stand: kept by all servers for their owners. The newest generation wins, then the newest save.

import { encode, type NodeId } from '../../core/index.ts'
import { newer } from '../cursor.ts'
import { certificateOf } from '../rules.ts'
import { isOwnersCursor } from '../signed.ts'
import { ENTRIES_MAX, type EventsMessage, eventsRecord, isName, type Position, type SavedCursor } from '../wire.ts'
import { CURSORS_MAX, OWNER_CURSORS_MAX, type ServerScene, type ServerState } from './state.ts'

type Message<Kind extends EventsMessage['kind']> = EventsMessage & { kind: Kind }

type Named = Pick<SavedCursor, 'channel' | 'owner' | 'name'>

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
  if (known === undefined && !hasRoom(state, owner)) return
  if (known === undefined || newer(cursor, known)) {
    remember(state, cursor)
    turn.do({ kind: 'save', record: encode(eventsRecord, { kind: 'cursor', cursor }) })
  }
  turn.do({ kind: 'send', to: from, body: { kind: 'saved', sub, generation, serial } })
}

function sameLife(one: SavedCursor, other: SavedCursor): boolean {
  return one.generation === other.generation && one.instance === other.instance
}

function hasRoom(state: ServerState, owner: string): boolean {
  return state.cursors.size < CURSORS_MAX && (state.owners.get(owner) ?? 0) < OWNER_CURSORS_MAX
}

/** Also at the start, from the records. Says whether it is news. */
export function remember(state: ServerState, cursor: SavedCursor): boolean {
  const key = cursorKey(cursor)
  const known = state.cursors.get(key)
  if (known === undefined) state.owners.set(cursor.owner, (state.owners.get(cursor.owner) ?? 0) + 1)
  if (known !== undefined && !newer(cursor, known)) return false
  state.cursors.set(key, cursor)
  return true
}
