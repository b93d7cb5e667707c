// Levels `curious` and `strong`: the ring of the paper, corrected (../ring), among processes that crash. Epochs, keys,
// succession, requests and seats are those of `verified`; in place of its proven rounds there is the ring, which costs a
// tenth and trusts every member to follow the protocol.
//
// Guarantees, if nobody deviates: distinct slots, always, also in a partition; a request is served while a quorum can
// talk; nobody learns who holds which. Faults: words lost, repeated, late; members killed in any phase, members that come
// back, partitions. Not liars: one that deviates reads others' tickets. README.md says it precisely.

import { type NodeId, type Protocol, sameBytes, type TimerDue, unreachable } from '../../core/index.ts'
import { ringMember } from '../ring/index.ts'
import { groupOf } from '../settings.ts'
import { lookAround } from '../verified/asking.ts'
import { answerEpoch } from '../verified/hearing.ts'
import {
  advanceEpochs,
  onCommand,
  onStart,
  onMessage as onWordAboutEpochs,
  type SlotsMemberOptions,
  slotsMeans,
} from '../verified/machine.ts'
import { type EpochRecord, positionOf, slotsDealt } from '../verified/record.ts'
import { restore } from '../verified/restoring.ts'
import { flush } from '../verified/saying.ts'
import { onLease } from '../verified/seats.ts'
import type { SlotsCommand, SlotsEvent } from '../verified/state.ts'
import { isStep, type SlotsMessage } from '../verified/wire.ts'
import { beginRing, onRingTimer, ringNow, stepRing } from './hosted-ring.ts'
import { type TrustingRules, trustingRules } from './rules.ts'
import { checkTrusting, ringSettings } from './settings.ts'
import {
  aboutEpochs,
  checkTrustingState,
  type TrustingMeans,
  type TrustingScene,
  type TrustingState,
  type TrustingTimer,
  trustingTimers,
} from './state.ts'
import { heardFrom, watch } from './watching.ts'
import { isWhole, type TrustingMessage } from './wire.ts'

/** What a member of a slots group at levels `curious` and `strong` is made with. */
export interface TrustingMemberOptions extends SlotsMemberOptions {
  readonly trusting?: TrustingRules
}

/** One member of a slots group at level `curious` or `strong`, as a machine. */
export type TrustingMember = Protocol<TrustingState, TrustingMessage, SlotsCommand, SlotsEvent>

/** A member of a slots group at level `curious` or `strong`, as the settings say. */
export function trustingMember(options: TrustingMemberOptions): TrustingMember {
  const { settings, members } = options
  checkTrusting(settings, members.length)
  const means = trustingMeans(options)
  return {
    name: `slots, ${settings.level}`,
    init: (self, _peers, saved) => ({ ...restore(means, self, saved), ring: undefined }),
    step(state, input, turn) {
      const scene: TrustingScene = { ...means, state, turn }
      switch (input.kind) {
        case 'start':
          return onStart(aboutEpochs(scene))
        case 'message':
          return onMessage(scene, input.from, input.body)
        case 'command':
          return onCommand(aboutEpochs(scene), input.body)
        case 'timer':
          return onTimer(scene, trustingTimers.due(input.name))
        case 'stop':
          return
      }
    },
    check: checkTrustingState,
  }
}

function trustingMeans(options: TrustingMemberOptions): TrustingMeans {
  const { settings, trusting = trustingRules } = options
  const group = groupOf(options.group, settings.level)
  // A machine is made of its numbers and has no state of its own.
  const machines = new Map<number, ReturnType<TrustingMeans['ringOf']>>()
  const ringOf = (record: EpochRecord) => {
    const size = record.members.length
    const known = machines.get(size)
    if (known !== undefined) return known
    const ring = ringSettings(settings, slotsDealt(record))
    const made = { machine: ringMember({ settings: ring, members: size, group }), settings: ring }
    machines.set(size, made)
    return made
  }
  return { ...slotsMeans({ ...options, group }), trusting, ringOf }
}

function onMessage(scene: TrustingScene, from: NodeId, said: TrustingMessage): void {
  switch (said.kind) {
    case 'about':
      return onAbout(scene, from, said.said)
    case 'ring':
      return onRing(scene, from, said)
    case 'pulse':
      return onPulse(scene, from, said)
    default:
      return unreachable(said, 'message')
  }
}

function onTimer(scene: TrustingScene, due: TimerDue<TrustingTimer>): void {
  switch (due.kind) {
    case 'beat':
      return onBeat(scene)
    case 'lease':
      return onLease(aboutEpochs(scene))
    case 'lap':
    case 'pace':
    case 'round':
    case 'resend':
      return onRingTimer(scene, due.kind, due.about)
  }
}

function onAbout(scene: TrustingScene, from: NodeId, said: SlotsMessage): void {
  if (isAboutEpochs(said)) onWordAboutEpochs(aboutEpochs(scene), from, said)
}

/** The rounds of `verified` are not played here: of its steps only keys and agreement to them count. */
function isAboutEpochs(said: SlotsMessage): boolean {
  return isStep(said) ? said.kind === 'key' || said.kind === 'ready' : said.kind !== 'want'
}

function onRing(scene: TrustingScene, from: NodeId, said: TrustingMessage & { kind: 'ring' }): void {
  const { state, group, turn } = scene
  if (!sameBytes(said.epoch, state.epoch.hash)) return
  const place = positionOf(state.epoch.record, from)
  const ring = ringNow(scene)
  if (ring === undefined || place < 0) return
  heardFrom(ring, place, turn.now)
  if (isWhole(group, said.word)) stepRing(scene, ring, { kind: 'message', from, body: said.word })
}

/** A member in an older epoch gets its successor; one in an epoch that we do not know is asked for it. */
function onPulse(scene: TrustingScene, from: NodeId, pulse: TrustingMessage & { kind: 'pulse' }): void {
  const { state, turn } = scene
  if (!sameBytes(pulse.epoch, state.epoch.hash)) return answerEpoch(aboutEpochs(scene), from, pulse.epoch, false)
  const place = positionOf(state.epoch.record, from)
  const ring = ringNow(scene)
  if (ring !== undefined && place >= 0) heardFrom(ring, place, turn.now, pulse)
}

/** Everything that time brings about. */
function onBeat(scene: TrustingScene): void {
  const { state } = scene
  const about = aboutEpochs(scene)
  advanceEpochs(about)
  const ring = ringNow(scene)
  if (ring !== undefined) {
    beginRing(scene, ring)
    watch(scene, ring)
  } else if (!state.epoch.live) {
    lookAround(about)
  } else if (!state.epoch.closed) {
    // A member that was slow to agree to this epoch is not to blame for the next.
    state.epoch.silent.clear()
  }
  flush(about)
}
