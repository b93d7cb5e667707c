// What `coterie explore ledger` looks at: every schedule of the votes for one height in small groups, and every state of two
// ledgers beside one with two registers. Servers, network and disks as they ship are the simulator's part.

import type { Exploration, ExploreOptions } from '../../simulator/index.ts'
import { ledgerRules } from '../rules.ts'
import { brokenLedgerRules, plantedVotingBugs } from './planted.ts'
import { exploreVotes } from './small.ts'
import { exploreTwoInOne } from './two-in-one.ts'
import type { VotingGroup } from './votes.ts'

type Looked = (bug: string | undefined, options: ExploreOptions) => Exploration

interface LedgerSystem {
  readonly about: string
  readonly look: Looked
}

/** What was explored, under its name. */
export interface LedgerExploration extends Exploration {
  readonly system: string
}

const ATTEMPTS = 2

function votes(group: VotingGroup): Looked {
  return (bug, { depthMax, progress }) => {
    const options = {
      ...(depthMax !== undefined && { depthMax }),
      ...(progress && { progress: (n: number) => progress(n, 0) }),
    }
    const found = exploreVotes(group, ATTEMPTS, bug === undefined ? ledgerRules : brokenLedgerRules(bug), options)
    const { states, steps: transitions, broken, story = [], certified } = found
    return {
      complete: broken === undefined && depthMax === undefined,
      states,
      transitions,
      depth: broken ?? depthMax ?? 0,
      broken: broken === undefined ? undefined : { property: 'two values were certified for one height', story },
      sometimes: Object.fromEntries(
        certified.map((count, place) => [`something is certified in attempt ${place + 1}`, count > 0]),
      ),
    }
  }
}

function registers(supply: bigint, burns: number): Looked {
  return () => {
    const { states, steps, difference } = exploreTwoInOne({ supply, burns })
    const story = difference?.path.map(step =>
      JSON.stringify(step, (_, value) => (typeof value === 'bigint' ? String(value) : value)),
    )
    return {
      complete: difference === undefined,
      states,
      transitions: steps,
      depth: difference?.path.length ?? 0,
      broken: difference && { property: difference.why, story: story ?? [] },
      sometimes: { 'coins are burned, minted, made void and refunded': steps > states },
    }
  }
}

/** Small systems of ledgers, by name. */
export const ledgerSystems: Readonly<Record<string, LedgerSystem>> = {
  votes: {
    about: 'the votes of four servers, one of which may lose its store; two attempts, two values',
    look: votes({ servers: 4, crashes: 1, liars: 0 }),
  },
  'votes-lied': {
    about: 'the votes of six servers, one of which lies; two attempts, two values',
    look: votes({ servers: 6, crashes: 1, liars: 1 }),
  },
  'two-in-one': {
    about: 'two ledgers beside one with two registers: two coins in each, one burn',
    look: registers(2n, 1),
  },
}

/** What is executed before a vote is not about votes alone: the simulator finds that one. */
const elsewhere = ['votes-unseen']

/** In which system each planted bug of voting shows. */
export const plantedLedgerSystems: Readonly<Record<string, string>> = Object.fromEntries(
  Object.keys(plantedVotingBugs)
    .filter(bug => !elsewhere.includes(bug))
    .map(bug => [bug, 'votes']),
)

/** Explores one of these systems. */
export function exploreLedger(system: string, options: ExploreOptions = {}): LedgerExploration {
  return { system, ...ledgerSystems[system]!.look(undefined, options) }
}

/** Explores the system of a planted bug, with the bug or, to compare, without. */
export function exploreLedgerBug(bug: string, planted = true, options: ExploreOptions = {}): LedgerExploration {
  const system = plantedLedgerSystems[bug]!
  return { system, ...ledgerSystems[system]!.look(planted ? bug : undefined, options) }
}
