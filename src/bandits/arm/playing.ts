// An arm's part of a round: where it sits, its box, its token, its pulls; and at the end its part of the answer.

import { encode, sameBytes } from '../../core/index.ts'
import { ANSWER } from '../answers.ts'
import type { Chance } from '../arithmetic.ts'
import { sealBox, tokenOf } from '../box.ts'
import { comparable, TIE_BITS, tagsOf, tieRanks } from '../encoding.ts'
import { maskSum } from '../masks.ts'
import { drawn, refuse, say, signAndSeal } from '../party.ts'
import { GRID } from '../policies/index.ts'
import type { Round } from '../schedule.ts'
import type { BanditTools } from '../settings.ts'
import { answerCodec, TOKEN_BYTES } from '../wire.ts'
import type { ArmCommand, ArmKeys, ArmScene, TurnMessage } from './state.ts'

/** What the shuffler said, if it follows from what went before: the slot is saved, and what is due is due. */
export function takeTurn(scene: ArmScene, body: TurnMessage): void {
  const { state, course } = scene
  if (state.keys === undefined || body.round < state.round) return
  if (body.round > state.round + 1 || body.round > course.rounds) return refuse(scene, 'the shuffler skipped a round')
  const isNew = body.round > state.round
  if (isNew) {
    if (!actOnToken(scene, body)) return
  } else {
    if (body.attempt < state.attempt) return
    if (body.attempt === state.attempt && !sameSlot(scene, body)) return
  }
  state.owes = true
  if (!isNew && body.attempt === state.attempt && body.slot === state.slot) return
  state.round = body.round
  state.attempt = body.attempt
  state.slot = body.slot
  scene.save()
}

function sameSlot(scene: ArmScene, { slot }: TurnMessage): boolean {
  if (scene.settings.rules.takesSlot(scene.state.slot, slot)) return true
  refuse(scene, 'the shuffler gave two slots in one attempt')
  return false
}

/** Win: pull; lose: go on; neither: somebody changed it. False where the arm stops. */
function actOnToken(scene: ArmScene, { round, pulls: asked, tokenAttempt, token }: TurnMessage): boolean {
  const { state, settings, keys, course } = scene
  const pulls = settings.rules.pulls(course.at(round - 1)?.pulls ?? course.first, asked)
  if (pulls === undefined) {
    refuse(scene, 'the shuffler asked for other pulls than agreed')
    return false
  }
  if (round === 0) {
    state.target = pulls
    return true
  }
  const place = { run: state.keys!.run, round: round - 1, attempt: tokenAttempt }
  const isToken = (won: boolean) =>
    tokenAttempt <= state.attempt && sameBytes(token, tokenOf(keys.tools, state.secret, place, won))
  const won = isToken(true)
  if (!won && !isToken(false) && !settings.rules.takesStrangeToken()) {
    refuse(scene, 'a token is neither of the two that were sealed')
    return false
  }
  // An arm that is out stays out, whatever it is told.
  if (won && state.isIn) {
    state.target += pulls
    if (round === course.rounds) state.claim = token
  }
  if (course.policy === undefined && !won) state.isIn = false
  return true
}

/** Asks the owner for the next pull that is due, or says what the shuffler waits for. */
export function playOn(scene: ArmScene): void {
  const { state, turn, course } = scene
  if (state.pulls < state.target) {
    if (state.asked === state.pulls + 1) return
    state.asked = state.pulls + 1
    return turn.do({ kind: 'emit', event: { kind: 'pull', number: state.asked, round: state.round - 1 } })
  }
  if (!state.owes) return
  state.owes = false
  const round = course.at(state.round)
  if (round === undefined) return sendAnswer(scene, state.keys!)
  sendBox(scene, state.keys!, round)
}

export function onReward(scene: ArmScene, { number, steps }: ArmCommand & { kind: 'reward' }): void {
  const { state } = scene
  if (number !== state.pulls + 1 || state.pulls >= state.target) return
  if (!(Number.isInteger(steps) && steps >= 0 && steps <= GRID))
    return refuse(scene, 'an arm has no reward in its range')
  state.pulls++
  state.sum += steps
  scene.save()
}

