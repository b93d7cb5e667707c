// The user: gives a budget, and gets one answer. Every part of the answer is signed by the arm it comes from, and in a
// search exactly one arm must have the token that the comparator says has won.

import { decode, type NodeId, type Protocol, sameBytes } from '../../core/index.ts'
import type { Part } from '../../crypto/index.ts'
import { ANSWER, VERDICT, verdictOf } from '../answers.ts'
import { isLost, live, mayLose } from '../lost.ts'
import { unmaskSums } from '../masks.ts'
import {
  boundTo,
  NOT_WAITED_FOR,
  openSigned,
  refuse,
  repeatStop,
  type StoppedEvent,
  say,
  TIME_UP,
  tellStopped,
} from '../party.ts'
import { GRID } from '../policies/index.ts'
import { scheduleOf } from '../schedule.ts'
import type { BanditKeys, BanditSettings } from '../settings.ts'
import { answerCodec, type BanditMessage } from '../wire.ts'
import {
  newUser,
  type UserCommand,
  type UserEvent,
  type UserScene,
  type UserState,
  userSnapshot,
  userTimers,
} from './state.ts'

/** A user as a protocol. */
export type BanditUser = Protocol<UserState, BanditMessage, UserCommand, UserEvent | StoppedEvent>

/** The user of a private run. */
export function banditUser(settings: BanditSettings, keys: BanditKeys): BanditUser {
  const course = scheduleOf(settings.run)
  return {
    name: 'bandit user',
    init: (self, _peers, saved) => newUser(self, saved),
    step(state, input, turn) {
      const save = () => turn.do({ kind: 'snapshot', record: userSnapshot(state) })
      const scene: UserScene = { state, settings, turn, keys, course, save }
      switch (input.kind) {
        case 'start':
          return onStart(scene)
        case 'message':
          return onMessage(scene, input.from, input.body)
        case 'command':
          return onCommand(scene, input.body)
        case 'timer':
          return onTimer(scene, userTimers.due(input.name))
        case 'stop':
          return
      }
    },
  }
}

function onStart(scene: UserScene): void {
  const { state, turn, settings } = scene
  if (state.stopped !== '') return tellStopped(scene)
  if (!state.begun) return
  ask(scene)
  userTimers.set(turn, 'timeout', settings.timeout)
}

function onMessage(scene: UserScene, from: NodeId, body: BanditMessage): void {
  const { state } = scene
  if (state.stopped !== '') return repeatStop(scene, from, body)
  if (!state.begun || state.done) return
  switch (body.kind) {
    case 'runKey':
      return onRunKey(scene, from, body)
    case 'progress':
      return onProgress(scene, from, body)
    case 'answers':
      return onAnswers(scene, from, body)
    case 'stop':
      return onStop(scene, from, body)
    default:
      return
  }
}

function onCommand(scene: UserScene, body: UserCommand): void {
  switch (body.kind) {
    case 'begin':
      return onBegin(scene)
    case 'cancel':
      return onCancel(scene)
  }
}

function onTimer(scene: UserScene, { kind }: ReturnType<typeof userTimers.due>): void {
  const { state } = scene
  if (state.done || state.stopped !== '') return
  switch (kind) {
    case 'repeat':
      return onRepeat(scene)
    case 'timeout':
      return onTimeout(scene)
  }
}

function onBegin(scene: UserScene): void {
  const { state, turn, settings } = scene
  if (state.begun) return
  state.begun = true
  scene.save()
  ask(scene)
  userTimers.set(turn, 'timeout', settings.timeout)
}

function onCancel(scene: UserScene): void {
  if (!scene.state.done) refuse(scene, NOT_WAITED_FOR)
}

function onTimeout(scene: UserScene): void {
  refuse(scene, TIME_UP)
}

function onRepeat(scene: UserScene): void {
  ask(scene)
}

/** The comparator for its key, if that is not known, and the shuffler how far it is. */
function ask(scene: UserScene): void {
  const { state, settings, turn } = scene
  const { comparator, shuffler } = settings.run
  if (state.runKey.length === 0) say(scene, comparator.id, { kind: 'want' })
  say(scene, shuffler.id, { kind: 'begin' })
  userTimers.set(turn, 'repeat', settings.repeat)
}

