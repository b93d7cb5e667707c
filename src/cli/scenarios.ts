// What `coterie sim` can run, as plain data that travels to worker threads and into a browser.

import {
  banditScenario,
  brokenBanditRules,
  memberRunScenario,
  plantedBanditBugs,
  thesisScenario,
} from '../bandits/proof/index.ts'
import { lockServersNeeded, SettingsError, trust } from '../core/index.ts'
import { brokenElectionRules, electionScenario, plantedElectionBugs } from '../election/proof/index.ts'
import {
  brokenEventsRules,
  brokenInterestRules,
  brokenRoutingRules,
  brokenSecretRules,
  eventsScenario,
  interestScenario,
  plantedEventsBugs,
  plantedInterestBugs,
  plantedRoutingBugs,
  plantedSecretBugs,
  routingScenario,
  secretScenario,
} from '../events/proof/index.ts'
import { ledgerServersNeeded } from '../ledger/index.ts'
import { brokenLedgerRules, ledgerScenario, plantedLedgerBugs } from '../ledger/proof/index.ts'
import { brokenRules, lockScenario, plantedBugs } from '../lock/proof/index.ts'
import { brokenMembershipRules, membershipBugs, membershipScenario } from '../membership/proof/index.ts'
import {
  brokenComposeRules,
  memberScenario,
  plantedNodeBugs,
  plantedWireBugs,
  serverScenario,
} from '../node/proof/index.ts'
import {
  brokenOrderingRules,
  orderingScenario,
  plantedOrderingBugs,
  recoveryScenario,
} from '../ordering/proof/index.ts'
import { printedScenario } from '../papers/lock/index.ts'
import type { AnyScenario } from '../simulator/index.ts'
import type { SlotsLevel } from '../slots/index.ts'
import { plantedSlotsBugs, plantedTrustingBugs, slotsScenarioFor, trustingScenarioFor } from '../slots/proof/index.ts'

export interface ScenarioOptions {
  readonly protocol: string
  readonly servers?: number
  readonly liars?: number
  readonly crashes?: number
  /** The paper's rule, also where it is not safe. */
  readonly unsafe?: boolean
  /** A planted bug. */
  readonly bug?: string
  /** Of slots. */
  readonly level?: string
}

interface Simulated {
  readonly bugs: object
  scenario(options: ScenarioOptions & { readonly liars: number }): AnyScenario
}

const simulated: Readonly<Record<string, Simulated>> = {
  lock: {
    bugs: plantedBugs,
    scenario: options =>
      options.unsafe
        ? printedScenario({ ...sizes(options), unsafe: true })
        : lockScenario(trust(sizes(options)), { rules: brokenRules(options.bug) }),
  },
  ordering: {
    bugs: plantedOrderingBugs,
    scenario: options => orderingScenario(trust(sizes(options)), { rules: brokenOrderingRules(options.bug) }),
  },
  'ordering-recovery': {
    bugs: plantedOrderingBugs,
    scenario: options => recoveryScenario(trust(sizes(options)), { rules: brokenOrderingRules(options.bug) }),
  },
  ledger: {
    bugs: plantedLedgerBugs,
    scenario: ledgerFor,
  },
  events: {
    bugs: plantedEventsBugs,
    scenario: options => eventsScenario(eventsTrust(options), { rules: brokenEventsRules(options.bug) }),
  },
  secret: {
    bugs: plantedSecretBugs,
    scenario: ({ servers, liars, bug }) =>
      secretScenario({ liars, ...(servers && { carriers: servers }), rules: brokenSecretRules(bug) }),
  },
  routing: {
    bugs: plantedRoutingBugs,
    scenario: ({ servers, liars, bug }) =>
      routingScenario({ liars, ...(servers && { members: servers }), rules: brokenRoutingRules(bug) }),
  },
  interest: {
    bugs: plantedInterestBugs,
    scenario: ({ servers, liars, bug }) =>
      interestScenario({ liars, ...(servers && { members: servers }), rules: brokenInterestRules(bug) }),
  },
  membership: {
    bugs: membershipBugs,
    scenario: ({ servers, liars, bug }) =>
      membershipScenario({ liars, ...(servers && { members: servers }), rules: brokenMembershipRules(bug) }),
  },
  election: {
    bugs: plantedElectionBugs,
    scenario: ({ servers, liars, bug }) => electionFor(servers, liars, bug),
  },
  slots: {
    bugs: { ...plantedSlotsBugs, ...plantedTrustingBugs },
    scenario: slotsFor,
  },
  'election-secret': {
    bugs: plantedElectionBugs,
    scenario: ({ servers, liars, bug }) => electionFor(servers, liars, bug, 'secret'),
  },
  bandits: {
    bugs: plantedBanditBugs,
    scenario: ({ liars, bug }) => banditScenario({ liars, rules: brokenBanditRules(bug) }),
  },
  'bandit-members': {
    bugs: {},
    scenario: () => memberRunScenario(),
  },
  'bandit-thesis': {
    bugs: plantedBanditBugs,
    scenario: ({ liars, bug }) => thesisScenario({ liars, rules: brokenBanditRules(bug) }),
  },
  server: {
    bugs: plantedNodeBugs,
    scenario: options => serverScenario(trust(sizes(options)), brokenComposeRules(options.bug)),
  },
  member: {
    bugs: { ...plantedNodeBugs, ...plantedWireBugs },
    scenario: memberFor,
  },
}

