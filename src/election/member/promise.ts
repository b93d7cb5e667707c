// The promise itself: for its length, by the own clock, this member grants nobody else.

import type { NodeId } from '../../core/index.ts'
import { dropAttempt } from './attempt-time.ts'
import { withdraw } from './candidacy.ts'
import { saveGrant } from './saving.ts'
import { type ElectionScene, setTimer } from './scene.ts'
import type { Race } from './state.ts'
import { forgetTerms } from './terms.ts'

/** A new promise is saved before the answer leaves; one to the same coordinator only lasts longer. */
export function grant(scene: ElectionScene, race: Race, to: NodeId, term: number, by: number): void {
  const { state, settings, turn } = scene
  if (race.grantedTerm !== term || race.grantedTo !== to) {
    race.grantedTerm = term
    race.grantedTo = to
    race.grantedAt = turn.now
    race.callers.clear()
    forgetTerms(scene, race)
    saveGrant(scene, race)
    dropAttempt(scene, race)
    if (to !== state.self) withdraw(scene, race)
  }
  race.promisedUntil = turn.now + settings.promise
  race.promisedUnder = by
  setTimer(scene, 'promise', race, settings.promise)
}
