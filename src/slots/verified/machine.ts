// Level `verified`: slots among members, up to n - 2 of which collude and b lie (protocols/slots). One machine per member.
//
// Guarantees, while at least two members are honest: no two honest members hold one slot at one time; a request is
// served by lottery (or within n rounds, rotating); nobody learns who holds which. A cheat is caught and named with
// evidence; a silent member is left out. README.md says it precisely, with the limits.
//
// The idea: n tickets go once around the ring; the first ones mean slots. Each member re-encrypts and permutes them
// and proves it, so that nobody knows where which ticket went and nobody can change one. Ticket k then belongs to member
// k, and opens with the shares of all others and its own.

import { type NodeId, type Protocol, type TimerDue, unreachable } from '../../core/index.ts'
import type { Group, Signatures, Signer } from '../../crypto/index.ts'
import { checkSettings, type SlotsSettings } from '../settings.ts'
import { onAccuse, repeatAccusations } from './accusing.ts'
import { expire, lookAround, onAsk } from './asking.ts'
import { beginEpoch, beginIfNext, onKey, onReady, quietFor } from './epoch.ts'
import { answerElsewhere, compareStep, holderOf, isAuthentic, isOfOurEpoch, keepStep, noteForgery } from './hearing.ts'
import { checkMember, checkRounds } from './invariants.ts'
import { onSucceeded } from './links.ts'
import { onPetition, petition } from './petitions.ts'
import { leaderOf } from './proofs.ts'
import { type EpochMember, firstRecord } from './record.ts'
import { restore } from './restoring.ts'
import { advanceRound, onComplaint, onRoundStep, onWorked, openRound } from './rounds.ts'
import { type SlotsRules, slotsRules } from './rules.ts'
import { flush, send, sendToAll, statementOf } from './saying.ts'
import { onLease, onLetGo, onRequest } from './seats.ts'
import {
  type MemberState,
  NEVER,
  type SlotsCommand,
  type SlotsEvent,
  type SlotsMeans,
  type SlotsScene,
  type SlotsTimer,
  slotsTimers,
} from './state.ts'
import { onStatus } from './status.ts'
import { advanceSuccession, onFavour, onPropose, onRefuse, onSign } from './succession.ts'
import { isStep, type SlotsMessage, type Step, type Want } from './wire.ts'

/** What a member of a slots group is made with. */
export interface SlotsMemberOptions {
  readonly settings: SlotsSettings
  /** The members of the first epoch, in ring order. All must be given the same list. */
  readonly members: readonly EpochMember[]
  /** Who else may join. */
  readonly candidates?: readonly EpochMember[]
  readonly group: Group
  readonly signer: Signer
  readonly signatures: Signatures
  readonly rules?: SlotsRules
}

/** One member of a slots group at level `verified`, as a machine. */
export type SlotsMember = Protocol<MemberState, SlotsMessage, SlotsCommand, SlotsEvent>

/** What the options come to. Also for the levels whose epochs are these. */
export function slotsMeans(options: SlotsMemberOptions): SlotsMeans {
  const { settings, members, candidates = [], group, signer, signatures, rules = slotsRules } = options
  const first = firstRecord(settings, members, group.name)
  return { settings, group, signer, signatures, directory: [...members, ...candidates], first, rules }
}

/** A member of a slots group at level `verified`. */
export function slotsMember(options: SlotsMemberOptions): SlotsMember {
  checkSettings(options.settings, options.members.length)
  const means = slotsMeans(options)
  return {
    name: 'slots, verified',
    init: (self, _peers, saved) => restore(means, self, saved),
    step(state, input, turn) {
      const scene: SlotsScene = { ...means, state, turn }
      switch (input.kind) {
        case 'start':
          return onStart(scene)
        case 'message':
          return onMessage(scene, input.from, input.body)
        case 'command':
          return onCommand(scene, input.body)
        case 'timer':
          return onTimer(scene, slotsTimers.due(input.name))
        case 'stop':
          return
      }
    },
    check(state) {
      checkMember(state)
      checkRounds(state)
    },
  }
}

