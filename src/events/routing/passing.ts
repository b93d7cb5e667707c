// Events on their way: out in every tree, over each link whose far side announced something that matches, never back.

import { assert, type NodeId } from '../../core/index.ts'
import type { Clause } from '../canonical.ts'
import { decodeContent, type EventContent, encodeContent } from '../content.ts'
import { holds, matches } from '../filter.ts'
import { signBatch } from '../signed.ts'
import { type Attributes, parseAttributes } from '../values.ts'
import { BATCH_MAX, CONTENT_BYTES_MAX, type Item, type Source } from '../wire.ts'
import { inUse } from './changing.ts'
import { RECEIPT_BYTES_MAX, RECEIPTS_MAX, WAITING_BYTES_MAX, WAITING_MAX } from './limits.ts'
import { awaitReceipts } from './receipts.ts'
import {
  CHANNEL,
  type Link,
  type Overlay,
  type Passing,
  type RoutingCommand,
  type RoutingScene,
  routingTimers,
  type Waiting,
} from './state.ts'
import { bitOf, judge, knownOf, noteOwn } from './window.ts'

/** The attributes by which an event is routed: its own, and its channel. */
function routedBy(channel: string, attributes: Attributes): Attributes {
  return { ...attributes, [CHANNEL]: channel }
}

function wants({ heard }: Link, attributes: Attributes): boolean {
  for (const clause of heard.values()) if (holdsAll(clause, attributes)) return true
  return false
}

function holdsAll(clause: Clause, attributes: Attributes): boolean {
  return clause.every(predicate => holds(predicate, attributes))
}

/** One more event of our own. It goes out with the next signature, once there are trees that are ready. */
export function publish(scene: RoutingScene, command: RoutingCommand & { kind: 'publish' }): void {
  const { state, turn } = scene
  const { id, channel, content, receipts = false } = command
  const refuse = (why: string) => turn.do({ kind: 'emit', event: { kind: 'refused', id, why } })
  const encoded = encodeContent({ ...content, attributes: parseAttributes(content.attributes) })
  if (encoded.length > CONTENT_BYTES_MAX)
    return refuse(`the event has ${encoded.length} bytes; at most ${CONTENT_BYTES_MAX} are sent`)
  if (state.overlays.at(-1)?.trees === 0) return refuse('this member is not in the list that the trees are made of')
  if (state.waiting.length >= WAITING_MAX || state.waitingBytes + encoded.length > WAITING_BYTES_MAX)
    return refuse(`${state.waiting.length} events wait for trees that are ready already, and no more are kept`)
  if (receipts && (state.awaited.size >= RECEIPTS_MAX || state.awaitedBytes + encoded.length > RECEIPT_BYTES_MAX))
    return refuse(`the receipts of ${state.awaited.size} events are waited for already, and no more are`)
  state.waiting.push({ id, channel, content, encoded, receipts })
  state.waitingBytes += encoded.length
  flush(scene)
}

/** An event that is not out yet stays here; false where it is out, or was never there. */
export function takeBack({ state, turn }: RoutingScene, id: number): boolean {
  const found = state.waiting.find(one => one.id === id)
  if (found === undefined) return false
  state.waiting = state.waiting.filter(one => one !== found)
  state.waitingBytes -= found.encoded.length
  const why = 'its time was up before this member had trees that are ready'
  turn.do({ kind: 'emit', event: { kind: 'refused', id, why } })
  return true
}

/** Signs and sends what waits: the first at once, the rest in batches. */
export function flush(scene: RoutingScene): void {
  const { state, settings, turn } = scene
  if (state.batching || state.waiting.length === 0) return
  const overlays = inUse(scene)
  if (overlays.length === 0) return
  const { channel } = state.waiting[0]!
  const batch = state.waiting.filter(one => one.channel === channel).slice(0, BATCH_MAX)
  state.waiting = state.waiting.filter(one => !batch.includes(one))
  for (const { encoded } of batch) state.waitingBytes -= encoded.length
  send(scene, overlays, channel, batch)
  state.batching = true
  routingTimers.set(turn, 'batch', settings.batchEvery)
}

function send(scene: RoutingScene, overlays: readonly Overlay[], channel: string, batch: readonly Waiting[]): void {
  const { state, settings, turn } = scene
  const source: Source = { channel, author: state.self, boot: state.boot }
  const last = state.counter
  const items = batch.map(({ encoded }, at): Item => ({ counter: last + at + 1, content: encoded, proof: undefined }))
  state.counter += items.length
  for (const [at, item] of signBatch(settings, settings.signer, source, items).entries()) {
    const { id, content, receipts } = batch[at]!
    noteOwn(scene, overlays, source, item)
    for (const overlay of overlays) {
      const used = settings.rules.treesUsed(overlay.trees)
      for (let tree = 0; tree < used; tree++) pass(scene, overlay, tree, { source, item }, content.attributes)
    }
    turn.do({ kind: 'emit', event: { kind: 'published', id, source, counter: item.counter } })
    handOver(scene, source, item.counter, content)
    if (receipts) awaitReceipts(scene, id, { source, item }, overlays.at(-1)!)
  }
}

/** To each neighbour of the tree whose side wants it. */
function pass(
  { settings, turn }: RoutingScene,
  overlay: Overlay,
  tree: number,
  { source, item, from }: Passing & { readonly from?: NodeId },
  attributes: Attributes,
): void {
  const routed = routedBy(source.channel, attributes)
  const place = { overlay: overlay.number, tree }
  for (const link of overlay.links) {
    if (link.tree !== tree || !settings.rules.passesOn(link.peer, from) || !wants(link, routed)) continue
    turn.do({ kind: 'send', to: link.peer, body: { kind: 'event', place, source, item } })
  }
}

/** A copy of an event, from a neighbour. */
export function take(scene: RoutingScene, overlay: Overlay, link: Link, { source, item }: Passing): void {
  const content = accept(scene, bitOf(overlay, link.tree), link.peer, { source, item })
  if (content !== undefined) pass(scene, overlay, link.tree, { source, item, from: link.peer }, content.attributes)
}

/** A copy that counts: noted, and handed over if it is the first. Nothing where it is to be dropped. */
export function accept(
  scene: RoutingScene,
  bit: number,
  from: NodeId,
  { source, item }: Passing,
): EventContent | undefined {
  const { state, turn } = scene
  const verdict = judge(scene, bit, source, item)
  switch (verdict) {
    case 'repeat':
      state.repeats++
      return undefined
    case 'late':
      turn.do({ kind: 'emit', event: { kind: 'late', author: source.author, counter: item.counter } })
      return undefined
    case 'forged':
    case 'unknown author':
      turn.do({ kind: 'emit', event: { kind: 'dropped', from, author: source.author, why: verdict } })
      return undefined
    case 'new':
    case 'known': {
      const content = decodeContent(item.content)
      if (!content.ok) return undefined
      if (verdict === 'new') handOver(scene, source, item.counter, content.value)
      return content.value
    }
  }
}

function handOver(scene: RoutingScene, source: Source, counter: number, content: EventContent): void {
  const { state, turn } = scene
  assert(counter > 0, 'counters begin at one')
  for (const [id, { channel, filter }] of state.subscriptions) {
    if (channel !== source.channel || !matches(filter, content.attributes)) continue
    turn.do({ kind: 'emit', event: { kind: 'handed', id, source, counter, content } })
    const seen = knownOf(scene, source.author, source.boot, counter)
    if (typeof seen === 'object') seen.handed = true
  }
}
