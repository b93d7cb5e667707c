// Which names the carriers are asked for: the channel's own, and the tags of each subscription's keywords in each epoch.
// In counted mode the matcher is given trapdoors instead, and sends to one box.

import { InvalidFilter } from '../../refusals.ts'
import { lettersOf, tagOf, trapdoorOf } from '../keys.ts'
import { listenedOf } from '../keywords.ts'
import { LANES, READER_TRAPDOORS_MAX, SUBSCRIPTIONS_MAX, TRAPDOORS_MESSAGE_MAX } from '../limits.ts'
import { encodeFrame } from '../wire.ts'
import { ask } from './asking.ts'
import {
  type Epoch,
  type MemberCommand,
  type MemberScene,
  memberTimers,
  type Subscription,
  toAll,
  type Wanted,
  wallNow,
} from './state.ts'

/** Listens to what is wanted in an epoch and was not listened to. */
export function listenAll(scene: MemberScene, number: number): void {
  const { state } = scene
  const epoch = state.epochs.get(number)
  if (epoch === undefined || epoch.keys === undefined || !reads(scene, epoch)) return
  if (epoch.record.mode === 'counted') return giveTrapdoors(scene)
  for (const name of wantedIn(scene, epoch).keys()) listen(scene, name, number)
}

function reads({ settings }: MemberScene, { record }: Epoch): boolean {
  return record.parties.some(party => party.reads && party.name === settings.name)
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
  if (record.mode === 'counted') giveTrapdoors(scene)
}

/** A subscription. */
export function onSubscribe(scene: MemberScene, { id, filter }: MemberCommand & { kind: 'subscribe' }): void {
  const { state, settings, turn } = scene
  const refuse = (why: string) => turn.do({ kind: 'emit', event: { kind: 'refused', id, why } })
  const epoch = state.epochs.get(state.newest)
  if (epoch?.keys === undefined) return refuse('we are no party of this channel, or have no record of it yet.')
  if (!reads(scene, epoch)) return refuse('we may write to this channel, and not read it.')
  if (state.subscriptions.size >= SUBSCRIPTIONS_MAX) return refuse(`there are ${SUBSCRIPTIONS_MAX} subscriptions.`)
  let keywords: readonly Uint8Array[]
  try {
    keywords = listenedOf(epoch.record.searchable, filter)
  } catch (error) {
    if (error instanceof InvalidFilter) return refuse(error.message)
    throw error
  }
  const subscription = { filter, keywords, since: wallNow(scene) }
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
  for (const epoch of state.epochs.values()) epoch.wanted = undefined
  const wanted = new Set([...state.epochs.values()].flatMap(epoch => [...wantedIn(scene, epoch).keys()]))
  for (const name of [...state.listening.keys()]) {
    if (wanted.has(name)) continue
    state.listening.delete(name)
    toAll(scene, { kind: 'leave', name })
  }
  // Whoever wants it again counts from then on.
  for (const [key, { tag }] of [...state.followed]) if (!wanted.has(tag)) state.followed.delete(key)
  if ([...state.epochs.values()].some(({ record }) => record.mode === 'counted')) giveTrapdoors(scene)
}

/** What is wanted is said again now and then: a matcher that was started again knows nothing. */
export function onWant(scene: MemberScene): void {
  const isCounted = [...scene.state.epochs.values()].some(({ record }) => record.mode === 'counted')
  if (isCounted && scene.state.subscriptions.size > 0) giveTrapdoors(scene)
  memberTimers.set(scene.turn, 'want', WANT_EVERY_MS)
}

/** A matcher forgets who has not spoken four times as long. */
export const WANT_EVERY_MS = 30_000

/** All trapdoors of all subscriptions, to the matcher: of each author, lane and keyword one. */
export function giveTrapdoors(scene: MemberScene): void {
  const { state } = scene
  const found = new Map<string, Uint8Array>()
  for (const epoch of state.epochs.values()) {
    const { keys, record } = epoch
    if (keys === undefined || record.mode !== 'counted' || !reads(scene, epoch)) continue
    for (const { keywords } of state.subscriptions.values()) {
      for (const { name } of record.parties.filter(({ writes }) => writes)) {
        for (const keyword of keywords) {
          for (let lane = 0; lane < LANES; lane++) {
            const trapdoor = trapdoorOf(keys, name, lane, keyword)
            if (found.size < READER_TRAPDOORS_MAX) found.set(lettersOf(trapdoor), trapdoor)
          }
        }
      }
    }
  }
  const all = [...found.values()]
  const name = state.names.matcher
  for (let at = 0; at === 0 || at < all.length; at += TRAPDOORS_MESSAGE_MAX) {
    const trapdoors = all.slice(at, at + TRAPDOORS_MESSAGE_MAX)
    const body = encodeFrame({ kind: 'trapdoors', box: state.box, trapdoors, first: at === 0 })
    toAll(scene, { kind: 'send', name, body })
  }
}

/** Who listens on which tags of an epoch. */
export function wantedIn({ state }: MemberScene, epoch: Epoch): ReadonlyMap<string, Wanted> {
  if (epoch.wanted !== undefined) return epoch.wanted
  const tags = new Map<string, Wanted>()
  epoch.wanted = tags
  for (const [id, subscription] of state.subscriptions) want(epoch, tags, id, subscription)
  return tags
}

function want({ keys }: Epoch, tags: Map<string, Wanted>, id: number, { keywords, since }: Subscription): void {
  if (keys === undefined) return
  for (const keyword of keywords) {
    const name = lettersOf(tagOf(keys, keyword))
    const known = tags.get(name)
    if (known === undefined) tags.set(name, { since, ids: [id] })
    else {
      known.since = Math.min(known.since, since)
      known.ids.push(id)
    }
  }
}
