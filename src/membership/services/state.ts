// What peer sampling remembers, what it can be asked, and what it tells.

import { assert, type Millis, type NodeId, type Scene, timers } from '../../core/index.ts'
import type { Sampler } from './brahms.ts'
import type { Reference } from './cyclon.ts'
import { emptyDegrees, type InDegrees } from './indegree.ts'
import type { Place, Placed } from './torus.ts'
import { type SamplingMessage, VIEW_MAX } from './wire.ts'

/** Which exchange is used, how large views are, and how often they are exchanged. */
export interface SamplingSettings {
  /** Cyclon's exchange, the same with the defence against hubs, or Brahms. */
  readonly variant: 'cyclon' | 'statistics' | 'brahms'
  /** c: references in the view. */
  readonly view: number
  /** References that change hands in one exchange. */
  readonly exchange: number
  readonly every: Millis
  /** Where this member stands on a torus of `size` by `size`, and how many neighbours it wants. */
  readonly torus?: { readonly size: number; readonly place: Place; readonly neighbours: number }
}

/** Settings of a group that says nothing else. */
export const samplingDefaults: SamplingSettings = { variant: 'cyclon', view: 30, exchange: 15, every: 1_000 }

/** What a member remembers for peer sampling. */
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

/** What is asked of peer sampling. */
export type SamplingCommand =
  | { kind: 'sample'; id: number; count: number }
  | { kind: 'neighbours'; id: number }
  /** Membership knows that it is gone. */
  | { kind: 'gone'; member: NodeId }

/** What peer sampling answers. */
export type SamplingEvent =
  | { kind: 'sampled'; id: number; members: readonly NodeId[] }
  | { kind: 'neighbours'; id: number; members: readonly Placed[] }
  | { kind: 'hub'; member: NodeId }

export type SamplingScene = Scene<SamplingState, SamplingSettings, SamplingMessage, SamplingEvent>
export type Message<Kind extends SamplingMessage['kind']> = Extract<SamplingMessage, { kind: Kind }>
export type Command<Kind extends SamplingCommand['kind']> = Extract<SamplingCommand, { kind: Kind }>

export const samplingTimers = timers('round')

/** Names pushed in one round, before more are dropped unread: far more than a round that counts may have. */
export const PUSHED_MAX = 4 * VIEW_MAX
/** Below this, what was pulled in one round still takes one answer. */
export const PULLED_MAX = 4 * VIEW_MAX

export function blankState(self: NodeId, peers: readonly NodeId[], { view }: SamplingSettings): SamplingState {
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

export function checkSampling({ self, view, pushed, pulled, near }: SamplingState, settings: SamplingSettings): void {
  assert(view.length <= Math.max(settings.view, 1), 'a view has its size')
  assert(pushed.length <= PUSHED_MAX, 'pushes of one round are bounded')
  assert(pulled.length < PULLED_MAX + VIEW_MAX, 'pulled names of one round are bounded')
  assert(near.length <= (settings.torus?.neighbours ?? 0), 'neighbours have their number')
  assert(
    near.every(({ id }) => id !== self),
    'nobody is its own neighbour',
  )
}
