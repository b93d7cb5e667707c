// The floor of tokens of a server that lost its store (protocols/lock 6).
//
// The obvious server without a store begins with floor 0, after it has waited for the longest lease. Then no two hold at
// once, but tokens go back: a client held with this server and one other, under 1,000; the next one, whose clock is
// behind, gets 900 here and from a third. So it asks the others which tokens were granted, and grants nothing before
// enough of them have told (`floorsNeeded`).
//
// It asks after its wait, not before: a try that it granted in its former life may be under way to the others, and makes
// a holder with its grant until then. And it remembers on disk that it still has to ask, or a second crash would
// take the place of the answers.

import { encode, type Millis, type NodeId } from '../../core/index.ts'
import { floorsNeeded } from '../rules.ts'
import { type LockMessage, serverRecord } from '../wire.ts'
import { clockOf, reply, reserve, type ServerScene, serverTimers } from './state.ts'

/** Those who have not answered are asked again: they may have been gone. */
const ASK_AGAIN: Millis = 500

/** A server whose store is empty, or that said before a crash that it has to ask. */
export function oweFloor({ state, turn }: ServerScene): void {
  state.asking = { query: 0, told: new Map() }
  turn.do({ kind: 'snapshot', record: encode(serverRecord, { kind: 'lost', life: state.life }) })
  serverTimers.set(turn, 'floors', Math.max(0, Math.ceil(state.recoverUntil - turn.now)))
}

export function onFloors(scene: ServerScene): void {
  const { state, turn } = scene
  const { asking } = state
  if (asking === undefined || state.stopped) return
  if (asking.query === 0) asking.query = 1 + turn.below(QUERIES)
  for (const to of state.others)
    if (!asking.told.has(to)) turn.do({ kind: 'send', to, body: { kind: 'askFloor', query: asking.query } })
  serverTimers.set(turn, 'floors', ASK_AGAIN)
  takeFloor(scene)
}

/** Answers to a former life's question are told apart by chance. */
const QUERIES = 2 ** 32

/** One that has to ask itself has nothing to tell. */
export function onAskFloor(scene: ServerScene, from: NodeId, { query }: LockMessage & { kind: 'askFloor' }): void {
  const { state } = scene
  if (state.asking !== undefined || !state.others.includes(from)) return
  reply(scene, from, { kind: 'floor', query, floor: state.highest })
}

export function onFloor(scene: ServerScene, from: NodeId, said: LockMessage & { kind: 'floor' }): void {
  const { asking, others } = scene.state
  if (asking === undefined || asking.query !== said.query || !others.includes(from)) return
  asking.told.set(from, said.floor)
  takeFloor(scene)
}

function takeFloor(scene: ServerScene): void {
  const { state, settings, turn } = scene
  const { told } = state.asking!
  const needed = Math.min(floorsNeeded(state.others.length + 1, settings.liars), state.others.length)
  if (told.size < needed) return
  const clock = clockOf(scene)
  // A server with nobody to ask has the clock that tokens are guessed from.
  const floor =
    needed === 0 ? (clock ?? 0) : settings.rules.floorAfterLoss([...told.values()], settings.liars, clock ?? 0)
  state.asking = undefined
  serverTimers.cancel(turn, 'floors')
  // An old copy of a store knows a floor as well: tokens below it were granted.
  setFloor(scene, Math.max(floor, state.floor))
}

export function setFloor(scene: ServerScene, floor: number): void {
  scene.state.floor = floor
  scene.state.highest = floor
  reserve(scene, floor)
}
