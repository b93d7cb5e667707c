// The services that ship (src/membership/services) in a simulated world: the same machines as in a node, real messages.
// Smaller groups than the flat arrays beside it, whose rules are the lecture's possible readings.

import type { AnyProtocol, NodeId } from '../../src/core/index.ts'
import {
  peerSampling,
  type SamplingMessage,
  type SamplingSettings,
  type SamplingState,
  samplingDefaults,
  samplingVocabulary,
  torusDistance,
} from '../../src/membership/services/index.ts'
import { calm, World } from '../../src/simulator/index.ts'

export interface ShippedOptions {
  readonly size: number
  readonly rounds: number
  readonly seed: number
  readonly settings: Partial<SamplingSettings>
  readonly attackers?: number
  /** How many colluders an attacker shows at a time, drawn anew each time; all of them if nothing is said. */
  readonly shown?: number
  readonly place?: (member: number) => SamplingSettings['torus']
}

const ROUND = 1_000_000
/** Whom a member knows before its first round: the next ones on a ring, far from any random graph. */
const KNOWN = 10
/** What an attacker starts in a round. */
const PUSHES = 1

const nameOf = (member: number): NodeId => `member-${member}`

/** The attackers are the first. What every honest member knows in the end. */
export function shipped(options: ShippedOptions): SamplingState[] {
  const { size, rounds, seed, settings, attackers = 0, shown = attackers, place } = options
  const world = new World({ seed, network: calm, eventsMax: 20_000_000 })
  const all = Array.from({ length: size }, (_, member) => nameOf(member))
  const hub = colluder(all, all.slice(0, attackers), shown)
  for (const [member, id] of all.entries()) {
    const peers = Array.from({ length: KNOWN }, (_, step) => all[(member + 1 + step) % size]!)
    const torus = place?.(member)
    const own = { ...samplingDefaults, ...settings, ...(torus === undefined ? {} : { torus }) }
    const protocol = member < attackers ? hub : peerSampling(own)
    world.add({ id, protocol, peers, vocabulary: samplingVocabulary, lies: member < attackers })
  }
  for (const id of all) world.start(id)
  world.run(rounds * ROUND)
  return all.slice(attackers).map(id => world.node(id).host!.state as SamplingState)
}

/**
 * Shows its colluders to every member that asks, and to somebody drawn at random in every round. They come in a new order
 * each time: always in the same, a member that takes the first few would only ever hear of the first of them, and a hub of
 * 120 would be one of fewer than 80 (in the views of 60 that were looked at), too small to fill a view that swaps.
 */
function colluder(all: readonly NodeId[], hub: readonly NodeId[], shown: number): AnyProtocol {
  return {
    name: 'colluder',
    init: () => ({ view: [] }),
    step(_state, input, turn) {
      if (input.kind === 'start' || input.kind === 'timer') {
        turn.do({ kind: 'timer', name: 'round', after: samplingDefaults.every })
        for (let push = 0; push < PUSHES; push++) {
          const references = drawn(hub, shown, turn).map(id => ({ id, age: 0 }))
          const to = all[hub.length + turn.below(all.length - hub.length)]!
          turn.do({ kind: 'send', to, body: { kind: 'shuffle', exchange: 1, references } })
          turn.do({ kind: 'send', to, body: { kind: 'push' } })
        }
        return
      }
      if (input.kind !== 'message') return
      const body: SamplingMessage = input.body
      const to = input.from
      if (body.kind !== 'shuffle' && body.kind !== 'pull') return
      const { exchange } = body
      const members = drawn(hub, shown, turn)
      if (body.kind === 'pull') turn.do({ kind: 'send', to, body: { kind: 'pulled', exchange, members } })
      else {
        const references = members.map(id => ({ id, age: 0 }))
        turn.do({ kind: 'send', to, body: { kind: 'shuffled', exchange, references } })
      }
    },
  }
}

function drawn(hub: readonly NodeId[], count: number, turn: { below(bound: number): number }): NodeId[] {
  const pool = [...hub]
  return Array.from({ length: Math.min(count, hub.length) }, () => pool.splice(turn.below(pool.length), 1)[0]!)
}

/** How many lists each member is in. */
export function inDegreesOf(states: readonly SamplingState[]): Int32Array {
  const degrees = new Map(states.map(({ self }) => [self, 0]))
  for (const { view } of states) for (const { id } of view) degrees.set(id, (degrees.get(id) ?? 0) + 1)
  return Int32Array.from(degrees.values())
}

/** The share of honest members' references that lead to the attackers. */
export function linksToHub(states: readonly SamplingState[], attackers: number): number {
  const hub = new Set(Array.from({ length: attackers }, (_, member) => nameOf(member)))
  const all = states.flatMap(({ view }) => view)
  return all.filter(({ id }) => hub.has(id)).length / all.length
}

/** The share of the four neighbours that members on a torus have found. */
export function neighboursFound(side: number, rounds: number, seed: number): number {
  const placeOf = (member: number) => ({ x: member % side, y: Math.floor(member / side) })
  const place = (member: number) => ({ size: side, place: placeOf(member), neighbours: 8 })
  const states = shipped({ size: side * side, rounds, seed, settings: { view: 12, exchange: 6 }, place })
  const found = states.map(
    ({ near }, member) => near.filter(one => torusDistance(side, placeOf(member), one) === 1).length,
  )
  return found.reduce((sum, count) => sum + count, 0) / (4 * states.length)
}
