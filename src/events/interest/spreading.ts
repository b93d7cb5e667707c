// Events on their way: step by step to somebody who wants one, at several places at once; and from there round the ring of all who
// do: to the next on each side, and to a few across. Who was sent it says that it came; who does not is given up, and the next
// nearest is sent it instead.

import type { NodeId } from '../../core/index.ts'
import { decodeContent, type EventContent, encodeContent } from '../content.ts'
import { matches } from '../filter.ts'
import type { Passing } from '../routing/state.ts'
import { judge } from '../routing/window.ts'
import { signBatch, sizeOf } from '../signed.ts'
import { parseAttributes } from '../values.ts'
import { CONTENT_BYTES_MAX, type Item, type Source } from '../wire.ts'
import { gapOf, holdsPoint, type Point, pointOf } from './boxes.ts'
import { giveUp, ownBoxes } from './gossiping.ts'
import {
  HOPS_MAX,
  OUTGOING_BYTES_MAX,
  OUTGOING_BYTES_OF_AUTHOR_MAX,
  OUTGOING_MAX,
  OUTGOING_OF_AUTHOR_MAX,
} from './limits.ts'
import { neighbours, someOf } from './ring.ts'
import { type InterestCommand, type InterestScene, interestTimers, type Known, type Outgoing } from './state.ts'
import type { InterestMessage } from './wire.ts'

/** Of what comes in no tree. */
const NO_TREE = 0
/** What a member of whom nothing is known sends an event to: a few of those membership knows. */
const BLIND = 3

/** An event of our own. */
export function publish(scene: InterestScene, { id, channel, content }: InterestCommand & { kind: 'publish' }): void {
  const { state, settings, turn } = scene
  const encoded = encodeContent({ ...content, attributes: parseAttributes(content.attributes) })
  if (encoded.length > CONTENT_BYTES_MAX) {
    const why = `the event has ${encoded.length} bytes; at most ${CONTENT_BYTES_MAX} are sent`
    return turn.do({ kind: 'emit', event: { kind: 'refused', id, why } })
  }
  const source: Source = { channel, author: state.self, boot: state.boot }
  const unsigned: Item = { counter: ++state.counter, content: encoded, proof: undefined }
  const [item] = signBatch(settings, settings.signer, source, [unsigned])
  // Noted as any other: it may come back.
  judge(scene, NO_TREE, source, item!)
  turn.do({ kind: 'emit', event: { kind: 'published', id, source, counter: item!.counter } })
  const point = pointOf(settings.hash, channel, content.attributes)
  const isOwn = holdsPoint(ownBoxes(scene), point)
  const outgoing = begin(scene, { source, item: item! }, point, 0)
  if (isOwn) {
    handOver(scene, source, item!.counter, content)
    passRound(scene, outgoing)
  }
  bringIn(scene, outgoing, settings.entries - (isOwn ? 1 : 0))
}

/** A copy of an event, from another member. */
export function take(scene: InterestScene, from: NodeId, body: InterestMessage & { kind: 'event' }): void {
  const { settings, turn } = scene
  const { source, item, hops } = body
  const { author, boot } = source
  turn.do({ kind: 'send', to: from, body: { kind: 'got', author, boot, counter: item.counter } })
  const verdict = judge(scene, NO_TREE, source, item)
  if (verdict === 'forged' || verdict === 'unknown author')
    return turn.do({ kind: 'emit', event: { kind: 'dropped', from, author, why: verdict } })
  const content = verdict === 'new' ? decodeContent(item.content) : undefined
  if (!content?.ok) return
  const point = pointOf(settings.hash, source.channel, content.value.attributes)
  const outgoing = begin(scene, { source, item }, point, Math.min(HOPS_MAX, hops + 1))
  outgoing.sent.add(from).add(author)
  if (!holdsPoint(ownBoxes(scene), point)) {
    if (hops < HOPS_MAX) bringIn(scene, outgoing, 1)
    return
  }
  handOver(scene, source, item.counter, content.value)
  passRound(scene, outgoing)
}

function keyOf({ author, boot }: Source, counter: number): string {
  return `${author} ${boot} ${counter}`
}

function begin({ state }: InterestScene, { source, item }: Passing, point: Point, hops: number): Outgoing {
  const outgoing: Outgoing = { source, item, point, hops, sent: new Set([state.self]), open: new Map() }
  state.outgoing.set(keyOf(source, item.counter), outgoing)
  state.outgoingBytes += sizeOf(item)
  count(state, source.author, 1, sizeOf(item))
  const own = () => state.outgoingOf.get(source.author) ?? { events: 0, bytes: 0 }
  while (own().events > OUTGOING_OF_AUTHOR_MAX || own().bytes > OUTGOING_BYTES_OF_AUTHOR_MAX)
    endOldest(state, source.author)
  while (state.outgoing.size > OUTGOING_MAX || state.outgoingBytes > OUTGOING_BYTES_MAX)
    endOldest(state, fullest(state))
  return outgoing
}

