// One ring of the levels `curious` and `strong`: oblivious assignment as OMA has it (§5, figures 1 to 7), corrected, for
// members that follow the protocol. ../trusting puts it into epochs and under leases, which real processes need.
//
// Guarantees: distinct slots, always; with the rotating coordinator a request is served within n rounds, if no member
// stops for good. Members that follow the protocol, up to n - 2 of them together, do not learn who has which slot.
// Faults: messages may be lost, repeated, late and out of order. A member that restarts has lost its key and stays out:
// the ring then stands still. One that deviates may open the others' tickets: README.md has both attacks.
//
// The idea: n tickets go round, and m of them mean slots. Each member shuffles them, encrypts them again, takes one and
// passes the others on. A ticket opens with the shares of all the others and one's own, which never leaves its owner.

import { type NodeId, type Protocol, sameBytes, type TimerDue, unreachable } from '../../core/index.ts'
import { type Group, keyPair } from '../../crypto/index.ts'
import { askForShares, onShare } from './opening.ts'
import { onPace } from './passing.ts'
import { onLap, onRelease } from './release.ts'
import { onRequest, onRound } from './request.ts'
import { onNewRound } from './rounds.ts'
import { type RingRules, ringRules } from './rules.ts'
import { checkRing, type RingSettings } from './settings.ts'
import { onAsk } from './shares.ts'
import {
  allKeys,
  checkRingState,
  newRing,
  type RingCommand,
  type RingEvent,
  type RingScene,
  type RingState,
  type RingTimer,
  type RingTurn,
  ringTimers,
  WAITING_MAX,
} from './state.ts'
import { type Tickets, tableTickets } from './tickets.ts'
import type { RingMessage } from './wire.ts'

export interface RingOptions {
  readonly settings: RingSettings
  readonly members: number
  readonly group: Group
  readonly tickets?: Tickets
  readonly rules?: RingRules
}

export type RingMember = Protocol<RingState, RingMessage, RingCommand, RingEvent>

/** There was a life before: its key is lost. */
const MARK = new Uint8Array([1])

/** What a ring is run with, besides its state and the turn. */
export function ringMeans(options: RingOptions): Omit<RingScene, 'state' | 'turn'> {
  const { settings, members, group, tickets = tableTickets(group, members), rules = ringRules } = options
  checkRing(settings, members)
  return { settings, group, tickets, rules }
}

/** `peers` of each member is the whole ring, itself included, in the same order for all. */
export function ringMember(options: RingOptions): RingMember {
  const means = ringMeans(options)
  return {
    name: `slots, ${means.settings.level}, one ring`,
    init: (self, ring, saved) =>
      newRing({
        self,
        ring,
        position: ring.indexOf(self),
        out: (saved.get('') ?? []).length > 0,
        secret: undefined,
        keys: ring.map(() => undefined),
      }),
    step(state, input, turn) {
      if (state.out) return input.kind === 'command' ? refuse(input.body.id, turn) : undefined
      const scene: RingScene = { ...means, state, turn }
      switch (input.kind) {
        case 'start':
          return onStart(scene)
        case 'message':
          return onMessage(scene, input.from, input.body)
        case 'command':
          return onCommand(scene, input.body)
        case 'timer':
          return onTimer(scene, ringTimers.due(input.name))
        case 'stop':
          return
      }
    },
    check: checkRingState,
  }
}

function onStart(scene: RingScene): void {
  const { state, settings, group, turn } = scene
  state.secret ??= keyPair(group, length => turn.bytes(length)).secret
  state.keys[state.position] = group.multiplyBase(state.secret)
  // Not the key: a saved key brings back the member but not what it knew (readings OMA 11).
  turn.do({ kind: 'save', record: MARK })
  sendKey(scene)
  ringTimers.set(turn, 'resend', settings.patience)
}

function onMessage(scene: RingScene, from: NodeId, said: RingMessage): void {
  const place = scene.state.ring.indexOf(from)
  if (place < 0) return
  if (said.kind !== 'key' && allKeys(scene.state) === undefined) return
  switch (said.kind) {
    case 'key':
      return onKey(scene, place, said)
    case 'request':
      return onRequest(scene, place, said)
    case 'ask':
      return onAsk(scene, place, said)
    case 'share':
      return onShare(scene, place, said)
    case 'release':
      return onRelease(scene, place, said)
    case 'newRound':
      return onNewRound(scene, place, said)
    default:
      return unreachable(said, 'message')
  }
}

function onCommand(scene: RingScene, asked: RingCommand): void {
  switch (asked.kind) {
    case 'request':
      return onRequestCommand(scene, asked.id)
    case 'release':
      return onReleaseCommand(scene, asked.id)
    default:
      return unreachable(asked, 'command')
  }
}

function onTimer(scene: RingScene, due: TimerDue<RingTimer>): void {
  switch (due.kind) {
    case 'lap':
      return onLap(scene)
    case 'pace':
      return onPace(scene)
    case 'round':
      return onRound(scene)
    case 'resend':
      return onResend(scene)
  }
}

function onRequestCommand({ state, turn }: RingScene, id: number): void {
  if (state.waiting.length >= WAITING_MAX) return refuse(id, turn)
  state.waiting.push(id)
}

function onReleaseCommand({ state, turn }: RingScene, id: number): void {
  if (state.seat?.id === id) state.seat = undefined
  state.waiting = state.waiting.filter(one => one !== id)
  turn.do({ kind: 'emit', event: { kind: 'released', id } })
}

function refuse(id: number, turn: RingTurn): void {
  turn.do({ kind: 'emit', event: { kind: 'refused', id } })
}

/** The first key of a member is its key: another one would make tickets that nobody can open. */
function onKey(scene: RingScene, from: number, { publicKey, again }: RingMessage & { kind: 'key' }): void {
  const { state } = scene
  const known = state.keys[from]
  if (known !== undefined && !sameBytes(known, publicKey)) return
  state.keys[from] = publicKey
  if (again && from !== state.position) sendKeyTo(scene, state.ring[from]!, false)
  if (state.round.number === 0) onRound(scene)
}

function sendKey(scene: RingScene): void {
  const { ring, self } = scene.state
  for (const to of ring) if (to !== self) sendKeyTo(scene, to, true)
}

function sendKeyTo({ state, turn }: RingScene, to: NodeId, again: boolean): void {
  turn.do({ kind: 'send', to, body: { kind: 'key', publicKey: state.keys[state.position]!, again } })
}

/** Messages may be lost: what nobody seems to have heard is said again. */
function onResend(scene: RingScene): void {
  const { state, settings, turn } = scene
  ringTimers.set(turn, 'resend', settings.patience)
  if (allKeys(state) === undefined) return sendKey(scene)
  askForShares(scene)
  const { said } = state.round
  if (said !== undefined) turn.do({ kind: 'send', ...said })
}
