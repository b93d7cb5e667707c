// The owner of one arm: alone knows its rewards, and alone learns that it was pulled.
//
// Guarantee: an arm pulls what the open algorithm would have it pull, or stops and says so. What it says is a function of
// one secret and of what it saved first, so a restart repeats its words; one slot in an attempt; one token in a round.

import type { NodeId, Protocol } from '../../core/index.ts'
import { NO_REWARDS, refuse, repeatStop, type StoppedEvent, say } from '../party.ts'
import { scheduleOf } from '../schedule.ts'
import type { BanditKeys, BanditSettings } from '../settings.ts'
import { type BanditMessage, KEY_BYTES } from '../wire.ts'
import { keepRunKey, keepShare, makeKeys, sendShare, sendShares } from './keying.ts'
import { onPace, onReward, playOn, takeTurn } from './playing.ts'
import {
  type ArmCommand,
  type ArmEvent,
  type ArmScene,
  type ArmState,
  armSnapshot,
  armTimers,
  checkArm,
  newArm,
  type TurnMessage,
} from './state.ts'

/** An arm as a protocol. */
export type BanditArm = Protocol<ArmState, BanditMessage, ArmCommand, ArmEvent | StoppedEvent>

/** One arm of a private run. */
export function banditArm(settings: BanditSettings, keys: BanditKeys): BanditArm {
  const { arms } = settings.run
  const course = scheduleOf(settings.run)
  return {
    name: 'bandit arm',
    init: (self, _peers, saved) =>
      newArm(
        self,
        arms.findIndex(({ id }) => id === self),
        arms.length,
        saved,
      ),
    step(state, input, turn) {
      const save = () => turn.do({ kind: 'snapshot', record: armSnapshot(state) })
      const scene: ArmScene = { state, settings, turn, keys, course, save }
      switch (input.kind) {
        case 'start':
          onStart(scene)
          break
        case 'message':
          onMessage(scene, input.from, input.body)
          break
        case 'command':
          onCommand(scene, input.body)
          break
        case 'timer':
          onTimer(scene, armTimers.due(input.name))
          break
        case 'stop':
          return
      }
      advance(scene)
    },
    check: checkArm,
  }
}

function onStart(scene: ArmScene): void {
  const { state, turn, settings } = scene
  if (state.secret.length === 0) {
    state.secret = turn.bytes(KEY_BYTES)
    scene.save()
  }
  if (state.runKey.length === 0) say(scene, settings.run.comparator.id, { kind: 'want' })
  else sendShares(scene)
  armTimers.set(turn, 'repeat', settings.repeat)
}

function onMessage(scene: ArmScene, from: NodeId, body: BanditMessage): void {
  if (scene.state.stopped !== '') return repeatStop(scene, from, body)
  switch (body.kind) {
    case 'runKey':
      return onRunKey(scene, from, body)
    case 'share':
      return onShare(scene, from, body)
    case 'want':
      return onWant(scene, from)
    case 'turn':
      return onTurn(scene, from, body)
    default:
      return
  }
}

function onCommand(scene: ArmScene, body: ArmCommand): void {
  switch (body.kind) {
    case 'reward':
      return onReward(scene, body)
    case 'fail':
      return onFail(scene)
  }
}

function onTimer(scene: ArmScene, { kind }: ReturnType<typeof armTimers.due>): void {
  switch (kind) {
    case 'repeat':
      return onRepeat(scene)
    case 'pace':
      return onPace(scene)
  }
}

/** Keys that are not whole are asked for again. Later the shuffler repeats. */
function onRepeat(scene: ArmScene): void {
  const { state, settings, turn } = scene
  if (state.keys !== undefined || state.stopped !== '') return
  const { comparator, arms } = settings.run
  if (state.runKey.length === 0) say(scene, comparator.id, { kind: 'want' })
  else
    for (const [place, { id }] of arms.entries()) {
      if (place !== state.place && state.shares[place]!.length === 0) say(scene, id, { kind: 'want' })
    }
  armTimers.set(turn, 'repeat', settings.repeat)
}

function onRunKey(scene: ArmScene, from: NodeId, body: BanditMessage & { kind: 'runKey' }): void {
  if (from === scene.settings.run.comparator.id) keepRunKey(scene, body)
}

function onShare(scene: ArmScene, from: NodeId, { sealed }: BanditMessage & { kind: 'share' }): void {
  const place = scene.settings.run.arms.findIndex(({ id }) => id === from)
  if (place >= 0 && place !== scene.state.place) keepShare(scene, place, sealed)
}

function onWant(scene: ArmScene, from: NodeId): void {
  const { comparator, arms } = scene.settings.run
  if (from === comparator.id) return sendShare(scene, undefined)
  const place = arms.findIndex(({ id }) => id === from)
  if (place >= 0) sendShare(scene, place)
}

function onTurn(scene: ArmScene, from: NodeId, body: TurnMessage): void {
  if (from === scene.settings.run.shuffler.id) takeTurn(scene, body)
}

/** To the others it is "an arm": which one, its owner knows. */
function onFail(scene: ArmScene): void {
  refuse(scene, NO_REWARDS)
}

function advance(scene: ArmScene): void {
  const { state } = scene
  if (state.stopped !== '') return
  state.keys ??= makeKeys(scene)
  if (state.keys !== undefined) playOn(scene)
}
