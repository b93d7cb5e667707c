// The shuffler: seats the arms anew in every attempt, hands their boxes to the comparator and its tokens back. It sees
// boxes under a key that it has not, and tokens that are random to it.

import type { NodeId, Protocol } from '../../core/index.ts'
import { live, liveCount, mayLose, withLost } from '../lost.ts'
import {
  MANY_SILENT,
  PART_MISSING,
  refuse,
  repeatStop,
  SILENT,
  type StoppedEvent,
  say,
  TRIED_TOO_OFTEN,
} from '../party.ts'
import { scheduleOf } from '../schedule.ts'
import type { BanditKeys, BanditSettings } from '../settings.ts'
import { ATTEMPT_MAX, type BanditMessage, KEY_BYTES } from '../wire.ts'
import { seats } from './seats.ts'
import {
  newShuffler,
  type ShufflerEvent,
  type ShufflerScene,
  type ShufflerState,
  shufflerSnapshot,
  shufflerTimers,
} from './state.ts'

/** A shuffler as a protocol: it takes no commands. */
export type BanditShuffler = Protocol<ShufflerState, BanditMessage, never, ShufflerEvent | StoppedEvent>

/** The shuffler of a private run. */
export function banditShuffler(settings: BanditSettings, keys: BanditKeys): BanditShuffler {
  const course = scheduleOf(settings.run)
  return {
    name: 'bandit shuffler',
    init: (self, _peers, saved) => newShuffler(self, saved),
    step(state, input, turn) {
      const save = () => turn.do({ kind: 'snapshot', record: shufflerSnapshot(state) })
      const scene: ShufflerScene = { state, settings, turn, keys, course, save }
      switch (input.kind) {
        case 'start':
          return onStart(scene)
        case 'message':
          return onMessage(scene, input.from, input.body)
        case 'timer':
          return onTimer(scene, shufflerTimers.due(input.name))
        case 'command':
        case 'stop':
          return
      }
    },
  }
}

/** A round without an answer is tried again with other seats: the boxes of the first try are gone with the memory. */
function onStart(scene: ShufflerScene): void {
  const { state, turn, course } = scene
  if (state.secret.length === 0) {
    state.secret = turn.bytes(KEY_BYTES)
    scene.save()
  } else if (state.begun && state.round < course.rounds) {
    if (state.attempt === ATTEMPT_MAX) return refuse(scene, TRIED_TOO_OFTEN)
    state.attempt++
    scene.save()
  }
  if (state.begun) beginAttempt(scene)
}

function onMessage(scene: ShufflerScene, from: NodeId, body: BanditMessage): void {
  if (scene.state.stopped !== '') return repeatStop(scene, from, body)
  switch (body.kind) {
    case 'begin':
      return onBegin(scene, from)
    case 'box':
      return onBox(scene, from, body)
    case 'again':
      return onAgain(scene, from, body)
    case 'tokens':
      return onTokens(scene, from, body)
    case 'answer':
      return onAnswer(scene, from, body)
    case 'stop':
      return onStop(scene, from, body)
    default:
      return
  }
}

function onTimer(scene: ShufflerScene, { kind }: ReturnType<typeof shufflerTimers.due>): void {
  switch (kind) {
    case 'repeat':
      return onRepeat(scene)
    case 'lost':
      return onLost(scene)
  }
}

function onRepeat(scene: ShufflerScene): void {
  if (scene.state.stopped === '' && scene.state.begun) sendTurns(scene)
}

/** The user asks until it has its answer. */
function onBegin(scene: ShufflerScene, from: NodeId): void {
  const { state, settings, course } = scene
  const { user } = settings.run
  if (from !== user.id) return
  if (!state.begun) {
    state.begun = true
    scene.save()
    return beginAttempt(scene)
  }
  if (!isAnswered(scene)) {
    const spent = course.at(state.round)?.all ?? course.spent
    return say(scene, from, { kind: 'progress', round: state.round, spent })
  }
  sendAnswers(scene)
}

