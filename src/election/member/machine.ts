// The election as a machine for peers (SRCEA, with protocols/election): who leads, term after term.
//
// Guarantees, with at most b liars: never two coordinators in a term; never two that believe, at one moment of true
// time, to lead one election; every term has a count that anybody can check. A coordinator that cannot renew stops
// before another can start.
//
// The printed algorithm trusts that nodes and links do not fail during an election, and lets the one with most votes
// lead. Under a partition both sides then have a coordinator. Here the votes decide who may ask, and promises of a
// quorum of a numbered list decide who leads, for a time: gossip can delay an election, but not hold two.

import { assert, type NodeId, type Protocol, type TimerDue } from '../../core/index.ts'
import { memberOf } from '../count/electorate.ts'
import type { ElectionSettings } from '../settings.ts'
import type { ElectionMessage } from '../wire.ts'
import { advance } from './advance.ts'
import { onBallot, onDouble } from './ballots.ts'
import { onAllow, onApprove, onCarryTimer, onChange, onList, onPropose } from './changing.ts'
import { check } from './check.ts'
import { onClaimTimer, onGrant, onRefusal } from './claiming.ts'
import type { ElectionCommand, ElectionEvent } from './commands.ts'
import { lapse, onAlive, onLed, onPromiseTimer, onResigned } from './following.ts'
import { onClaim, onHeldTimer } from './granting.ts'
import { onClose, onFailed, onOpen, onSeen, onView, onVouch } from './hints.ts'
import { onEndTimer, onOverTimer, onRenewed, onRenewTimer, onResign } from './leading.ts'
import { isSameList, onBehind } from './lists.ts'
import { isWithinRate } from './rate-limit.ts'
import { restored, resume, saveRemaining } from './saving.ts'
import { type ElectionScene, emit, type Keys, keylessOf } from './scene.ts'
import { type ElectionState, type ElectionTimer, electionTimers } from './state.ts'
import { onOpened, onOpening, onTally } from './tallying.ts'
import { onAttemptTimer, onCall, onCountTimer, onStartTimer } from './voting.ts'

/** A member's election as a protocol. */
export type ElectionProtocol = Protocol<ElectionState, ElectionMessage, ElectionCommand, ElectionEvent>

/** The election at one member, for any number of names. */
export function election(settings: ElectionSettings, keys: Keys): ElectionProtocol {
  assert(settings.mode === 'sealed' || keys.counting !== undefined, 'secret ballots need a group and keys in it')
  return {
    name: 'election',
    init: (self, _peers, saved) => restored(self, saved),
    step(state, input, turn) {
      const scene = { state, settings, keys, turn }
      if (state.stopped) return
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
          onTimer(scene, electionTimers.due(input.name))
          break
        case 'stop':
          onStop(scene)
          break
      }
      advance(scene)
    },
    check,
  }
}

function onStart(scene: ElectionScene): void {
  const { state, settings, turn } = scene
  resume(scene)
  state.keyless = state.electorate === undefined ? [] : keylessOf(scene, state.electorate)
  for (const race of state.races.values()) lapse(scene, race)
  if (state.signedSuccessor !== undefined) electionTimers.set(turn, 'carry', settings.promise)
  if (state.electorate !== undefined) emit(scene, { kind: 'electorate', electorate: state.electorate })
}

function onStop(scene: ElectionScene): void {
  scene.state.stopped = true
  saveRemaining(scene)
}

function onMessage(scene: ElectionScene, from: NodeId, body: ElectionMessage): void {
  if (!isWithinRate(scene, from, body) || !isSpokenWith(scene, from, body)) return
  switch (body.kind) {
    case 'call':
      return onCall(scene, from, body)
    case 'ballot':
      return onBallot(scene, from, body)
    case 'claim':
      return onClaim(scene, from, body)
    case 'tally':
      return onTally(scene, from, body)
    case 'opening':
      return onOpening(scene, from, body)
    case 'opened':
      return onOpened(scene, from, body)
    case 'grant':
      return onGrant(scene, from, body)
    case 'refusal':
      return onRefusal(scene, from, body)
    case 'double':
      return onDouble(scene, from, body)
    case 'alive':
      return onAlive(scene, from, body)
    case 'renewed':
      return onRenewed(scene, from, body)
    case 'resigned':
      return onResigned(scene, from, body)
    case 'propose':
      return onPropose(scene, from, body)
    case 'approve':
      return onApprove(scene, from, body)
    case 'behind':
      return onBehind(scene, from, body)
    case 'list':
      return onList(scene, from, body)
    case 'led':
      return onLed(scene, from, body)
  }
}

// A stranger may be a member of a list that we have not seen, or one that was removed and does not know: lists are all
// that is spoken of with it.
function isSpokenWith(scene: ElectionScene, from: NodeId, body: ElectionMessage): boolean {
  if (body.kind === 'behind' || body.kind === 'list' || memberOf(scene.state.electorate, from) !== undefined)
    return true
  if ('electorate' in body && typeof body.electorate === 'number') isSameList(scene, from, body.electorate)
  return false
}

function onCommand(scene: ElectionScene, body: ElectionCommand): void {
  switch (body.kind) {
    case 'open':
      return onOpen(scene, body)
    case 'close':
      return onClose(scene, body)
    case 'view':
      return onView(scene, body)
    case 'failed':
      return onFailed(scene, body)
    case 'seen':
      return onSeen(scene, body)
    case 'vouch':
      return onVouch(scene, body)
    case 'allow':
      return onAllow(scene, body)
    case 'resign':
      return onResign(scene, body)
    case 'change':
      return onChange(scene, body)
  }
}

function onTimer(scene: ElectionScene, { kind, about }: TimerDue<ElectionTimer>): void {
  if (kind === 'carry') return onCarryTimer(scene)
  const race = scene.state.races.get(about)
  assert(race !== undefined, `a timer of an election that there is not: ${kind} ${about}`)
  switch (kind) {
    case 'attempt':
      return onAttemptTimer(scene, race)
    case 'count':
      return onCountTimer(scene, race)
    case 'claim':
      return onClaimTimer(scene, race)
    case 'start':
      return onStartTimer(scene, race)
    case 'promise':
      return onPromiseTimer(scene, race)
    case 'held':
      return onHeldTimer(scene, race)
    case 'renew':
      return onRenewTimer(scene, race)
    case 'end':
      return onEndTimer(scene, race)
    case 'over':
      return onOverTimer(scene, race)
  }
}
