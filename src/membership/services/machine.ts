// Peer sampling and overlay for members of large groups, as a machine of its own beside membership: it knows c others, not
// all. Views by Cyclon, with or without the defence by in-degrees, or by Brahms; on top, a torus by T-Man where places are
// given.
//
// What it promises: a draw from the view is about as good as a draw from the whole group, while nobody lies (Cyclon), while
// few lie and statistics find them (`statistics`), or while fewer than a third of pushes are the liars' (Brahms). It does
// not say who is alive: that is membership's.

import type { Millis, NodeId, Protocol, Turn } from '../../core/index.ts'
import { feed, forget, nextView, PULLED, PUSHED, type Sampler } from './brahms.ts'
import { aged, draw, offer, oldest, type Reference, swapped } from './cyclon.ts'
import { count, emptyDegrees, hubs, type InDegrees } from './indegree.ts'
import { nearest, type Place, type Placed } from './torus.ts'
import { type SamplingMessage, sendable, VIEW_MAX } from './wire.ts'

export interface SamplingSettings {
  /** Cyclon's exchange, the same with the defence against hubs, or Brahms. */
  readonly variant: 'cyclon' | 'statistics' | 'brahms'
  /** c: references in the view. */
  readonly view: number
  /** References that change hands in one exchange. */
  readonly exchange: number
  readonly every: Millis
  /** Where this member stands on a torus of so many by so many, and how many neighbours it wants. */
  readonly torus?: { readonly size: number; readonly place: Place; readonly neighbours: number }
}

export const samplingDefaults: SamplingSettings = { variant: 'cyclon', view: 30, exchange: 15, every: 1_000 }

/** Of the exchanges that a member begins, so many in a hundred are for statistics only. */
const STATISTICS_PERCENT = 50

/** Offers of others taken in one round: by chance one comes. Who is brought more is being pushed. */
const OFFERS_MAX = 1

export interface SamplingState {
  readonly self: NodeId
  view: Reference[]
  /** The exchange under way, what was sent, and whether its answer is for statistics. */
  exchange: number
  partner: NodeId | undefined
  sent: Reference[]
  forStatistics: boolean
  /** Offers taken in this round. */
  taken: number
  degrees: InDegrees
  hubs: Set<NodeId>
  samplers: Sampler[]
  pushed: NodeId[]
  pulled: NodeId[]
  near: Placed[]
  nearPartner: NodeId | undefined
}

export type SamplingCommand =
  | { kind: 'sample'; id: number; count: number }
  | { kind: 'neighbours'; id: number }
  /** Membership knows that it is gone. */
  | { kind: 'gone'; member: NodeId }

export type SamplingEvent =
  | { kind: 'sampled'; id: number; members: readonly NodeId[] }
  | { kind: 'neighbours'; id: number; members: readonly Placed[] }
  | { kind: 'hub'; member: NodeId }

export type Sampling = Protocol<SamplingState, SamplingMessage, SamplingCommand, SamplingEvent>

interface Scene {
  readonly settings: SamplingSettings
  readonly state: SamplingState
  readonly turn: Turn<SamplingMessage, SamplingEvent>
}

export function peerSampling(settings: SamplingSettings): Sampling {
  return {
    name: `peer sampling, ${settings.variant}`,
    init: (self, peers) => initial(self, peers, settings),
    step(state, input, turn) {
      const scene = { settings, state, turn }
      if (input.kind === 'start') return start(scene)
      if (input.kind === 'timer') return round(scene)
      if (input.kind === 'message' && input.from !== state.self) return hear(scene, input.from, input.body)
      if (input.kind === 'command') return obey(scene, input.body)
    },
  }
}

function initial(self: NodeId, peers: readonly NodeId[], { view }: SamplingSettings): SamplingState {
  const first = peers.filter(id => id !== self).slice(0, Math.min(view, VIEW_MAX))
  return {
    self,
    view: first.map(id => ({ id, age: 0 })),
    exchange: 0,
    partner: undefined,
    sent: [],
    forStatistics: false,
    taken: 0,
    degrees: emptyDegrees(),
    hubs: new Set(),
    samplers: [],
    pushed: [],
    pulled: [],
    near: [],
    nearPartner: undefined,
  }
}

function start({ settings, state, turn }: Scene): void {
  if (settings.variant === 'brahms') {
    for (let i = 0; i < settings.view; i++)
      state.samplers.push({ key: turn.below(2 ** 32), smallest: 0, id: undefined })
    for (const { id } of state.view) feed(state.samplers, id)
  }
  turn.do({ kind: 'timer', name: 'round', after: turn.below(Math.ceil(settings.every)) })
}

function round(scene: Scene): void {
  const { settings, turn } = scene
  turn.do({ kind: 'timer', name: 'round', after: settings.every })
  if (settings.variant === 'brahms') brahmsRound(scene)
  else shuffle(scene)
  if (settings.torus !== undefined) approach(scene, settings.torus)
}

