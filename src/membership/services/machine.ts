// Peer sampling and overlay for members of large groups, as a machine of its own beside membership: it knows c others, not
// all. Views by Cyclon, with or without the defence by in-degrees, or by Brahms; on top, a torus by T-Man where places are
// given.
//
// What it promises: a draw from the view is about as good as a draw from the whole group, while nobody lies (Cyclon), while
// few lie and statistics find them (`statistics`), or while fewer than a third of pushes are the liars' (Brahms). It does
// not say who is alive: that is membership's.

import type { NodeId, Protocol } from '../../core/index.ts'
import { forget } from './brahms.ts'
import { draw } from './cyclon.ts'
import { approach, onNear, onNearer } from './overlay.ts'
import { beginSampling, onPull, onPulled, onPush, pushAndPull } from './pulling.ts'
import { onShuffle, onShuffled, shuffle } from './shuffling.ts'
import {
  blankState,
  type Command,
  checkSampling,
  type SamplingCommand,
  type SamplingEvent,
  type SamplingScene,
  type SamplingSettings,
  type SamplingState,
  samplingTimers,
} from './state.ts'
import type { SamplingMessage } from './wire.ts'

/** Peer sampling as a protocol. */
export type Sampling = Protocol<SamplingState, SamplingMessage, SamplingCommand, SamplingEvent>

/** Random members of a large group, by exchanges of views. */
export function peerSampling(settings: SamplingSettings): Sampling {
  return {
    name: `peer sampling, ${settings.variant}`,
    init: (self, peers) => blankState(self, peers, settings),
    step(state, input, turn) {
      const scene = { settings, state, turn }
      switch (input.kind) {
        case 'start':
          return onStart(scene)
        case 'message':
          return onMessage(scene, input.from, input.body)
        case 'command':
          return onCommand(scene, input.body)
        case 'timer':
          return onTimer(scene, input.name)
        case 'stop':
          return
      }
    },
    check: state => checkSampling(state, settings),
  }
}

function onStart(scene: SamplingScene): void {
  const { settings, turn } = scene
  if (settings.variant === 'brahms') beginSampling(scene)
  samplingTimers.set(turn, 'round', turn.below(Math.ceil(settings.every)))
}

function onMessage(scene: SamplingScene, from: NodeId, body: SamplingMessage): void {
  if (from === scene.state.self) return
  switch (body.kind) {
    case 'shuffle':
      return onShuffle(scene, from, body)
    case 'shuffled':
      return onShuffled(scene, from, body)
    case 'push':
      return onPush(scene, from)
    case 'pull':
      return onPull(scene, from, body)
    case 'pulled':
      return onPulled(scene, body)
    case 'near':
      return onNear(scene, from, body)
    case 'nearer':
      return onNearer(scene, from, body)
  }
}

function onCommand(scene: SamplingScene, body: SamplingCommand): void {
  switch (body.kind) {
    case 'sample':
      return onSample(scene, body)
    case 'neighbours':
      return onNeighbours(scene, body)
    case 'gone':
      return onGone(scene, body)
  }
}

function onTimer(scene: SamplingScene, name: string): void {
  switch (samplingTimers.due(name).kind) {
    case 'round':
      return onRound(scene)
  }
}

function onRound(scene: SamplingScene): void {
  const { settings, turn } = scene
  samplingTimers.set(turn, 'round', settings.every)
  if (settings.variant === 'brahms') pushAndPull(scene)
  else shuffle(scene)
  if (settings.torus !== undefined) approach(scene, settings.torus)
}

function onSample({ state, turn }: SamplingScene, { id, count }: Command<'sample'>): void {
  const held = state.samplers.flatMap(sampler => (sampler.id === undefined ? [] : [sampler.id]))
  const pool = held.length > 0 ? held : state.view.map(reference => reference.id)
  const members = draw([...new Set(pool)], count, bound => turn.below(bound))
  turn.do({ kind: 'emit', event: { kind: 'sampled', id, members } })
}

function onNeighbours({ state, turn }: SamplingScene, { id }: Command<'neighbours'>): void {
  turn.do({ kind: 'emit', event: { kind: 'neighbours', id, members: state.near } })
}

function onGone({ state }: SamplingScene, { member }: Command<'gone'>): void {
  state.view = state.view.filter(({ id }) => id !== member)
  state.near = state.near.filter(({ id }) => id !== member)
  forget(state.samplers, member)
}