/** A new attempt: from now on an arm is waited for as long as it may be silent. */
function beginAttempt(scene: ShufflerScene): void {
  const { armTimeout = 0 } = scene.settings.run
  if (armTimeout > 0) shufflerTimers.set(scene.turn, 'lost', armTimeout)
  sendTurns(scene)
}

/** Which arms were lost in that attempt at this round. */
function lostIn({ state }: ShufflerScene, attempt: number): number {
  if (state.drops.length === 0) return 0
  const since = state.drops.filter(drop => drop.round < state.round || drop.attempt <= attempt)
  return since.reduce((lost, { place }) => withLost(lost, place), 0)
}

const liveIn = (scene: ShufflerScene, attempt: number) => live(scene.settings.run.arms.length, lostIn(scene, attempt))
const countIn = (scene: ShufflerScene, attempt: number) =>
  liveCount(scene.settings.run.arms.length, lostIn(scene, attempt))

/** To every arm that has not answered; or, where all have, to the comparator. */
function sendTurns(scene: ShufflerScene): void {
  const { state, settings, turn, course } = scene
  const { round, attempt } = state
  const isOver = round === course.rounds
  const answered = isOver ? state.answers : state.boxes
  const places = liveIn(scene, attempt)
  if (isOver && answered.size === places.length) return
  shufflerTimers.set(turn, 'repeat', settings.repeat)
  if (answered.size === places.length) return sendBoxes(scene)
  for (const place of places) if (!answered.has(place)) sendTurn(scene, place)
}

function sendTurn(scene: ShufflerScene, place: number): void {
  const { state, settings, course } = scene
  const { round, attempt, tokenAttempt } = state
  const slot = round === course.rounds ? 0 : (seatsOf(scene, attempt).get(place) ?? 0)
  const token = state.tokens[place] ?? NO_TOKEN
  const pulls = course.at(round - 1)?.pulls ?? course.first
  const lost = lostIn(scene, attempt)
  say(scene, settings.run.arms[place]!.id, { kind: 'turn', round, attempt, slot, pulls, tokenAttempt, token, lost })
}

const NO_TOKEN = new Uint8Array(0)

/** For each arm that is there its slot. */
function seatsOf(scene: ShufflerScene, attempt: number): ReadonlyMap<number, number> {
  const { state, settings, keys } = scene
  const round = settings.rules.shuffledFor(state.round)
  const lost = lostIn(scene, attempt)
  const known = seated.get(state)
  if (known?.round === round && known.attempt === attempt && known.lost === lost) return known.slots
  const places = liveIn(scene, attempt)
  const drawn = seats(keys.tools, state.secret, { round, attempt }, places.length)
  const slots = new Map(places.map((place, at) => [place, drawn[at]!]))
  seated.set(state, { round, attempt, lost, slots })
  return slots
}

/** The seats that were asked for last: every arm is told one of them. */
const seated = new WeakMap<
  ShufflerState,
  {
    readonly round: number
    readonly attempt: number
    readonly lost: number
    readonly slots: ReadonlyMap<number, number>
  }
>()

function sendBoxes(scene: ShufflerScene): void {
  const { state, settings } = scene
  const { round, attempt } = state
  const boxes: Uint8Array[] = []
  for (const [place, slot] of seatsOf(scene, attempt)) boxes[slot] = state.boxes.get(place)!
  const lost = lostIn(scene, attempt)
  say(scene, settings.run.comparator.id, { kind: 'boxes', round, attempt, boxes, lost })
}

/** The place of an arm that is there. One that is lost is told so. */
function placeOf(scene: ShufflerScene, from: NodeId): number | undefined {
  const { state, settings } = scene
  const place = settings.run.arms.findIndex(({ id }) => id === from)
  if (place < 0 || !state.begun) return undefined
  if (!state.drops.some(drop => drop.place === place)) return place
  sendTurn(scene, place)
  return undefined
}

function onBox(scene: ShufflerScene, from: NodeId, { round, attempt, box }: BanditMessage & { kind: 'box' }): void {
  const { state } = scene
  const place = placeOf(scene, from)
  if (place === undefined || round !== state.round || attempt !== state.attempt || state.boxes.has(place)) return
  state.boxes.set(place, box)
  if (state.boxes.size === countIn(scene, attempt)) sendTurns(scene)
}

