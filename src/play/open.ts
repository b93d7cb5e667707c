// Opens a run among playgrounds: apart from the list of them, so that a page can load each when it is chosen.

import { Play, type Playable, type Playground, type RunName, type RunSpec } from '../simulator/index.ts'

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

/** A run in somebody's hands, from its spec; or a sentence. */
export function playAmong(known: readonly Playground[], spec: RunSpec): Play | string {
  const opened = openAmong(known, spec.run)
  if (typeof opened === 'string') return opened
  try {
    return new Play(spec, opened)
  } catch (error) {
    // Machines look at their settings when they are made: a size that opens may still be one that they refuse.
    return `this cannot be run: ${error instanceof Error ? error.message : String(error)}`
  }
}

/** What is said of a run whose hash is not that of its address. */
export function hashNote(play: Pick<Play, 'spec' | 'stopped' | 'hash'>): string | undefined {
  const { hash, build } = play.spec
  // Of a run that was stopped for want of patience nothing is known: on a faster machine it goes on.
  if (hash === undefined || play.stopped === 'patience' || play.hash.startsWith(hash)) return undefined
  return `made by another version${build === undefined ? '' : ` (${build})`}; this build gives another run.`
}
