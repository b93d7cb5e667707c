// Makes a run that breaks a promise smaller: leaves out of it what it breaks without, of what was drawn, done and said alike. What
// is left is the story, and as an address it is short.

import type { NodeId } from '../core/index.ts'
import type { RunSpec, Script } from './permalink.ts'
import { Play } from './play.ts'
import type { Playable } from './playable.ts'
import { reduceItems } from './shrink.ts'

/** Runs spent on one story: each ends where the promise breaks. */
const RUNS_MAX = 300
/** Nobody looks at the states of these runs. */
const NOTHING = { from: -1, to: -1 }

/** The smallest spec found that still breaks, within the model, what the given one breaks. */
export function shrinkPlay(spec: RunSpec, playable: Playable, says: RegExp = /./): RunSpec {
  let runs = 0
  const breaks = (tried: RunSpec): boolean => {
    if (runs++ >= RUNS_MAX) return false
    const play = new Play(tried, playable, NOTHING)
    play.toEnd()
    return play.violations.some(({ what }) => says.test(what)) && play.outside.length === 0
  }
  const { hash: _hash, at: _at, ...plain } = spec
  let best: RunSpec = plain
  const better = (tried: RunSpec): boolean => {
    if (!breaks(tried)) return false
    best = tried
    return true
  }
  better({ ...best, calm: true })
  // The numbers of what is drawn are those of the plan, whatever of it is kept.
  const numbers = new Play(best, playable, NOTHING).items
    .filter(({ drawn, on }) => drawn && on)
    .map(({ number }) => number)
  reduceItems(numbers, only => better({ ...best, only }))
  const { acts } = best
  const places = acts.map((_, place) => place)
  reduceItems(places, kept => better({ ...best, acts: kept.map(place => acts[place]!) }))
  for (const node of Object.keys(best.say)) honestWhere(best, node, better)
  return best
}

/** Word after word becomes the truth, from the last on. */
function honestWhere(spec: RunSpec, node: NodeId, better: (tried: RunSpec) => boolean): void {
  let script: Script = spec.say[node]!
  for (let place = script.words.length - 1; place >= 0; place--) {
    const words = script.words.map((word, at) => (at === place ? 'h' : word))
    if (better({ ...spec, say: { ...spec.say, [node]: { ...script, words } } })) script = { ...script, words }
  }
}
