// Rounds of T-Man on the torus (torus.ts): neighbours are asked for their neighbours.

import type { NodeId } from '../../core/index.ts'
import type { Message, SamplingScene, SamplingSettings } from './state.ts'
import { nearest, type Placed } from './torus.ts'

type Torus = NonNullable<SamplingSettings['torus']>

/** One round of T-Man: with one of the nearer half, or a random peer while there is none. */
export function approach({ state, turn }: SamplingScene, torus: Torus): void {
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

export function onNear(scene: SamplingScene, from: NodeId, body: Message<'near'>): void {
  const { settings, state, turn } = scene
  const { torus } = settings
  // Only the transport knows who speaks: a place is taken for the speaker, whatever name it carries.
  if (torus === undefined) return
  const own = { id: state.self, ...torus.place }
  const known = nearest(torus.size, body.own, [own, ...state.near], torus.neighbours, from)
  turn.do({ kind: 'send', to: from, body: { kind: 'nearer', exchange: body.exchange, known } })
  takeNear(scene, [{ ...body.own, id: from }, ...body.known])
}

export function onNearer(scene: SamplingScene, from: NodeId, { known }: Message<'nearer'>): void {
  if (scene.state.nearPartner === from) takeNear(scene, known)
}

function takeNear({ settings, state }: SamplingScene, known: readonly Placed[]): void {
  const { torus } = settings
  if (torus === undefined) return
  const valid = known.filter(({ x, y }) => x < torus.size && y < torus.size)
  state.near = nearest(torus.size, torus.place, [...state.near, ...valid], torus.neighbours, state.self)
}
