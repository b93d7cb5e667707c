// Counting (SRCEA algorithm 2, lines 30 to 40), as a candidate: when all ballots are there, or the time for them is
// over and a quorum is.

import { totals, winner } from '../count/ballot.ts'
import { claimOf, withdraw } from './candidacy.ts'
import { type ElectionScene, quorum } from './scene.ts'
import type { Attempt, Race } from './state.ts'
import { settle } from './tallying.ts'

/** Ballots came, or the time for them is over. */
export function count(scene: ElectionScene, race: Race): void {
  const { attempt } = race
  if (attempt === undefined || !mayCount(scene, attempt)) return
  const { state, settings } = scene
  if (settings.mode === 'secret') return settle(scene, race, attempt)
  const { candidates, ballots } = attempt
  const best = winner(candidates, totals(ballots.values(), candidates.length, settings.rules))
  if (best !== state.self) return withdraw(scene, race)
  if (race.candidacy === undefined) race.news.add('victory')
  // A ballot came late: who is asked again sees it counted.
  else if (race.candidacy.phase === 'claiming') race.candidacy.claim = claimOf(scene, race, attempt)
}

function mayCount(scene: ElectionScene, { candidates, votes, view, ballots, voided, waitIsOver }: Attempt): boolean {
  const { state, settings } = scene
  if (!candidates.includes(state.self) || !votes) return false
  const electorate = state.electorate!
  const expected = electorate.members.filter(({ id }) => !view.leftOut.includes(id))
  const complete = expected.every(({ id }) => ballots.has(id) || voided.has(id))
  return (complete || waitIsOver) && settings.rules.checksTurnout(ballots.size, quorum(scene, electorate))
}
