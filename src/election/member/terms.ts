// Which term comes next, and how far others' words about terms are followed.
//
// A term that is far ahead costs nothing by itself, but members that are far apart never meet, and the terms of a list
// come to an end. So a member keeps one word of each other one: the highest term that it says it was in. Saying more, or
// saying it faster, gains a liar nothing. What b + 1 members say, an honest one was in: it is followed at once. One
// member's word is followed by little. A member that a liar drove far away says so alone, and is not to be told from a
// liar: its word is followed when nothing else has worked, but not beyond half of the terms that the list has. Above the
// half it is by little again, a little more with every attempt that fails.
//
// None of it bears on safety: a term is granted once, and none below one that was granted, however far terms go.

import { kthLargest, type NodeId } from '../../core/index.ts'
import { memberOf } from '../count/electorate.ts'
import { TERMS_PER_LIST } from '../wire.ts'
import { report } from './rate-limit.ts'
import type { ElectionScene } from './scene.ts'
import type { Race } from './state.ts'

/** How far one member's word leads: more than a member that is cut off for half an hour has tried alone. */
const TERM_STEP = 1_024

/** What this member must go above: it granted it, voted in it, or its list begins with it. */
function pastOf({ state }: ElectionScene, race: Race): number {
  return Math.max(race.grantedTerm, race.votedTerm, state.floor)
}

/** A listed member says that it was in this term. No honest one is beyond the terms of the list. */
export function noteTerm(scene: ElectionScene, race: Race, from: NodeId, term: number): void {
  const { floor } = scene.state
  // Two members may have the same list from different signers, and so different floors, at most that far apart.
  if (term > floor + 2 * TERMS_PER_LIST) report(scene, from, 'impossible-term')
  if (term <= pastOf(scene, race) || term > floor + TERMS_PER_LIST) return
  if (term > (race.saidTerms.get(from) ?? 0)) race.saidTerms.set(from, term)
}

/** Words that say nothing any more: of terms that are past, and of members that are no longer listed. */
export function forgetTerms(scene: ElectionScene, race: Race): void {
  const past = pastOf(scene, race)
  for (const [id, term] of race.saidTerms) {
    if (term <= past || memberOf(scene.state.electorate, id) === undefined) race.saidTerms.delete(id)
  }
}

/** Where this member is, or one honest other at least. */
function commonTerm(scene: ElectionScene, race: Race): number {
  const { rules, liars } = scene.settings
  const vouched = kthLargest(race.saidTerms.values(), rules.wordsNeeded(liars))
  return Math.max(pastOf(scene, race), race.begunTerm, vouched)
}

/** The highest term that is voted in or granted on one member's word. */
function highestTerm(scene: ElectionScene, race: Race): number {
  const { floor } = scene.state
  const { rules, patience } = scene.settings
  const near = commonTerm(scene, race) + TERM_STEP
  const far = floor + TERMS_PER_LIST / 2 + TERM_STEP * race.failures
  return Math.min(rules.followsOneWord(race.failures, patience) ? Math.max(near, far) : near, floor + TERMS_PER_LIST)
}

/** Whether a term may be granted or voted in under this list. */
export function isReachable(scene: ElectionScene, race: Race, term: number): boolean {
  return scene.settings.rules.isAboveFloor(term, scene.state.floor) && term <= highestTerm(scene, race)
}

/** Whether it is a term of this list: enough where a quorum's ballots say that they were in it. */
export function isOfList({ state, settings }: ElectionScene, term: number): boolean {
  return settings.rules.isAboveFloor(term, state.floor) && term <= state.floor + TERMS_PER_LIST
}

/** The term to begin: one that others vote in already and we do not, or the one after all that is followed. */
export function nextTerm(scene: ElectionScene, race: Race): number {
  const highest = highestTerm(scene, race)
  const words = [...race.saidTerms.values()].filter(term => term < highest)
  const heard = Math.max(commonTerm(scene, race), ...words)
  const isBegun = [...race.earlyBallots.values()].some(({ term }) => term === heard)
  return isBegun && heard > pastOf(scene, race) ? heard : heard + 1
}
