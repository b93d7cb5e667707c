// What each side of a link wants, and how the other is told: the smallest set of clauses that covers it, in numbered
// announcements of what changed. A gap in the numbers, or a new life, asks for the whole.

import { assert } from '../../core/index.ts'
import type { Clause } from '../canonical.ts'
import { covers } from './covering.ts'
import { keyOf } from './keys.ts'
import { cheapest } from './merging.ts'
import type { Link, Overlay, RoutingScene, Told } from './state.ts'
import type { NumberedClause, RoutingMessage } from './wire.ts'

/** Accounts of the whole that one neighbour gets in a beat. */
const ANSWERS_A_BEAT = 4

interface Wanted {
  readonly key: string
  readonly clause: Clause
}

/** What this member's side of a link wants: its own, and what its other neighbours of the tree want. */
function wantedBy(scene: RoutingScene, overlay: Overlay, { tree, peer }: Link): Map<string, Clause> {
  const wanted = new Map<string, Clause>()
  for (const { clauses } of scene.state.subscriptions.values()) {
    for (const { key, clause } of clauses) wanted.set(key, clause)
  }
  for (const other of overlay.links) {
    if (other.tree !== tree || other.peer === peer) continue
    for (const clause of other.heard.values()) wanted.set(keyOf(clause), clause)
  }
  return wanted
}

/** Tells a neighbour what has changed on our side: `added` alone, or, where something is gone, all that is left of it. */
export function retell(
  scene: RoutingScene,
  overlay: Overlay,
  link: Link,
  added: readonly Wanted[],
  gone: boolean,
): void {
  const before = new Set(link.told.keys())
  if (gone) {
    const wanted = wantedBy(scene, overlay, link)
    forgetUnwanted(link, wanted)
    if (scene.settings.rules.uncoversAtOnce()) for (const [key, clause] of wanted) tell(scene, link, { key, clause })
    else link.owes = true
  }
  for (const one of added) tell(scene, link, one)
  const add = [...link.told].filter(([id]) => !before.has(id)).map(([id, { clause }]) => ({ id, clause }))
  const remove = [...before].filter(id => !link.told.has(id))
  if (add.length + remove.length > 0) sayChange(scene, overlay, link, add, remove)
}

/** Drops what nobody wants any more, and hulls that stand for less than two. */
function forgetUnwanted({ told }: Link, wanted: ReadonlyMap<string, Clause>): void {
  for (const [id, { key, clause, isHull }] of told) {
    if (wanted.has(key)) continue
    let under = 0
    if (isHull) for (const one of wanted.values()) if (under < 2 && covers(clause, one)) under++
    if (under < 2) told.delete(id)
  }
}

/** One more clause that our side wants: nothing where it is covered. */
function tell(scene: RoutingScene, link: Link, { key, clause }: Wanted): void {
  for (const told of link.told.values()) if (told.key === key || covers(told.clause, clause)) return
  put(link, { key, clause, isHull: false })
  while (link.told.size > scene.settings.clausesMax) merge(scene, link, clause)
}

/** Adds a clause, in place of what it covers. */
function put(link: Link, told: Told): void {
  for (const [id, other] of link.told) if (covers(told.clause, other.clause)) link.told.delete(id)
  link.told.set(++link.ids, told)
}

/** Two of them become one. */
function merge(scene: RoutingScene, link: Link, fresh: Clause): void {
  const entries = [...link.told]
  const { pair, hull } = cheapest(entries.map(([, { clause }]) => clause))
  for (const place of pair) link.told.delete(entries[place]![0])
  put(link, { key: keyOf(hull), clause: hull, isHull: true })
  if (scene.settings.rules.tellsBeside(hull, fresh)) return
  // It is covered by the hull, so it is told already.
  for (const [id, { clause, isHull }] of link.told) if (clause === fresh && !isHull) link.told.delete(id)
}

