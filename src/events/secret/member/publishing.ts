// Publishing: keywords become tags, events with the same tags a bundle, the batch is signed, each bundle is sealed and sent
// under its tags to every carrier.

import { assert } from '../../../core/index.ts'
import { encodeContent } from '../../content.ts'
import { bytesOfLetters } from '../keys.ts'
import { keywordsOf } from '../keywords.ts'
import { EPOCH_EVENTS_MAX, OUTBOX_MAX, SEALED_MAX, SIGNED_MAX, TOTALS_MAX } from '../limits.ts'
import { type Said, signAll } from '../sealed.ts'
import { encodeFrame, type Inside } from '../wire.ts'
import { type Bundle, bundled } from './bundling.ts'
import { modes, type OpenEpoch } from './modes/index.ts'
import {
  currentEpoch,
  type Epoch,
  type MemberCommand,
  type MemberScene,
  memberTimers,
  toAll,
  wallNow,
} from './state.ts'

/** How often totals are told after the last event: one of them may be dropped. */
const TOLD_TIMES = 3
/** What the seal adds around the content, at most: names, numbers, the path and the signature. */
const AROUND_MAX = 8_192

/** An event to be published. */
export function onPublish(scene: MemberScene, { id, content }: MemberCommand & { kind: 'publish' }): void {
  const { state, turn } = scene
  const refuse = (why: string) => turn.do({ kind: 'emit', event: { kind: 'refused', id, why } })
  const epoch = currentEpoch(state, wallNow(scene))
  const why = whyNotWrite(scene, epoch)
  if (why !== undefined || epoch === undefined) return refuse(why ?? 'there is no record of this channel yet.')
  const keywords = keywordsOf(epoch.record.searchable, content.attributes)
  const { keywordsMax: most, batchMax } = modes[epoch.record.mode]
  if (keywords.length === 0)
    return refuse('the event has none of the attributes that can be searched: nobody would find it.')
  if (keywords.length > most) return refuse(`the event has ${keywords.length} keywords: at most ${most} are allowed.`)
  if (state.waiting.length >= OUTBOX_MAX) return refuse(`${OUTBOX_MAX} events wait to be sent.`)
  const encoded = encodeContent(content)
  if (encoded.length > SEALED_MAX - AROUND_MAX)
    return refuse(`the event has ${encoded.length} bytes: at most ${SEALED_MAX - AROUND_MAX} can be sealed.`)
  state.waiting.push({ id, content: encoded, keywords })
  // A whole batch need not wait: one signature serves all of it.
  if (!state.batching || (batchMax === SIGNED_MAX && state.waiting.length >= SIGNED_MAX)) flush(scene)
}

/** Why nothing can be published now; nothing where it can. */
function whyNotWrite(scene: MemberScene, epoch: Epoch | undefined): string | undefined {
  const { settings } = scene
  if (epoch === undefined) return 'no epoch of this channel has begun yet.'
  const { record, keys, writers, sealed } = epoch
  if (keys === undefined || !writers.has(settings.name)) return 'we may not write to this channel.'
  if (!settings.rules.mayWrite(record.until, wallNow(scene)))
    return 'the epoch is over, and no record of the next one has come: the keeper must rotate, or the broker holds it back.'
  if (sealed >= EPOCH_EVENTS_MAX / writers.size)
    return 'the epoch has as many events as one key may seal: the keeper must rotate.'
  return undefined
}

/** Signs and sends what waits, up to one batch. */
export function flush(scene: MemberScene): void {
  const { state, settings, turn } = scene
  if (state.waiting.length === 0) return
  const epoch = currentEpoch(state, wallNow(scene))
  const why = whyNotWrite(scene, epoch)
  if (why !== undefined) return refuseAll(scene, why)
  assert(epoch?.keys !== undefined, 'who may write has the key')
  const mode = modes[epoch.record.mode]
  if (!mode.mayBegin(scene)) return
  state.batching = true
  memberTimers.set(turn, 'batch', settings.batchEvery)
  const bundles = bundled(epoch, state.waiting.splice(0, mode.batchMax))
  const counted = state.counter
  const said = bundles.map(bundle => saidOf(epoch, bundle, counted))
  for (const { events } of bundles) state.counter += events.length
  const signed = signAll(settings, settings.signer, state.life, said)
  signed.forEach((inside, place) => {
    send(scene, epoch as OpenEpoch, bundles[place]!, inside)
  })
  state.untold = TOLD_TIMES
  memberTimers.set(turn, 'tell', settings.tellAfter)
}

