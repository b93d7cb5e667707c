// The user of UCB-DS and UCB-DS2: gives a budget and the key that sums are encrypted to, and gets the sum of all.

import type { NodeId, Protocol } from '../../../core/index.ts'
import { NOT_WAITED_FOR, refuse, repeatStop, type StoppedEvent, say, TIME_UP, tellStopped } from '../../party.ts'
import { GRID } from '../../policies/index.ts'
import { scheduleOf } from '../../schedule.ts'
import type { BanditKeys, BanditSettings } from '../../settings.ts'
import type { UserEvent } from '../../user/state.ts'
import type { BanditMessage } from '../../wire.ts'
import { ensureSecret, type PrimesCommand, type PrimesEvent } from '../common.ts'
import {
  type HolderCommand,
  type HolderScene,
  type HolderState,
  holderSnapshot,
  holderTimers,
  keepPrimes,
  newHolder,
  openedSums,
} from './state.ts'

/** The ring's user as a protocol. */
export type RingUser = Protocol<HolderState, BanditMessage, HolderCommand, UserEvent | PrimesEvent | StoppedEvent>

/** The user of a run of UCB-D, UCB-DS or UCB-DS2. */
export function ringUser(settings: BanditSettings, keys: BanditKeys): RingUser {
  const course = scheduleOf(settings.run)
  return {
    name: 'ring user',
    init: (self, _peers, saved) => newHolder(self, saved),
    step(state, input, turn) {
      const save = () => turn.do({ kind: 'snapshot', record: holderSnapshot(state) })
      const scene: HolderScene = { state, settings, turn, keys, course, save }
      switch (input.kind) {
        case 'start':
          return onStart(scene)
        case 'message':
          return onMessage(scene, input.from, input.body)
        case 'command':
          return onCommand(scene, input.body)
        case 'timer':
          return onTimer(scene, holderTimers.due(input.name))
        case 'stop':
          return
      }
    },
  }
}

function onStart(scene: HolderScene): void {
  const { state, turn, settings } = scene
  ensureSecret(scene)
  if (state.stopped !== '') return tellStopped(scene)
  if (state.p.length === 0) turn.do({ kind: 'emit', event: { kind: 'primes' } })
  if (!state.begun) return
  ask(scene)
  holderTimers.set(turn, 'timeout', settings.timeout)
}

function onMessage(scene: HolderScene, from: NodeId, body: BanditMessage): void {
  const { state } = scene
  if (state.stopped !== '') return repeatStop(scene, from, body)
  if (state.done) return
  switch (body.kind) {
    case 'want':
      return onWant(scene, from)
    case 'progress':
      return onProgress(scene, from, body)
    case 'ringTotal':
      return onRingTotal(scene, from, body)
    case 'stop':
      return onStop(scene, from, body)
    default:
      return
  }
}

function onCommand(scene: HolderScene, body: HolderCommand): void {
  switch (body.kind) {
    case 'begin':
      return onBegin(scene)
    case 'cancel':
      return onCancel(scene)
    case 'primes':
      return onPrimes(scene, body)
  }
}

function onTimer(scene: HolderScene, { kind }: ReturnType<typeof holderTimers.due>): void {
  const { state } = scene
  if (state.done || state.stopped !== '') return
  switch (kind) {
    case 'repeat':
      return onRepeat(scene)
    case 'timeout':
      return onTimeout(scene)
  }
}

function onBegin(scene: HolderScene): void {
  const { state, turn, settings } = scene
  if (state.begun) return
  state.begun = true
  scene.save()
  ask(scene)
  holderTimers.set(turn, 'timeout', settings.timeout)
}

function onCancel(scene: HolderScene): void {
  if (!scene.state.done) refuse(scene, NOT_WAITED_FOR)
}

/** Everybody who waits for the key gets it. */
function onPrimes(scene: HolderScene, body: PrimesCommand): void {
  const { shuffler, arms } = scene.settings.run
  keepPrimes(scene, body)
  for (const { id } of [shuffler, ...arms]) sendKey(scene, id)
}

function onTimeout(scene: HolderScene): void {
  refuse(scene, TIME_UP)
}

function onRepeat(scene: HolderScene): void {
  ask(scene)
}

function ask(scene: HolderScene): void {
  const { settings, turn } = scene
  say(scene, settings.run.shuffler.id, { kind: 'begin' })
  holderTimers.set(turn, 'repeat', settings.repeat)
}

function sendKey(scene: HolderScene, to: NodeId): void {
  const sums = openedSums(scene)
  if (sums !== undefined) say(scene, to, { kind: 'sumKey', modulus: sums.modulus })
}

function onWant(scene: HolderScene, from: NodeId): void {
  const { shuffler, arms } = scene.settings.run
  if ([shuffler, ...arms].some(({ id }) => id === from)) sendKey(scene, from)
}

function onProgress(scene: HolderScene, from: NodeId, body: BanditMessage & { kind: 'progress' }): void {
  if (from !== scene.settings.run.shuffler.id) return
  scene.turn.do({ kind: 'emit', event: { kind: 'progress', round: body.round, spent: body.spent } })
}

function onStop(scene: HolderScene, from: NodeId, { why }: BanditMessage & { kind: 'stop' }): void {
  const { shuffler, arms } = scene.settings.run
  if ([shuffler, ...arms].some(({ id }) => id === from)) refuse(scene, why)
}

function onRingTotal(scene: HolderScene, from: NodeId, { sum }: BanditMessage & { kind: 'ringTotal' }): void {
  const { state, settings, course, turn } = scene
  if (from !== settings.run.shuffler.id || !state.begun) return
  const found = openedSums(scene)?.decrypt(sum)
  const most = BigInt(course.spent) * BigInt(GRID)
  if (found === undefined || !settings.rules.isSum(found, most)) {
    return refuse(scene, 'the sum is none of this many rewards')
  }
  state.done = true
  holderTimers.cancel(turn, 'repeat')
  holderTimers.cancel(turn, 'timeout')
  turn.do({ kind: 'emit', event: { kind: 'answered', best: undefined, steps: Number(found) } })
}
