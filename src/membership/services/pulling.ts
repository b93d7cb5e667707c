// Rounds of Brahms (brahms.ts): pushes and pulls.

import type { NodeId } from '../../core/index.ts'
import { feed, nextView, PULLED, PUSHED } from './brahms.ts'
import { draw } from './cyclon.ts'
import { type Message, PULLED_MAX, PUSHED_MAX, type SamplingScene } from './state.ts'

export function beginSampling({ settings, state, turn }: SamplingScene): void {
  for (let i = 0; i < settings.view; i++) state.samplers.push({ key: turn.below(2 ** 32), smallest: 0, id: undefined })
  for (const { id } of state.view) feed(state.samplers, id)
}

/** What came in the last round becomes the view; then pushes and pulls of the next. */
export function pushAndPull({ settings, state, turn }: SamplingScene): void {
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

export function onPush({ state }: SamplingScene, from: NodeId): void {
  if (state.pushed.length < PUSHED_MAX) state.pushed.push(from)
}

export function onPull({ state, turn }: SamplingScene, from: NodeId, { exchange }: Message<'pull'>): void {
  const members = state.view.map(({ id }) => id)
  turn.do({ kind: 'send', to: from, body: { kind: 'pulled', exchange, members } })
}

export function onPulled({ state }: SamplingScene, { exchange, members }: Message<'pulled'>): void {
  if (exchange === state.exchange && state.pulled.length < PULLED_MAX) state.pulled.push(...members)
}
