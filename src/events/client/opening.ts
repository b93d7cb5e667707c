// A durable subscription's beginning and its cursor. n - f servers are asked where the name stands; a new generation is
// written to n - f before the first event, so that every later opening sees it. What is saved is what the handler has
// acknowledged, never what was merely checked.

import { kthLargest, type NodeId } from '../../core/index.ts'
import { resumed } from '../cursor.ts'
import { encodeFilter } from '../filter.ts'
import { certificateOf } from '../rules.ts'
import { isOwnersCursor, signCursor } from '../signed.ts'
import { ENTRIES_MAX, type EventsMessage, isName, type Position, type SavedCursor, sourceKey } from '../wire.ts'
import { releaseSources } from './knowing.ts'
import { chooseMembers } from './members.ts'
import { changeQueue, leaveQueue } from './queueing.ts'
import { keep, release } from './shares.ts'
import {
  accuse,
  type ClientCommand,
  type ClientScene,
  type ClientState,
  randomName,
  SAVE_BEATS,
  SHOW_BEATS,
  SUBSCRIPTIONS_MAX,
  type Subscription,
  say,
  type Tracked,
  tell,
} from './state.ts'
import { newTracked } from './tracked.ts'

type Message<Kind extends EventsMessage['kind']> = EventsMessage & { kind: Kind }

const INSTANCE_BYTES = 8
/** What an answer about a name takes, and each position in it. */
const LOADED_BYTES = 1_000
const POSITION_BYTES = 200

export function onSubscribe(scene: ClientScene, command: ClientCommand & { kind: 'subscribe' }): void {
  const { state, settings } = scene
  const { id, channel, name, filter, from, parallel, ackWait } = command
  const refuse = (why: string) => tell(scene, { kind: 'refused', id, why })
  if (!isName(channel)) return refuse('the channel needs a name of 1 to 200 bytes without control characters.')
  if (name !== '' && !isName(name)) return refuse('the name has more than 200 bytes, or control characters.')
  if (state.subscriptions.has(id) || id === 0) return refuse('the number is taken.')
  if (state.subscriptions.size >= SUBSCRIPTIONS_MAX) return refuse(`${SUBSCRIPTIONS_MAX} subscriptions are open.`)
  if (name !== '' && settings.liars > 0 && settings.signer === undefined)
    return refuse('cursors are signed here, and this client has no key.')
  const subscription: Subscription = {
    id,
    channel,
    name,
    from,
    parallel,
    ackWait,
    filter,
    encoded: encodeFilter(filter),
    version: 1,
    phase: 'loading',
    generation: 0,
    instance: randomName(scene, INSTANCE_BYTES),
    serial: 0,
    written: undefined,
    saveIn: SAVE_BEATS,
    moved: false,
    loaded: new Map(),
    savedBy: new Set(),
    members: [],
    passed: new Map(),
    tracked: new Map(),
    unhanded: 0,
    refusedBy: new Map(),
  }
  state.subscriptions.set(id, subscription)
  load(scene, subscription)
}

/** Asks everybody who has not answered. */
export function load(scene: ClientScene, { id: sub, channel, name, loaded }: Subscription): void {
  for (const server of scene.state.servers) {
    if (!loaded.has(server)) say(scene, server, { kind: 'load', sub, channel, name: name === '' ? '-' : name })
  }
}

export function onLoaded(scene: ClientScene, from: NodeId, { sub, cursor, entries }: Message<'loaded'>): void {
  const { state, settings } = scene
  const subscription = state.subscriptions.get(sub)
  if (subscription?.phase !== 'loading' || !state.servers.includes(from)) return
  // The first answer counts; one for which this server has no room is asked for again.
  if (subscription.loaded.has(from) || !keep(scene, from, loadedBytes({ cursor, entries }))) return
  const valid = cursor !== undefined && belongs(scene, subscription, cursor) ? cursor : undefined
  if (cursor !== undefined && valid === undefined) {
    accuse(scene, from, 'showed a cursor that its owner did not sign', subscription.channel)
  }
  if (valid === undefined) release(state, from, loadedBytes({ cursor, entries }) - loadedBytes({ entries }))
  subscription.loaded.set(from, { cursor: valid, entries })
  if (subscription.loaded.size < state.servers.length - settings.crashes) return
  begin(scene, subscription)
}

