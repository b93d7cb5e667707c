// Publishing: events are numbered, signed in batches, sent to all servers, and accepted once n - f hold them.
//
// The first event of an idle author goes at once; while it is under way, the next batch forms.

import { kthLargest, type NodeId, sameBytes } from '../../core/index.ts'
import { encodeContent } from '../content.ts'
import { endingWhole } from '../items.ts'
import { certificateOf } from '../rules.ts'
import { FIRST_HEAD, leafOf, proofBytes, signBatch, signedSource, sizeOf } from '../signed.ts'
import { BATCH_MAX, type EventsMessage, ITEMS_BYTES_MAX, type Item, isName, PAYLOAD_BYTES_MAX } from '../wire.ts'
import {
  accuse,
  BOOT_BYTES,
  CHANNELS_MAX,
  type ClientCommand,
  type ClientScene,
  type Holder,
  OUTBOX_MAX,
  type Outgoing,
  randomName,
  say,
  tell,
  WAITING_MAX,
  WINDOW,
} from './state.ts'

type Message<Kind extends EventsMessage['kind']> = EventsMessage & { kind: Kind }

/** In beats: how long a server may say nothing before it is told again. */
const RESEND_BEATS = 2

export function onPublishCommand(scene: ClientScene, command: ClientCommand & { kind: 'publish' }): void {
  const { id, channel, content } = command
  const why = whyNot(scene, command)
  if (why !== undefined) return tell(scene, { kind: 'refused', id, why })
  const out = scene.state.outgoing.get(outgoingKey(channel, command.live)) ?? open(scene, command)
  const encoded = encodeContent(content)
  out.queued.push({ id, content: encoded })
  out.queuedBytes += signedBytes(encoded)
  seal(scene, out)
}

function whyNot({ state, settings }: ClientScene, command: ClientCommand & { kind: 'publish' }) {
  const { channel, content, live, wait = true } = command
  if (!isName(channel)) return 'the channel needs a name of 1 to 200 bytes without control characters.'
  if (content.payload.length > PAYLOAD_BYTES_MAX) return `the payload has more than ${PAYLOAD_BYTES_MAX} bytes.`
  if (settings.liars > 0 && settings.signer === undefined) return 'events are signed here, and this client has no key.'
  const out = state.outgoing.get(outgoingKey(channel, live))
  if (out === undefined) return state.outgoing.size >= CHANNELS_MAX ? 'too many channels are open.' : undefined
  const max = wait ? WAITING_MAX : OUTBOX_MAX
  return out.queued.length + out.items.size >= max ? `${max} events wait to be accepted already.` : undefined
}

function outgoingKey(channel: string, live: boolean): string {
  return `${live ? 'live' : 'saved'} ${channel}`
}

/** A life of its own for each channel: its numbers begin at 1, and two never share an id. */
function open(scene: ClientScene, { channel, live, keep }: ClientCommand & { kind: 'publish' }): Outgoing {
  const { state, settings } = scene
  const holder = (): Holder => ({ held: 0, promised: 0, sent: 0, silent: 0, full: false })
  const identity = settings.liars > 0 ? (settings.identity ?? new Uint8Array()) : new Uint8Array()
  const out: Outgoing = {
    source: { channel, author: certificateOf(state.self), boot: randomName(scene, BOOT_BYTES) },
    terms: { live, keep, identity },
    queued: [],
    queuedBytes: 0,
    items: new Map(),
    ids: new Map(),
    leaf: FIRST_HEAD,
    last: 0,
    accepted: 0,
    told: undefined,
    holders: new Map(state.servers.map(server => [server, holder()])),
  }
  state.outgoing.set(outgoingKey(channel, live), out)
  return out
}

/**
 * Numbers and signs what waits. The first goes at once; while anything is under way the next ones gather, and go when it is
 * accepted or a batch is full: a message, a signature and a flush of the disk cost as much for one as for 64.
 */
function seal(scene: ClientScene, out: Outgoing): void {
  const { settings } = scene
  while (isFull(out) || (out.queued.length > 0 && out.items.size === 0)) {
    const batch = out.queued.splice(0, batchLength(out.queued))
    for (const { content } of batch) out.queuedBytes -= signedBytes(content)
    const bare = batch.map(({ content }, place): Item => ({ counter: out.last + 1 + place, content, proof: undefined }))
    const items =
      settings.liars > 0 ? signBatch(settings, settings.signer!, signedSource(settings, out.source), bare) : bare
    for (const [place, item] of items.entries()) {
      out.items.set(item.counter, item)
      out.ids.set(item.counter, batch[place]!.id)
    }
    out.last += items.length
  }
  for (const [server, holder] of out.holders) send(scene, out, server, holder)
}

function isFull({ queued, queuedBytes }: Outgoing): boolean {
  return queued.length >= BATCH_MAX || queuedBytes > ITEMS_BYTES_MAX
}

/** Bytes of an event in the largest batch. */
function signedBytes(content: Uint8Array): number {
  return sizeOf({ counter: 0, content, proof: undefined }) + proofBytes(BATCH_MAX)
}

/** How many of these are signed together: they go in one message, or each would need its path. */
function batchLength(queued: Outgoing['queued']): number {
  let [count, bytes] = [0, 0]
  for (const { content } of queued) {
    bytes += signedBytes(content)
    if (count >= BATCH_MAX || (count > 0 && bytes > ITEMS_BYTES_MAX)) break
    count++
  }
  return count
}

