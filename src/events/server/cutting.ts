// What is kept, and for how long: of each source what its author asked for, in age and in bytes, the oldest go first. What is
// cut is told by the heads, so that a subscription that has not read it says what it missed. Of each topic the newest event
// that its author wants kept stays, whatever is cut.
//
// The disk: what was cut is dead there, and what has a newer record. Once that is as much as what is needed, all that is
// needed is written once more, bit by bit, and what stands before that account is forgotten.

import { encode } from '../../core/index.ts'
import { endingWhole } from '../items.ts'
import { apart, isTreeTooLarge, sizeOf } from '../signed.ts'
import { BATCH_MAX, eventsRecord, ITEMS_BYTES_MAX, type Item, type Source, type SourceTerms } from '../wire.ts'
import { forgetBefore, isAccountDue, write } from './disk.ts'
import { forgetIndex } from './indexing.ts'
import { queueRecord } from './queue-record.ts'
import { account, retainedOf } from './retaining.ts'
import {
  ACCOUNT_STEP_BYTES,
  type Accounted,
  type Retained,
  type ServerScene,
  type ServerState,
  type Stream,
  wallNow,
} from './state.ts'
import { leaveCheck } from './waiting.ts'

/** Besides the age that its author asked for: how long a source of which nothing is left is remembered. */
const FORGET_MS = 3_600_000

interface StreamTerms {
  readonly source: Source
  readonly terms: SourceTerms
  readonly base: number
}

export function streamRecord({ source, terms, base }: StreamTerms): Uint8Array {
  return encode(eventsRecord, { kind: 'stream', source, terms, base })
}

/** Forgets all up to a counter. */
export function cutBeyond(scene: ServerScene, stream: Stream, to: number): void {
  if (to <= stream.base) return
  const { state } = scene
  for (let counter = stream.base + 1; counter <= to; counter++) {
    const item = stream.items.get(counter)
    if (item === undefined) continue
    const size = sizeOf(item)
    stream.items.delete(counter)
    stream.bytes -= size
    if (!stream.terms.live) state.dead += size
    if (keepApart(scene, stream, item)) continue
    state.bytes -= size
    account(state, stream.source.author, { bytes: -size })
  }
  stream.base = to
  leaveTree(state, stream)
  while (stream.arrivals.length > 0 && stream.arrivals[0]!.through <= to) stream.arrivals.shift()
  stream.changed = ++state.mark
  if (!stream.terms.live) write(scene, streamRecord(stream), { lazy: true })
}

/** On each beat: what is too old goes, and then the memory of a source of which nothing is left. */
export function cutOld(scene: ServerScene): void {
  const now = wallNow(scene)
  for (const [key, stream] of scene.state.streams) {
    const { arrivals, terms, items, held } = stream
    let to = 0
    for (const { through, at } of arrivals) {
      if (at + terms.keep.age > now) break
      to = through
    }
    if (to > 0) cutBeyond(scene, stream, Math.min(to, held))
    if (items.size > 0) continue
    if (stream.emptied === 0) stream.emptied = now
    // By then everybody else has cut it too: or they would bring it back, and we them, for ever.
    if (now > stream.emptied + terms.keep.age + FORGET_MS) forgetStream(scene.state, key, stream)
  }
}

/** Of a batch that is cut but for a few each of these has its path: its tree would be kept for them, and not be counted. */
export function leaveTree(state: ServerState, stream: Stream): void {
  const { items, base, held } = stream
  const proof = items.get(base + 1)?.proof
  if (proof === undefined) return
  const last = Math.min(held, proof.first + proof.count - 1)
  if (!isTreeTooLarge(proof, last - base)) return
  for (let counter = base + 1; counter <= last; counter++) {
    const item = items.get(counter)
    if (item?.proof !== proof) continue
    const one = retainedOf(state, stream, item)
    const alone = apart(item)
    items.set(counter, alone)
    if (one !== undefined) one.item = alone
  }
}