/** What a server said of where the name stands, while the others are waited for. */
function loadedBytes({ cursor, entries }: { cursor?: SavedCursor | undefined; entries: readonly Position[] }): number {
  return LOADED_BYTES + POSITION_BYTES * (entries.length + (cursor?.entries.length ?? 0))
}

function forgetLoaded(state: ClientState, { loaded }: Subscription): void {
  for (const [server, said] of loaded) release(state, server, loadedBytes(said))
  loaded.clear()
}

function belongs({ state, settings }: ClientScene, { channel, name }: Subscription, cursor: SavedCursor): boolean {
  if (!settings.rules.checksCursor()) return true
  const own = cursor.channel === channel && cursor.name === name && cursor.owner === certificateOf(state.self)
  return own && isOwnersCursor(settings, cursor)
}

function begin(scene: ClientScene, subscription: Subscription): void {
  const { settings } = scene
  const answers = [...subscription.loaded.values()]
  forgetLoaded(scene.state, subscription)
  const cursors = answers.flatMap(({ cursor }) => (cursor === undefined || subscription.name === '' ? [] : [cursor]))
  subscription.generation = Math.max(0, ...cursors.map(({ generation }) => generation)) + 1
  const { channel, from } = subscription
  const start = cursors.length > 0 && from !== 'again' ? resumed(settings.rules, cursors) : new Map<string, Position>()
  if (cursors.length === 0 && from === 'now') {
    for (const entry of heldByHonest(answers, settings.liars)) start.set(sourceKey({ channel, ...entry }), entry)
  }
  for (const { author, boot, counter } of start.values()) {
    const source = { channel, author, boot }
    subscription.tracked.set(sourceKey(source), newTracked(source, counter))
  }
  write(scene, subscription)
}

/** Of each source what the (b+1)-th says: one liar's large number would skip what comes. */
function heldByHonest(answers: readonly { readonly entries: readonly Position[] }[], liars: number): Position[] {
  const told = new Map<string, { entry: Position; counters: number[] }>()
  for (const { entries } of answers) {
    for (const entry of entries) {
      const key = `${entry.author}\u0000${entry.boot}`
      const known = told.get(key) ?? { entry, counters: [] }
      known.counters.push(entry.counter)
      told.set(key, known)
    }
  }
  return [...told.values()].flatMap(({ entry, counters }) => {
    const counter = kthLargest(counters, liars + 1)
    return counter > 0 ? [{ ...entry, counter }] : []
  })
}

/** A new generation stands at n - f before anything is handed over. Without a name there is nothing to write. */
function write(scene: ClientScene, subscription: Subscription): void {
  if (subscription.name === '') return open(scene, subscription)
  subscription.phase = 'opening'
  saveCursor(scene, subscription)
}

function open(scene: ClientScene, subscription: Subscription): void {
  subscription.phase = 'open'
  tell(scene, { kind: 'subscribed', id: subscription.id })
  chooseMembers(scene, subscription)
}

/** Says to all servers where the subscription stands now. */
function saveCursor(scene: ClientScene, subscription: Subscription): void {
  const { state, settings } = scene
  const { channel, name, generation, instance, encoded, tracked } = subscription
  const entries = [...tracked.values()].flatMap(one => positionOf(scene, one)).slice(0, ENTRIES_MAX)
  subscription.serial++
  subscription.savedBy.clear()
  subscription.moved = false
  const owner = certificateOf(state.self)
  const { serial } = subscription
  const filter = settings.hash(encoded)
  const words = { channel, name, owner, generation, instance, serial, filter, entries }
  subscription.written = signCursor(settings, words)
  sayCursor(scene, subscription)
}

/** The same words again to who has not answered: a disk that takes seconds must not be given new ones each second. */
function sayCursor(scene: ClientScene, subscription: Subscription): void {
  const { id: sub, written: cursor, savedBy } = subscription
  subscription.saveIn = SAVE_BEATS
  if (cursor === undefined) return
  for (const server of scene.state.servers) {
    if (!savedBy.has(server)) say(scene, server, { kind: 'save', sub, cursor })
  }
}

function positionOf({ settings }: ClientScene, { source, checked, done }: Tracked): Position[] {
  const counter = settings.rules.saves(checked, done)
  return counter > 0 ? [{ author: source.author, boot: source.boot, counter }] : []
}

