// The matcher of counted and peks mode (protocols/secret-events 5, 7): stands beside a broker, is given trapdoors by readers, and sends them the
// events that have one of their tags. It knows no key and no keyword: of what nobody subscribed to no tag ever repeats.
//
// One look-up a tag, whatever the number of trapdoors: of each, the next four tags of a lap are in one table. The tags of
// the lap to come are made bit by bit before it begins, as a hundred thousand at once would stand still for a second.

import type { Protocol } from '../../../core/index.ts'
import { channelNames, countedTag, lettersOf } from '../keys.ts'
import { AHEAD_TAGS, READER_TRAPDOORS_MAX, TRAPDOORS_MAX } from '../limits.ts'
import type { MatcherSettings } from '../settings.ts'
import { type CarrierMessage, decodeFrame, encodeFrame, type Frame, type SealedEvent } from '../wire.ts'
import { forgetSeekers, heldIn, onMarked, onPair, onSearch } from './pairing.ts'
import {
  type Awaited,
  type MatcherEvent,
  type MatcherScene,
  type MatcherState,
  matcherTimers,
  type Trapdoor,
} from './state.ts'

/** A matcher, as a protocol. It is asked for nothing. */
export type SecretMatcher = Protocol<MatcherState, CarrierMessage, never, MatcherEvent>

/** Trapdoors whose next tags are made at once, and how often. */
const AHEAD_BATCH = 2_000
const AHEAD_EVERY_MS = 50

/** The matcher. */
export function secretMatcher(settings: MatcherSettings): SecretMatcher {
  return {
    name: 'secret matcher',
    init: (_self, carriers) => ({
      carriers,
      trapdoors: new Map(),
      boxes: new Map(),
      laps: new Map(),
      pending: [],
      seekers: new Map(),
      readers: new Map(),
      busy: [],
      pairings: 0,
      searched: 0,
    }),
    step(state, input, turn) {
      const scene: MatcherScene = { state, settings, turn }
      switch (input.kind) {
        case 'start':
          return onStart(scene)
        case 'message':
          return onMessage(scene, input.from, input.body)
        case 'timer':
          return onTimer(scene, matcherTimers.due(input.name))
        default:
          return
      }
    },
  }
}

const lapNow = ({ settings, turn }: MatcherScene) => Math.floor(settings.wall(turn.now) / settings.lap)

function onStart(scene: MatcherScene): void {
  const { state, settings, turn } = scene
  for (const id of settings.channels) {
    for (const to of state.carriers) {
      turn.do({ kind: 'send', to, body: { kind: 'listen', name: channelNames(id).matcher } })
    }
  }
  onLap(scene)
}

function onMessage(scene: MatcherScene, from: string, body: CarrierMessage): void {
  switch (body.kind) {
    case 'came':
      return onCame(scene, from, body.name, body.body)
    default:
      return
  }
}

function onCame(scene: MatcherScene, from: string, name: string, body: Uint8Array): void {
  const frame = decodeFrame(body)
  if (!frame.ok) return
  switch (frame.value.kind) {
    case 'event':
      return onEvent(scene, from, name, { frame: frame.value, body })
    case 'trapdoors':
      return onTrapdoors(scene, frame.value)
    case 'marked':
      return onMarked(scene, from, name, { frame: frame.value, body })
    case 'search':
      return onSearch(scene, frame.value)
    default:
      return
  }
}

function onTimer(scene: MatcherScene, { kind }: ReturnType<typeof matcherTimers.due>): void {
  switch (kind) {
    case 'lap':
      return onLap(scene)
    case 'ahead':
      return onAhead(scene)
    case 'pair':
      return onPair(scene)
  }
}

/** A lap has begun: the one before the last is forgotten, the next one's tags are made. */
function onLap(scene: MatcherScene): void {
  const { state, settings, turn } = scene
  const now = settings.wall(turn.now)
  const lap = Math.floor(now / settings.lap)
  for (const old of state.laps.keys()) if (old < lap - 1 || old > lap + 1) state.laps.delete(old)
  for (const trapdoor of state.trapdoors.values()) {
    for (const old of trapdoor.next.keys()) if (!state.laps.has(old)) trapdoor.next.delete(old)
  }
  for (const near of [lap - 1, lap, lap + 1]) if (!state.laps.has(near)) state.laps.set(near, new Map())
  for (const [box, { heard }] of [...state.boxes]) {
    if (heard + settings.forgetAfter < turn.now) forgetBox(state, box)
  }
  forgetSeekers(scene)
  state.pending.splice(0, state.pending.length, ...state.trapdoors.values())
  if (state.pending.length > 0) matcherTimers.set(turn, 'ahead', AHEAD_EVERY_MS)
  matcherTimers.set(turn, 'lap', (lap + 1) * settings.lap - now)
}