/** What is under way of each author. */
function count({ outgoingOf }: InterestScene['state'], author: NodeId, events: number, bytes: number): void {
  const before = outgoingOf.get(author) ?? { events: 0, bytes: 0 }
  if (before.events + events > 0)
    outgoingOf.set(author, { events: before.events + events, bytes: before.bytes + bytes })
  else outgoingOf.delete(author)
}

function fullest({ outgoingOf }: InterestScene['state']): NodeId {
  return [...outgoingOf].reduce((most, one) => (one[1].bytes > most[1].bytes ? one : most))[0]
}

function endOldest(state: InterestScene['state'], author: NodeId): void {
  for (const [key, { source }] of state.outgoing) if (source.author === author) return end(state, key)
}

function end(state: InterestScene['state'], key: string): void {
  const outgoing = state.outgoing.get(key)
  if (outgoing === undefined) return
  state.outgoing.delete(key)
  state.outgoingBytes -= sizeOf(outgoing.item)
  count(state, outgoing.source.author, -1, -sizeOf(outgoing.item))
}

function send({ settings, turn }: InterestScene, outgoing: Outgoing, to: NodeId): void {
  const { source, item, hops, sent, open } = outgoing
  sent.add(to)
  open.set(to, turn.now)
  turn.do({ kind: 'send', to, body: { kind: 'event', source, item, hops } })
  interestTimers.set(turn, 'patience', settings.patience)
}

function known({ state }: InterestScene): Known[] {
  return [...state.links.values(), ...state.random.values()]
}

/** To the next on each side of all who want it, and to a few across. */
function passRound(scene: InterestScene, outgoing: Outgoing): void {
  const { state, settings, turn } = scene
  const wanting = known(scene).filter(({ claim }) => holdsPoint(claim.boxes, outgoing.point))
  const sides = neighbours(state.place, wanting)
  const across = someOf(
    wanting.filter(one => !sides.includes(one)),
    settings.fans,
    bound => turn.below(bound),
  )
  for (const { claim } of [...sides, ...across])
    if (!outgoing.sent.has(claim.member)) send(scene, outgoing, claim.member)
}

/** To so many that want it, or are nearer to it than others. */
function bringIn(scene: InterestScene, outgoing: Outgoing, count: number): void {
  const { state, turn } = scene
  const below = (bound: number) => turn.below(bound)
  const open = known(scene).filter(({ claim }) => !outgoing.sent.has(claim.member))
  const ranked = someOf(open, open.length, below)
    .map(one => ({ id: one.claim.member, gap: gapOf(one.claim.boxes, outgoing.point) }))
    .sort((one, other) => one.gap - other.gap)
  for (const { id } of ranked.slice(0, Math.max(0, count))) send(scene, outgoing, id)
  if (ranked.length > 0 || count <= 0) return
  const anybody = [...state.peers].filter(id => !outgoing.sent.has(id))
  for (const id of someOf(anybody, BLIND, below)) send(scene, outgoing, id)
}

/** A member says that an event came. */
export function hearGot({ state }: InterestScene, from: NodeId, body: InterestMessage & { kind: 'got' }): void {
  const key = keyOf({ channel: '', author: body.author, boot: body.boot }, body.counter)
  const outgoing = state.outgoing.get(key)
  if (outgoing?.open.delete(from) && outgoing.open.size === 0) end(state, key)
}

/** Who was sent something long ago and has not said that it came is given up; others are sent it instead. */
export function lookAfter(scene: InterestScene): void {
  const { state, settings, turn } = scene
  for (const [key, outgoing] of [...state.outgoing]) {
    const late = [...outgoing.open].filter(([, since]) => turn.now - since >= settings.patience).map(([id]) => id)
    for (const id of late) {
      outgoing.open.delete(id)
      giveUp(scene, id)
    }
    if (late.length > 0) {
      if (holdsPoint(ownBoxes(scene), outgoing.point)) passRound(scene, outgoing)
      else bringIn(scene, outgoing, late.length)
    }
    if (outgoing.open.size === 0) end(state, key)
  }
  if (state.outgoing.size > 0) interestTimers.set(turn, 'patience', settings.patience)
}

function handOver({ state, turn }: InterestScene, source: Source, counter: number, content: EventContent): void {
  for (const [id, { channel, filter }] of state.wishes) {
    if (channel !== source.channel || !matches(filter, content.attributes)) continue
    turn.do({ kind: 'emit', event: { kind: 'handed', id, source, counter, content } })
  }
}
