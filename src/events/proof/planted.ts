// Bugs planted on purpose, one broken rule each. If the simulator does not find them, it would not find ours either.

import { type EventsRules, eventsRules } from '../rules.ts'

/** Rules that are broken on purpose, by name. */
export const plantedEventsBugs: Readonly<Record<string, Partial<EventsRules>>> = {
  'ack-before-save': { savesFirst: () => false },
  'gap-accepted': { continues: (held, counter) => counter > held },
  'few-acks': { acksNeeded: () => 1 },
  'main-alone': { agreeing: () => 1 },
  'witness-count-only': { agrees: (own, theirs) => own.count === theirs.count },
  'root-not-bound-to-channel': { boundTo: () => '' },
  'found-unsigned': { checksSignature: () => false },
  'repair-unsigned': { checksRepair: () => false },
  'cursor-unsigned': { checksCursor: () => false },
  'cursor-past-ack': { saves: checked => checked },
  'no-repair': { repairs: () => false },
  'one-liar-waited-for': { waitedFor: reported => Math.max(0, ...reported) },
  'never-passed-over': { passesOver: () => false },
  'cursor-past-cut': { gone: ([sender]) => sender ?? 0 },
  'queue-acked-on-send': { doneWhenGiven: () => true },
  'ends-for-the-dead': { outbids: () => false },
  'old-generation-counts': { outranks: () => false },
  'hearsay-without-end': { mayKeep: () => true },
}

/** The rules with that planted bug; without one, as they are. */
export function brokenEventsRules(bug: string | undefined): EventsRules {
  if (bug === undefined) return eventsRules
  const broken = plantedEventsBugs[bug]
  if (broken === undefined)
    throw new RangeError(`no planted bug '${bug}'; there are: ${Object.keys(plantedEventsBugs).join(', ')}`)
  return { ...eventsRules, ...broken }
}
