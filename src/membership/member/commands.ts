// What the user of a member may ask of it.

import { type Millis, take } from '../../core/index.ts'
import { admit } from '../../crypto/index.ts'
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
} from '../claims.ts'
import type { MembershipCommand } from '../events.ts'
import { askAggregate } from './aggregation.ts'
import { announce, announceValues, sayLeave } from './announcing.ts'
import { EVENTS_WINDOW } from './judging.ts'
import { onJoin } from './repair.ts'
import { type MemberScene, memberTimers, PUBLISHING } from './state.ts'
import { spread, viewOf } from './views.ts'

type Command<Kind extends MembershipCommand['kind']> = Extract<MembershipCommand, { kind: Kind }>

/** How many beats of gossip a farewell takes to go round; then the process may end. */
const FAREWELL_BEATS = 8
const CONTACTS_MAX = 64
const utf8 = new TextEncoder()

/** Whether text can go on the wire: what cannot is refused here, where somebody can be told. */
function fits(text: string, bytesMax: number): boolean {
  return text.isWellFormed() && utf8.encode(text).length <= bytesMax
}

function done({ turn }: MemberScene, id: number): void {
  turn.do({ kind: 'emit', event: { kind: 'done', id } })
}

export function refuse({ turn }: MemberScene, id: number, why: string): void {
  turn.do({ kind: 'emit', event: { kind: 'refused', id, why } })
}

export function onSet(scene: MemberScene, { id, values }: Command<'set'>): void {
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

export function onAggregateCommand(scene: MemberScene, { id, name }: Command<'aggregate'>): void {
  if (!fits(name, NAME_BYTES_MAX)) return refuse(scene, id, 'there is no such attribute')
  if (!askAggregate(scene, id, name)) refuse(scene, id, 'too many aggregates are under way')
}

function isValue({ name, value }: NamedValue): boolean {
  return name !== '' && fits(name, NAME_BYTES_MAX) && Number.isFinite(value)
}

export function onAnnounce(scene: MemberScene, { id, keys, address }: Command<'announce'>): void {
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

export function onLeave(scene: MemberScene, { id }: Command<'leave'>): void {
  const { state, settings, turn } = scene
  state.leaving = true
  sayLeave(scene)
  const after: Millis = settings.beat.gossipEvery * FAREWELL_BEATS
  memberTimers.set(turn, 'gone', after, String(id))
}

/** Tells all a few bytes, soon and probably: dissemination (LECTURE). */
export function onPublish(scene: MemberScene, { id, topic, payload }: Command<'publish'>): void {
  const { state, settings, turn } = scene
  if (payload.length > PAYLOAD_BYTES_MAX || !fits(topic, TOPIC_BYTES_MAX)) {
    return refuse(scene, id, `an event has at most ${PAYLOAD_BYTES_MAX} bytes, its topic ${TOPIC_BYTES_MAX}`)
  }
  if (!take(state.publishing, PUBLISHING, turn.now, 1)) return refuse(scene, id, 'too many events in a short time')
  const own = state.members.get(state.self)!
  const number = ++state.eventNumber
  const { boot, self: member } = state
  const { group, signer } = settings
  // A number of its own is always fresh; marked, so that it is not news when it comes back.
  const admission = admit(own.events, boot, number, EVENTS_WINDOW)
  if (admission.fresh) own.events = admission.window
  spread(scene, signClaim(group, signer, { kind: 'event', member, boot, number, topic, payload }))
  done(scene, id)
}

export function onStatus(scene: MemberScene, { id }: Command<'status'>): void {
  const { state, turn } = scene
  const members = [...state.members.values()].map(member => viewOf(scene, member))
  const { awareness, coordinate } = state
  const refusals = { ...state.refusals }
  turn.do({ kind: 'emit', event: { kind: 'status', id, members, awareness, refusals, coordinate } })
}

export function onContact(scene: MemberScene, { id, contacts }: Command<'contact'>): void {
  const { state } = scene
  const known = [...new Set([...contacts, ...state.contacts])].slice(0, CONTACTS_MAX)
  state.contacts = known.filter(contact => contact !== state.self)
  onJoin(scene)
  done(scene, id)
}

/** The farewell has gone round. */
export function onGone({ turn }: MemberScene, id: string): void {
  turn.do({ kind: 'emit', event: { kind: 'gone', id: Number(id) } })
}
