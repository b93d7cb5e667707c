// R_i of UCB-DS and UCB-DS2 (THESIS §7.3.2, algorithm 9; §7.4.4, algorithm 10): alone knows its rewards, pulls when AS says so, and
// passes the largest index so far along the ring. It sees that index, and in UCB-DS whose it is.
//
// Corrections: the comparison of algorithm 9 stays in UCB-DS2, and what was sealed for one round opens in no other.

import { decode, type NodeId, type Protocol } from '../../../core/index.ts'
import type { ArmCommand, ArmEvent } from '../../arm/state.ts'
import { NO_REWARDS, openSigned, refuse, repeatStop, runDigest, type StoppedEvent, say } from '../../party.ts'
import { GRID, ucb1 } from '../../policies/index.ts'
import { scheduleOf } from '../../schedule.ts'
import type { BanditKeys, BanditSettings } from '../../settings.ts'
import type { BanditMessage } from '../../wire.ts'
import { ensureSecret, NOBODY, ringAbout, Sums, sealWith, takeModulus } from '../common.ts'
import { RING_KEYS } from '../controller/machine.ts'
import { type RingKeys, ringKeysCodec } from '../wire.ts'
import { checkNode, type NodeScene, type NodeState, newNode, nodeSnapshot, nodeTimers } from './state.ts'

/** An arm of the ring as a protocol. */
export type RingNode = Protocol<NodeState, BanditMessage, ArmCommand, ArmEvent | StoppedEvent>

/** One arm of a run of UCB-D, UCB-DS or UCB-DS2. */
export function ringNode(settings: BanditSettings, keys: BanditKeys): RingNode {
  const course = scheduleOf(settings.run)
  const { arms } = settings.run
  return {
    name: 'ring node',
    init: (self, _peers, saved) =>
      newNode(
        self,
        arms.findIndex(({ id }) => id === self),
        saved,
      ),
    step(state, input, turn) {
      const save = () => turn.do({ kind: 'snapshot', record: nodeSnapshot(state) })
      const scene: NodeScene = { state, settings, turn, keys, course, save }
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
          onTimer(scene, nodeTimers.due(input.name))
          break
        case 'stop':
          return
      }
      advance(scene)
    },
    check: checkNode,
  }
}

function onStart(scene: NodeScene): void {
  ensureSecret(scene)
  onRepeat(scene)
}

function onMessage(scene: NodeScene, from: NodeId, body: BanditMessage): void {
  if (scene.state.stopped !== '') return repeatStop(scene, from, body)
  switch (body.kind) {
    case 'ringKeys':
      return onRingKeys(scene, from, body)
    case 'sumKey':
      return onSumKey(scene, from, body)
    case 'ringTurn':
      return onRingTurn(scene, from, body)
    case 'ringPass':
      return onRingPass(scene, from, body)
    default:
      return
  }
}

function onCommand(scene: NodeScene, body: ArmCommand): void {
  switch (body.kind) {
    case 'reward':
      return onReward(scene, body)
    case 'fail':
      return onFail(scene)
  }
}

function onTimer(scene: NodeScene, { kind }: ReturnType<typeof nodeTimers.due>): void {
  switch (kind) {
    case 'repeat':
      return onRepeat(scene)
  }
}

/** Keys that are missing are asked for; the rest AS repeats. */
function onRepeat(scene: NodeScene): void {
  const { state, settings, turn } = scene
  const { shuffler, user } = settings.run
  if (state.stopped !== '' || (state.keys.length > 0 && state.modulus.length > 0)) return
  if (state.keys.length === 0) say(scene, shuffler.id, { kind: 'want' })
  if (state.modulus.length === 0) say(scene, user.id, { kind: 'want' })
  nodeTimers.set(turn, 'repeat', settings.repeat)
}

function keysIn({ state, settings, keys }: NodeScene, sealed: Uint8Array): RingKeys | undefined {
  const { run } = settings
  const about = [RING_KEYS, runDigest(keys.tools, run), state.self]
  const content = openSigned(keys, run.shuffler, about, sealed)
  const found = content && decode(ringKeysCodec, content)
  return found?.ok ? found.value : undefined
}

/** What was opened in this life. */
const opened = new WeakMap<NodeState, RingKeys>()

function ringKeys(scene: NodeScene): RingKeys | undefined {
  const { state } = scene
  const found = opened.get(state) ?? (state.keys.length === 0 ? undefined : keysIn(scene, state.keys))
  if (found !== undefined) opened.set(state, found)
  return found
}

function onRingKeys(scene: NodeScene, from: NodeId, { sealed }: BanditMessage & { kind: 'ringKeys' }): void {
  const { state, settings } = scene
  if (from !== settings.run.shuffler.id || state.keys.length > 0 || keysIn(scene, sealed) === undefined) return
  state.keys = sealed
  scene.save()
}

function onSumKey(scene: NodeScene, from: NodeId, { modulus }: BanditMessage & { kind: 'sumKey' }): void {
  takeModulus(scene, from, scene.settings.run.user.id, modulus)
}