/** Somebody was not ready, and only the comparator knows in which slot: new seats. */
function onAgain(scene: ShufflerScene, from: NodeId, { round, attempt }: BanditMessage & { kind: 'again' }): void {
  const { state, settings, course } = scene
  if (from !== settings.run.comparator.id || !state.begun || state.round >= course.rounds) return
  if (round !== state.round || attempt !== state.attempt) return
  state.again++
  tryAgain(scene)
}

function tryAgain(scene: ShufflerScene): void {
  const { state } = scene
  if (state.attempt === ATTEMPT_MAX) return refuse(scene, TRIED_TOO_OFTEN)
  state.attempt++
  state.boxes.clear()
  scene.save()
  beginAttempt(scene)
}

/** Who has said nothing in this attempt is lost; the others go on where they may. At the end nobody can be left out any more. */
function onLost(scene: ShufflerScene): void {
  const { state, settings, course } = scene
  if (state.stopped !== '' || !state.begun) return
  const isOver = state.round === course.rounds
  const answered = isOver ? state.answers : state.boxes
  const silent = liveIn(scene, state.attempt).filter(place => !answered.has(place))
  if (silent.length === 0) return
  if (isOver) return refuse(scene, PART_MISSING)
  const before = lostIn(scene, state.attempt)
  const lost = silent.reduce(withLost, before)
  if (!settings.run.drops) return refuse(scene, SILENT)
  if (!mayLose(settings.run, before, lost)) return refuse(scene, MANY_SILENT)
  const since = { round: state.round, attempt: state.attempt + 1 }
  state.drops = [...state.drops, ...silent.map(place => ({ place, ...since }))]
  tryAgain(scene)
}

/** The comparator may repeat its answer to an earlier attempt: its tokens are of that one, and so are the seats. */
function onTokens(scene: ShufflerScene, from: NodeId, body: BanditMessage & { kind: 'tokens' }): void {
  const { state, settings, turn, course } = scene
  if (from !== settings.run.comparator.id || !state.begun || body.round !== state.round) return
  if (state.round >= course.rounds) return
  if (body.attempt > state.attempt || body.tokens.length !== countIn(scene, body.attempt)) {
    return refuse(scene, 'the comparator answered what it was not asked')
  }
  const slots = seatsOf(scene, body.attempt)
  state.tokens = settings.run.arms.map((_, place) => body.tokens[slots.get(place) ?? -1] ?? NO_TOKEN)
  state.tokenAttempt = body.attempt
  state.verdict = body.verdict
  state.round++
  state.attempt = 0
  state.boxes.clear()
  scene.save()
  const spent = course.at(state.round)?.all ?? course.spent
  turn.do({ kind: 'emit', event: { kind: 'round', round: state.round, spent } })
  beginAttempt(scene)
}

function onAnswer(scene: ShufflerScene, from: NodeId, { sealed }: BanditMessage & { kind: 'answer' }): void {
  const { state, course } = scene
  const place = placeOf(scene, from)
  if (place === undefined || state.round !== course.rounds || state.answers.has(place)) return
  state.answers.set(place, sealed)
  if (isAnswered(scene)) sendAnswers(scene)
}

const isAnswered = (scene: ShufflerScene) => {
  const { state, course } = scene
  return state.round === course.rounds && state.answers.size === countIn(scene, state.attempt)
}

function sendAnswers(scene: ShufflerScene): void {
  const { state, settings } = scene
  const answers = liveIn(scene, state.attempt).map(place => state.answers.get(place)!)
  const { verdict, again } = state
  const lost = lostIn(scene, state.attempt)
  say(scene, settings.run.user.id, { kind: 'answers', answers, verdict, lost, again })
}

function onStop(scene: ShufflerScene, from: NodeId, { why }: BanditMessage & { kind: 'stop' }): void {
  const { comparator, user, arms } = scene.settings.run
  if (![comparator, user, ...arms].some(({ id }) => id === from)) return
  const place = arms.findIndex(({ id }) => id === from)
  if (!scene.state.drops.some(drop => drop.place === place)) refuse(scene, why)
}