export const protocols: readonly string[] = Object.keys(simulated)

export function scenarioFor(options: ScenarioOptions): AnyScenario {
  const { protocol, bug } = options
  const found = simulated[protocol]
  if (found === undefined) {
    throw new SettingsError(`there is no protocol '${protocol}' to simulate; there are: ${protocols.join(', ')}.`)
  }
  if (bug !== undefined && !(bug in found.bugs)) {
    throw new SettingsError(`there is no planted bug '${bug}'; there are: ${Object.keys(found.bugs).join(', ')}.`)
  }
  return found.scenario({ ...options, liars: options.liars ?? 1 })
}

function sizes({ liars, servers, crashes }: ScenarioOptions & { readonly liars: number }) {
  return {
    liars,
    ...(servers === undefined ? {} : { servers }),
    ...(crashes === undefined ? {} : { crashes }),
  }
}

// Events need no more servers than a lock does.
function eventsTrust(options: ScenarioOptions & { readonly liars: number }) {
  const { liars, servers, crashes = Math.max(1, liars) } = sizes(options)
  return trust({ liars, crashes, servers: servers ?? lockServersNeeded(liars, crashes) })
}

function slotsFor({ servers, liars, bug, level = 'verified' }: ScenarioOptions & { readonly liars: number }) {
  const sized = { ...(servers && { members: servers }), ...(bug && { bug }) }
  switch (level as SlotsLevel) {
    case 'verified':
      return slotsScenarioFor({ liars, ...sized })
    case 'curious':
    case 'strong':
      return trustingScenarioFor({ level: level as 'curious' | 'strong', ...sized })
    default:
      throw new SettingsError(`level is ${JSON.stringify(level)}; it must be curious, strong or verified.`)
  }
}

function ledgerFor({
  servers,
  liars,
  crashes = Math.max(1, liars),
  bug,
}: ScenarioOptions & { readonly liars: number }) {
  const needed = ledgerServersNeeded(liars, crashes)
  if (servers !== undefined && servers < needed) {
    throw new SettingsError(
      `a ledger with ${liars} liars and ${crashes} gone takes ${needed} servers; servers is ${servers}.`,
    )
  }
  return ledgerScenario({ servers: servers ?? needed, crashes, liars }, brokenLedgerRules(bug))
}

function memberFor({ servers, liars, bug }: ScenarioOptions & { readonly liars: number }): AnyScenario {
  const needed = Math.max(3, 3 * liars + 1)
  if (servers !== undefined && servers < needed) {
    throw new SettingsError(`members with ${liars} liars among them are ${needed} at least; servers is ${servers}.`)
  }
  return memberScenario({ members: servers ?? needed + liars, liars }, brokenComposeRules(bug))
}

function electionFor(
  members: number | undefined,
  liars: number,
  bug: string | undefined,
  mode: 'sealed' | 'secret' = 'sealed',
): AnyScenario {
  const needed = Math.max(3, 3 * liars + 1)
  if (members !== undefined && members < needed) {
    throw new SettingsError(`an election with ${liars} liars needs ${needed} members; servers is ${members}.`)
  }
  return electionScenario({ members: members ?? needed, liars }, { rules: brokenElectionRules(bug), mode })
}

/** The options of a run as they are typed, for the line that repeats it. */
export function asArguments(options: ScenarioOptions): string {
  const words = [options.protocol]
  for (const name of ['servers', 'liars', 'crashes', 'bug', 'level'] as const) {
    if (options[name] !== undefined) words.push(`--${name} ${options[name]}`)
  }
  if (options.unsafe) words.push('--unsafe')
  return words.join(' ')
}
