// Opens a run among playgrounds: apart from the list of them, so that a page can load each when it is chosen.

import type { Playable, Playground, RunName } from '../simulator/index.ts'

/** Ready to run; or a sentence that says why this cannot be run. */
export function openAmong(known: readonly Playground[], run: RunName): Playable | string {
  const ground = known.find(({ name }) => name === run.name)
  if (ground === undefined) {
    return `there is nothing to play called '${run.name}'; there is: ${known.map(({ name }) => name).join(', ')}.`
  }
  if (run.story !== undefined && !Object.hasOwn(ground.stories, run.story)) {
    return `${ground.name} has no story '${run.story}'; it has: ${Object.keys(ground.stories).join(', ') || 'none'}.`
  }
  if (run.bug !== undefined && !ground.bugs.includes(run.bug)) {
    return `${ground.name} has no planted bug '${run.bug}'; it has: ${ground.bugs.join(', ') || 'none'}.`
  }
  return ground.open(run)
}
