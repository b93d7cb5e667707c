// Publishing: keywords become tags, the batch is signed, each event is sealed and sent under its tags to every carrier.

import { assert } from '../../../core/index.ts'
import { encodeContent } from '../../content.ts'
import { BATCH_MAX } from '../../wire.ts'
import { bytesOfLetters, channelNames, countedTag, lettersOf, tagOf, trapdoorOf } from '../keys.ts'
import { keywordsOf } from '../keywords.ts'
import { COUNTED_TAGS_MAX, EPOCH_EVENTS_MAX, OUTBOX_MAX, SEALED_MAX, TAGS_MAX, TOTALS_MAX } from '../limits.ts'
import { type Said, sealEvent, sealTotals, signAll } from '../sealed.ts'
import { encodeFrame, type Inside, type SealedEvent } from '../wire.ts'
import {
  currentEpoch,
  type Epoch,
  type MemberCommand,
  type MemberScene,
  memberTimers,
  toAll,
  type Waiting,
  wallNow,
} from './state.ts'

/** Totals are told so often after the last event: one of them may be dropped. */
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
  const most = epoch.record.mode === 'tagged' ? TAGS_MAX : COUNTED_TAGS_MAX
  if (keywords.length === 0)
    return refuse('the event has none of the attributes that can be searched: nobody would find it.')
  if (keywords.length > most) return refuse(`the event has ${keywords.length} keywords: at most ${most} are allowed.`)
  if (state.waiting.length >= OUTBOX_MAX) return refuse(`${OUTBOX_MAX} events wait to be sent.`)
  const encoded = encodeContent(content)
  if (encoded.length > SEALED_MAX - AROUND_MAX)
    return refuse(`the event has ${encoded.length} bytes: at most ${SEALED_MAX - AROUND_MAX} can be sealed.`)
  state.waiting.push({ id, content: encoded, keywords })
  if (!state.batching) flush(scene)
}

/** Why nothing can be published now; nothing where it can. */
function whyNotWrite(scene: MemberScene, epoch: Epoch | undefined): string | undefined {
  const { settings } = scene
  if (epoch === undefined) return 'no epoch of this channel has begun yet.'
  const { record, keys, sealed } = epoch
  const writers = record.parties.filter(({ writes }) => writes)
  if (keys === undefined || !writers.some(({ name }) => name === settings.name))
    return 'we may not write to this channel.'
  if (!settings.rules.mayWrite(record.until, wallNow(scene)))
    return 'the epoch is over, and no record of the next one has come: the keeper must rotate, or the broker holds it back.'
  if (sealed >= EPOCH_EVENTS_MAX / writers.length)
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
  if (epoch.record.mode === 'counted' && !mayCountNow(scene)) return
  state.batching = true
  memberTimers.set(turn, 'batch', settings.batchEvery)
  const batch = state.waiting.splice(0, BATCH_MAX)
  const said = batch.map(one => saidOf(scene, epoch, one))
  const signed = signAll(settings, settings.signer, state.life, said)
  signed.forEach((inside, place) => {
    send(scene, epoch, batch[place]!, inside)
  })
  state.untold = TOLD_TIMES
  memberTimers.set(turn, 'tell', settings.tellAfter)
}

function refuseAll({ state, turn }: MemberScene, why: string): void {
  for (const { id } of state.waiting.splice(0)) turn.do({ kind: 'emit', event: { kind: 'refused', id, why } })
}

function saidOf({ state }: MemberScene, epoch: Epoch, { keywords, content }: Waiting): Said {
  const tags = keywords.map(keyword => tagOf(epoch.keys!, keyword))
  const numbers = tags.map(tag => numberOf(epoch, lettersOf(tag)))
  return { epoch: epoch.record.number, counter: ++state.counter, tags, numbers, content }
}

/** The next number of a tag. Beyond the limit a tag has none: 0, and its readers are told "unknown" at the end. */
function numberOf(epoch: Epoch, tag: string): number {
  const last = epoch.sent.get(tag)
  if (last === undefined && epoch.sent.size >= TOTALS_MAX) {
    epoch.overflowed = true
    return 0
  }
  epoch.sent.set(tag, (last ?? 0) + 1)
  return (last ?? 0) + 1
}

function send(scene: MemberScene, epoch: Epoch, { id, keywords }: Waiting, inside: Inside): void {
  const { state, settings, turn } = scene
  const { mode, number } = epoch.record
  const nonce = settings.rules.nonce(length => turn.bytes(length), inside.counter)
  const isTagged = mode === 'tagged'
  const tags = isTagged ? inside.tags : keywords.map(keyword => nextCounted(scene, epoch, keyword))
  const frame = sealEvent(
    settings,
    mode,
    epoch.keys!,
    { epoch: number, lap: isTagged ? 0 : state.lap, tags, nonce },
    inside,
  )
  assert(frame !== undefined, 'what was taken can be sealed')
  epoch.sealed++
  deliver(scene, isTagged ? tags.map(lettersOf) : [channelNames(settings.channel.id).matcher], frame)
  turn.do({ kind: 'emit', event: { kind: 'published', id, life: state.life, counter: inside.counter, epoch: number } })
}

function deliver(scene: MemberScene, names: readonly string[], frame: SealedEvent): void {
  const body = encodeFrame(frame)
  for (const name of names) toAll(scene, { kind: 'send', name, body })
}

/** A lap that we may count in: not the one we started in. */
function mayCountNow(scene: MemberScene): boolean {
  const { state, settings, turn } = scene
  const now = wallNow(scene)
  const lap = Math.floor(now / settings.lap)
  if (lap !== state.lap) {
    state.lap = lap
    state.counts.clear()
  }
  if (settings.rules.mayCount(state.startedIn, lap)) return true
  memberTimers.set(turn, 'lap', (lap + 1) * settings.lap - now)
  return false
}

function nextCounted({ state, settings }: MemberScene, epoch: Epoch, keyword: Uint8Array): Uint8Array {
  const trapdoor = trapdoorOf(epoch.keys!, settings.name, settings.lane, keyword)
  const name = lettersOf(trapdoor)
  const count = state.counts.get(name) ?? 0
  state.counts.set(name, count + 1)
  return countedTag(settings.ciphers, settings.rules, trapdoor, state.lap, count)
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

/** The epoch is over for us: the last word, with all totals. */
export function closeEpoch(scene: MemberScene, epoch: Epoch): void {
  if (epoch.closed) return
  epoch.closed = true
  const { settings } = scene
  const isWriter = epoch.record.parties.some(({ name, writes }) => writes && name === settings.name)
  if (epoch.keys !== undefined && isWriter) for (let time = 0; time < 2; time++) tellTotals(scene, epoch, true)
}

function tellTotals(scene: MemberScene, epoch: Epoch, closes: boolean): void {
  const { state, settings, turn } = scene
  const { number } = epoch.record
  const names = [...epoch.sent.keys()]
  const tags = names.map(bytesOfLetters)
  const nonce = turn.bytes(12)
  const said = {
    ...state.life,
    closes: closes && !epoch.overflowed,
    tags,
    numbers: names.map(name => epoch.sent.get(name)!),
  }
  const sealed = sealTotals(settings, epoch.keys!, number, nonce, said)
  const body = encodeFrame({ kind: 'totals', epoch: number, nonce, sealed })
  toAll(scene, { kind: 'send', name: channelNames(settings.channel.id).records, body })
}
