// AS of UCB-DS and UCB-DS2 (THESIS §7.3.2, algorithm 8; §7.4.4, algorithm 10): says who is pulled, draws the ring of each round, and
// learns from its last node who leads. From who is pulled it can find nearly all rewards (docs/papers/errata.md, 7.4.1): that is the
// level's price.

import { encode, type NodeId, type Protocol } from '../../../core/index.ts'
import { drawn, refuse, repeatStop, runDigest, type StoppedEvent, say, signAndSeal } from '../../party.ts'
import { triedFirst } from '../../printed/ring.ts'
import { scheduleOf } from '../../schedule.ts'
import type { BanditKeys, BanditSettings } from '../../settings.ts'
import { seats } from '../../shuffler/seats.ts'
import type { ShufflerEvent } from '../../shuffler/state.ts'
import type { BanditMessage } from '../../wire.ts'
import { ensureSecret, NOBODY, ringAbout, Sums, sealWith, takeModulus } from '../common.ts'
import { ringKeysCodec } from '../wire.ts'
import {
  type ControllerScene,
  type ControllerState,
  controllerSnapshot,
  controllerTimers,
  newController,
} from './state.ts'

/** AS as a protocol: it takes no commands. */
export type RingController = Protocol<ControllerState, BanditMessage, never, ShufflerEvent | StoppedEvent>

/** What the keys that AS hands out are signed for. */
export const RING_KEYS = 'keys of a ring'

/** AS of a run of UCB-D, UCB-DS or UCB-DS2. */
export function ringController(settings: BanditSettings, keys: BanditKeys): RingController {
  const course = scheduleOf(settings.run)
  return {
    name: 'ring controller',
    init: (self, _peers, saved) => newController(self, saved),
    step(state, input, turn) {
      const save = () => turn.do({ kind: 'snapshot', record: controllerSnapshot(state) })
      const scene: ControllerScene = { state, settings, turn, keys, course, save }
      switch (input.kind) {
        case 'start':
          return onStart(scene)
        case 'message':
          return onMessage(scene, input.from, input.body)
        case 'timer':
          return onTimer(scene, controllerTimers.due(input.name))
        case 'command':
        case 'stop':
          return
      }
    },
  }
}

function onStart(scene: ControllerScene): void {
  ensureSecret(scene)
  if (scene.state.begun) sendTurns(scene)
}

function onMessage(scene: ControllerScene, from: NodeId, body: BanditMessage): void {
  if (scene.state.stopped !== '') return repeatStop(scene, from, body)
  switch (body.kind) {
    case 'begin':
      return onBegin(scene, from)
    case 'want':
      return onWant(scene, from)
    case 'sumKey':
      return onSumKey(scene, from, body)
    case 'ringLead':
      return onRingLead(scene, from, body)
    case 'ringSum':
      return onRingSum(scene, from, body)
    case 'stop':
      return onStop(scene, from, body)
    default:
      return
  }
}

function onTimer(scene: ControllerScene, { kind }: ReturnType<typeof controllerTimers.due>): void {
  switch (kind) {
    case 'repeat':
      return onRepeat(scene)
  }
}

function onRepeat(scene: ControllerScene): void {
  if (scene.state.stopped === '' && scene.state.begun) sendTurns(scene)
}

/** The rings of a run: the first pulls every arm, each other the leader of the one before. */
const ringsOf = ({ settings: { run } }: ControllerScene) => run.budget - run.arms.length + 1

function onBegin(scene: ControllerScene, from: NodeId): void {
  const { state, settings } = scene
  const { user, arms, budget } = settings.run
  if (from !== user.id) return
  if (!state.begun) {
    state.begun = true
    scene.save()
    return sendTurns(scene)
  }
  if (state.sums.size === arms.length) return sendTotal(scene)
  // The leader of the last ring is pulled no more: it counts for no round.
  const round = Math.min(state.round, budget - arms.length)
  say(scene, from, { kind: 'progress', round, spent: arms.length + round })
}

/** Keys of the run: one for all, and one that only this arm and AS have. */
function keysOf({ state, keys }: ControllerScene, place: number) {
  const key = (...of: readonly (string | number)[]) => drawn(keys.tools, state.secret, 'ring key', ...of)
  return { all: key('all'), own: key('own', place) }
}

function onWant(scene: ControllerScene, from: NodeId): void {
  const { settings, keys, state } = scene
  const { run } = settings
  const place = run.arms.findIndex(({ id }) => id === from)
  if (place < 0) return
  const content = encode(ringKeysCodec, keysOf(scene, place))
  const about = [RING_KEYS, runDigest(keys.tools, run), from]
  say(scene, from, {
    kind: 'ringKeys',
    sealed: signAndSeal(keys, state.secret, run.arms[place]!, { about, content }),
  })
}

