// BAI of SR-secured (THESIS §6.2.3, algorithm 7): hands the sums of the arms that are in to the drawer of each phase, in new places, and
// rejects the one that Comp says is lowest. It learns the ranking: that is the level's price (theorem 6.3.1 is false).
//
// Correction: it makes other ciphertexts of the sums before it sends them on. As printed, the list that one drawer gave goes to the
// next byte for byte, and who sees the network follows every arm.

import type { NodeId, Protocol } from '../../../core/index.ts'
import { refuse, repeatStop, runDigest, type StoppedEvent, say, signAndSeal } from '../../party.ts'
import type { BanditKeys, BanditSettings } from '../../settings.ts'
import { seats } from '../../shuffler/seats.ts'
import type { ShufflerEvent } from '../../shuffler/state.ts'
import type { BanditMessage } from '../../wire.ts'
import { armsOf, ensureSecret, Sums, takeModulus } from '../common.ts'
import { BEST, ORDER, searchCourse } from '../searching.ts'
import { type JudgeScene, type JudgeState, judgeSnapshot, judgeTimers, newJudge } from './state.ts'

/** BAI as a protocol: it takes no commands. */
export type SearchJudge = Protocol<JudgeState, BanditMessage, never, ShufflerEvent | StoppedEvent>

/** BAI of a run of SR-secured. */
export function searchJudge(settings: BanditSettings, keys: BanditKeys): SearchJudge {
  const course = searchCourse(settings.run)
  return {
    name: 'search judge',
    init: (self, _peers, saved) => newJudge(self, armsOf(settings.run), saved),
    step(state, input, turn) {
      const save = () => turn.do({ kind: 'snapshot', record: judgeSnapshot(state) })
      const scene: JudgeScene = { state, settings, turn, keys, course, save }
      switch (input.kind) {
        case 'start':
          return onStart(scene)
        case 'message':
          return onMessage(scene, input.from, input.body)
        case 'timer':
          return onTimer(scene, judgeTimers.due(input.name))
        case 'command':
        case 'stop':
          return
      }
    },
  }
}

function onStart(scene: JudgeScene): void {
  ensureSecret(scene)
  judgeTimers.set(scene.turn, 'repeat', scene.settings.repeat)
  playOn(scene)
}

function onMessage(scene: JudgeScene, from: NodeId, body: BanditMessage): void {
  if (scene.state.stopped !== '') return repeatStop(scene, from, body)
  switch (body.kind) {
    case 'begin':
      return onBegin(scene, from)
    case 'sumKey':
      return onSumKey(scene, from, body)
    case 'added':
      return onAdded(scene, from, body)
    case 'worst':
      return onWorst(scene, from, body)
    case 'stop':
      return onStop(scene, from, body)
    default:
      return
  }
}

function onTimer(scene: JudgeScene, { kind }: ReturnType<typeof judgeTimers.due>): void {
  if (scene.state.stopped !== '') return
  switch (kind) {
    case 'repeat':
      return onRepeat(scene)
    case 'work':
      return onWork(scene)
  }
}

const isOver = ({ state, course }: JudgeScene) => state.phase === course.rounds

/** What is missing is asked for again. */
function onRepeat(scene: JudgeScene): void {
  const { state, settings, turn } = scene
  if (isOver(scene)) return
  judgeTimers.set(turn, 'repeat', settings.repeat)
  if (state.modulus.length === 0) say(scene, settings.run.comparator.id, { kind: 'want' })
  else if (state.begun && state.renewed.length === state.left.length) sendPhase(scene)
}

function onBegin(scene: JudgeScene, from: NodeId): void {
  const { state, settings, course } = scene
  if (from !== settings.run.user.id) return
  if (!state.begun) {
    state.begun = true
    scene.save()
    return playOn(scene)
  }
  if (isOver(scene)) return sendBest(scene)
  say(scene, from, { kind: 'progress', round: state.phase, spent: course.at(state.phase)?.all ?? course.spent })
}

function onSumKey(scene: JudgeScene, from: NodeId, { modulus }: BanditMessage & { kind: 'sumKey' }): void {
  takeModulus(scene, from, scene.settings.run.comparator.id, modulus)
  playOn(scene)
}