function onAhead(scene: MatcherScene): void {
  const { state, turn } = scene
  for (const trapdoor of state.pending.splice(-AHEAD_BATCH)) awaitAll(scene, trapdoor)
  if (state.pending.length > 0) matcherTimers.set(turn, 'ahead', AHEAD_EVERY_MS)
}

/** Looks out for the first tags of a trapdoor in every lap in which it has none yet. */
function awaitAll(scene: MatcherScene, trapdoor: Trapdoor): void {
  for (const lap of scene.state.laps.keys()) {
    if (trapdoor.next.has(lap)) continue
    trapdoor.next.set(lap, 0)
    for (let count = 0; count < AHEAD_TAGS; count++) awaitTag(scene, trapdoor, lap, count)
  }
}

function awaitTag({ state, settings }: MatcherScene, trapdoor: Trapdoor, lap: number, count: number): void {
  const tag = countedTag(settings.ciphers, settings.rules, trapdoor.key, lap, count)
  state.laps.get(lap)!.set(lettersOf(tag), { trapdoor, count })
}

/** A reader wants what has one of these. */
function onTrapdoors(scene: MatcherScene, { box, trapdoors, first }: Frame & { kind: 'trapdoors' }): void {
  const { state, turn } = scene
  const before = state.boxes.get(box)
  if (before !== undefined && first) {
    const wanted = new Set(trapdoors.map(lettersOf))
    for (const name of before.trapdoors) if (!wanted.has(name)) forget(state, box, name)
  }
  const known = before ?? { trapdoors: new Set<string>(), heard: 0 }
  known.heard = turn.now
  state.boxes.set(box, known)
  for (const key of trapdoors) {
    const name = lettersOf(key)
    if (known.trapdoors.has(name)) continue
    if (known.trapdoors.size >= READER_TRAPDOORS_MAX || heldIn(state) >= TRAPDOORS_MAX) {
      turn.do({ kind: 'emit', event: { kind: 'full', trapdoors: heldIn(state) } })
      return
    }
    known.trapdoors.add(name)
    add(scene, name, key).boxes.add(box)
  }
  if (known.trapdoors.size === 0) state.boxes.delete(box)
}

function add(scene: MatcherScene, name: string, key: Uint8Array): Trapdoor {
  const known = scene.state.trapdoors.get(name)
  if (known !== undefined) return known
  const trapdoor: Trapdoor = { key, boxes: new Set(), next: new Map() }
  scene.state.trapdoors.set(name, trapdoor)
  awaitAll(scene, trapdoor)
  return trapdoor
}

function forgetBox(state: MatcherState, box: string): void {
  for (const name of state.boxes.get(box)?.trapdoors ?? []) forget(state, box, name)
  state.boxes.delete(box)
}

/** Its tags stay in the table until their lap is over, and find nobody. */
function forget(state: MatcherState, box: string, name: string): void {
  state.boxes.get(box)?.trapdoors.delete(name)
  const trapdoor = state.trapdoors.get(name)
  trapdoor?.boxes.delete(box)
  if (trapdoor?.boxes.size === 0) state.trapdoors.delete(name)
}

interface Came {
  readonly frame: SealedEvent
  readonly body: Uint8Array
}

/** An event: to everybody who has a trapdoor of one of its tags. */
function onEvent(scene: MatcherScene, from: string, name: string, { frame, body }: Came): void {
  const { state, turn } = scene
  const lap = lapNow(scene)
  const awaited = state.laps.get(frame.lap)
  if (awaited === undefined) {
    const records = scene.settings.channels.map(channelNames).find(({ matcher }) => matcher === name)?.records
    const said = encodeFrame({ kind: 'lap', lap, yours: frame.lap })
    if (records !== undefined) turn.do({ kind: 'send', to: from, body: { kind: 'send', name: records, body: said } })
    return
  }
  const boxes = new Set<string>()
  for (const tag of frame.tags) {
    const found = awaited.get(lettersOf(tag))
    if (found === undefined) continue
    for (const box of found.trapdoor.boxes) boxes.add(box)
    passOn(scene, frame.lap, found)
  }
  for (const box of boxes) turn.do({ kind: 'send', to: from, body: { kind: 'send', name: box, body } })
  turn.do({ kind: 'emit', event: { kind: 'matched', boxes: boxes.size, tags: frame.tags.length } })
}

/**
 * The next four tags are looked out for, from the one behind this. Those before it stay: another carrier may bring them late.
 */
function passOn(scene: MatcherScene, lap: number, { trapdoor, count }: Awaited): void {
  const next = trapdoor.next.get(lap) ?? 0
  for (let more = next + AHEAD_TAGS; more <= count + AHEAD_TAGS; more++) awaitTag(scene, trapdoor, lap, more)
  trapdoor.next.set(lap, Math.max(next, count + 1))
}