function sayChange(
  { state, turn }: RoutingScene,
  overlay: Overlay,
  link: Link,
  add: readonly NumberedClause[],
  remove: readonly number[],
): void {
  const place = { overlay: overlay.number, tree: link.tree }
  link.announced++
  const { boot: life } = state
  const body = { kind: 'announce', place, life, number: link.announced, whole: false, add, remove } as const
  turn.do({ kind: 'send', to: link.peer, body })
}

/** Everything that our side wants, under the number of the last announcement. */
export function sayWhole({ state, turn }: RoutingScene, overlay: Overlay, link: Link): void {
  const place = { overlay: overlay.number, tree: link.tree }
  const add = [...link.told].map(([id, { clause }]) => ({ id, clause }))
  const { boot: life } = state
  const body = { kind: 'announce', place, life, number: link.announced, whole: true, add, remove: [] } as const
  turn.do({ kind: 'send', to: link.peer, body })
}

/** Answers a neighbour that lacks something: a few times a beat, or who asks all the time would have us say it all the time. */
export function answerAgain(scene: RoutingScene, overlay: Overlay, link: Link): void {
  if (link.answered >= ANSWERS_A_BEAT) return
  link.answered++
  sayWhole(scene, overlay, link)
  sayStanding(scene, overlay, link)
}

/** How many announcements there were, and whether all of our side have made theirs. */
export function sayStanding({ state, turn }: RoutingScene, { number: overlay }: Overlay, link: Link): void {
  const { tree, announced: number, saidReady: ready } = link
  const body = { kind: 'standing', place: { overlay, tree }, life: state.boot, number, ready } as const
  turn.do({ kind: 'send', to: link.peer, body })
}

/** Asks a neighbour for everything that its side wants. */
export function askAgain({ turn }: RoutingScene, overlay: Overlay, { tree, peer }: Link): void {
  turn.do({ kind: 'send', to: peer, body: { kind: 'again', place: { overlay: overlay.number, tree } } })
}

/** A link of new trees: what our own side wants, and the question what the other does. */
export function openLink(scene: RoutingScene, overlay: Overlay, link: Link): void {
  for (const [key, clause] of wantedBy(scene, overlay, link)) tell(scene, link, { key, clause })
  link.announced = 1
  sayWhole(scene, overlay, link)
  askAgain(scene, overlay, link)
}

/** What a neighbour's side wants now. The other links of the tree are told what that changes. */
export function hearAnnounce(
  scene: RoutingScene,
  overlay: Overlay,
  link: Link,
  body: RoutingMessage & { kind: 'announce' },
): void {
  const { rules } = scene.settings
  const { life, number, whole, add, remove } = body
  if (life === link.life && number <= link.number && !whole) return
  if (!whole && (life !== link.life || !rules.continues(link.number, number))) return askAgain(scene, overlay, link)
  // An old account of the whole, that was overtaken.
  if (whole && life === link.life && number < link.number) return
  if (whole && life !== link.life) link.ready = false
  const gone = whole ? link.heard.size > 0 : remove.some(id => link.heard.has(id))
  if (whole) link.heard.clear()
  // While they change, a neighbour adds as many before it removes. More is not kept.
  const room = 2 * scene.settings.clausesMax
  for (const { id, clause } of add) if (link.heard.size < room) link.heard.set(id, clause)
  for (const id of remove) link.heard.delete(id)
  link.number = number
  link.life = life
  const fresh = add.filter(({ id }) => link.heard.has(id)).map(({ clause }) => ({ key: keyOf(clause), clause }))
  for (const other of overlay.links) {
    if (other.tree !== link.tree || other.peer === link.peer) continue
    assert(other.peer !== scene.state.self, 'nobody is next to itself')
    retell(scene, overlay, other, fresh, gone)
  }
}

/** This member's own wishes have changed. */
export function retellAll(scene: RoutingScene, added: readonly Wanted[], gone: boolean): void {
  for (const overlay of scene.state.overlays) {
    for (const link of overlay.links) retell(scene, overlay, link, added, gone)
  }
}
