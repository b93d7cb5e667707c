// Counts the messages and the time of one election. Every message takes exactly one message time.

import type { NodeId } from '../../src/core/index.ts'
import type { AnyElectionAlgorithm, ElectionState } from '../../src/papers/elections/index.ts'
import { type Attributes, type SrceaSettings, srcea, srceaDefaults } from '../../src/papers/srcea/index.ts'
import { calm, type Micros, World } from '../../src/simulator/index.ts'

export const MESSAGE: Micros = 1_000
const EXACT = { ...calm, delayMin: MESSAGE, delaySpread: 0 }
/** Longer than any election here takes: a ring of 256 waits for one dead member, and two laps. */
const QUIET: Micros = 120_000_000

/** Below pictures of what does not depend on chance. */
export const ONE_RUN = 'Counted, one run for each mark: without chance, every run has the same.'

export interface Cost {
  /** Sent, to members that are down too. */
  readonly messages: number
  /** Until the last member has its leader, in message times. */
  readonly time: number
  /** Agreed on by all that are up, or undefined. */
  readonly leader: NodeId | undefined
}

export interface Situation {
  readonly size: number
  /** How many of the highest members are down. */
  readonly down: number
  /** Who notices, of those that are up. */
  readonly notices: 'lowest' | 'highest' | 'all'
  readonly seed?: number
}

export function namesOf(size: number): NodeId[] {
  return Array.from({ length: size }, (_, place) => `member-${place + 1}`)
}

export function electionCost(algorithm: AnyElectionAlgorithm, situation: Situation): Cost {
  const world = new World({ seed: situation.seed ?? 1, network: EXACT })
  const members = namesOf(situation.size)
  const { protocol, vocabulary } = algorithm
  for (const id of members) world.add({ id, protocol, peers: members, vocabulary })
  const up = members.slice(0, members.length - situation.down)
  for (const id of up) world.start(id)
  let messages = 0
  let last = 0
  const { route } = world.network
  world.network.route = (...way) => {
    messages++
    return route.apply(world.network, way)
  }
  world.listen(() => {
    last = world.now
  })
  const noticing = situation.notices === 'all' ? up : situation.notices === 'lowest' ? up.slice(0, 1) : up.slice(-1)
  for (const id of noticing) world.command(id, { kind: 'elect' })
  world.run(QUIET)
  const leaders = new Set(up.map(id => (world.node(id).host!.state as ElectionState).leader))
  const [leader] = leaders
  return { messages, time: last / MESSAGE, leader: leaders.size === 1 ? leader : undefined }
}

/** The first is best in everything, or each of the first three in one thing. */
export function attributesOf(candidates: 1 | 2 | 3): (member: NodeId) => Attributes {
  return member => {
    const number = Number(member.split('-')[1])
    const best = (of: number) => (number === Math.min(of, candidates) ? 0 : number)
    return { distance: best(1), joined: best(2), failures: best(3) }
  }
}

/** One election of SRCEA; its nodes notice by themselves, all of them, and the failed coordinator is left out. */
export function srceaCost(size: number, candidates: 1 | 2 | 3, settings: Partial<SrceaSettings> = {}): Cost {
  const algorithm = srcea({ ...srceaDefaults, attributes: attributesOf(candidates), ...settings })
  return electionCost(algorithm, { size, down: 0, notices: 'all' })
}
