// Which names the carriers are asked for: the channel's own, and the tags of each subscription's keywords in each epoch.
// Where there is a matcher it is given trapdoors instead, and sends to one box.

import { InvalidFilter } from '../../refusals.ts'
import { listenedOf } from '../keywords.ts'
import { SUBSCRIPTIONS_MAX } from '../limits.ts'
import { encodeFrame } from '../wire.ts'
import { ask } from './asking.ts'
import { modes, type OpenEpoch } from './modes/index.ts'
import { type Epoch, type MemberCommand, type MemberScene, memberTimers, toAll, wallNow } from './state.ts'
import { want, wantedIn } from './wanting.ts'

/** Listens to what is wanted in an epoch and was not listened to. */
export function listenAll(scene: MemberScene, number: number): void {
  const { state } = scene
  const epoch = state.epochs.get(number)
  if (epoch === undefined || !isRead(scene, epoch)) return
  const mode = modes[epoch.record.mode]
  if (mode.isMatched) return search(scene)
  for (const name of mode.names(scene, epoch as OpenEpoch)) listen(scene, name, number)
}

/** Whether we are a reader in it, and have its keys. */
function isRead({ settings }: MemberScene, { record, keys }: Epoch): boolean {
  return keys !== undefined && record.parties.some(party => party.reads && party.name === settings.name)
}

function listen(scene: MemberScene, name: string, epoch: number): void {
  if (scene.state.listening.has(name)) return
  scene.state.listening.set(name, epoch)
  toAll(scene, { kind: 'listen', name })
}

/** Nothing of this epoch is taken any more. */
export function leaveEpoch(scene: MemberScene, { record }: Epoch): void {
  const { state } = scene
  for (const [name, epoch] of [...state.listening]) {
    if (epoch !== record.number) continue
    state.listening.delete(name)
    toAll(scene, { kind: 'leave', name })
  }
  if (modes[record.mode].isMatched) search(scene)
}

/**
 * A process that begins again with a record missing among those that it saved: the one before it was told, and this one is too. Writers
 * that have not heard of the next epoch still write under that one.
 */
function tellGaps({ state, turn }: MemberScene): void {
  let before: number | undefined
  const epochs = [...state.epochs.values()].sort((one, other) => one.record.number - other.record.number)
  for (const { record } of epochs) {
    const authors = record.parties.filter(({ writes }) => writes).map(({ name }) => name)
    for (let epoch = (before ?? record.number) + 1; epoch < record.number; epoch++)
      turn.do({ kind: 'emit', event: { kind: 'unknown', epoch, authors } })
    before = record.number
  }
}

/** A subscription. */
export function onSubscribe(scene: MemberScene, { id, filter }: MemberCommand & { kind: 'subscribe' }): void {
  const { state, settings, turn } = scene
  const refuse = (why: string) => turn.do({ kind: 'emit', event: { kind: 'refused', id, why } })
  const epoch = state.epochs.get(state.newest)
  if (epoch?.keys === undefined) return refuse('we are no party of this channel, or have no record of it yet.')
  if (!isRead(scene, epoch)) return refuse('we may write to this channel, and not read it.')
  if (state.subscriptions.size >= SUBSCRIPTIONS_MAX) return refuse(`there are ${SUBSCRIPTIONS_MAX} subscriptions.`)
  let keywords: readonly Uint8Array[]
  try {
    keywords = listenedOf(epoch.record.searchable, filter)
  } catch (error) {
    if (error instanceof InvalidFilter) return refuse(error.message)
    throw error
  }
  const most = modes[epoch.record.mode].listenedMax(epoch)
  const all = wantedIn(state, epoch).size + keywords.length
  if (all > most) return refuse(`all subscriptions listen on ${all} keywords: this channel allows ${most}.`)
  const subscription = { filter, keywords, since: wallNow(scene) }
  if (state.subscriptions.size === 0) tellGaps(scene)
  state.subscriptions.set(id, subscription)
  // One by one: all again for each of ten thousand would take minutes.
  for (const known of state.epochs.values()) if (known.wanted !== undefined) want(known, known.wanted, id, subscription)
  for (const number of state.epochs.keys()) listenAll(scene, number)
  ask(scene)
  const { number, until } = epoch.record
  const isOver = !settings.rules.takesEpoch(until, settings.grace, wallNow(scene))
  if (isOver) turn.do({ kind: 'emit', event: { kind: 'ended', epoch: number } })
}

/** Names that nobody wants any more are left. */
export function onUnsubscribe(scene: MemberScene, id: number): void {
  const { state } = scene
  if (!state.subscriptions.delete(id)) return
  for (const epoch of state.epochs.values()) {
    epoch.wanted = undefined
    epoch.pairNames.clear()
    epoch.pairIds.clear()
  }
  const read = [...state.epochs.values()].filter(epoch => isRead(scene, epoch)) as OpenEpoch[]
  const named = new Set(read.flatMap(epoch => [...modes[epoch.record.mode].names(scene, epoch)]))
  for (const name of [...state.listening.keys()]) {
    if (named.has(name)) continue
    state.listening.delete(name)
    toAll(scene, { kind: 'leave', name })
  }
  const wanted = new Set(read.flatMap(epoch => [...wantedIn(state, epoch).keys()]))
  // Whoever wants it again counts from then on.
  for (const [key, { tag }] of [...state.followed]) if (!wanted.has(tag)) state.followed.delete(key)
  search(scene)
}

/** What is wanted is said again now and then: a matcher that was started again knows nothing. */
export function onWant(scene: MemberScene): void {
  if (scene.state.subscriptions.size > 0) search(scene)
  if (!scene.state.searching) memberTimers.set(scene.turn, 'want', WANT_EVERY_MS)
}

/** A matcher forgets who has not spoken four times as long. */
export const WANT_EVERY_MS = 30_000

/** All trapdoors of all subscriptions, to the matcher. */
function search(scene: MemberScene): void {
  const { state } = scene
  state.searching = false
  for (const mode of Object.values(modes).filter(({ isMatched }) => isMatched)) {
    const epochs = [...state.epochs.values()].filter(epoch => modes[epoch.record.mode] === mode && isRead(scene, epoch))
    if (epochs.length === 0) continue
    const frames = mode.searches(scene, epochs as OpenEpoch[])
    if (frames === undefined) {
      state.searching = true
      memberTimers.set(scene.turn, 'want', SEARCH_AGAIN_MS)
    }
    for (const frame of frames ?? [])
      toAll(scene, { kind: 'send', name: state.names.matcher, body: encodeFrame(frame) })
  }
}

/** Trapdoors are made bit by bit: so long the rest of the machine has its turn. */
const SEARCH_AGAIN_MS = 1
