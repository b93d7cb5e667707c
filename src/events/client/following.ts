// What the servers of a subscription tell: heads, and from the first of them what matches.
//
// On each beat all of them are asked for heads. Where a source stands still for three beats although somebody says that there
// is more, all servers are asked how much of it they hold. Everything accepted is at or below the (b+1)-th largest answer:
// who of ours stays below that is passed over; above it nothing is waited for.

import type { NodeId } from '../../core/index.ts'
import { readContent } from '../content.ts'
import { matches } from '../filter.ts'
import { apart, sameEvent, signedAmong, signedSource, sizeOf, withTrees } from '../signed.ts'
import { type EventsMessage, type Item, isSource, sourceKey } from '../wire.ts'
import { advanceTracked, answersDoubt, askAgain, narrow, settleDoubt } from './checking.ts'
import { fetchNext, hasEnough } from './fetching.ts'
import { beatUnknown, isKnown, trackedOf } from './knowing.ts'
import { follow, passOver } from './members.ts'
import { beatPace, isAsked, isLong } from './pace.ts'
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
  UNHANDED_BYTES_MAX,
} from './state.ts'
import { forgetItem, keepItem } from './tracked.ts'

type Message<Kind extends EventsMessage['kind']> = EventsMessage & { kind: Kind }

export function onHeads(scene: ClientScene, from: NodeId, body: Message<'heads'>): void {
  const subscription = scene.state.subscriptions.get(body.sub)
  const member = subscription?.members.find(({ server }) => server === from)
  if (subscription === undefined) return hearQueue(scene, from, body)
  if (member === undefined || subscription.phase !== 'open') return
  member.silent = 0
  member.alone = body.alone
  subscription.refusedBy.delete(from)
  // A new life of the server may hold less: its disk was lost.
  const isNewLife = member.epoch !== body.epoch
  if (isNewLife) member.heads.clear()
  let left = 0
  for (const { counter, base, ...source } of body.entries) {
    if (source.channel !== subscription.channel || !isSource(source)) continue
    const one = trackedOf(scene, subscription, from, source)
    if (one === undefined) {
      if (subscription.tracked.size < TRACKED_MAX) left++
      continue
    }
    member.heads.set(sourceKey(source), { counter, base })
    if (!isKnown(scene, subscription, one) && from !== subscription.members[0]!.server) continue
    leaveCut(scene, subscription, one)
    fetchNext(scene, subscription, one)
    advanceTracked(scene, subscription, one)
  }
  // What there is no room for yet is told again.
  member.epoch = body.epoch
  member.mark = left === 0 ? body.mark : isNewLife ? 0 : member.mark
}

/** Whether so much more is kept: very many sources, or one that shows what nobody asked for, end here. It comes again. */
function hasRoom({ unhanded }: Subscription, items: readonly Item[]): boolean {
  return unhanded === 0 || unhanded + items.reduce((sum, item) => sum + sizeOf(item), 0) <= UNHANDED_BYTES_MAX
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
  for (const counter of one.items.keys()) if (counter <= cut) forgetItem(subscription, one, counter)
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
  if (from !== subscription.members[0]!.server) return hearWitness(scene, subscription, one, from, body)
  if (body.after > one.through || body.through <= one.through) return
  one.fetching = false
  const fresh = body.items.filter(({ counter }) => counter > one.through)
  if (!hasRoom(subscription, fresh) || !isTrue(scene, subscription, from, body, fresh)) return
  one.identity = body.identity
  // What is known may share its bytes with what is new: of it nothing is kept, or more would be than is counted.
  const isPart = fresh.length < body.items.length
  for (const item of fresh) keepItem(subscription, one, isPart ? apart(item) : item)
  one.through = body.through
  if (isLong(subscription, body)) one.crawling = 0
  fetchNext(scene, subscription, one)
  advanceTracked(scene, subscription, one)
}