function onRunKey(scene: UserScene, from: NodeId, body: BanditMessage & { kind: 'runKey' }): void {
  const { state, settings, keys } = scene
  const { comparator } = settings.run
  if (from !== comparator.id || state.runKey.length > 0 || !keys.tools.sealing.isKey(body.publicKey)) return
  const run = boundTo(keys.tools, settings.run, body.publicKey)
  if (!keys.tools.signatures.verify(comparator.signing, run, body.signature)) return
  state.runKey = body.publicKey
  scene.save()
}

function onProgress(scene: UserScene, from: NodeId, body: BanditMessage & { kind: 'progress' }): void {
  if (from !== scene.settings.run.shuffler.id) return
  scene.turn.do({ kind: 'emit', event: { kind: 'progress', round: body.round, spent: body.spent } })
}

function onStop(scene: UserScene, from: NodeId, { why }: BanditMessage & { kind: 'stop' }): void {
  const { shuffler, comparator, arms } = scene.settings.run
  if ([shuffler, comparator, ...arms].some(({ id }) => id === from)) refuse(scene, why)
}

function onAnswers(scene: UserScene, from: NodeId, body: BanditMessage & { kind: 'answers' }): void {
  const { state, settings, keys, course } = scene
  if (from !== settings.run.shuffler.id || state.runKey.length === 0) return
  const run = boundTo(keys.tools, settings.run, state.runKey)
  if (!mayLose(settings.run, 0, body.lost)) return refuse(scene, 'the shuffler left out an arm')
  const places = live(settings.run.arms.length, body.lost)
  const values = openAnswers(scene, run, places, body)
  if (values === undefined) return refuse(scene, 'an answer is not from its arm')
  const lost = settings.run.arms.flatMap((_, place) => (isLost(body.lost, place) ? [place] : []))
  const common = { kind: 'answered', lost, again: body.again } as const
  if (course.policy !== undefined) {
    const steps = unmaskSums(values, course.spent * GRID)
    if (steps === undefined) return refuse(scene, 'the answers do not add up')
    return done(scene, { ...common, best: undefined, steps })
  }
  const verdict = openSigned(keys, settings.run.comparator, [VERDICT, run], body.verdict)
  if (verdict === undefined) return refuse(scene, 'the verdict is not from the comparator')
  const best = settings.rules.winner(values.map(value => sameBytes(verdictOf(keys.tools, run, value), verdict)))
  if (best === undefined) return refuse(scene, 'not exactly one arm has won')
  done(scene, { ...common, best: places[best]!, steps: undefined })
}

function done(scene: UserScene, event: UserEvent): void {
  const { state, turn } = scene
  state.done = true
  userTimers.cancel(turn, 'repeat')
  userTimers.cancel(turn, 'timeout')
  turn.do({ kind: 'emit', event })
}

/** From the arms in these places, each signed for the set of arms that is left. */
function openAnswers(
  { settings, keys }: UserScene,
  run: Uint8Array,
  places: readonly number[],
  { answers, lost }: BanditMessage & { kind: 'answers' },
): Uint8Array[] | undefined {
  if (answers.length !== places.length) return undefined
  const values: Uint8Array[] = []
  for (const [at, place] of places.entries()) {
    const content = answerAt(settings, keys, [ANSWER, run, lost], place, answers[at]!)
    const answer = content && decode(answerCodec, content)
    if (!answer?.ok || !settings.rules.isAnswerOf(answer.value.arm, place)) return undefined
    values.push(answer.value.value)
  }
  return values
}

/** Of the arm in that place. Another's key is tried only where the rule lets another's box stand. */
function answerAt(
  { run: { arms }, rules }: UserScene['settings'],
  keys: BanditKeys,
  about: readonly Part[],
  place: number,
  sealed: Uint8Array,
): Uint8Array | undefined {
  for (const [other, arm] of arms.entries()) {
    const content = rules.isAnswerOf(other, place) ? openSigned(keys, arm, about, sealed) : undefined
    if (content !== undefined) return content
  }
  return undefined
}
