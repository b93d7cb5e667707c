// The shuffler: seats the arms anew in every attempt, hands their boxes to the comparator and its tokens back. It sees
// boxes under a key that it has not, and tokens that are random to it.

import type { NodeId, Protocol } from '../../core/index.ts'
import { refuse, repeatStop, type StoppedEvent, say } from '../party.ts'
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
    if (state.attempt === ATTEMPT_MAX) return refuse(scene, 'a round was tried too often')
    state.attempt++
    scene.save()
  }
  if (state.begun) sendTurns(scene)
}

function onMessage(scene: ShufflerScene, from: NodeId, body: BanditMessage): void {
  if (scene.state.stopped !== '') return repeatStop(scene, from, body)
  switch (body.kind) {
    case 'begin':
      return onBegin(scene, from)
    case 'box':
      return onBox(scene, from, body)
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
  }
}

function onRepeat(scene: ShufflerScene): void {
  if (scene.state.stopped === '' && scene.state.begun) sendTurns(scene)
}

/** The user asks until it has its answer. */
function onBegin(scene: ShufflerScene, from: NodeId): void {
  const { state, settings, course } = scene
  const { user, arms } = settings.run
  if (from !== user.id) return
  if (!state.begun) {
    state.begun = true
    scene.save()
    return sendTurns(scene)
  }
  if (state.answers.size < arms.length) {
    const spent = course.at(state.round)?.all ?? course.spent
    return say(scene, from, { kind: 'progress', round: state.round, spent })
  }
  sendAnswers(scene)
}

/** To every arm that has not answered; or, where all have, to the comparator. */
function sendTurns(scene: ShufflerScene): void {
  const { state, settings, turn, course } = scene
  const { arms } = settings.run
  const { round, attempt, tokenAttempt } = state
  const isOver = round === course.rounds
  const answered = isOver ? state.answers : state.boxes
  if (isOver && answered.size === arms.length) return
  shufflerTimers.set(turn, 'repeat', settings.repeat)
  if (answered.size === arms.length) return sendBoxes(scene)
  const slots = seatsOf(scene, attempt)
  const pulls = course.at(round - 1)?.pulls ?? course.first
  for (const [place, { id }] of arms.entries()) {
    if (answered.has(place)) continue
    const slot = isOver ? 0 : slots[place]!
    const token = state.tokens[place] ?? NO_TOKEN
    say(scene, id, { kind: 'turn', round, attempt, slot, pulls, tokenAttempt, token })
  }
}

const NO_TOKEN = new Uint8Array(0)

function seatsOf({ state, settings, keys }: ShufflerScene, attempt: number): readonly number[] {
  const round = settings.rules.shuffledFor(state.round)
  return seats(keys.tools, state.secret, { round, attempt }, settings.run.arms.length)
}

function sendBoxes(scene: ShufflerScene): void {
  const { state, settings } = scene
  const { round, attempt } = state
  const boxes: Uint8Array[] = []
  for (const [place, slot] of seatsOf(scene, attempt).entries()) boxes[slot] = state.boxes.get(place)!
  say(scene, settings.run.comparator.id, { kind: 'boxes', round, attempt, boxes })
}

function onBox(scene: ShufflerScene, from: NodeId, { round, attempt, box }: BanditMessage & { kind: 'box' }): void {
  const { state, settings } = scene
  const { arms } = settings.run
  const place = arms.findIndex(({ id }) => id === from)
  if (place < 0 || !state.begun || round !== state.round || attempt !== state.attempt || state.boxes.has(place)) return
  state.boxes.set(place, box)
  if (state.boxes.size === arms.length) sendTurns(scene)
}

/** The comparator may repeat its answer to an earlier attempt: its tokens are of that one, and so are the seats. */
function onTokens(scene: ShufflerScene, from: NodeId, body: BanditMessage & { kind: 'tokens' }): void {
  const { state, settings, turn, course } = scene
  const { comparator, arms } = settings.run
  if (from !== comparator.id || !state.begun || body.round !== state.round || state.round >= course.rounds) return
  if (body.attempt > state.attempt || body.tokens.length !== arms.length) {
    return refuse(scene, 'the comparator answered what it was not asked')
  }
  state.tokens = seatsOf(scene, body.attempt).map(slot => body.tokens[slot]!)
  state.tokenAttempt = body.attempt
  state.verdict = body.verdict
  state.round++
  state.attempt = 0
  state.boxes.clear()
  scene.save()
  const spent = course.at(state.round)?.all ?? course.spent
  turn.do({ kind: 'emit', event: { kind: 'round', round: state.round, spent } })
  sendTurns(scene)
}

function onAnswer(scene: ShufflerScene, from: NodeId, { sealed }: BanditMessage & { kind: 'answer' }): void {
  const { state, settings, course } = scene
  const { arms } = settings.run
  const place = arms.findIndex(({ id }) => id === from)
  if (place < 0 || !state.begun || state.round !== course.rounds || state.answers.has(place)) return
  state.answers.set(place, sealed)
  if (state.answers.size === arms.length) sendAnswers(scene)
}

function sendAnswers(scene: ShufflerScene): void {
  const { state, settings } = scene
  const { user, arms } = settings.run
  const answers = arms.map((_, place) => state.answers.get(place)!)
  say(scene, user.id, { kind: 'answers', answers, verdict: state.verdict })
}

function onStop(scene: ShufflerScene, from: NodeId, { why }: BanditMessage & { kind: 'stop' }): void {
  const { comparator, user, arms } = scene.settings.run
  if (![comparator, user, ...arms].some(({ id }) => id === from)) return
  refuse(scene, why)
}
