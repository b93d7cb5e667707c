// What the servers of a subscription tell: heads, and from the first of them what matches.
//
// On each beat all of them are asked for heads. Where a source stands still for three beats although somebody says that there
// is more, all servers are asked how much of it they hold. Everything accepted is at or below the (b+1)-th largest answer:
// who of ours stays below that is passed over; above it nothing is waited for.

import type { NodeId } from '../../core/index.ts'
import { readContent } from '../content.ts'
import { matches } from '../filter.ts'
import { signedAmong, signedSource } from '../signed.ts'
import { type EventsMessage, type Item, isSource, sourceKey } from '../wire.ts'
import { advanceTracked, askAgain, narrow, settleDoubt } from './checking.ts'
import { follow, passOver } from './members.ts'
import { hearQueue } from './queueing.ts'
import {
  accuse,
  type ClientScene,
  PATIENCE_BEATS,
  type Subscription,
  say,
  TRACKED_MAX,
  type Tracked,
  tell,
  UNHANDED_MAX,
} from './state.ts'
import { newTracked } from './tracked.ts'

type Message<Kind extends EventsMessage['kind']> = EventsMessage & { kind: Kind }

export function onHeads(scene: ClientScene, from: NodeId, body: Message<'heads'>): void {
  const subscription = scene.state.subscriptions.get(body.sub)
  const member = subscription?.members.find(({ server }) => server === from)
  if (subscription === undefined) return hearQueue(scene, from, body)
  if (member === undefined || subscription.phase !== 'open') return
  member.silent = 0
  member.alone = body.alone
  // A new life of the server may hold less: its disk was lost.
  if (member.epoch !== body.epoch) member.heads.clear()
  member.epoch = body.epoch
  member.mark = body.mark
  for (const { counter, base, ...source } of body.entries) {
    if (source.channel !== subscription.channel || !isSource(source)) continue
    const key = sourceKey(source)
    const known = subscription.tracked.get(key)
    if (known === undefined && subscription.tracked.size >= TRACKED_MAX) continue
    const one = known ?? newTracked(source, 0)
    subscription.tracked.set(key, one)
    member.heads.set(key, { counter, base })
    leaveCut(scene, subscription, one)
    fetchNext(scene, subscription, one)
    advanceTracked(scene, subscription, one)
  }
}

/** Asks the server that sends for what follows; not while the handler has enough to do. */
function fetchNext(scene: ClientScene, subscription: Subscription, one: Tracked): void {
  const [lead] = subscription.members
  if (lead === undefined || one.fetching || one.items.size >= UNHANDED_MAX || one.closedAt > 0) return
  one.fetching = true
  const { id: sub, version } = subscription
  say(scene, lead.server, { kind: 'fetch', sub, version, source: one.source, after: one.through, to: 0 })
}

/**
 * What every server of the subscription has cut nobody can show any more: that is said, and what follows is read. One that
 * lies about it is contradicted by the honest one among b + 1.
 */
function leaveCut(scene: ClientScene, subscription: Subscription, one: Tracked): void {
  const key = sourceKey(one.source)
  const cut = scene.settings.rules.gone(subscription.members.map(({ heads }) => heads.get(key)?.base ?? 0))
  if (cut <= one.checked || one.handed > 0) return
  for (const counter of one.items.keys()) if (counter <= one.checked) return
  tell(scene, { kind: 'missed', id: subscription.id, source: one.source, from: one.checked + 1, to: cut })
  for (const counter of one.items.keys()) if (counter <= cut) one.items.delete(counter)
  one.done = cut
  one.checked = cut
  one.through = Math.max(one.through, cut)
  one.checking = undefined
  one.fetching = false
  subscription.moved = true
}

export function onFound(scene: ClientScene, from: NodeId, body: Message<'found'>): void {
  const subscription = scene.state.subscriptions.get(body.sub)
  if (subscription === undefined || subscription.phase !== 'open' || subscription.version !== body.version) return
  const one = subscription.tracked.get(sourceKey(body.source))
  if (one === undefined || !subscription.members.some(({ server }) => server === from)) return
  if (!isTrue(scene, subscription, from, body)) return
  if (one.checking?.doubt?.server === from && from !== subscription.members[0]!.server) {
    settleDoubt(scene, subscription, one, body)
    return
  }
  if (from !== subscription.members[0]!.server) return
  if (body.after > one.through || body.through <= one.through) return
  one.identity = body.identity
  for (const item of body.items) if (item.counter > one.through) one.items.set(item.counter, item)
  one.through = body.through
  one.fetching = false
  fetchNext(scene, subscription, one)
  advanceTracked(scene, subscription, one)
}

