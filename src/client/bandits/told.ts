// Who learned what in a run, in sentences: part of every result, so that nobody has to remember the table.

import type { RingLevel, Wanted } from '../../bandits/index.ts'
import type { Asked } from './options.ts'

/** For a run inside one process. */
export function told({ options, names }: Asked): string {
  const here = 'All parties ran in this process, and it saw everything.'
  if (options.privacy === 'open') return `${here} The run was open: who runs it sees every pull and every reward.`
  if (options.privacy === 'thesis') {
    return `${here} With every node at an owner of its own, ${ringLearns(options.protocol ?? 'ucb-ds2', 'the controller')}`
  }
  return `${here} With every party at an owner of its own, ${learns(names.length, 'the shuffler', 'the comparator')}`
}

function ringLearns(level: RingLevel, controller: string): string {
  const whose = level === 'ucb-ds2' ? 'each arm the largest index so far' : 'each arm the leader and its index'
  return `${controller} sees who is pulled in each round, and from that nearly all rewards; ${whose}; the user the sum.`
}

/** The thesis's parties are honest and curious: who lies is named by nobody. */
const NO_AUDIT = 'At this level nobody keeps a log: the run cannot be audited.'

/** For UCB-D, UCB-DS and UCB-DS2 among members. */
export function toldOfRing(level: RingLevel, controller: string): string {
  return `${ringLearns(level, controller)} ${NO_AUDIT}`
}

/** For SR-secured among members. */
export function toldOfSearch(shuffler: string, comparator: string): string {
  return (
    `'${shuffler}', which is BAI, learned the ranking of the arms; '${comparator}', which is Comp, all sums without names; ` +
    `who drew, which arms were rejected before; the user the best arm. BAI and Comp together know every sum by name. ${NO_AUDIT}`
  )
}

/** For a run among members. */
export function toldAmong({ arms, shuffler, comparator, pace = 0 }: Wanted): string {
  const slow =
    pace > 0
      ? `Every arm answered ${pace} ms after its slot for each pull of a round: time told the shuffler only how often somebody was not ready.`
      : 'Time is not hidden: where pulls are slow, the shuffler can see who pulls.'
  return `If no two of them work together, ${learns(arms.length, `'${shuffler}', which shuffled,`, `'${comparator}', which compared,`)} ${slow}`
}

function learns(arms: number, shuffler: string, comparator: string): string {
  const parties = `${shuffler} and ${comparator} learn nothing each, and both together the order of all arms; `
  const rest =
    arms === 2
      ? 'and from them, as there are two arms, nearly everything about the other.'
      : 'and from them how good the best of the others is.'
  return `${parties}the user learns the answer; an arm learns its own pulls and rewards, ${rest}`
}

/** For SR-secured. */
export function toldOfValues(): string {
  return (
    'All nodes ran in this process, and it saw everything. With every node at an owner of its own, BAI learns the ranking of the arms, ' +
    'Comp all sums without names, each RP who was rejected before, the user the best arm.'
  )
}
