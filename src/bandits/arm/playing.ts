// An arm's part of a round: where it sits, its box, its token, its pulls; and at the end its part of the answer.

import { encode, sameBytes } from '../../core/index.ts'
import { ANSWER } from '../answers.ts'
import type { Chance } from '../arithmetic.ts'
import { type BoxPlace, sealBox, tokensOf } from '../box.ts'
import { comparable, TAG_BYTES, TIE_BITS, tagsOf, tieRanks } from '../encoding.ts'
import { isLost, liveCount, mayLose } from '../lost.ts'
import { maskSum } from '../masks.ts'
import { drawn, drawnBytes, refuse, say, signAndSeal } from '../party.ts'
import { GRID } from '../policies/index.ts'
import type { Round } from '../schedule.ts'
import type { BanditTools } from '../settings.ts'
import { answerCodec, TOKEN_BYTES } from '../wire.ts'
import { type ArmCommand, type ArmKeys, type ArmScene, armTimers, type TurnMessage } from './state.ts'

/** What the shuffler said, if it follows from what went before: the slot is saved, and what is due is due. */
export function takeTurn(scene: ArmScene, body: TurnMessage): void {
  const { state, course } = scene
  if (state.keys === undefined || body.round < state.round) return
  if (isLost(body.lost, state.place)) return leave(scene)
  const { run } = scene.settings
  if (!mayLose(run, state.lost, body.lost)) return refuse(scene, 'the shuffler left out an arm')
  if (body.slot >= liveCount(run.arms.length, body.lost))
    return refuse(scene, 'the shuffler gave a slot that is not there')
  if (body.round > state.round + 1 || body.round > course.rounds) return refuse(scene, 'the shuffler skipped a round')
  const isNew = body.round > state.round
  if (isNew) {
    if (!actOnToken(scene, body)) return
  } else {
    if (body.attempt < state.attempt) return
    // Who masks for two sets of arms would show the difference of both; who compares in two, more than one bit.
    if (body.attempt === state.attempt && body.lost !== state.lost) return refuse(scene, 'the shuffler named two sets')
    if (body.attempt === state.attempt && !sameSlot(scene, body)) return
  }
  state.owes = true
  paceFor(scene, body)
  if (!isNew && body.attempt === state.attempt && body.slot === state.slot) return
  state.lost = body.lost
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
  const place = { run: state.keys!.run, round: round - 1, attempt: settings.rules.tokensFor(tokenAttempt) }
  const { win, lose } = tokensOf(keys.tools, state.secret, place)
  const isToken = (one: Uint8Array) => tokenAttempt <= state.attempt && sameBytes(token, one)
  const won = isToken(win)
  if (!won && !isToken(lose) && !settings.rules.takesStrangeToken()) {
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

/** Who was silent too long plays no more, and tells its owner alone: the others go on. */
function leave(scene: ArmScene): void {
  const { state, turn } = scene
  state.stopped = 'the others went on without it, since it was silent'
  scene.save()
  turn.do({ kind: 'emit', event: { kind: 'stopped', why: state.stopped } })
}

/** Its time runs from the slot on, as long for who pulls as for who does not. */
function paceFor({ state, turn, settings, course }: ArmScene, { round, attempt }: TurnMessage): void {
  const { pace = 0 } = settings.run
  if (pace === 0 || (state.paced?.round === round && state.paced.attempt === attempt)) return
  state.paced = { round, attempt, isDue: false }
  const pulls = course.at(round - 1)?.pulls ?? course.first
  armTimers.set(turn, 'pace', pace * Math.max(1, pulls))
}

/** An answer that is not ready leaves at the next beat. */
export function onPace({ state, turn, settings, course }: ArmScene): void {
  if (state.paced === undefined) return
  if (state.round === course.rounds && state.pulls < state.target) {
    return armTimers.set(turn, 'pace', settings.run.pace ?? 0)
  }
  state.paced.isDue = true
}

/** Asks the owner for the next pull that is due, and says what the shuffler waits for. */
export function playOn(scene: ArmScene): void {
  const { state, turn, course } = scene
  const isReady = state.pulls >= state.target
  if (!isReady && state.asked !== state.pulls + 1) {
    state.asked = state.pulls + 1
    turn.do({ kind: 'emit', event: { kind: 'pull', number: state.asked, round: state.round - 1 } })
  }
  const { paced } = state
  if (!state.owes || (paced === undefined ? !isReady : !paced.isDue)) return
  state.owes = false
  const round = course.at(state.round)
  if (round === undefined) return sendAnswer(scene, state.keys!)
  sendBox(scene, state.keys!, round, !isReady)
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

function sendBox(scene: ArmScene, armKeys: ArmKeys, round: Round, late: boolean): void {
  const { state, turn, settings } = scene
  const { shuffler } = settings.run
  const { attempt, slot } = state
  if (!settings.rules.sendsBox(state.isIn)) return
  if (state.box?.round !== state.round || state.box.attempt !== attempt || state.box.slot !== slot) {
    state.box = {
      round: state.round,
      attempt,
      slot,
      bytes: late ? makeLateBox(scene, armKeys) : makeBox(scene, armKeys, round),
    }
  }
  turn.do({ kind: 'send', to: shuffler.id, body: { kind: 'box', round: state.round, attempt, box: state.box.bytes } })
}

/** What of an arm its box follows from. */
export type BoxScene = Pick<ArmScene, 'settings' | 'course'> & {
  readonly state: Pick<
    ArmScene['state'],
    'secret' | 'round' | 'attempt' | 'slot' | 'place' | 'pulls' | 'sum' | 'isIn' | 'runKey' | 'lost'
  >
  readonly keys: Pick<ArmScene['keys'], 'tools' | 'sealing'>
}

/** The box of a round: the same bytes whenever it is made again, by the arm or by an auditor who has its secret. */
export function makeBox(scene: BoxScene, armKeys: ArmKeys, { all }: Round): Uint8Array {
  const { state, settings, keys, course } = scene
  const { secret, round, attempt, slot } = state
  const { blocks } = armKeys
  const arms = settings.run.arms.length
  const rank = settings.rules.tieRank(tieRanks(arms, all, blocks), state.place, slot)
  const shape = { slots: liveCount(arms, state.lost), bits: course.bits + TIE_BITS }
  const tags = tagsOf(comparable(indexOf(scene, armKeys.run, all), rank), slot, shape, { all: round, attempt }, blocks)
  const place = { run: armKeys.run, round, attempt, slot: settings.rules.boundSlot(slot) }
  const content = { ...tokensAt(scene, place), check: armKeys.check, tags, late: false }
  return sealBox({ keys, secret, boxesKey: armKeys.boxes, runKey: state.runKey, rules: settings.rules }, place, content)
}

function tokensAt({ state: { secret }, keys: { tools }, settings: { rules } }: BoxScene, place: BoxPlace) {
  return tokensOf(tools, secret, { ...place, attempt: rules.tokensFor(place.attempt) })
}

/** A box of the same length from an arm that has not its reward yet: only the comparator sees the difference, and no name. */
export function makeLateBox(scene: BoxScene, armKeys: ArmKeys): Uint8Array {
  const { state, settings, keys, course } = scene
  const { secret, round, attempt, slot, runKey, lost } = state
  const place = { run: armKeys.run, round, attempt, slot: settings.rules.boundSlot(slot) }
  const length = (liveCount(settings.run.arms.length, lost) - 1) * (course.bits + TIE_BITS) * TAG_BYTES
  const tags = drawnBytes(keys.tools, secret, ['late', armKeys.run, round, attempt], length)
  const content = { ...tokensAt(scene, place), check: armKeys.check, tags, late: true }
  return sealBox({ keys, secret, boxesKey: armKeys.boxes, runKey, rules: settings.rules }, place, content)
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
      ? maskSum(tools, armKeys.run, state.sum, state.place, pairsLeft(armKeys, state.lost))
      : state.claim.length > 0
        ? state.claim
        : drawn(tools, state.secret, 'no claim', armKeys.run).subarray(0, TOKEN_BYTES)
  const content = encode(answerCodec, { arm: state.place, value })
  const statement = { about: [ANSWER, armKeys.run, state.lost], content }
  say(scene, run.shuffler.id, { kind: 'answer', sealed: signAndSeal(keys, state.secret, run.user, statement) })
}

/** Keys with the arms that are there: what was masked with one that is lost would stay masked. */
function pairsLeft({ pairs }: ArmKeys, lost: number): ReadonlyMap<number, Uint8Array> {
  return new Map([...pairs].filter(([place]) => !isLost(lost, place)))
}