function refuseAll({ state, turn }: MemberScene, why: string): void {
  for (const { id } of state.waiting.splice(0)) turn.do({ kind: 'emit', event: { kind: 'refused', id, why } })
}

/** Counters go on from what was counted before, by each event's place in the batch. */
function saidOf(epoch: Epoch, { tags, events }: Bundle, counted: number): Said {
  return {
    epoch: epoch.record.number,
    tags: tags.map(({ bytes }) => bytes),
    numbers: tags.map(({ name }) => numberOf(epoch, name, events.length)),
    events: events.map(({ place, content }) => ({ counter: counted + 1 + place, content })),
  }
}

/** The next number of a tag, of so many. Beyond the limit a tag has none: 0, and readers are told "unknown" at the end. */
function numberOf(epoch: Epoch, tag: string, count: number): number {
  const last = epoch.sent.get(tag)
  if (last === undefined && epoch.sent.size >= TOTALS_MAX) {
    epoch.overflowed = true
    return 0
  }
  epoch.sent.set(tag, (last ?? 0) + count)
  return (last ?? 0) + 1
}

function send(scene: MemberScene, epoch: OpenEpoch, { keywords, events }: Bundle, inside: Inside): void {
  const { state, turn } = scene
  const { mode, number } = epoch.record
  epoch.sealed++
  for (const { names, frame } of modes[mode].seal(scene, epoch, keywords, inside)) {
    const body = encodeFrame(frame)
    for (const name of names) toAll(scene, { kind: 'send', name, body })
  }
  events.forEach(({ id }, at) => {
    const { counter } = inside.events[at]!
    turn.do({ kind: 'emit', event: { kind: 'published', id, life: state.life, counter, epoch: number } })
  })
}

/** The batch's time is over: what has come in the meantime is the next. */
export function onBatch(scene: MemberScene): void {
  scene.state.batching = false
  flush(scene)
}

/** A new lap has begun. */
export function onLap(scene: MemberScene): void {
  if (!scene.state.batching) flush(scene)
}

/** Totals, some times after the last event. */
export function onTell(scene: MemberScene): void {
  const { state, settings, turn } = scene
  const epoch = currentEpoch(state, wallNow(scene))
  // Removed, or the epoch is over: the last word was said when it ended.
  if (epoch?.keys === undefined || epoch.closed || state.untold === 0) return
  state.untold--
  tellTotals(scene, epoch, false)
  if (state.untold > 0) memberTimers.set(turn, 'tell', settings.tellAfter)
}

/** Asked by whoever likes: an answer costs a signature, so there are few. */
const ANSWER_EVERY_MS = 500

/** Somebody begins to listen: totals at once, or a moment after the last time. */
export function onAsk(scene: MemberScene): void {
  const { state, turn } = scene
  const wait = state.answeredAt + ANSWER_EVERY_MS - turn.now
  if (wait > 0) return memberTimers.set(turn, 'answer', wait)
  onAnswer(scene)
}

/** How many events there are so far. */
export function onAnswer(scene: MemberScene): void {
  const { state, settings, turn } = scene
  const epoch = currentEpoch(state, wallNow(scene))
  if (epoch?.keys === undefined || epoch.closed || !epoch.writers.has(settings.name)) return
  state.answeredAt = turn.now
  tellTotals(scene, epoch, false)
}

/** The epoch is over for us: the last word, with all totals. */
export function closeEpoch(scene: MemberScene, epoch: Epoch): void {
  if (epoch.closed) return
  epoch.closed = true
  const { settings } = scene
  if (epoch.keys !== undefined && epoch.writers.has(settings.name))
    for (let time = 0; time < 2; time++) tellTotals(scene, epoch, true)
}

function tellTotals(scene: MemberScene, epoch: Epoch, closes: boolean): void {
  const { state } = scene
  const names = [...epoch.sent.keys()]
  const tags = names.map(bytesOfLetters)
  const said = {
    ...state.life,
    closes: closes && !epoch.overflowed,
    tags,
    numbers: names.map(name => epoch.sent.get(name)!),
  }
  for (const frame of modes[epoch.record.mode].tell(scene, epoch as OpenEpoch, said))
    toAll(scene, { kind: 'send', name: state.names.records, body: encodeFrame(frame) })
}