function sendBox(scene: ArmScene, armKeys: ArmKeys, round: Round): void {
  const { state, turn, settings } = scene
  const { shuffler } = settings.run
  const { attempt, slot } = state
  if (state.box?.round !== state.round || state.box.attempt !== attempt || state.box.slot !== slot) {
    state.box = { round: state.round, attempt, slot, bytes: makeBox(scene, armKeys, round) }
  }
  turn.do({ kind: 'send', to: shuffler.id, body: { kind: 'box', round: state.round, attempt, box: state.box.bytes } })
}

/** What of an arm its box follows from. */
export type BoxScene = Pick<ArmScene, 'settings' | 'course'> & {
  readonly state: Pick<
    ArmScene['state'],
    'secret' | 'round' | 'attempt' | 'slot' | 'place' | 'pulls' | 'sum' | 'isIn' | 'runKey'
  >
  readonly keys: Pick<ArmScene['keys'], 'tools' | 'sealing'>
}

/** The box of a round: the same bytes whenever it is made again, by the arm or by an auditor who has its secret. */
export function makeBox(scene: BoxScene, armKeys: ArmKeys, { all }: Round): Uint8Array {
  const { state, settings, keys, course } = scene
  const { tools } = keys
  const { secret, round, attempt, slot } = state
  const { blocks } = armKeys
  const arms = settings.run.arms.length
  const rank = settings.rules.tieRank(tieRanks(arms, all, blocks), state.place, slot)
  const shape = { slots: arms, bits: course.bits + TIE_BITS }
  const tags = tagsOf(comparable(indexOf(scene, armKeys.run, all), rank), slot, shape, { all: round, attempt }, blocks)
  const place = { run: armKeys.run, round, attempt, slot: settings.rules.boundSlot(slot) }
  const content = {
    check: armKeys.check,
    win: tokenOf(tools, secret, place, true),
    lose: tokenOf(tools, secret, place, false),
    tags,
  }
  return sealBox({ keys, secret, boxesKey: armKeys.boxes, runKey: state.runKey }, place, content)
}

/** What the arm compares. */
export function indexOf({ state, settings, keys, course }: BoxScene, run: Uint8Array, all: number): number {
  const { pulls, sum, isIn, secret } = state
  if (course.policy === undefined) return settings.rules.searchIndex(isIn, sum)
  return course.policy.index({ pulls, sum }, all, chanceOf(keys.tools, secret, run, all))
}

/** An arm's own chance before pull t of all: the same in every attempt, so that a second one elects the same arm. */
export function chanceOf(tools: BanditTools, secret: Uint8Array, run: Uint8Array, all: number): Chance {
  let draws = 0
  return () => {
    const block = drawn(tools, secret, 'chance', run, all, draws++)
    const view = new DataView(block.buffer, block.byteOffset, block.byteLength)
    return (view.getUint32(0) * 2 ** 21 + (view.getUint32(4) >>> 11)) / 2 ** 53
  }
}

function sendAnswer(scene: ArmScene, armKeys: ArmKeys): void {
  const { state, settings, keys, course } = scene
  const { run } = settings
  const { tools } = keys
  // Who lost says 16 bytes that mean nothing: its losing token would let the comparator tell the user its slot.
  const value =
    course.policy !== undefined
      ? maskSum(tools, armKeys.run, state.sum, state.place, armKeys.pairs)
      : state.claim.length > 0
        ? state.claim
        : drawn(tools, state.secret, 'no claim', armKeys.run).subarray(0, TOKEN_BYTES)
  const content = encode(answerCodec, { arm: state.place, value })
  const statement = { about: [ANSWER, armKeys.run], content }
  say(scene, run.shuffler.id, { kind: 'answer', sealed: signAndSeal(keys, state.secret, run.user, statement) })
}