/** What a witness has, where it is in doubt. What the one that sends has shown, too, was looked at then. */
function hearWitness(
  scene: ClientScene,
  subscription: Subscription,
  one: Tracked,
  from: NodeId,
  body: Message<'found'>,
): void {
  if (!answersDoubt(one, from, body)) return
  const isKnown = (item: Item) => {
    const known = one.items.get(item.counter)
    return known !== undefined && sameEvent(known, item)
  }
  const fresh = body.items.filter(item => !isKnown(item))
  if (isTrue(scene, subscription, from, body, fresh)) settleDoubt(scene, subscription, one, body)
}

/**
 * Whether it is what was asked for: in order, and what is not known yet signed by its author and matching. What is not names the
 * server. Signatures are last, and only of `fresh`: who says the same again and again must not cost more than it takes to say.
 */
function isTrue(
  scene: ClientScene,
  subscription: Subscription,
  server: NodeId,
  body: Message<'found'>,
  fresh: readonly Item[],
): boolean {
  const why = whyOutOfOrder(body) ?? whyUnsigned(scene, body, fresh) ?? whyUnasked(subscription, fresh)
  if (why === undefined) return true
  accuse(scene, server, why, subscription.channel)
  passOver(scene, subscription, server)
  return false
}

function whyOutOfOrder({ items, after, through }: Message<'found'>): string | undefined {
  let last = after
  for (const { counter } of items) {
    if (counter > through) return 'showed more than it said'
    if (counter <= last) return 'showed events out of order'
    last = counter
  }
  return undefined
}

function whyUnsigned({ settings }: ClientScene, body: Message<'found'>, fresh: readonly Item[]): string | undefined {
  if (settings.liars === 0 || !settings.rules.checksSignature()) return undefined
  if (fresh.length === 0) return undefined
  const source = signedSource(settings, body.source)
  // A batch is its author's as a whole: what is known of it is needed for the tree, and not looked at besides.
  const given = withTrees(settings.hash, source, body.items)
  const wanted = new Set(fresh)
  const looked = given.filter((_, place) => wanted.has(body.items[place]!))
  const signed = signedAmong(settings, source, body.identity, looked)
  return signed.size < fresh.length ? 'showed an event nobody signed' : undefined
}

function whyUnasked({ filter }: Subscription, fresh: readonly Item[]): string | undefined {
  for (const { content } of fresh) {
    const decoded = readContent(content)
    if (!decoded.ok) return 'showed an event that cannot be read'
    if (!matches(filter, decoded.value.attributes)) return 'showed an event that was not asked for'
  }
  return undefined
}

/** On each beat, for a subscription that is open. */
export function beatFollowing(scene: ClientScene, subscription: Subscription): void {
  for (const { server, silent, alone } of [...subscription.members]) {
    if (silent >= PATIENCE_BEATS || alone) passOver(scene, subscription, server)
  }
  for (const member of subscription.members) member.silent++
  follow(scene, subscription)
  beatUnknown(scene, subscription)
  for (const one of subscription.tracked.values()) if (one.toldBy === undefined) beatSource(scene, subscription, one)
}

function beatSource(scene: ClientScene, subscription: Subscription, one: Tracked): void {
  const key = sourceKey(one.source)
  const most = Math.max(...subscription.members.map(({ heads }) => heads.get(key)?.counter ?? 0))
  if (most <= one.checked || one.closedAt > 0 || hasEnough(subscription, one)) {
    one.stalled = 0
    one.crawling = 0
    return
  }
  beatPace(scene, subscription, one, most)
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

export function onTold(scene: ClientScene, from: NodeId, { source, counter }: Message<'told'>): void {
  const { state } = scene
  if (!state.servers.includes(from)) return
  for (const subscription of state.subscriptions.values()) {
    const one = subscription.tracked.get(sourceKey(source))
    if (one === undefined || !isAsked(one)) continue
    one.told.set(from, counter)
    isKnown(scene, subscription, one)
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
