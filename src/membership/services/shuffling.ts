// Exchanges of Cyclon (cyclon.ts), with or without the defence by in-degrees (indegree.ts).

import type { NodeId } from '../../core/index.ts'
import { aged, draw, offer, oldest, type Reference, swapped } from './cyclon.ts'
import { count, hubs } from './indegree.ts'
import type { Message, SamplingScene, SamplingState } from './state.ts'
import { sendable } from './wire.ts'

/** How many in a hundred of the exchanges that a member begins are for statistics only. */
const STATISTICS_PERCENT = 50
/** Offers of others taken in one round: by chance one comes. A member that is brought more is being pushed. */
const OFFERS_MAX = 1
/**
 * References that change hands in one exchange where hubs are looked for; the others that are shown are only counted.
 * A member brings one fresh reference to itself a round, whatever the size of its view. If half a view changed hands, one
 * liar's answer would replace half a view: with views of 60 the liars then win before anybody has counted to ten.
 */
const SWAPPED_MAX = 6

export function shuffle({ settings, state, turn }: SamplingScene): void {
  // No answer to the last exchange: the partner is gone, and its reference with it.
  if (state.partner !== undefined) state.view = state.view.filter(({ id }) => id !== state.partner)
  state.view = aged(state.view)
  state.taken = 0
  const partner = oldest(state.view)
  state.partner = partner?.id
  if (partner === undefined) return
  state.forStatistics = settings.variant === 'statistics' && turn.below(100) < STATISTICS_PERCENT
  state.sent = offer(state.view, state.self, partner.id, settings.exchange, bound => turn.below(bound))
  const exchange = ++state.exchange
  turn.do({ kind: 'send', to: partner.id, body: { kind: 'shuffle', exchange, references: sendable(state.sent) } })
}

/** Everybody that asks learns from the same view, hub or not; what it brings is taken, except for hubs. */
export function onShuffle(scene: SamplingScene, from: NodeId, body: Message<'shuffle'>): void {
  const { settings, state, turn } = scene
  const sent = draw(
    state.view,
    settings.exchange,
    bound => turn.below(bound),
    ({ id }) => id === from,
  )
  const answer = { kind: 'shuffled', exchange: body.exchange, references: sendable(sent) } as const
  turn.do({ kind: 'send', to: from, body: answer })
  if (settings.variant === 'statistics') {
    observe(scene, body.references)
    if (state.taken++ >= OFFERS_MAX) return
  }
  const [brought, given] = exchanged(scene, body.references, sent)
  state.view = swapped(state.view, trusted(state, brought), given, settings.view, state.self)
}

/** The first of what was received and of what was sent: both sides swap the same ones, and no liar brings more. */
function exchanged({ settings }: SamplingScene, received: readonly Reference[], sent: readonly Reference[]) {
  const most = settings.variant === 'statistics' ? Math.min(settings.exchange, SWAPPED_MAX) : settings.exchange
  return [received.slice(0, most), sent.slice(0, most)] as const
}

/** Counts whom others point to, and leaves out those that stand out. */
function observe({ state, turn }: SamplingScene, references: readonly Reference[]): void {
  const ids = references.map(({ id }) => id)
  count(state.degrees, ids)
  const found = hubs(state.degrees)
  for (const member of found) if (!state.hubs.has(member)) turn.do({ kind: 'emit', event: { kind: 'hub', member } })
  state.hubs = found
  if (found.size > 0) state.view = state.view.filter(({ id }) => !found.has(id))
}

export function onShuffled(scene: SamplingScene, from: NodeId, { exchange, references }: Message<'shuffled'>): void {
  const { settings, state } = scene
  if (state.partner !== from || state.exchange !== exchange) return
  state.partner = undefined
  if (settings.variant === 'statistics') observe(scene, references)
  if (state.forStatistics) {
    // Nothing was taken, so nothing is given up; but the partner is no longer the one not heard of for longest.
    state.view = state.view.map(one => (one.id === from ? { ...one, age: 0 } : one))
    return
  }
  const without = state.view.filter(({ id }) => id !== from)
  const [brought, given] = exchanged(scene, references, state.sent)
  state.view = swapped(without, trusted(state, brought), given, settings.view, state.self)
}

function trusted(state: SamplingState, references: readonly Reference[]): readonly Reference[] {
  return state.hubs.size === 0 ? references : references.filter(({ id }) => !state.hubs.has(id))
}
