// Bugs planted in the composition: what would go wrong if the parts of a node were not kept apart, or were wired too
// early. Each breaks one line of `composeRules`, in every honest node.

import { addressed, type ComposeRules, composeRules } from '../../core/index.ts'
import { type LivesRules, livesRules } from '../lives/state.ts'

export const plantedNodeBugs: Readonly<Record<string, Partial<ComposeRules>>> = {
  // Everything is saved in the lane of one part: after a restart it finds records that are not its own.
  'two-parts-in-one-lane': { lane: part => FIRST_IN_LINE[part] ?? part },
  // Each part is given its neighbour's records.
  'records-of-another': { records: (saved, part) => saved.get(FIRST_IN_LINE[part] ?? part) ?? [] },
  // The store is read, and its records get lost on the way to the parts.
  'records-forgotten': { records: (saved, part) => (saved.size > 1 ? [] : (saved.get(part) ?? [])) },
  // One part's timers wake another.
  'timers-of-another': { timer: (part, name) => addressed(FIRST_IN_LINE[part] ?? part, name) },
}

/** Only where parts are wired. */
export const plantedWireBugs: Readonly<Record<string, Partial<ComposeRules>>> = {
  // The command is given while the event's own save may still be lost.
  'wire-before-durable': { waitsForEvent: () => false },
}

/** What would go wrong if servers believed too few about each other's lives. */
export const plantedLivesBugs: Readonly<Record<string, Partial<LivesRules>>> = {
  // One that lies calls every store old.
  'old-by-one-word': { accusersNeeded: () => 1 },
}

export function brokenLivesRules(bug: string | undefined): LivesRules {
  return { ...livesRules, ...(bug === undefined ? {} : plantedLivesBugs[bug]) }
}

/** Which part is taken for which. */
const FIRST_IN_LINE: Readonly<Record<string, string>> = { ordering: 'lock', election: 'membership' }

export function brokenComposeRules(bug: string | undefined): ComposeRules {
  if (bug === undefined) return composeRules
  const broken = { ...plantedNodeBugs, ...plantedWireBugs }[bug]
  if (broken === undefined) {
    const known = [...Object.keys(plantedNodeBugs), ...Object.keys(plantedWireBugs)]
    throw new RangeError(`no planted bug '${bug}'; there are: ${known.join(', ')}`)
  }
  return { ...composeRules, ...broken }
}
