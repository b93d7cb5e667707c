// Membership, elections and slots, to play with: the seed draws users, faults and liars; acts are put in beside them.

import {
  brokenElectionRules,
  plantedRuns as electionRuns,
  electionScenario,
  plantedElectionBugs,
} from '../election/proof/index.ts'
import {
  brokenMembershipRules,
  membershipBugs,
  plantedRuns as membershipRuns,
  membershipScenario,
} from '../membership/proof/index.ts'
import type { AnyScenario, ManualKind, PlantedRun, Playground, RunName } from '../simulator/index.ts'
import { boundSentence, opening } from './sizes.ts'

const FAULTS: readonly ManualKind[] = ['hold', 'drop', 'twice', 'cut', 'slow', 'pause', 'crash']

/** Where a planted bug shows soonest, its own size and its own liar: an address that names the bug and no size means that run. */
function plantedIn(runs: Readonly<Record<string, PlantedRun>>, run: RunName): AnyScenario | undefined {
  const { bug, servers, liars } = run
  return bug === undefined || servers !== undefined || liars !== undefined ? undefined : runs[bug]?.scenario()
}

const PLANTED_BOUND = 'As many members as the planted bug needs, and the liar that it needs.'
const hasOwnSize = ({ bug, servers, liars }: RunName) =>
  bug !== undefined && servers === undefined && liars === undefined

function membersOf({ servers = 5, liars = 1 }: RunName) {
  return { members: servers, liars }
}

/** Members of an election: three at least, and three for each liar and one more. */
function electing({ liars = 1, servers = electorsNeeded(liars) }: RunName) {
  return { servers, liars, needed: electorsNeeded(liars) }
}

const electorsNeeded = (liars: number) => Math.max(3, 3 * liars + 1)

/** Who is here. */
export const membershipPlayground: Playground = {
  name: 'membership',
  title: 'Membership',
  promise: 'Views become right, nobody speaks for another, and who works is not called gone in quiet times.',
  servers: { min: 3, max: 12, usual: 5 },
  liars: { min: 0, max: 2, usual: 1 },
  stories: {},
  bugs: Object.keys(membershipBugs),
  bound(run) {
    const { servers = 5, liars = 1 } = run
    if (hasOwnSize(run)) return PLANTED_BOUND
    return `${servers} members, of which ${liars} may lie: any number that is honest is enough.`
  },
  open: run =>
    opening(() => ({
      scenario:
        plantedIn(membershipRuns, run) ??
        membershipScenario({ ...membersOf(run), rules: brokenMembershipRules(run.bug) }),
      // In runs that are drawn quiet it promises no false alarm: an act makes them other runs.
      model: { liars: 1, drift: 0.02, allows: [] },
      mayLie: [],
      commands: {},
    })),
}

/** Who leads. */
export const electionPlayground: Playground = {
  name: 'election',
  title: 'Election',
  promise: 'Never two leaders of one name at one time, terms that grow, and a leader once all is healed.',
  servers: { min: 3, max: 12, usual: 4 },
  liars: { min: 0, max: 2, usual: 1 },
  stories: {},
  bugs: Object.keys(plantedElectionBugs),
  bound(run) {
    if (hasOwnSize(run)) return PLANTED_BOUND
    const { needed, ...size } = electing(run)
    return boundSentence('members', size, needed)
  },
  open: run =>
    opening(() => {
      const { servers, liars, needed } = electing(run)
      if (servers < needed) throw new RangeError(`an election with ${liars} liars needs ${needed} members.`)
      return {
        scenario:
          plantedIn(electionRuns, run) ??
          electionScenario({ members: servers, liars }, { rules: brokenElectionRules(run.bug) }),
        model: { liars, drift: 0.05, allows: FAULTS },
        mayLie: [],
        commands: {},
      }
    }),
}