/** For each arm its place in the ring of a round. */
export function ringOf(tools: BanditKeys['tools'], secret: Uint8Array, round: number, arms: number): readonly number[] {
  return seats(tools, secret, { round, attempt: 0 }, arms)
}

function sendTurns(scene: ControllerScene): void {
  const { state, settings, keys, turn } = scene
  const { arms, level } = settings.run
  const { round } = state
  const isOver = round === ringsOf(scene)
  if (isOver && state.sums.size === arms.length) return
  controllerTimers.set(turn, 'repeat', settings.repeat)
  const places = ringOf(keys.tools, state.secret, round, arms.length)
  for (const [place, { id }] of arms.entries()) {
    if (isOver && state.sums.has(place)) continue
    const next = places.indexOf(places[place]! + 1)
    const pulled = state.leads === 0 || state.leads === place + 1
    const told = Uint8Array.of(Number(pulled), Number(places[place] === 0), next < 0 ? NOBODY : next)
    const { all } = keysOf(scene, place)
    const about = ringAbout(settings.rules.sealedFor(round))
    const hidden = level === 'ucb-d' ? told : sealWith(keys.tools, state.secret, all, about, told)
    say(scene, id, { kind: 'ringTurn', round, sealed: isOver ? new Uint8Array(0) : hidden })
  }
}

function onRingLead(scene: ControllerScene, from: NodeId, body: BanditMessage & { kind: 'ringLead' }): void {
  const { state, settings, keys, turn } = scene
  const { arms, level, budget } = settings.run
  if (!arms.some(({ id }) => id === from) || !state.begun || body.round !== state.round) return
  if (state.round >= ringsOf(scene)) return
  const about = ringAbout(settings.rules.sealedFor(body.round))
  const named = level === 'ucb-d' ? body.sealed : keys.tools.symmetric.open(keysOf(scene, 0).all, about, body.sealed)
  const leader = named && leaderOf(scene, named, about)
  if (leader === undefined) return refuse(scene, 'no arm sealed the leader of a round')
  state.leads = leader + 1
  state.round++
  scene.save()
  const spent = Math.min(budget, arms.length + state.round)
  turn.do({ kind: 'emit', event: { kind: 'round', round: state.round, spent } })
  sendTurns(scene)
}

/** Algorithm 10, lines 15 to 19: AS tries the keys of all arms. */
function leaderOf(scene: ControllerScene, named: Uint8Array, about: string): number | undefined {
  const { arms, level } = scene.settings.run
  if (level !== 'ucb-ds2') return named.length === 1 && named[0]! < arms.length ? named[0] : undefined
  const { symmetric } = scene.keys.tools
  const fits = (place: number) => symmetric.open(keysOf(scene, place).own, about, named)?.[0] === place
  return triedFirst(arms.length, scene.state.leads - 1).find(fits)
}

function onRingSum(scene: ControllerScene, from: NodeId, { sum }: BanditMessage & { kind: 'ringSum' }): void {
  const { state, settings } = scene
  const { arms } = settings.run
  const place = arms.findIndex(({ id }) => id === from)
  if (place < 0 || !state.begun || state.round !== ringsOf(scene) || state.sums.has(place)) return
  state.sums.set(place, sum)
  if (state.sums.size === arms.length) sendTotal(scene)
}

/** The product of all ciphertexts is one of the sum. */
function sendTotal(scene: ControllerScene): void {
  const { state, settings, keys } = scene
  const { user } = settings.run
  if (state.modulus.length === 0) return say(scene, user.id, { kind: 'want' })
  const adding = new Sums(keys.tools, state.secret, state.modulus)
  let total: Uint8Array | undefined
  for (const sum of state.sums.values()) {
    total = total === undefined ? sum : adding.add(total, sum)
    if (total === undefined) return refuse(scene, 'an arm sent no sum under the key of the user')
  }
  say(scene, user.id, { kind: 'ringTotal', sum: total! })
}

function onSumKey(scene: ControllerScene, from: NodeId, { modulus }: BanditMessage & { kind: 'sumKey' }): void {
  const { state, settings } = scene
  const { user, arms } = settings.run
  takeModulus(scene, from, user.id, modulus)
  if (state.sums.size === arms.length) sendTotal(scene)
}

function onStop(scene: ControllerScene, from: NodeId, { why }: BanditMessage & { kind: 'stop' }): void {
  const { user, arms } = scene.settings.run
  if ([user, ...arms].some(({ id }) => id === from)) refuse(scene, why)
}