function forgetStream(state: ServerState, key: string, { source, checks }: Stream): void {
  for (const follower of checks.keys()) leaveCheck(state, follower, key)
  state.streams.delete(key)
  account(state, source.author, { sources: -1 })
  const channel = state.channels.get(source.channel)
  if (!channel?.delete(key) || channel.size > 0) return
  state.channels.delete(source.channel)
  forgetIndex(state, source.channel)
}

/** It is cut, and it is the newest of its topic: it stays, counted as before, with a record of its own. */
function keepApart(scene: ServerScene, stream: Stream, item: Item): boolean {
  const one = retainedOf(scene.state, stream, item)
  if (one === undefined) return false
  one.apart = true
  one.item = apart(one.item)
  if (!stream.terms.live) write(scene, retainedRecord(one), { lazy: true })
  return true
}

function retainedRecord({ source, identity, item }: Retained): Uint8Array {
  return encode(eventsRecord, { kind: 'retained', source, identity, item })
}

/** On each beat: begins an account when it is worth it, goes on with the one that is begun, and ends it. */
export function keepAccount(scene: ServerScene): void {
  const { state } = scene
  if (state.account === undefined) {
    if (!isAccountDue(state) || state.fresh) return
    state.dead = 0
    state.account = everything(state)
    write(scene, encode(eventsRecord, { kind: 'account' }), { begins: true, lazy: true })
    write(scene, encode(eventsRecord, { kind: 'known' }), { lazy: true })
  }
  const until = state.disk.bytes + ACCOUNT_STEP_BYTES
  while (state.disk.bytes < until) {
    const next = state.account.pop()
    if (next === undefined) {
      state.account = undefined
      return forgetBefore(scene)
    }
    accountOne(scene, next)
  }
}

/** All that is alive. What its source holds needs no record of its own, although it is the newest of its topic. */
function everything({ streams, cursors, queues, retained }: ServerState): Accounted[] {
  const all: Accounted[] = []
  for (const key of streams.keys()) all.push({ kind: 'stream', key })
  for (const key of cursors.keys()) all.push({ kind: 'cursor', key })
  for (const key of queues.keys()) all.push({ kind: 'queue', key })
  for (const [key, topics] of retained) for (const topic of topics.keys()) all.push({ kind: 'retained', key, topic })
  return all
}

function accountOne(scene: ServerScene, { kind, key, topic = '' }: Accounted): void {
  const { state } = scene
  switch (kind) {
    case 'stream': {
      const stream = state.streams.get(key)
      return stream === undefined || stream.terms.live ? undefined : accountStream(scene, stream)
    }
    case 'cursor': {
      const cursor = state.cursors.get(key)
      return cursor && write(scene, encode(eventsRecord, { kind, cursor }), { lazy: true })
    }
    case 'queue': {
      const queue = state.queues.get(key)
      return queue && write(scene, queueRecord(queue), { lazy: true })
    }
    case 'retained': {
      const one = state.retained.get(key)?.get(topic)
      return one?.apart ? write(scene, retainedRecord(one), { lazy: true }) : undefined
    }
  }
}

function accountStream(scene: ServerScene, stream: Stream): void {
  const { source, items, base, arrivals } = stream
  write(scene, streamRecord(stream), { lazy: true })
  let counter = base + 1
  for (const { through, at } of arrivals) {
    while (counter <= through) {
      const part: Item[] = []
      let bytes = 0
      for (; counter <= through && part.length < BATCH_MAX && bytes < ITEMS_BYTES_MAX; counter++) {
        const item = items.get(counter)
        if (item === undefined) continue
        part.push(item)
        bytes += sizeOf(item)
      }
      if (part.length === 0) break
      const whole = counter <= through ? endingWhole(part) : part
      counter -= part.length - whole.length
      write(scene, encode(eventsRecord, { kind: 'events', source, at, items: whole }), { lazy: true })
    }
  }
}
