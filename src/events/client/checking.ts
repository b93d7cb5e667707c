// What the server that sends has shown is compared with what b witnesses count, before any of it is handed over: one of b + 1
// is honest and holds the whole prefix.
//
// Where they differ, the witness is asked for what it has. A signed event that the sender passed over names the sender; a
// signed event that the witness leaves out, or a hash that its own events do not give, names the witness.

import type { NodeId } from '../../core/index.ts'
import { CHECKED_MAX } from '../limits.ts'
import { digestOf, sameEvent } from '../signed.ts'
import { type EventsMessage, type Item, sourceKey } from '../wire.ts'
import { handOver } from './handing.ts'
import { passOver } from './members.ts'
import { accuse, type ClientScene, type Subscription, say, type Tracked, tell } from './state.ts'

type Message<Kind extends EventsMessage['kind']> = EventsMessage & { kind: Kind }

/** Begins a comparison where there is more to compare, and hands over what is checked. */
export function advanceTracked(scene: ClientScene, subscription: Subscription, one: Tracked): void {
  if (one.checking === undefined && one.closedAt === 0) compare(scene, subscription, one)
  handOver(scene, subscription)
}

function compare(scene: ClientScene, subscription: Subscription, one: Tracked): void {
  const { settings } = scene
  const [lead, ...witnesses] = subscription.members
  const key = sourceKey(one.source)
  if (lead === undefined) return
  // A witness that does not hold it yet answers once it does. Where one has not for a beat, only what all hold is compared:
  // a sender may show what nobody else has, or a witness say that it holds nothing.
  const held = one.stalled > 0 ? witnesses.map(({ heads }) => heads.get(key)?.counter ?? 0) : []
  const to = Math.min(one.through, one.checked + (witnesses.length > 0 ? CHECKED_MAX : one.through), ...held)
  if (to <= one.checked) return
  if (witnesses.length === 0) {
    one.checked = to
    one.stalled = 0
    return
  }
  const items = between(one, one.checked, to)
  const hash = digestOf(settings.hash, one.source, items)
  one.checking = { to, count: items.length, hash, agreed: new Set(), doubt: undefined }
  const { id: sub, version } = subscription
  for (const { server } of witnesses) {
    say(scene, server, { kind: 'check', sub, version, source: one.source, after: one.checked, to })
  }
}

/** On a beat: what a witness does not hold is compared another time. */
export function narrow({ members }: Subscription, one: Tracked): void {
  const { checking, source } = one
  if (checking === undefined || checking.doubt !== undefined) return
  const key = sourceKey(source)
  const holds = ({ server, heads }: Subscription['members'][number]) =>
    checking.agreed.has(server) || (heads.get(key)?.counter ?? 0) >= checking.to
  if (!members.slice(1).every(holds)) one.checking = undefined
}

/** What was asked of the witnesses may be lost. */
export function askAgain(scene: ClientScene, subscription: Subscription, one: Tracked): void {
  const { source, checking, checked } = one
  if (checking === undefined) return
  const { id: sub, version } = subscription
  const { to, agreed, doubt: doubted } = checking
  const about = { sub, version, source, to }
  if (doubted !== undefined) return say(scene, doubted.server, { kind: 'fetch', ...about, after: doubted.after })
  for (const { server } of subscription.members.slice(1)) {
    if (!agreed.has(server)) say(scene, server, { kind: 'check', ...about, after: checked })
  }
}

/** What is known to match in (after, to], in order. */
function between({ items }: Tracked, after: number, to: number): Item[] {
  const found = [...items.values()].filter(({ counter }) => counter > after && counter <= to)
  return found.sort((a, b) => a.counter - b.counter)
}

export function onDigest(scene: ClientScene, from: NodeId, body: Message<'digest'>): void {
  const subscription = scene.state.subscriptions.get(body.sub)
  if (subscription === undefined || subscription.version !== body.version) return
  const one = subscription.tracked.get(sourceKey(body.source))
  const checking = one?.checking
  const witnesses = subscription.members.slice(1)
  if (one === undefined || checking === undefined || !witnesses.some(({ server }) => server === from)) return
  if (body.after !== one.checked || body.to !== checking.to) return
  if (!scene.settings.rules.agrees(checking, body)) return doubt(scene, subscription, one, from)
  checking.agreed.add(from)
  if (checking.agreed.size < witnesses.length) return
  one.checked = checking.to
  one.checking = undefined
  one.stalled = 0
  advanceTracked(scene, subscription, one)
}

function doubt(scene: ClientScene, { id: sub, version }: Subscription, one: Tracked, server: NodeId): void {
  const checking = one.checking!
  if (checking.doubt !== undefined) return
  checking.doubt = { server, after: one.checked }
  say(scene, server, { kind: 'fetch', sub, version, source: one.source, after: one.checked, to: checking.to })
}

/** Whether a witness shows what it was asked for because it is in doubt. */
export function answersDoubt({ checking }: Tracked, from: NodeId, { after, through }: Message<'found'>): boolean {
  const doubted = checking?.doubt
  if (checking === undefined || doubted?.server !== from) return false
  return after === doubted.after && through > after && through <= checking.to
}

/** What the witness in doubt has; already looked at, event by event. */
export function settleDoubt(
  scene: ClientScene,
  subscription: Subscription,
  one: Tracked,
  body: Message<'found'>,
): void {
  const checking = one.checking!
  const { server, after } = checking.doubt!
  const own = between(one, after, body.through)
  const forked = body.items.find(item => own.some(known => known.counter === item.counter && !sameEvent(known, item)))
  if (forked !== undefined) return close(scene, one, forked.counter)
  const more = body.items.some(({ counter }) => !own.some(known => known.counter === counter))
  const fewer = own.some(({ counter }) => !body.items.some(known => known.counter === counter))
  const lead = subscription.members[0]!.server
  if (more) return caught(scene, subscription, lead, 'passed over a signed event')
  if (fewer) return caught(scene, subscription, server, 'left out a signed event')
  if (body.through >= checking.to) return caught(scene, subscription, server, 'gave a hash of other events than it has')
  checking.doubt = { server, after: body.through }
  const { id: sub, version } = subscription
  say(scene, server, { kind: 'fetch', sub, version, source: one.source, after: body.through, to: checking.to })
}

function caught(scene: ClientScene, subscription: Subscription, server: NodeId, what: string): void {
  accuse(scene, server, what, subscription.channel)
  passOver(scene, subscription, server)
}

/** Its author signed two events under one id: what was handed over stays, and nothing more of that life follows. */
function close(scene: ClientScene, one: Tracked, counter: number): void {
  one.closedAt = counter
  one.checking = undefined
  tell(scene, { kind: 'forked', source: one.source, counter })
}