// Times are never saved: whatever we did before the restart, we did before now.
export function onStart(scene: SlotsScene): void {
  const { state, settings, turn } = scene
  const { epoch } = state
  const first = epoch.record.number === 0 && !epoch.barred
  const quietUntil = first && !epoch.closed ? NEVER : turn.now + quietFor(scene, epoch.record)
  state.epoch = { ...epoch, adoptedAt: turn.now, quietUntil }
  slotsTimers.set(turn, 'beat', settings.beat)
  beginEpoch(scene)
}

export function onMessage(scene: SlotsScene, from: NodeId, said: SlotsMessage): void {
  if (!isOfOurEpoch(scene, said)) return answerElsewhere(scene, from, said)
  if (!isAuthentic(scene, said)) return noteForgery(scene, from, said)
  const { epoch } = scene.state
  onStatement(scene, said)
  beginIfNext(scene, epoch)
}

function onStatement(scene: SlotsScene, said: SlotsMessage): void {
  if (isStep(said)) return onStep(scene, said)
  switch (said.kind) {
    case 'ask':
      return onAsk(scene, said)
    case 'want':
      return onWant(scene, said)
    case 'petition':
      return onPetition(scene, said)
    case 'propose':
      return onPropose(scene, said)
    case 'favour':
      return onFavour(scene, said)
    case 'sign':
      return onSign(scene, said)
    case 'refuse':
      return onRefuse(scene, said)
    case 'succeeded':
      return onSucceeded(scene, said)
    case 'accuse':
      return onAccuse(scene, said)
    default:
      return unreachable(said, 'message')
  }
}

/** A step is kept in its place; what is new there may let the epoch or the round go on. */
function onStep(scene: SlotsScene, said: Step): void {
  const holder = holderOf(scene, said)
  if (holder === undefined || !keepStep(scene, holder, said)) return
  compareStep(scene, holder, said)
  switch (said.kind) {
    case 'key':
      return onKey(scene, said)
    case 'ready':
      return onReady(scene)
    case 'complaint':
      return onComplaint(scene, said)
    case 'header':
    case 'pass':
    case 'seal':
    case 'share':
    case 'vote':
    case 'opening':
      return onRoundStep(scene, said)
    default:
      return unreachable(said, 'step')
  }
}

export function onCommand(scene: SlotsScene, asked: SlotsCommand): void {
  switch (asked.kind) {
    case 'request':
      return onRequest(scene, asked.id)
    case 'cancel':
    case 'release':
      return onLetGo(scene, asked.id)
    case 'worked':
      return onWorked(scene, asked.id, asked.answer)
    case 'leave':
      return onLeave(scene)
    case 'status':
      return onStatus(scene, asked.id)
    default:
      return unreachable(asked, 'command')
  }
}

function onTimer(scene: SlotsScene, due: TimerDue<SlotsTimer>): void {
  switch (due.kind) {
    case 'beat':
      return onBeat(scene)
    case 'lease':
      return onLease(scene)
  }
}

/** Everything that time brings about. */
function onBeat(scene: SlotsScene): void {
  advanceEpochs(scene)
  const { epoch } = scene.state
  for (const round of epoch.rounds.values()) {
    expire(epoch, round, scene.turn.now)
    advanceRound(scene, round)
  }
  openRound(scene)
  want(scene)
  lookAround(scene)
  flush(scene)
}

/** The part of a beat that is about epochs. */
export function advanceEpochs(scene: SlotsScene): void {
  const { state, settings, turn } = scene
  slotsTimers.set(turn, 'beat', settings.beat)
  state.beats++
  state.answered.clear()
  const { epoch } = state
  advanceSuccession(scene)
  beginIfNext(scene, epoch)
  petition(scene)
  repeatAccusations(scene)
}

function want(scene: SlotsScene): void {
  const { state, settings } = scene
  const { epoch } = state
  if (!settings.onDemand || !epoch.live) return
  if (state.waiting.length > 0) return sendToAll(scene, statementOf<Want>(scene, { kind: 'want', round: epoch.next }))
  // A liar asks all but the leader, who would be late with a round that it knows nothing of.
  if (epoch.wanted !== undefined && scene.rules.passesOnWants()) {
    const leader = epoch.record.members[leaderOf(epoch.record, epoch.next)]!
    send(scene, leader.name, epoch.wanted)
  }
}

function onWant({ state }: SlotsScene, said: Want): void {
  if (said.round === state.epoch.next) state.epoch.wanted = said
}

function onLeave({ state }: SlotsScene): void {
  state.leaving = true
}
