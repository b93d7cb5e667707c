// Receipts, for an author that wants to know who has its event: it asks every member of the list, and who lacks the event is sent
// it once more, outside the trees. So what the trees lost while they changed, or what was published before a wish was known
// everywhere, comes all the same, for as long as the author lives.

import type { NodeId } from '../../core/index.ts'
import { sizeOf } from '../signed.ts'
import { ASKED_MAX, DIRECT_MAX } from './limits.ts'
import {
  type Awaited,
  type Overlay,
  type Passing,
  type RoutingScene,
  type RoutingState,
  routingTimers,
} from './state.ts'
import { knownOf } from './window.ts'
import type { RoutingMessage } from './wire.ts'

/** Receipts for an event of our own, that goes out in these trees, are waited for. */
export function awaitReceipts(scene: RoutingScene, id: number, passing: Passing, used: Overlay): void {
  const { state, settings, turn } = scene
  const members = [...used.members, ...newestWithUs(state).members]
  const waitsFor = new Map(members.filter(member => member !== state.self).map(member => [member, 0]))
  const awaited: Awaited = { ...passing, id, since: turn.now, waitsFor, received: [], seen: [] }
  if (state.awaited.size === 0) routingTimers.set(turn, 'ask', settings.askAfter)
  state.awaited.set(passing.item.counter, awaited)
  state.awaitedBytes += sizeOf(passing.item)
  if (waitsFor.size === 0) end(scene, awaited)
}

/** Its trees may not be ready yet, and the event goes past who is new in it. In a later one that we are not in we have no part. */
function newestWithUs({ overlays }: RoutingState): Overlay {
  return overlays.findLast(({ trees }) => trees > 0)!
}

/** Members of a newer list are asked, too. */
export function awaitMore({ state }: RoutingScene, members: readonly NodeId[]): void {
  for (const { waitsFor, received, seen } of state.awaited.values()) {
    for (const member of members) {
      if (member === state.self || received.includes(member) || seen.includes(member)) continue
      if (!waitsFor.has(member)) waitsFor.set(member, 0)
    }
  }
}

/** Asks all that have not said; what was waited for long enough is told as it stands. */
export function askAll(scene: RoutingScene): void {
  const { state, settings, turn } = scene
  for (const awaited of [...state.awaited.values()]) {
    if (turn.now - awaited.since >= settings.receiptsFor) end(scene, awaited)
  }
  const asked = new Map<NodeId, number[]>()
  for (const [counter, { waitsFor }] of state.awaited) {
    for (const member of waitsFor.keys()) asked.set(member, [...(asked.get(member) ?? []), counter])
  }
  for (const [to, all] of asked) {
    for (let at = 0; at < all.length; at += ASKED_MAX) {
      const body = { kind: 'ask', boot: state.boot, counters: all.slice(at, at + ASKED_MAX) } as const
      turn.do({ kind: 'send', to, body })
    }
  }
  if (state.awaited.size > 0) routingTimers.set(turn, 'ask', settings.beat)
}

/** An author asks what became of its events here. */
export function answerAsk(scene: RoutingScene, author: NodeId, asked: RoutingMessage & { kind: 'ask' }): void {
  const { boot } = asked
  const handed: number[] = []
  const seen: number[] = []
  const lacking: number[] = []
  for (const counter of asked.counters) {
    const known = knownOf(scene, author, boot, counter)
    if (known === undefined) lacking.push(counter)
    else if (known !== 'old' && scene.settings.rules.givesReceipt(known.handed)) handed.push(counter)
    else seen.push(counter)
  }
  scene.turn.do({ kind: 'send', to: author, body: { kind: 'answer', boot, handed, seen, lacking } })
}

/** What a member says of our events. */
export function hearAnswer(scene: RoutingScene, from: NodeId, said: RoutingMessage & { kind: 'answer' }): void {
  const { state } = scene
  if (said.boot !== state.boot) return
  for (const counter of said.handed) hearFate(scene, from, state.awaited.get(counter), 'received')
  for (const counter of said.seen) hearFate(scene, from, state.awaited.get(counter), 'seen')
  for (const counter of said.lacking) {
    const awaited = state.awaited.get(counter)
    if (awaited !== undefined) sendAgain(scene, from, awaited)
  }
}

function hearFate(scene: RoutingScene, from: NodeId, awaited: Awaited | undefined, fate: 'received' | 'seen'): void {
  if (!awaited?.waitsFor.delete(from)) return
  awaited[fate].push(from)
  if (awaited.waitsFor.size === 0) end(scene, awaited)
}

function sendAgain({ turn }: RoutingScene, to: NodeId, { waitsFor, source, item }: Awaited): void {
  const sent = waitsFor.get(to)
  if (sent === undefined || sent >= DIRECT_MAX) return
  waitsFor.set(to, sent + 1)
  turn.do({ kind: 'send', to, body: { kind: 'direct', source, item } })
}

/** The user waits no longer. */
export function settle(scene: RoutingScene, id: number): void {
  for (const awaited of scene.state.awaited.values()) if (awaited.id === id) return end(scene, awaited)
}

function end({ state, turn }: RoutingScene, { id, item, received, waitsFor }: Awaited): void {
  state.awaited.delete(item.counter)
  state.awaitedBytes -= sizeOf(item)
  if (state.awaited.size === 0) routingTimers.cancel(turn, 'ask')
  turn.do({ kind: 'emit', event: { kind: 'received', id, members: received, silent: [...waitsFor.keys()] } })
}