function shuffle({ settings, state, turn }: Scene): void {
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

function hear(scene: Scene, from: NodeId, body: SamplingMessage): void {
  const { state } = scene
  switch (body.kind) {
    case 'shuffle':
      return answerShuffle(scene, from, body)
    case 'shuffled':
      if (state.partner === from && state.exchange === body.exchange) endShuffle(scene, from, body.references)
      return
    case 'push':
      if (state.pushed.length < 4 * VIEW_MAX) state.pushed.push(from)
      return
    case 'pull': {
      const members = state.view.map(({ id }) => id)
      return scene.turn.do({ kind: 'send', to: from, body: { kind: 'pulled', exchange: body.exchange, members } })
    }
    case 'pulled':
      if (body.exchange === state.exchange && state.pulled.length < 4 * VIEW_MAX) state.pulled.push(...body.members)
      return
    case 'near':
      return answerNear(scene, from, body)
    case 'nearer':
      if (state.nearPartner === from) takeNear(scene, body.known)
      return
  }
}

// Whoever asks learns from the same view, hub or not; what it brings is taken but for hubs.
function answerShuffle(scene: Scene, from: NodeId, body: SamplingMessage & { kind: 'shuffle' }): void {
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
  state.view = swapped(state.view, trusted(state, body.references), sent, settings.view, state.self)
}

/** Counts whom others point to, and leaves out whoever stands out. */
function observe({ state, turn }: Scene, references: readonly Reference[]): void {
  const ids = references.map(({ id }) => id)
  count(state.degrees, ids)
  const found = hubs(state.degrees)
  for (const member of found) if (!state.hubs.has(member)) turn.do({ kind: 'emit', event: { kind: 'hub', member } })
  state.hubs = found
  if (found.size > 0) state.view = state.view.filter(({ id }) => !found.has(id))
}

function endShuffle(scene: Scene, from: NodeId, references: readonly Reference[]): void {
  const { settings, state } = scene
  state.partner = undefined
  if (settings.variant === 'statistics') observe(scene, references)
  if (state.forStatistics) {
    // Nothing was taken, so nothing is given up; but the partner is no longer the one not heard of for longest.
    state.view = state.view.map(one => (one.id === from ? { ...one, age: 0 } : one))
    return
  }
  const without = state.view.filter(({ id }) => id !== from)
  state.view = swapped(without, trusted(state, references), state.sent, settings.view, state.self)
}

function trusted(state: SamplingState, references: readonly Reference[]): readonly Reference[] {
  return state.hubs.size === 0 ? references : references.filter(({ id }) => !state.hubs.has(id))
}

/** What came in the last round becomes the view; then pushes and pulls of the next. */
function brahmsRound({ settings, state, turn }: Scene): void {
  const below = (bound: number) => turn.below(bound)
  const { self, samplers } = state
  const pulled = state.pulled.filter(id => id !== self)
  for (const id of [...state.pushed, ...pulled]) feed(samplers, id)
  const sampled = samplers.flatMap(({ id }) => (id === undefined ? [] : [id]))
  const next = nextView(settings.view, state.pushed, pulled, sampled, (from, size) => draw(from, size, below))
  if (next !== undefined) state.view = next.map(id => ({ id, age: 0 }))
  state.pushed = []
  state.pulled = []
  const exchange = ++state.exchange
  for (const { id } of draw(state.view, Math.ceil(PUSHED * settings.view), below)) {
    turn.do({ kind: 'send', to: id, body: { kind: 'push' } })
  }
  for (const { id } of draw(state.view, Math.ceil(PULLED * settings.view), below)) {
    turn.do({ kind: 'send', to: id, body: { kind: 'pull', exchange } })
  }
}

type Torus = NonNullable<SamplingSettings['torus']>

/** One round of T-Man: with one of the nearer half, or a random peer while there is none. */
function approach({ state, turn }: Scene, torus: Torus): void {
  const candidates = state.near.slice(0, Math.max(1, state.near.length >> 1)).map(({ id }) => id)
  const pool = candidates.length > 0 && turn.below(2) === 0 ? candidates : state.view.map(({ id }) => id)
  const partner = pool[turn.below(Math.max(1, pool.length))]
  if (partner === undefined) return
  state.nearPartner = partner
  const own = { id: state.self, ...torus.place }
  const place = state.near.find(({ id }) => id === partner) ?? torus.place
  const known = nearest(torus.size, place, state.near, torus.neighbours, partner)
  turn.do({ kind: 'send', to: partner, body: { kind: 'near', exchange: state.exchange, own, known } })
}

function answerNear(scene: Scene, from: NodeId, body: SamplingMessage & { kind: 'near' }): void {
  const { settings, state, turn } = scene
  const { torus } = settings
  // Only the transport knows who speaks: a place is taken for the speaker, whatever name it carries.
  if (torus === undefined) return
  const own = { id: state.self, ...torus.place }
  const known = nearest(torus.size, body.own, [own, ...state.near], torus.neighbours, from)
  turn.do({ kind: 'send', to: from, body: { kind: 'nearer', exchange: body.exchange, known } })
  takeNear(scene, [{ ...body.own, id: from }, ...body.known])
}

function takeNear({ settings, state }: Scene, known: readonly Placed[]): void {
  const { torus } = settings
  if (torus === undefined) return
  const valid = known.filter(({ x, y }) => x < torus.size && y < torus.size)
  state.near = nearest(torus.size, torus.place, [...state.near, ...valid], torus.neighbours, state.self)
}

function obey({ state, turn }: Scene, command: SamplingCommand): void {
  switch (command.kind) {
    case 'sample': {
      const held = state.samplers.flatMap(({ id }) => (id === undefined ? [] : [id]))
      const pool = held.length > 0 ? held : state.view.map(({ id }) => id)
      const members = draw([...new Set(pool)], command.count, bound => turn.below(bound))
      return turn.do({ kind: 'emit', event: { kind: 'sampled', id: command.id, members } })
    }
    case 'neighbours':
      return turn.do({ kind: 'emit', event: { kind: 'neighbours', id: command.id, members: state.near } })
    case 'gone':
      state.view = state.view.filter(({ id }) => id !== command.member)
      state.near = state.near.filter(({ id }) => id !== command.member)
      return forget(state.samplers, command.member)
  }
}
