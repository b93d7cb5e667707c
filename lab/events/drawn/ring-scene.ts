// A small crowd that gossips by interest, and one event of it: who stands where, who is next to whom among those who want it, and
// who sent it to whom. The machines are those that ship.

import { type NodeId, seededRandom } from '../../../src/core/index.ts'
import { eventsDefaults } from '../../../src/events/defaults.ts'
import { type Attributes, matches } from '../../../src/events/index.ts'
import { holdsPoint, pointOf } from '../../../src/events/interest/boxes.ts'
import { neighbours, PLACES } from '../../../src/events/interest/ring.ts'
import type { Known } from '../../../src/events/interest/state.ts'
import { CHANNEL, Crowd, type Sent } from '../crowd.ts'

/** The crowd of the experiment's first rows. */
const MEMBERS = 120
const SIDE = 0.065
const ROUNDS = 20
/** Events that are tried, until one takes more than one step to somebody who wants it. */
const TRIED = 300
const WANTING = { least: 7, most: 11 }

/** Towards somebody who wants it; to the next on the ring of those who do; or across it. */
export type Leg = 'entry' | 'ring' | 'across'

export interface Step extends Sent {
  readonly leg: Leg
  /** Its copy is the first that came there. */
  readonly first: boolean
}

export interface RingScene {
  readonly crowd: Crowd
  readonly event: Attributes
  readonly author: NodeId
  /** Where each stands, of a whole of 1. */
  readonly places: ReadonlyMap<NodeId, number>
  /** In the order of the ring. */
  readonly wanting: readonly NodeId[]
  /** Whom each of them knows to be next to it, on each side, among those who want it. */
  readonly next: ReadonlyMap<NodeId, readonly NodeId[]>
  readonly steps: readonly Step[]
  readonly given: readonly NodeId[]
}

function wantingOf(crowd: Crowd, event: Attributes): NodeId[] {
  const found = crowd.names.filter(id => matches(crowd.filterOf(id), event))
  return found.sort((one, other) => crowd.stateOf(one).place - crowd.stateOf(other).place)
}

/** As its own state says: of its links and those it knows at random, the next that want the event. */
export function nextOf(crowd: Crowd, id: NodeId, event: Attributes): NodeId[] {
  const { links, random, place } = crowd.stateOf(id)
  const point = pointOf(eventsDefaults.hash, CHANNEL, event)
  const known: Known[] = [...links.values(), ...random.values()]
  const wanting = known.filter(({ claim }) => holdsPoint(claim.boxes, point))
  return neighbours(place, wanting).map(({ claim }) => claim.member)
}

function stepsOf(sent: readonly Sent[], author: NodeId, next: ReadonlyMap<NodeId, readonly NodeId[]>): Step[] {
  const came = new Set([author])
  return sent.map(({ from, to }): Step => {
    const first = !came.has(to)
    came.add(to)
    const own = next.get(from)
    const leg = own === undefined ? 'entry' : own.includes(to) ? 'ring' : 'across'
    return { from, to, leg, first }
  })
}

/** The same for the same seed. */
export function ringScene(seed: number): RingScene {
  const random = seededRandom(seed)
  const crowd = new Crowd({ members: MEMBERS, attributes: 1, side: SIDE, entries: 1, fans: 1, seed })
  crowd.rounds(ROUNDS)
  const places = new Map(crowd.names.map(id => [id, crowd.stateOf(id).place / PLACES]))
  for (let tried = 1; ; tried++) {
    const event = { x: Math.round(100 * random.unit()) / 100 }
    const author = crowd.names[random.below(MEMBERS)]!
    const wanting = wantingOf(crowd, event)
    const next = new Map(wanting.map(id => [id, nextOf(crowd, id, event)]))
    const steps = stepsOf(crowd.follow(author, event), author, next)
    const scene = { crowd, event, author, places, wanting, next, steps, given: [...crowd.given] }
    if (isTelling(scene) || tried === TRIED) return scene
  }
}

/** Some want it, and the first that it is sent to is not one of them. */
function isTelling({ wanting, steps }: RingScene): boolean {
  const isFew = wanting.length >= WANTING.least && wanting.length <= WANTING.most
  return isFew && steps[0]?.leg === 'entry' && !wanting.includes(steps[0].to)
}
