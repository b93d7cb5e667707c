// From one overlay to the next, under load. Both are kept for a while. In the new one everybody announces first; "ready" goes to a
// neighbour when all others of the tree have said it, so it comes from the leaves. Who has it from all its neighbours
// publishes in the new trees, for a grace in both. A neighbour that says nothing is passed over.
//
// Who hears of the next list first never makes the trees of this one, and is passed over there like one that is gone. So trees
// that get ready when a newer list is known are used beside the older ones, and do not replace them.

import type { NodeId } from '../../core/index.ts'
import { askAgain, openLink, retell, sayStanding } from './announcing.ts'
import { MEMBERS_MAX, OVERLAYS_MAX } from './limits.ts'
import { neighboursOf, type OverlayRecord, treesOf } from './overlay.ts'
import { awaitMore } from './receipts.ts'
import type { Link, Overlay, RoutingScene } from './state.ts'

/** A newer list: its trees are made beside the old ones. */
export function addOverlay(scene: RoutingScene, record: OverlayRecord): void {
  const { state, settings, turn } = scene
  const newest = state.overlays.at(-1)?.number ?? -1
  if (record.number <= newest || record.members.length > MEMBERS_MAX) return
  const links = neighboursOf(settings.hash, record, state.self, settings).map(({ tree, peer }) => newLink(tree, peer))
  makeRoom(scene)
  const taken = new Set(state.overlays.map(({ slot }) => slot))
  const overlay: Overlay = {
    number: record.number,
    slot: SLOTS.find(slot => !taken.has(slot))!,
    trees: record.members.includes(state.self) ? treesOf(record.members.length, settings.trees) : 0,
    members: record.members,
    links,
    since: turn.now,
    openAt: undefined,
    replacesOlder: false,
  }
  state.overlays.push(overlay)
  for (const link of links) openLink(scene, overlay, link)
  if (overlay.trees === 0) turn.do({ kind: 'emit', event: { kind: 'outside', overlay: overlay.number } })
  else awaitMore(scene, record.members)
}

const SLOTS = Array.from({ length: OVERLAYS_MAX }, (_, slot) => slot)

/** Where lists come faster than trees get ready, one goes, but not the trees that all have, nor the newest in use: others may have only these. */
function makeRoom({ state }: RoutingScene): void {
  if (state.overlays.length < OVERLAYS_MAX) return
  const kept = [newestOfAll(state.overlays), newestOpen(state.overlays)]
  const out = state.overlays.find(overlay => !kept.includes(overlay))
  state.overlays = state.overlays.filter(overlay => overlay !== out)
}

function newLink(tree: number, peer: NodeId): Link {
  return {
    tree,
    peer,
    told: new Map(),
    announced: 0,
    ids: 0,
    owes: false,
    answered: 0,
    heard: new Map(),
    number: 0,
    life: '',
    ready: false,
    saidReady: false,
  }
}

/** Where a neighbour stands: what was lost is asked for. */
export function hearStanding(
  scene: RoutingScene,
  overlay: Overlay,
  link: Link,
  said: { readonly life: string; readonly number: number; readonly ready: boolean },
): void {
  if (said.life !== link.life || said.number !== link.number) return askAgain(scene, overlay, link)
  if (said.ready) link.ready = true
}

/** Now and then: neighbours compare, and who never speaks is passed over. */
export function compareAll(scene: RoutingScene): void {
  for (const overlay of scene.state.overlays) {
    for (const link of overlay.links) {
      link.answered = 0
      if (link.owes) {
        link.owes = false
        retell(scene, overlay, link, everything(scene, overlay, link), false)
      }
      sayStanding(scene, overlay, link)
    }
  }
}

function everything({ state }: RoutingScene, overlay: Overlay, link: Link) {
  const own = [...state.subscriptions.values()].flatMap(({ clauses }) => clauses)
  const others = overlay.links.filter(({ tree, peer }) => tree === link.tree && peer !== link.peer)
  const heard = others.flatMap(other =>
    [...other.heard].map(([id, clause]) => ({ key: `${other.peer} ${id}`, clause })),
  )
  return [...own, ...heard]
}

/** What follows from what was heard: who may be told "ready", which trees are in use, and which are over. */
export function advance(scene: RoutingScene): void {
  const { state, settings, turn } = scene
  for (const overlay of state.overlays) {
    const isWaited = (link: Link) =>
      !link.ready && !settings.rules.passesOver(turn.now - overlay.since, settings.patience)
    for (const link of overlay.links) {
      const others = overlay.links.filter(one => one.tree === link.tree && one.peer !== link.peer && isWaited(one))
      if (link.saidReady || !settings.rules.isReady(others.length)) continue
      link.saidReady = true
      sayStanding(scene, overlay, link)
    }
    if (overlay.openAt !== undefined || overlay.trees === 0 || overlay.links.some(isWaited)) continue
    overlay.openAt = turn.now
    overlay.replacesOlder = settings.rules.replacesOlder(state.overlays.at(-1)!.number > overlay.number)
    turn.do({ kind: 'emit', event: { kind: 'open', overlay: overlay.number } })
  }
  retire(scene)
}

/** The newest trees that are in use. */
function newestOpen(overlays: readonly Overlay[]): Overlay | undefined {
  return overlays.findLast(({ openAt }) => openAt !== undefined)
}

/** The newest trees that nobody stayed out of because it knew of others: only what is older than these is of no more use. */
function newestOfAll(overlays: readonly Overlay[]): Overlay | undefined {
  return overlays.findLast(({ replacesOlder }) => replacesOlder)
}

function retire({ state, settings, turn }: RoutingScene): void {
  const newest = newestOfAll(state.overlays)
  if (newest === undefined || turn.now - newest.openAt! < settings.retireAfter) return
  state.overlays = state.overlays.filter(({ number }) => number >= newest.number)
}

/** In which overlays an event of our own goes out now: none while there are no trees that all have. */
export function inUse({ state, settings, turn }: RoutingScene): readonly Overlay[] {
  const oldest = newestOfAll(state.overlays)
  if (oldest === undefined) return []
  const newest = newestOpen(state.overlays)!
  const isGrace = turn.now - newest.openAt! < settings.grace
  return state.overlays.filter(({ number }) => number <= newest.number && (isGrace || number >= oldest.number))
}
