// Which view this member would hold an election on, and which of another's it votes on.

import type { NodeId } from '../../core/index.ts'
import { memberOf } from '../count/electorate.ts'
import { agrees, candidatesOf, isOrdered, standing } from '../count/view.ts'
import type { View } from '../wire.ts'
import { couldBecomeOwn, isFirstElection } from './first-election.ts'
import type { ElectionScene } from './scene.ts'
import type { ElectionState, Race } from './state.ts'

/**
 * Rows as membership gave them. Left out are those who seem gone, the last coordinator, and some of those who let us
 * wait: by chance, because it is not known which of them is to blame, and members that blame each other for ever would
 * never agree.
 */
export function ownView({ state, settings, turn }: ElectionScene, race: Race): View | undefined {
  const electorate = state.electorate!
  const { failed, keyless } = state
  const { lastCoordinator } = race
  const blamed = race.silentCandidates.filter(() => turn.below(2) === 0)
  const choices = [
    [...failed, lastCoordinator, ...blamed],
    [...failed, lastCoordinator, ...race.silentCandidates],
    [...failed, lastCoordinator],
    failed,
    [],
  ]
  let fallback: View | undefined
  for (const gone of choices) {
    const leftOut = [...new Set([...gone, ...keyless])].filter(id => memberOf(electorate, id) !== undefined).sort()
    const view = { rows: standing(race.rows, leftOut), leftOut }
    const candidates = candidatesOf(electorate, view, settings)
    if (candidates.some(id => !race.silentCandidates.includes(id))) return view
    if (candidates.length > 0) fallback ??= view
  }
  return fallback
}

function mayBeGone({ failed, keyless }: ElectionState, race: Race): NodeId[] {
  return [...failed, ...keyless, race.lastCoordinator, ...race.silentCandidates, ...race.neverLed]
}

/** Whether a view could be this member's own; without an opinion, any is. */
export function isOwnView(scene: ElectionScene, race: Race, view: View): boolean {
  const { state, settings } = scene
  if (race.rows.length === 0 || agrees(race.rows, view, mayBeGone(state, race), settings)) return true
  return isFirstElection(scene, race) && couldBecomeOwn(scene, race, view, mayBeGone(state, race))
}

/** Whether this member votes on that view: it could be its own, or nothing else has worked. */
export function isAcceptable(scene: ElectionScene, race: Race, view: View): boolean {
  const { state, settings } = scene
  if (!isOrdered(view) || view.rows.some(({ member }) => memberOf(state.electorate, member) === undefined)) return false
  const candidates = candidatesOf(state.electorate!, view, settings)
  // Nobody can be voted for: a member without an opinion would hide a ballot with nothing in it, which cannot be done.
  if (candidates.length === 0) return false
  if (isOwnView(scene, race, view)) return true
  // A member that had our promise and did not lead does not get it again by calling first.
  if (candidates.some(id => state.keyless.includes(id))) return false
  return race.failures >= settings.patience && candidates.some(id => !race.neverLed.includes(id))
}

/** More names on a list of those who let us wait; once it is everybody else who stands, it is nobody. */
export function blame(
  { state }: ElectionScene,
  race: Race,
  blamed: readonly NodeId[],
  members: readonly NodeId[],
): NodeId[] {
  const all = [...new Set([...blamed, ...members])]
  return race.rows.every(({ member }) => member === state.self || all.includes(member)) ? [] : all
}