/** Whether it is what was asked for: signed by its author, matching, in order. What is not names the server. */
function isTrue(scene: ClientScene, subscription: Subscription, server: NodeId, body: Message<'found'>): boolean {
  const { settings } = scene
  const { source, identity, items } = body
  const isSigned = settings.liars > 0 && settings.rules.checksSignature()
  const signed = isSigned ? signedAmong(settings, signedSource(settings, source), identity, items) : undefined
  let last = body.after
  for (const item of items) {
    const why = signed?.has(item) === false ? 'showed an event nobody signed' : whyFalse(subscription, item, body)
    if (why === undefined && item.counter > last) {
      last = item.counter
      continue
    }
    accuse(scene, server, why ?? 'showed events out of order', subscription.channel)
    passOver(scene, subscription, server)
    return false
  }
  return true
}

function whyFalse({ filter }: Subscription, item: Item, { through }: Message<'found'>) {
  if (item.counter > through) return 'showed more than it said'
  const decoded = readContent(item.content)
  if (!decoded.ok) return 'showed an event that cannot be read'
  return matches(filter, decoded.value.attributes) ? undefined : 'showed an event that was not asked for'
}

/** On each beat, for a subscription that is open. */
export function beatFollowing(scene: ClientScene, subscription: Subscription): void {
  for (const { server, silent, alone } of [...subscription.members]) {
    if (silent >= PATIENCE_BEATS || alone) passOver(scene, subscription, server)
  }
  for (const member of subscription.members) member.silent++
  follow(scene, subscription)
  for (const one of subscription.tracked.values()) beatSource(scene, subscription, one)
}

function beatSource(scene: ClientScene, subscription: Subscription, one: Tracked): void {
  const key = sourceKey(one.source)
  const most = Math.max(...subscription.members.map(({ heads }) => heads.get(key)?.counter ?? 0))
  if (most <= one.checked || one.closedAt > 0 || one.items.size >= UNHANDED_MAX) {
    one.stalled = 0
    return
  }
  leaveCut(scene, subscription, one)
  one.stalled++
  // What was asked may be lost.
  one.fetching = false
  fetchNext(scene, subscription, one)
  narrow(subscription, one)
  askAgain(scene, subscription, one)
  advanceTracked(scene, subscription, one)
  if (one.stalled < PATIENCE_BEATS) return
  if (one.stalled % PATIENCE_BEATS === 0) {
    one.told.clear()
    for (const server of scene.state.servers) say(scene, server, { kind: 'ask', source: one.source })
  } else if (one.stalled > PATIENCE_BEATS + 1) judge(scene, subscription, one, key)
}

export function onTold({ state }: ClientScene, from: NodeId, { source, counter }: Message<'told'>): void {
  if (!state.servers.includes(from)) return
  for (const subscription of state.subscriptions.values()) {
    const one = subscription.tracked.get(sourceKey(source))
    if (one !== undefined && one.stalled >= PATIENCE_BEATS) one.told.set(from, counter)
  }
}

/** Who of ours is below what b + 1 hold is passed over, not named: an honest server may be slow. */
function judge(scene: ClientScene, subscription: Subscription, one: Tracked, key: string): void {
  const { rules, liars } = scene.settings
  const awaited = rules.waitedFor([...one.told.values()], liars)
  if (awaited <= one.checked || !rules.passesOver()) return
  for (const { server, heads } of subscription.members) {
    const lead = server === subscription.members[0]!.server
    const has = lead ? one.through : (heads.get(key)?.counter ?? 0)
    if (has < awaited || (!lead && hasNotAnswered(one, server))) return passOver(scene, subscription, server)
  }
}

function hasNotAnswered({ checking }: Tracked, server: NodeId): boolean {
  return checking !== undefined && !checking.agreed.has(server)
}