export function onSaved(scene: ClientScene, from: NodeId, { sub, generation, serial }: Message<'saved'>): void {
  const { state, settings } = scene
  const subscription = state.subscriptions.get(sub)
  if (subscription?.generation !== generation || subscription.serial !== serial) return
  if (!state.servers.includes(from)) return
  subscription.savedBy.add(from)
  subscription.refusedBy.delete(from)
  if (subscription.phase !== 'opening') return
  if (subscription.savedBy.size >= state.servers.length - settings.crashes) open(scene, subscription)
}

/**
 * Somebody opened the name later: with its owner's signature, or one server could end every subscription.
 *
 * Unless it only began to: its words reached few servers, we asked the others and took the same number. It may be dead, and
 * then nobody would follow the name. We go above it; if it lives, it is told so while it opens, and goes above us.
 */
export function onPassed(scene: ClientScene, from: NodeId, { sub, cursor }: Message<'passed'>): void {
  const subscription = scene.state.subscriptions.get(sub)
  if (subscription === undefined || subscription.phase === 'lost' || !belongs(scene, subscription, cursor)) return
  const { generation, instance } = subscription
  if (cursor.generation < generation || (cursor.generation === generation && cursor.instance <= instance)) return
  if (!scene.state.servers.includes(from)) return
  if (scene.settings.rules.outbids(subscription.phase === 'opening', cursor.generation, generation)) {
    subscription.generation = cursor.generation + 1
    return saveCursor(scene, subscription)
  }
  subscription.phase = 'lost'
  tell(scene, { kind: 'lost', id: sub })
  end(scene, subscription)
}

export function onUnsubscribe(scene: ClientScene, { id }: ClientCommand & { kind: 'unsubscribe' }): void {
  const subscription = scene.state.subscriptions.get(id)
  if (subscription === undefined) return leaveQueue(scene, id)
  if (subscription.phase === 'open' && subscription.name !== '' && subscription.moved) saveCursor(scene, subscription)
  end(scene, subscription)
}

/** Nothing of it is left. */
export function end(scene: ClientScene, subscription: Subscription): void {
  const { id, members } = subscription
  for (const { server } of members) say(scene, server, { kind: 'unfollow', sub: id })
  forgetLoaded(scene.state, subscription)
  releaseSources(scene.state, subscription)
  scene.state.subscriptions.delete(id)
}

/** Another filter from here on: a new generation, at what is done. What was shown under the old one counts no more. */
export function onChange(scene: ClientScene, command: ClientCommand & { kind: 'change' }): void {
  const { id, filter } = command
  if (scene.state.queues.has(id)) return changeQueue(scene, command)
  const subscription = scene.state.subscriptions.get(id)
  if (subscription?.phase !== 'open') return tell(scene, { kind: 'refused', id, why: 'the subscription is not open.' })
  subscription.filter = filter
  subscription.encoded = encodeFilter(filter)
  subscription.version++
  subscription.generation++
  subscription.members = []
  // What too few know is heard of again.
  releaseSources(scene.state, subscription)
  for (const [key, one] of subscription.tracked) {
    if (one.toldBy === undefined) Object.assign(one, newTracked(one.source, one.done))
    else subscription.tracked.delete(key)
  }
  subscription.unhanded = 0
  write(scene, subscription)
}

/** On each beat: says again what may have been lost, and saves what moved. */
export function keepCursor(scene: ClientScene, subscription: Subscription): void {
  const { phase, name } = subscription
  if (phase === 'loading') return load(scene, subscription)
  if (name === '' || --subscription.saveIn > 0) return
  if (phase === 'open' && subscription.moved) return saveCursor(scene, subscription)
  const needed = scene.state.servers.length - scene.settings.crashes
  if (subscription.savedBy.size < needed) return sayCursor(scene, subscription)
  if (phase === 'open') showCursor(scene, subscription)
}

/**
 * Nothing moves: the cursor is shown to one server after the other all the same. Who holds a later one says so; else a process
 * that another has replaced would go on until its next event, and handle that too.
 */
function showCursor(scene: ClientScene, subscription: Subscription): void {
  const { servers } = scene.state
  const { id: sub, written: cursor, saveIn } = subscription
  if (cursor === undefined || -saveIn % SHOW_BEATS !== 0) return
  say(scene, servers[(-saveIn / SHOW_BEATS) % servers.length]!, { kind: 'save', sub, cursor })
}