/** What follows what was sent, within the window. What is accepted is not kept: others repair who lacks it. */
function send(scene: ClientScene, out: Outgoing, server: NodeId, holder: Holder): void {
  if (holder.full) return
  holder.sent = Math.max(holder.sent, out.accepted, holder.held)
  // As with most events: they wait for a batch to be full.
  if (holder.sent >= out.last) return
  const until = wholeUntil(out, holder.sent, Math.min(out.last, Math.max(holder.held, out.accepted) + WINDOW))
  while (holder.sent < until) {
    const body = messageOf(out, holder.sent, until)
    holder.sent = body.items.at(-1)!.counter
    say(scene, server, body)
  }
}

/**
 * Where the window ends within a batch, the batch waits until all of it is within: sent in parts, each event would need its path.
 * It does not wait for ever: a batch is shorter than the window, so what it waits for is under way.
 */
function wholeUntil({ items }: Outgoing, after: number, until: number): number {
  const proof = items.get(until)?.proof
  if (proof === undefined || until === proof.first + proof.count - 1) return until
  return Math.max(after, proof.first - 1)
}

/** The next events behind `after`, as many as a message may have. Servers that are equally far get one and the same. */
function messageOf(out: Outgoing, after: number, until: number): Message<'publish'> {
  const { source, terms, accepted, told } = out
  const most = Math.min(until, after + BATCH_MAX)
  if (told?.body.accepted === accepted && told.after === after && told.most === most) return told.body
  const items: Item[] = []
  let bytes = 0
  for (let counter = after + 1; counter <= most; counter++) {
    const item = out.items.get(counter)!
    bytes += sizeOf(item)
    if (items.length > 0 && bytes > ITEMS_BYTES_MAX) break
    items.push(item)
  }
  const body = { kind: 'publish', source, terms, accepted, items: endingWhole(items) } as const
  out.told = { after, most, body }
  return body
}

function ours({ state }: ClientScene, { channel, author, boot }: Outgoing['source']): Outgoing | undefined {
  for (const live of [false, true]) {
    const out = state.outgoing.get(outgoingKey(channel, live))
    if (out?.source.author === author && out.source.boot === boot) return out
  }
  return undefined
}

export function onHeld(scene: ClientScene, from: NodeId, { source, counter, leaf }: Message<'held'>): void {
  const out = ours(scene, source)
  const holder = out?.holders.get(from)
  if (out === undefined || holder === undefined) return
  if (counter > out.last) return accuse(scene, from, 'holds more than was sent', source.channel)
  const own = leafAt(scene, out, counter)
  if (own !== undefined && !sameBytes(own, leaf)) {
    return accuse(scene, from, 'holds other events than were sent', source.channel)
  }
  holder.silent = 0
  holder.held = counter
  holder.promised = Math.max(holder.promised, counter)
  accept(scene, out)
  seal(scene, out)
}

/** The hash of an event that is not accepted yet, or of the last that is: of older ones nothing is kept. */
function leafAt({ settings }: ClientScene, { source, items, accepted, leaf }: Outgoing, counter: number) {
  const item = items.get(counter)
  if (item !== undefined) return leafOf(settings.hash, source, counter, item.content)
  return counter === accepted ? leaf : undefined
}

function accept(scene: ClientScene, out: Outgoing): void {
  const { state, settings } = scene
  const needed = settings.rules.acksNeeded(state.servers.length, settings.crashes)
  const promised = [...out.holders.values()].map(holder => holder.promised)
  const accepted = Math.min(out.last, kthLargest(promised, needed))
  out.leaf = leafAt(scene, out, Math.max(accepted, out.accepted)) ?? out.leaf
  while (out.accepted < accepted) {
    const counter = ++out.accepted
    tell(scene, { kind: 'accepted', id: out.ids.get(counter)!, source: out.source, counter })
    out.items.delete(counter)
    out.ids.delete(counter)
  }
}

function noRoom({ authorBytesMax, bytesMax }: ClientScene['settings']): string {
  return `the servers have no room for more: this client's events fill the ${authorBytesMax} bytes that a server keeps of one client (keepMax of [events] in coterie.toml), or all clients' the ${bytesMax} of keepAllMax, or too many are kept as the newest of a topic. What was published goes when its keep says so, in age and bytes.`
}

/** More than f say that they have no room: it cannot be accepted now. */
export function onFull(scene: ClientScene, from: NodeId, { source }: Message<'full'>): void {
  const out = ours(scene, source)
  const holder = out?.holders.get(from)
  if (out === undefined || holder === undefined) return
  holder.full = true
  const full = [...out.holders.values()].filter(one => one.full).length
  if (full <= scene.settings.crashes) return
  const why = noRoom(scene.settings)
  for (const id of out.ids.values()) tell(scene, { kind: 'failed', id, why })
  for (const { id } of out.queued) tell(scene, { kind: 'refused', id, why })
  // What is numbered may be there: the next events are another life's, or two would share an id.
  scene.state.outgoing.delete(outgoingKey(source.channel, out.terms.live))
}

export function resend(scene: ClientScene): void {
  for (const out of scene.state.outgoing.values()) {
    if (out.items.size === 0) continue
    for (const [server, holder] of out.holders) {
      if (holder.held >= out.last || ++holder.silent < RESEND_BEATS) continue
      holder.silent = 0
      holder.sent = Math.min(holder.sent, Math.max(holder.held, out.accepted))
      send(scene, out, server, holder)
    }
  }
}
