// Levels `curious` and `strong` of the product: the ring of the paper, corrected (../printed), among processes that
// crash. Epochs, keys, succession, requests and seats are those of `verified`; in place of its proven rounds there is the
// printed ring, which costs a tenth and trusts every member to follow the protocol.
//
// Guarantees, if nobody deviates: distinct slots, always, also in a partition; whoever waits is served while a quorum can
// talk; nobody learns who holds which. Faults: words lost, repeated, late; members killed in any phase, members that come
// back, partitions. Not liars: one that deviates reads others' tickets. README.md says it precisely.

import type { NodeId, Protocol } from '../../core/index.ts'
import { sameBytes } from '../../crypto/index.ts'
import { ringMember } from '../ring/index.ts'
import type { RingMember } from '../ring/machine.ts'
import { groupOf } from '../settings.ts'
import { repeatAccusations } from '../verified/accusing.ts'
import { lookAround } from '../verified/asking.ts'
import { begun } from '../verified/hearing.ts'
import { type SlotsMemberOptions, slotsMember } from '../verified/machine.ts'
import { type EpochRecord, firstRecord, positionOf } from '../verified/record.ts'
import { slotsRules } from '../verified/rules.ts'
import { flush, send, statementOf } from '../verified/saying.ts'
import type { SlotsCommand, SlotsEvent } from '../verified/state.ts'
import { advanceSuccession, linkAfter, petition } from '../verified/succession.ts'
import { type Ask, isStep, type SlotsMessage, type Succeeded } from '../verified/wire.ts'
import { aboutTurn, beginRing, isRingTimer, ringNow, ringTimer, slotsDealt, stepRing } from './hosted-ring.ts'
import { type TrustingRules, trustingRules } from './rules.ts'
import { checkTrusting, ringSettings } from './settings.ts'
import type { TrustingState, TrustingSurroundings, TrustingTurn } from './state.ts'
import { heardFrom, watch } from './watching.ts'
import { isWhole, type TrustingMessage } from './wire.ts'

export interface TrustingMemberOptions extends SlotsMemberOptions {
  readonly trusting?: TrustingRules
}

export type TrustingMember = Protocol<TrustingState, TrustingMessage, SlotsCommand, SlotsEvent>

/** The name under which the machine of the epochs asks for its first beat. */
const BEAT_TIMER = 'beat'

export function trustingMember(options: TrustingMemberOptions): TrustingMember {
  const { settings, members, trusting = trustingRules } = options
  checkTrusting(settings, members.length)
  const epochs = slotsMember({ ...options, group: groupOf(options.group, settings.level) })
  const around = { ...surroundings(options), trusting }
  return {
    name: `slots, ${settings.level}`,
    init: (self, peers, saved) => ({ ...epochs.init(self, peers, saved), ring: undefined }),
    step(state, input, turn) {
      if (input.kind === 'timer' && input.name === BEAT_TIMER) return beat(around, state, turn)
      if (input.kind === 'timer' && isRingTimer(input.name)) return ringTimerFired(around, state, input.name, turn)
      if (input.kind !== 'message') return epochs.step(state, input, aboutTurn(turn))
      const { from, body } = input
      if (body.kind !== 'about') return hearRing(around, state, from, body, turn)
      if (isAboutEpochs(body.said)) epochs.step(state, { kind: 'message', from, body: body.said }, aboutTurn(turn))
    },
  }
}

function surroundings(options: TrustingMemberOptions): Omit<TrustingSurroundings, 'trusting'> {
  const { settings, members, candidates = [], signer, signatures, rules = slotsRules } = options
  const group = groupOf(options.group, settings.level)
  // A machine is made of its numbers and has no state of its own.
  const machines = new Map<number, ReturnType<TrustingSurroundings['ringOf']>>()
  const ringOf = (record: EpochRecord) => {
    const size = record.members.length
    const known = machines.get(size)
    if (known !== undefined) return known
    const ring = ringSettings(settings, slotsDealt({ record }))
    const machine: RingMember = ringMember({ settings: ring, members: size, group })
    const made = { machine, settings: ring }
    machines.set(size, made)
    return made
  }
  const first = firstRecord(settings, members, group.name)
  return { settings, group, signer, signatures, directory: [...members, ...candidates], first, rules, ringOf }
}

/** The rounds of `verified` are not played here: of its steps only keys and agreement to them count. */
function isAboutEpochs(said: SlotsMessage): boolean {
  return isStep(said) ? said.kind === 'key' || said.kind === 'ready' : said.kind !== 'want'
}

function hearRing(
  around: TrustingSurroundings,
  state: TrustingState,
  from: NodeId,
  body: Exclude<TrustingMessage, { kind: 'about' }>,
  turn: TrustingTurn,
): void {
  const { epoch } = state
  if (!sameBytes(body.epoch, epoch.hash)) {
    if (body.kind === 'pulse') answerElsewhere(around, state, from, body.epoch, turn)
    return
  }
  const place = positionOf(epoch.record, from)
  const ring = ringNow(around, state, turn)
  if (ring === undefined || place < 0) return
  if (body.kind === 'pulse') return heardFrom(ring, place, turn.now, body)
  heardFrom(ring, place, turn.now)
  if (isWhole(around.group, body.word)) stepRing(around, state, ring, { kind: 'message', from, body: body.word }, turn)
}

/** Whoever is in an older epoch gets its successor; whoever is in one that we do not know is asked for it. */
function answerElsewhere(
  around: TrustingSurroundings,
  state: TrustingState,
  from: NodeId,
  epoch: Uint8Array,
  turn: TrustingTurn,
): void {
  const link = linkAfter(state, epoch)
  const words =
    link === undefined
      ? statementOf<Ask>(around, state, { kind: 'ask', round: 0, needs: [] })
      : statementOf<Succeeded>(around, state, { kind: 'succeeded', round: 0, link })
  send(around, state, from, words, aboutTurn(turn))
}

function ringTimerFired(around: TrustingSurroundings, state: TrustingState, timer: string, turn: TrustingTurn): void {
  const ring = ringNow(around, state, turn)
  const name = ringTimer(ring, timer)
  if (ring !== undefined && name !== undefined) stepRing(around, state, ring, { kind: 'timer', name }, turn)
}

/** Everything that time brings about. */
function beat(around: TrustingSurroundings, state: TrustingState, turn: TrustingTurn): void {
  turn.do({ kind: 'timer', name: BEAT_TIMER, after: around.settings.beat })
  state.beats++
  const about = aboutTurn(turn)
  begun(around, state, about, () => advanceSuccession(around, state, about))
  petition(around, state, about)
  repeatAccusations(around, state, about)
  const ring = ringNow(around, state, turn)
  if (ring !== undefined) {
    beginRing(around, state, ring, turn)
    watch(around, state, ring, turn)
  } else if (!state.epoch.live) {
    lookAround(around, state, about)
  } else if (!state.epoch.closed) {
    // Who was slow to agree to this epoch is not to blame for the next.
    state.epoch.silent.clear()
  }
  flush(state, about)
}
