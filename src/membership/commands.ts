// What the user of a member may ask of it.

import { type Millis, take } from '../core/index.ts'
import { askAggregate } from './aggregation.ts'
import {
  ADDRESS_BYTES_MAX,
  ATTRIBUTES_MAX,
  KEY_BYTES_MAX,
  KEYS_MAX,
  NAME_BYTES_MAX,
  type NamedValue,
  PAYLOAD_BYTES_MAX,
  signClaim,
  TOPIC_BYTES_MAX,
} from './claims.ts'
import { announce, announceValues, sayLeave } from './own.ts'
import { knock } from './repair.ts'
import { type MembershipCommand, PUBLISHING, type Scene } from './state.ts'
import { spread, viewOf } from './views.ts'
import { marked } from './window.ts'

type Command<K extends MembershipCommand['kind']> = Extract<MembershipCommand, { kind: K }>

/** After so many beats of gossip a farewell has gone round, and the process may end. */
const FAREWELL_BEATS = 8
const CONTACTS_MAX = 64
const utf8 = new TextEncoder()

/** Whether text can go on the wire: what cannot is refused here, where somebody can be told. */
function fits(text: string, bytesMax: number): boolean {
  return text.isWellFormed() && utf8.encode(text).length <= bytesMax
}

export function obey(scene: Scene, command: MembershipCommand): void {
  const { state } = scene
  if (state.leaving && command.kind !== 'status') return refuse(scene, command.id, 'this member has left')
  switch (command.kind) {
    case 'set':
      return set(scene, command)
    case 'announce':
      return newAnnouncement(scene, command)
    case 'leave':
      return leave(scene, command.id)
    case 'aggregate':
      return aggregate(scene, command)
    case 'publish':
      return publish(scene, command)
    case 'status':
      return status(scene, command.id)
    case 'contact':
      state.contacts = [...new Set([...command.contacts, ...state.contacts])].slice(0, CONTACTS_MAX)
      state.contacts = state.contacts.filter(contact => contact !== state.self)
      knock(scene)
      return done(scene, command.id)
  }
}

function done({ turn }: Scene, id: number): void {
  turn.do({ kind: 'emit', event: { kind: 'done', id } })
}

function refuse({ turn }: Scene, id: number, why: string): void {
  turn.do({ kind: 'emit', event: { kind: 'refused', id, why } })
}

function set(scene: Scene, { id, values }: Command<'set'>): void {
  const { state } = scene
  const wrong = values.find(value => !isValue(value))
  if (wrong !== undefined) return refuse(scene, id, `attribute '${wrong.name}' cannot be ${wrong.value}`)
  const next = new Map(state.values)
  for (const { name, value } of values) next.set(name, value)
  if (next.size > ATTRIBUTES_MAX) return refuse(scene, id, `more than ${ATTRIBUTES_MAX} attributes`)
  state.values = next
  announceValues(scene)
  done(scene, id)
}

function aggregate(scene: Scene, { id, name }: Command<'aggregate'>): void {
  if (!fits(name, NAME_BYTES_MAX)) return refuse(scene, id, 'there is no such attribute')
  if (!askAggregate(scene, id, name)) refuse(scene, id, 'too many aggregates are under way')
}

function isValue({ name, value }: NamedValue): boolean {
  return name !== '' && fits(name, NAME_BYTES_MAX) && Number.isFinite(value)
}

function newAnnouncement(scene: Scene, { id, keys, address }: Command<'announce'>): void {
  const { state } = scene
  const tooLong = keys?.some(({ name, key }) => !fits(name, NAME_BYTES_MAX) || key.length > KEY_BYTES_MAX)
  if (tooLong || (keys?.length ?? 0) > KEYS_MAX)
    return refuse(scene, id, `at most ${KEYS_MAX} keys, of ${KEY_BYTES_MAX} bytes`)
  if (!fits(address ?? '', ADDRESS_BYTES_MAX))
    return refuse(scene, id, `an address has at most ${ADDRESS_BYTES_MAX} bytes`)
  state.keys = keys ?? state.keys
  state.address = address ?? state.address
  state.incarnation++
  announce(scene)
  done(scene, id)
}

function leave(scene: Scene, id: number): void {
  const { state, settings, turn } = scene
  state.leaving = true
  sayLeave(scene)
  const after: Millis = settings.beat.gossipEvery * FAREWELL_BEATS
  turn.do({ kind: 'timer', name: `gone:${id}`, after })
}

/** Tells all a few bytes, soon and probably: dissemination (LECTURE). */
function publish(scene: Scene, { id, topic, payload }: Command<'publish'>): void {
  const { state, settings, turn } = scene
  if (payload.length > PAYLOAD_BYTES_MAX || !fits(topic, TOPIC_BYTES_MAX)) {
    return refuse(scene, id, `an event has at most ${PAYLOAD_BYTES_MAX} bytes, its topic ${TOPIC_BYTES_MAX}`)
  }
  if (!take(state.publishing, PUBLISHING, turn.now, 1)) return refuse(scene, id, 'too many events in a short time')
  const own = state.members.get(state.self)!
  const number = ++state.eventNumber
  const { boot, self: member } = state
  const { group, signer } = settings
  own.events = marked(own.events, boot, number)
  spread(scene, signClaim(group, signer, { kind: 'event', member, boot, number, topic, payload }))
  done(scene, id)
}

function status(scene: Scene, id: number): void {
  const { state, turn } = scene
  const members = [...state.members.values()].map(member => viewOf(scene, member))
  const { awareness, coordinate } = state
  const refusals = { ...state.refusals }
  turn.do({ kind: 'emit', event: { kind: 'status', id, members, awareness, refusals, coordinate } })
}
