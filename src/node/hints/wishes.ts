// Changes of the electorate that this member's operator wants.
//
// q members of the old list must agree before there is a new one (protocols/election), each by its own operator's word: a
// coordinator alone can neither fill the list nor empty it. So an operator tells every member; the one that leads
// proposes it.

import { assert, type Millis, type NodeId, sameBytes } from '../../core/index.ts'
import type { Change, ElectionCommand } from '../../election/index.ts'
import { CALLERS_MAX, type Declined, type HintScene, hintTimers, isFulfilled, mayVote, WISHES_MAX } from './state.ts'

/** A wish that did not come true by then is given up here: the operator may wish again. */
export const WISH_MS: Millis = 30_000
/** How often a member that leads proposes what waits: the list may just have been changed otherwise. */
const PROPOSE_EVERY_MS: Millis = 250
/** What comes of a proposal is seen in the list itself. */
export const UNASKED = 0

export function tell({ turn }: HintScene, command: ElectionCommand): void {
  turn.do({ kind: 'emit', event: { kind: 'tell', command } })
}

export function onAdmit(scene: HintScene, id: number, member: NodeId): void {
  if (mayVote(scene.state, member)) return agree(scene, id)
  const view = scene.state.views.get(member)
  const keys = view === undefined ? undefined : scene.settings.keysOf(view)
  if (keys === undefined) return decline(scene, id, 'unknown')
  wish(scene, id, `admit ${member}`, { add: { id: member, ...keys } })
}

export function onExpel(scene: HintScene, id: number, member: NodeId): void {
  // A name that nobody bears is a slip: its sender meant somebody else, and must not be told that it is done.
  if (!mayVote(scene.state, member) && !scene.state.views.has(member)) return decline(scene, id, 'unknown')
  if (isFulfilled(scene.state, { remove: member })) return agree(scene, id)
  wish(scene, id, `expel ${member}`, { remove: member })
}

function wish(scene: HintScene, id: number, what: string, change: Change): void {
  const { state, turn } = scene
  const known = state.wishes.get(what)
  if (known !== undefined && sameNewcomer(known.change, change)) {
    if (known.ids.length >= CALLERS_MAX) return decline(scene, id, 'crowded')
    known.ids.push(id)
    return
  }
  if (known === undefined && state.wishes.size >= WISHES_MAX) return decline(scene, id, 'crowded')
  state.wishes.set(what, { change, ids: [...(known?.ids ?? []), id] })
  hintTimers.set(turn, 'expire', WISH_MS, what)
  tell(scene, { kind: 'allow', change })
  onPropose(scene)
}

/** A guest that came back with other keys is wished for again. */
function sameNewcomer({ add: one }: Change, { add: other }: Change): boolean {
  return one === undefined || other === undefined || sameBytes(one.key, other.key)
}

/** The election refuses what cannot be now, and is asked again. */
export function onPropose(scene: HintScene): void {
  const { state, turn } = scene
  const [first] = state.wishes.values()
  if (first === undefined) return hintTimers.cancel(turn, 'propose')
  hintTimers.set(turn, 'propose', PROPOSE_EVERY_MS)
  if (state.leading.size > 0) tell(scene, { kind: 'change', id: UNASKED, change: first.change })
}

/** Answers the wishes that the newest list fulfils. */
export function fulfil(scene: HintScene): void {
  for (const [what, { change, ids }] of scene.state.wishes) {
    if (!isFulfilled(scene.state, change)) continue
    forget(scene, what)
    for (const id of ids) agree(scene, id)
  }
}

export function onExpire(scene: HintScene, what: string): void {
  const given = scene.state.wishes.get(what)
  forget(scene, what)
  for (const id of given?.ids ?? []) decline(scene, id, 'late')
}

function forget({ state, turn }: HintScene, what: string): void {
  state.wishes.delete(what)
  hintTimers.cancel(turn, 'expire', what)
}

function agree({ state, turn }: HintScene, id: number): void {
  assert(state.electorate !== undefined, 'what is agreed is in a list')
  turn.do({ kind: 'emit', event: { kind: 'agreed', id, number: state.electorate.number } })
}

function decline({ turn }: HintScene, id: number, why: Declined): void {
  turn.do({ kind: 'emit', event: { kind: 'declined', id, why } })
}
