// A few brokers, what their users want, and one event, run through the machines that ship: what a picture of a routing table shows.

import { type NodeId, type Random, seededRandom } from '../../../src/core/index.ts'
import type { Clause } from '../../../src/events/canonical.ts'
import { type Attributes, type Filter, parseFilter } from '../../../src/events/index.ts'
import { covers } from '../../../src/events/routing/covering.ts'
import { keyOf } from '../../../src/events/routing/keys.ts'
import { CLAUSES_A_LINK } from '../../../src/events/routing/limits.ts'
import type { Link } from '../../../src/events/routing/state.ts'
import { type Carried, Overlaid } from '../overlaid.ts'

const BROKERS = 16
const DEGREE = 3
const SUBSCRIPTIONS = 10
/** Sides of a box on average, of a whole of 1: so long that some boxes hold others. */
const SIDE = 0.35
/** Events that are tried, until one goes over some links of the table and not over all. */
const TRIED = 200

export interface Wish {
  /** A letter. */
  readonly name: string
  readonly broker: NodeId
  readonly filter: Filter
}

/** What one link of the table knows. */
export interface Side {
  readonly peer: NodeId
  /** What its side wants: an event that one of these holds goes there. */
  readonly heard: readonly Clause[]
  /** What it was told that our side wants, and what it was not told, because something that it was told covers it. */
  readonly told: readonly Clause[]
  readonly covered: readonly Clause[]
}

export interface RoutingScene {
  readonly overlaid: Overlaid
  readonly wishes: readonly Wish[]
  /** The broker whose table is shown. */
  readonly shown: NodeId
  readonly table: readonly Side[]
  readonly author: NodeId
  readonly event: Attributes
  readonly ways: readonly Carried[]
  /** Brokers whose users were given it. */
  readonly given: ReadonlySet<NodeId>
}

const hundredth = (value: number) => Math.round(100 * value) / 100

function box(random: Random): Filter {
  const drawn = () => {
    const width = 0.1 + (2 * SIDE - 0.1) * random.unit()
    const gte = random.unit() * (1 - width)
    return { gte: hundredth(gte), lte: hundredth(gte + width) }
  }
  return parseFilter({ x: drawn(), y: drawn() })
}

/** What a broker's links know; what its side wants is its own wishes and what it heard over the other links. */
export function tableOf(overlaid: Overlaid, broker: NodeId): Side[] {
  const { subscriptions } = overlaid.stateOf(broker)
  const own = [...subscriptions.values()].flatMap(({ clauses }) => clauses.map(({ clause }) => clause))
  const links = overlaid.linksOf(broker)
  return links.map((link): Side => {
    const others = links.filter(other => other !== link).flatMap(heardBy)
    const told = [...link.told.values()].map(({ clause }) => clause)
    const wanted = new Map([...own, ...others].map(clause => [keyOf(clause), clause]))
    for (const clause of told) wanted.delete(keyOf(clause))
    const covered = [...wanted.values()].filter(clause => told.some(wide => covers(wide, clause)))
    return { peer: link.peer, heard: heardBy(link), told, covered }
  })
}

function heardBy({ heard }: Link): Clause[] {
  return [...heard.values()]
}

const coveredIn = (table: readonly Side[]) => table.reduce((sum, { covered }) => sum + covered.length, 0)

/** Brokers behind a link. */
function behind(overlaid: Overlaid, id: NodeId, from: NodeId): number {
  const peers = overlaid.neighbours(id).filter(peer => peer !== from)
  return peers.reduce((sum, peer) => sum + behind(overlaid, peer, id), 1)
}

/** In the middle: where the most brokers behind one link are the fewest; of those the one with the most that is covered. */
function mostToShow(overlaid: Overlaid): NodeId {
  const most = (id: NodeId) => Math.max(...overlaid.neighbours(id).map(peer => behind(overlaid, peer, id)))
  const worth = (id: NodeId) => coveredIn(tableOf(overlaid, id)) - 100 * most(id)
  return overlaid.names.reduce((best, id) => (worth(id) > worth(best) ? id : best))
}

/** The same for the same seed. */
export function routingScene(seed: number): RoutingScene {
  const random = seededRandom(seed)
  const overlaid = new Overlaid(BROKERS, DEGREE, CLAUSES_A_LINK)
  const wishes = Array.from({ length: SUBSCRIPTIONS }, (_, at): Wish => {
    const wish = {
      name: String.fromCharCode(97 + at),
      broker: overlaid.names[random.below(BROKERS)]!,
      filter: box(random),
    }
    overlaid.subscribe(wish.broker, wish.filter)
    return wish
  })
  const shown = mostToShow(overlaid)
  const scene = { overlaid, wishes, shown, table: tableOf(overlaid, shown) }
  for (let tried = 1; ; tried++) {
    const sent = published(overlaid, random)
    if (isTelling(sent, scene.table, shown) || tried === TRIED) return { ...scene, ...sent }
  }
}

function published(overlaid: Overlaid, random: Random) {
  overlaid.ways.length = 0
  overlaid.handed.length = 0
  const author = overlaid.names[random.below(BROKERS)]!
  const event = { x: hundredth(random.unit()), y: hundredth(random.unit()) }
  overlaid.publish(author, event)
  const given = new Set(overlaid.handed.map(({ member }) => member))
  return { author, event, given, ways: [...overlaid.ways] }
}

/** It goes through the broker that is shown, over some of its links; three are given it. */
function isTelling(
  { ways, given }: Pick<RoutingScene, 'ways' | 'given'>,
  table: readonly Side[],
  shown: NodeId,
): boolean {
  const out = ways.filter(({ from }) => from === shown).length
  const isIn = ways.some(({ to }) => to === shown)
  return isIn && out > 0 && out < table.length - 1 && given.size >= 3
}
