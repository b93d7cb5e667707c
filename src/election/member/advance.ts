// What follows from what happened. Handlers record facts and news of them; after each input the machine calls
// `advance`, which draws the consequences of each election's news, one after the other, until there is none.
//
// So a vote takes one straight way: ballots are counted, the winner claims, promises make it coordinator.

import { assert } from '../../core/index.ts'
import { announceList, completeChange, followList } from './changing.ts'
import { startClaim } from './claiming.ts'
import { count } from './counting.ts'
import { lead } from './leading.ts'
import type { ElectionScene } from './scene.ts'
import type { News, Race } from './state.ts'
import { askForShares } from './tallying.ts'
import { callOthers, remind, startElection } from './voting.ts'

type Step = (scene: ElectionScene, race: Race) => void

/** In this order: a claim goes out before calls for ballots that the count no longer needs. */
const STEPS: readonly (readonly [News, Step])[] = [
  ['list', followList],
  ['promises', lead],
  ['vacancy', startElection],
  ['ballots', count],
  ['shares', askForShares],
  ['victory', startClaim],
  ['reminder', remind],
  ['call', callOthers],
]
/** The longest way that one input can go: promises end, an election begins, is won at once and led. */
const STEPS_MAX = 16

export function advance(scene: ElectionScene): void {
  const listed = completeChange(scene)
  // First: who hears a ballot under a list that it does not know answers "behind", and throws the ballot away.
  if (listed !== undefined) announceList(scene, listed)
  for (const race of scene.state.races.values()) advanceRace(scene, race)
}

function advanceRace(scene: ElectionScene, race: Race): void {
  for (let steps = 0; race.news.size > 0; steps++) {
    assert(steps < STEPS_MAX, `one input has no end of consequences in '${race.name}'`)
    const [, step] = STEPS.find(([news]) => race.news.delete(news))!
    step(scene, race)
  }
}
