// b + 1 trees over a few members, b of whom swallow events, and one event through the machines that ship.

import { type NodeId, seededRandom } from '../../../src/core/index.ts'
import { eventsDefaults } from '../../../src/events/defaults.ts'
import { parseFilter } from '../../../src/events/index.ts'
import { CLAUSES_A_LINK } from '../../../src/events/routing/limits.ts'
import { degreeOf, innerOf, orderOf, placesIn } from '../../../src/events/routing/overlay.ts'
import { type Carried, Overlaid } from '../overlaid.ts'

const MEMBERS = 9
const LIARS = 2
const TREES = LIARS + 1
const DEGREE = 2

export interface TreeShown {
  /** In the order of the heap: the inner ones first. */
  readonly places: readonly NodeId[]
  readonly inner: ReadonlySet<NodeId>
  readonly ways: readonly Carried[]
  /** Who has the event by this tree. */
  readonly reached: ReadonlySet<NodeId>
}

export interface TreesScene {
  readonly overlaid: Overlaid
  readonly author: NodeId
  readonly liars: ReadonlySet<NodeId>
  readonly degree: number
  readonly trees: readonly TreeShown[]
  /** Whose users were given the event. */
  readonly given: ReadonlySet<NodeId>
}

/** The same for the same seed: it says whose event it is. The liars are the roots of the first trees. */
export function treesScene(seed: number): TreesScene {
  const overlaid = new Overlaid(MEMBERS, DEGREE, CLAUSES_A_LINK, TREES)
  for (const member of overlaid.names) overlaid.subscribe(member, parseFilter({}))
  const { number, members } = overlaid.stateOf(overlaid.names[0]!).overlays[0]!
  const order = orderOf(eventsDefaults.hash, { number, members })
  for (let tree = 0; tree < LIARS; tree++) overlaid.liars.add(placesIn(order, tree, TREES)[0]!)
  const honest = overlaid.names.filter(id => !overlaid.liars.has(id))
  const author = honest[seededRandom(seed).below(honest.length)]!
  overlaid.publish(author, {})
  const given = new Set(overlaid.handed.map(({ member }) => member))
  const trees = Array.from({ length: TREES }, (_, tree): TreeShown => {
    const places = placesIn(order, tree, TREES)
    const ways = overlaid.ways.filter(way => way.tree === tree)
    const reached = new Set([author, ...ways.filter(({ swallowed }) => !swallowed).map(({ to }) => to)])
    return { places, inner: new Set(places.slice(0, innerOf(MEMBERS, TREES))), ways, reached }
  })
  const degree = degreeOf(MEMBERS, { trees: TREES, degree: DEGREE })
  return { overlaid, author, liars: overlaid.liars, degree, trees, given }
}