/** Algorithm 9, lines 1 to 3. */
function onRingTurn(scene: NodeScene, from: NodeId, { round, sealed }: BanditMessage & { kind: 'ringTurn' }): void {
  const { state, settings } = scene
  const { run } = settings
  const rings = run.budget - run.arms.length + 1
  if (from !== run.shuffler.id || state.keys.length === 0 || round < state.round) return
  if (round > state.round + 1 || round > rings) return refuse(scene, 'AS skipped a round')
  state.owes = true
  if (round === state.round) return
  if (round < rings) {
    const told = openRound(scene, round, sealed)
    const next = told?.[2] ?? state.place
    if (told?.length !== 3 || next === state.place || (next !== NOBODY && next >= run.arms.length)) {
      return refuse(scene, 'a turn of AS does not open')
    }
    state.isFirst = told[1] === 1
    state.next = next
    if (told[0] === 1) state.target++
  }
  state.round = round
  scene.save()
}

const aboutOf = ({ settings }: NodeScene, round: number) => ringAbout(settings.rules.sealedFor(round))

function openRound(scene: NodeScene, round: number, sealed: Uint8Array): Uint8Array | undefined {
  if (scene.settings.run.level === 'ucb-d') return sealed
  const keys = ringKeys(scene)
  return keys && scene.keys.tools.symmetric.open(keys.all, aboutOf(scene, round), sealed)
}

/** From whichever arm is before it: its own turn may come later than that word. */
function onRingPass(scene: NodeScene, from: NodeId, { round, sealed }: BanditMessage & { kind: 'ringPass' }): void {
  const { state, settings } = scene
  if (!settings.run.arms.some(({ id }) => id === from) || round < state.round || round > state.round + 1) return
  state.received = { round, sealed }
}

function onReward(scene: NodeScene, { number, steps }: ArmCommand & { kind: 'reward' }): void {
  const { state } = scene
  if (number !== state.pulls + 1 || state.pulls >= state.target) return
  if (!(Number.isInteger(steps) && steps >= 0 && steps <= GRID)) {
    return refuse(scene, 'an arm has no reward in its range')
  }
  state.pulls++
  state.sum += steps
  scene.save()
}

/** To the others it is "an arm": which one, its owner knows. */
function onFail(scene: NodeScene): void {
  refuse(scene, NO_REWARDS)
}

/** Asks for the pull that is due, or says what somebody waits for. */
function advance(scene: NodeScene): void {
  const { state, turn, settings } = scene
  const { run } = settings
  if (state.stopped !== '' || state.round < 0) return
  if (state.pulls < state.target) {
    if (state.asked === state.pulls + 1) return
    state.asked = state.pulls + 1
    return turn.do({ kind: 'emit', event: { kind: 'pull', number: state.asked, round: state.round - 1 } })
  }
  if (!state.owes) return
  if (state.round === run.budget - run.arms.length + 1) return sendSum(scene)
  passOn(scene)
}

function sendSum(scene: NodeScene): void {
  const { state, settings, keys } = scene
  if (state.modulus.length === 0) return
  state.owes = false
  const sum = new Sums(keys.tools, state.secret, state.modulus).encrypt(BigInt(state.sum), 'sum')
  say(scene, settings.run.shuffler.id, { kind: 'ringSum', sum })
}

const INDEX_BYTES = 8

/** Lines 8 to 18: the leader so far, in the form in which it is passed on. */
function passOn(scene: NodeScene): void {
  const { state, settings, keys } = scene
  const { arms, shuffler, level } = settings.run
  const { round, received } = state
  if (!state.isFirst && received?.round !== round) return
  const before = state.isFirst ? undefined : openRound(scene, round, received!.sealed)
  if (!state.isFirst && (before === undefined || before.length <= INDEX_BYTES)) {
    return refuse(scene, 'what came along the ring does not open')
  }
  state.owes = false
  const index = ucb1.index({ pulls: state.pulls, sum: state.sum }, arms.length + round, () => 0.5)
  const leads = before === undefined || settings.rules.leads(readIndex(before) < index)
  const passed = leads ? lead(index, named(scene)) : before
  const isLast = state.next === NOBODY
  const message = isLast ? passed.slice(INDEX_BYTES) : passed
  const sealed =
    level === 'ucb-d'
      ? message
      : sealWith(keys.tools, state.secret, ringKeys(scene)!.all, aboutOf(scene, round), message)
  if (isLast) say(scene, shuffler.id, { kind: 'ringLead', round, sealed })
  else say(scene, arms[state.next]!.id, { kind: 'ringPass', round, sealed })
}

/** i_m: in the clear to all arms, or sealed to AS alone. */
function named(scene: NodeScene): Uint8Array {
  const { state, settings, keys } = scene
  const own = Uint8Array.of(state.place)
  if (settings.run.level !== 'ucb-ds2') return own
  return sealWith(keys.tools, state.secret, ringKeys(scene)!.own, aboutOf(scene, state.round), own)
}

function lead(index: number, name: Uint8Array): Uint8Array {
  const out = new Uint8Array(INDEX_BYTES + name.length)
  new DataView(out.buffer).setFloat64(0, index)
  out.set(name, INDEX_BYTES)
  return out
}

function readIndex(message: Uint8Array): number {
  return new DataView(message.buffer, message.byteOffset, message.byteLength).getFloat64(0)
}
