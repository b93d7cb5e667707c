// The member that ships (src/membership) in a simulated world, asked for what the lecture's gossip is for: an average, and
// news that reaches everybody. Real messages and timers of its own; nobody fails and nothing is lost.

import type { NodeId } from '../../src/core/index.ts'
import {
  type MembershipEvent,
  membership,
  membershipBeat,
  membershipVocabulary,
  retransmissions,
} from '../../src/membership/index.ts'
import { simulatedGroup } from '../../src/membership/proof/index.ts'
import { calm, type Micros, World } from '../../src/simulator/index.ts'

const MILLISECOND: Micros = 1_000
const SECOND: Micros = 1_000_000
/** How many each member knows at first. */
const KNOWN = 3
/** Long enough that everybody knows everybody, and that their news has gone round. */
const WARM_UP = 12 * SECOND
const NAME = 'load'

interface Group {
  readonly world: World
  readonly ids: readonly NodeId[]
}

function groupOf(size: number, seed: number): Group {
  const ids = Array.from({ length: size }, (_, place) => `member-${place + 1}`)
  const settings = simulatedGroup(ids)
  const world = new World({ seed, network: calm, eventsMax: 20_000_000 })
  for (const id of ids) {
    const protocol = membership(settings.settings(id, { measurers: 0 }))
    world.add({ id, protocol, peers: ids.slice(0, KNOWN), vocabulary: membershipVocabulary })
  }
  for (const id of ids) world.start(id)
  world.run(WARM_UP)
  return { world, ids }
}

/** What a member is told of an aggregate over all, and what is so. */
export interface Averaged {
  readonly told: { readonly average: number; readonly size: number } | undefined
  readonly average: number
  /** The spread of the values themselves. */
  readonly deviation: number
}

/** Member k has the value k; the first one asks for the average. */
export function averaged(size: number, seed: number): Averaged {
  const { world, ids } = groupOf(size, seed)
  let told: Averaged['told']
  world.listen((_, event) => {
    const said = event as MembershipEvent
    if (said.kind === 'aggregated') told = { average: said.average, size: said.size }
  })
  for (const [place, id] of ids.entries()) {
    world.command(id, { kind: 'set', id: 1, values: [{ name: NAME, value: place + 1 }] })
  }
  world.run(world.now + WARM_UP)
  world.command(ids[0]!, { kind: 'aggregate', id: 2, name: NAME })
  world.run(world.now + WARM_UP)
  return { told, average: (size + 1) / 2, deviation: Math.sqrt((size * size - 1) / 12) }
}

/** How a member's news went round. */
export interface Heard {
  /** Beats of gossip until the last one heard of it. */
  readonly beats: number
  /** Members that never did. */
  readonly missed: number
}

/** The first member publishes something. */
export function heard(size: number, seed: number): Heard {
  const { world, ids } = groupOf(size, seed)
  const reached = new Set<NodeId>()
  const began = world.now
  let last = began
  world.listen((node, event) => {
    if ((event as MembershipEvent).kind !== 'heard') return
    reached.add(node.spec.id)
    last = world.now
  })
  world.command(ids[0]!, { kind: 'publish', id: 1, topic: 'news', payload: new Uint8Array(1) })
  world.run(began + WARM_UP)
  return { beats: (last - began) / (membershipBeat.gossipEvery * MILLISECOND), missed: size - 1 - reached.size }
}

/** The chance that an event misses a member: it is told so often by each of the others, to anybody drawn at random. */
export function missRate(size: number): number {
  return (1 - 1 / (size - 1)) ** (retransmissions(membershipBeat, size) * (size - 1))
}
