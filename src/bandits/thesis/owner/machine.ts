// DO and U of SR-secured (THESIS §6.2.3): encrypts to Comp what its arms are worth, hands that to the drawers, and gets the best arm.

import type { NodeId, Protocol } from '../../../core/index.ts'
import {
  NOT_WAITED_FOR,
  openSigned,
  refuse,
  repeatStop,
  runDigest,
  type StoppedEvent,
  say,
  TIME_UP,
  tellStopped,
} from '../../party.ts'
import type { BanditKeys, BanditSettings } from '../../settings.ts'
import type { UserEvent } from '../../user/state.ts'
import type { BanditMessage } from '../../wire.ts'
import { armsOf, ensureSecret, Sums, takeModulus } from '../common.ts'
import { BEST, searchCourse } from '../searching.ts'
import { newOwner, type OwnerCommand, type OwnerScene, type OwnerState, ownerSnapshot, ownerTimers } from './state.ts'

/** DO and U as a protocol. */
export type SearchOwner = Protocol<OwnerState, BanditMessage, OwnerCommand, UserEvent | StoppedEvent>

/** DO and U of a run of SR-secured. */
export function searchOwner(settings: BanditSettings, keys: BanditKeys): SearchOwner {
  const course = searchCourse(settings.run)
  return {
    name: 'search owner',
    init: (self, _peers, saved) => newOwner(self, saved),
    step(state, input, turn) {
      const save = () => turn.do({ kind: 'snapshot', record: ownerSnapshot(state) })
      const scene: OwnerScene = { state, settings, turn, keys, course, save }
      switch (input.kind) {
        case 'start':
          return onStart(scene)
        case 'message':
          return onMessage(scene, input.from, input.body)
        case 'command':
          return onCommand(scene, input.body)
        case 'timer':
          return onTimer(scene, ownerTimers.due(input.name))
        case 'stop':
          return
      }
    },
  }
}

function onStart(scene: OwnerScene): void {
  const { state, turn, settings } = scene
  ensureSecret(scene)
  if (state.stopped !== '') return tellStopped(scene)
  if (!state.begun) return
  ask(scene)
  encryptOn(scene)
  ownerTimers.set(turn, 'timeout', settings.timeout)
}

function onMessage(scene: OwnerScene, from: NodeId, body: BanditMessage): void {
  const { state } = scene
  if (state.stopped !== '') return repeatStop(scene, from, body)
  if (!state.begun || state.done) return
  switch (body.kind) {
    case 'sumKey':
      return onSumKey(scene, from, body)
    case 'want':
      return onWant(scene, from)
    case 'progress':
      return onProgress(scene, from, body)
    case 'best':
      return onBest(scene, from, body)
    case 'stop':
      return onStop(scene, from, body)
    default:
      return
  }
}

function onCommand(scene: OwnerScene, body: OwnerCommand): void {
  switch (body.kind) {
    case 'begin':
      return onBegin(scene, body)
    case 'cancel':
      return onCancel(scene)
  }
}

function onTimer(scene: OwnerScene, { kind }: ReturnType<typeof ownerTimers.due>): void {
  const { state } = scene
  if (state.done || state.stopped !== '') return
  switch (kind) {
    case 'repeat':
      return onRepeat(scene)
    case 'timeout':
      return onTimeout(scene)
    case 'work':
      return onWork(scene)
  }
}

/** A restart goes on with the values it began with: others would be another run. */
function onBegin(scene: OwnerScene, { values, epsilon }: OwnerCommand & { kind: 'begin' }): void {
  const { state, turn, settings } = scene
  if (state.begun) {
    const isSame = epsilon === state.epsilon && String(values) === String(state.values)
    return isSame ? undefined : refuse(scene, 'the values are not those that the run began with')
  }
  if (values.length !== armsOf(settings.run)) return refuse(scene, 'there is one value for each arm')
  state.begun = true
  state.values = values
  state.epsilon = epsilon
  scene.save()
  ask(scene)
  ownerTimers.set(turn, 'timeout', settings.timeout)
}

function onCancel(scene: OwnerScene): void {
  if (!scene.state.done) refuse(scene, NOT_WAITED_FOR)
}

function onTimeout(scene: OwnerScene): void {
  refuse(scene, TIME_UP)
}

function onRepeat(scene: OwnerScene): void {
  ask(scene)
}

/** Comp for its key, if that is not known, and BAI how far it is. */
function ask(scene: OwnerScene): void {
  const { state, settings, turn } = scene
  const { comparator, shuffler } = settings.run
  if (state.modulus.length === 0) say(scene, comparator.id, { kind: 'want' })
  say(scene, shuffler.id, { kind: 'begin' })
  ownerTimers.set(turn, 'repeat', settings.repeat)
}

function onSumKey(scene: OwnerScene, from: NodeId, { modulus }: BanditMessage & { kind: 'sumKey' }): void {
  takeModulus(scene, from, scene.settings.run.comparator.id, modulus)
  encryptOn(scene)
}

function encryptOn(scene: OwnerScene): void {
  const { state, turn } = scene
  if (state.modulus.length > 0 && state.encrypted.length < state.values.length) ownerTimers.set(turn, 'work', 0)
}

function onWork(scene: OwnerScene): void {
  const { state, settings, keys } = scene
  const place = state.encrypted.length
  if (place >= state.values.length) return
  state.sums ??= new Sums(keys.tools, state.secret, state.modulus)
  state.encrypted.push(state.sums.encrypt(BigInt(state.values[place]!), 'value', place))
  if (state.encrypted.length < state.values.length) return encryptOn(scene)
  for (const { id } of settings.run.arms) sendValues(scene, id)
}

function sendValues(scene: OwnerScene, to: NodeId): void {
  const { state } = scene
  if (state.encrypted.length < state.values.length) return
  say(scene, to, { kind: 'values', epsilon: state.epsilon, values: [...state.encrypted] })
}

function onWant(scene: OwnerScene, from: NodeId): void {
  if (scene.settings.run.arms.some(({ id }) => id === from)) sendValues(scene, from)
}

function onProgress(scene: OwnerScene, from: NodeId, body: BanditMessage & { kind: 'progress' }): void {
  if (from !== scene.settings.run.shuffler.id) return
  scene.turn.do({ kind: 'emit', event: { kind: 'progress', round: body.round, spent: body.spent } })
}

function onStop(scene: OwnerScene, from: NodeId, { why }: BanditMessage & { kind: 'stop' }): void {
  const { shuffler, comparator, arms } = scene.settings.run
  if ([shuffler, comparator, ...arms].some(({ id }) => id === from)) refuse(scene, why)
}

function onBest(scene: OwnerScene, from: NodeId, { sealed }: BanditMessage & { kind: 'best' }): void {
  const { state, settings, keys, turn } = scene
  const { run } = settings
  if (from !== run.shuffler.id) return
  const content = openSigned(keys, run.shuffler, [BEST, runDigest(keys.tools, run)], sealed)
  if (content?.length !== 1 || content[0]! >= armsOf(run)) return refuse(scene, 'the best arm is not from BAI')
  state.done = true
  for (const timer of ['repeat', 'timeout', 'work'] as const) ownerTimers.cancel(turn, timer)
  turn.do({ kind: 'emit', event: { kind: 'answered', best: content[0], steps: undefined } })
}