/** The next ciphertext of this phase is due. */
function playOn(scene: JudgeScene): void {
  const { state, turn } = scene
  if (!state.begun || state.modulus.length === 0 || isOver(scene)) return
  if (state.renewed.length < state.left.length) judgeTimers.set(turn, 'work', 0)
}

/** Before the first phase a sum is an encryption of 0; after it another ciphertext of what came back. */
function onWork(scene: JudgeScene): void {
  const { state, keys } = scene
  const place = state.renewed.length
  const one = state.left[place]
  if (one === undefined || state.modulus.length === 0) return
  state.sums ??= new Sums(keys.tools, state.secret, state.modulus)
  const { arm, sum } = one
  const renewed =
    sum.length === 0 ? state.sums.encrypt(0n, 'zero', arm) : state.sums.rerandomise(sum, 'phase', state.phase, arm)
  if (renewed === undefined) return refuse(scene, 'a drawer sent no sums under the key of Comp')
  state.renewed.push(renewed)
  if (state.renewed.length < state.left.length) return playOn(scene)
  sendPhase(scene)
}

/** For each arm that is in its place in this phase. */
function placesOf({ state, keys }: JudgeScene): readonly number[] {
  return seats(keys.tools, state.secret, { round: state.phase, attempt: 0 }, state.left.length)
}

function sendPhase(scene: JudgeScene): void {
  const { state, settings, keys } = scene
  const { run } = settings
  const drawer = run.arms[state.phase]!
  const places = placesOf(scene)
  const sums: Uint8Array[] = []
  const order = new Uint8Array(state.left.length)
  for (const [at, { arm }] of state.left.entries()) {
    sums[places[at]!] = state.renewed[at]!
    order[places[at]!] = arm
  }
  const about = [ORDER, runDigest(keys.tools, run), state.phase, ...sums]
  const sealed = signAndSeal(keys, state.secret, drawer, { about, content: order })
  say(scene, drawer.id, { kind: 'phase', phase: state.phase, sums, sealed })
}

function onAdded(scene: JudgeScene, from: NodeId, { phase, sums }: BanditMessage & { kind: 'added' }): void {
  const { state, settings } = scene
  if (settings.run.arms[phase]?.id !== from || phase !== state.phase || isOver(scene)) return
  if (sums.length !== state.left.length) return refuse(scene, 'a drawer left out an arm')
  state.added ??= sums
  endPhase(scene)
}

function onWorst(scene: JudgeScene, from: NodeId, { phase, place }: BanditMessage & { kind: 'worst' }): void {
  const { state, settings } = scene
  if (from !== settings.run.comparator.id || phase !== state.phase || isOver(scene)) return
  if (place >= state.left.length) return refuse(scene, 'Comp named a place where nobody is')
  state.worst ??= place
  endPhase(scene)
}

/** With the sums and the place of the lowest the phase is over. */
function endPhase(scene: JudgeScene): void {
  const { state, turn, course } = scene
  const { added, worst } = state
  if (added === undefined || worst === undefined) return
  const places = placesOf(scene)
  state.left = state.left
    .map(({ arm }, at) => ({ arm, sum: added[places[at]!]! }))
    .filter((_, at) => places[at] !== worst)
  state.phase++
  state.renewed = []
  state.added = undefined
  state.worst = undefined
  scene.save()
  const spent = course.at(state.phase)?.all ?? course.spent
  turn.do({ kind: 'emit', event: { kind: 'round', round: state.phase, spent } })
  if (isOver(scene)) sendBest(scene)
  else playOn(scene)
}

function sendBest(scene: JudgeScene): void {
  const { state, settings, keys } = scene
  const { run } = settings
  const about = [BEST, runDigest(keys.tools, run)]
  const content = Uint8Array.of(state.left[0]!.arm)
  say(scene, run.user.id, { kind: 'best', sealed: signAndSeal(keys, state.secret, run.user, { about, content }) })
}

function onStop(scene: JudgeScene, from: NodeId, { why }: BanditMessage & { kind: 'stop' }): void {
  const { user, comparator, arms } = scene.settings.run
  if ([user, comparator, ...arms].some(({ id }) => id === from)) refuse(scene, why)
}
