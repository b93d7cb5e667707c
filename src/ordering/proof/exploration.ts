// Objects under the explorer: everything that can happen to two clients with an operation or two, at n = 1 and n = 3,
// and, with one liar, at n = 5.
//
// What is proved is that no schedule of these systems breaks the one order: with the timers, restarts and duplicates
// named, and, where a depth is named, within so many steps from the beginning. Sessions that open and run out, watches,
// copies, rejoining, a third client and a longer life are for the simulator.

import { explorationSuite, type Moment, type NamedSystem, type Property, type System } from '../../simulator/index.ts'
import { accountsIn, clientIn, clientObjectIn, objectOf, orderAlways, serversIn, usersIn } from './one-order.ts'
import { CLIENTS, FIRST, isOf, type OrderingSystemOptions, orderingSystem, SECOND } from './small-system.ts'

const SOMETIMES = {
  'the first is answered': (moment, system) => usersIn(moment, system)[0]!.answers.size > 0,
  'the second is answered': (moment, system) => usersIn(moment, system)[1]!.answers.size > 0,
  'one version has operations of both': (moment, system) =>
    [...versionsIn(moment, system).values()].some(ids => CLIENTS.every(client => ids.some(id => isOf(client, id)))),
  'one version has two operations of one client': (moment, system) =>
    [...versionsIn(moment, system).values()].some(ids => ids.filter(id => isOf(FIRST, id)).length > 1),
  'an operation goes by way of the other client': (moment, system) =>
    usersIn(moment, system).some(({ answers, decided }) =>
      [...answers.values()].some(one => !decided.has(one.version)),
    ),
  'one client completes what the other left half done': (moment, system) =>
    completes(moment, system, FIRST, SECOND) || completes(moment, system, SECOND, FIRST),
  'a proposal is overtaken': (moment, system) =>
    CLIENTS.some(client => clientObjectIn(clientIn(moment, system, client)).shares),
  'a server comes back with a proposal': (moment, system) =>
    serversIn(moment, system).some(server => server.again && objectOf(server).proposed !== undefined),
  'a server lags': (moment, system) =>
    serversIn(moment, system).some(server => objectOf(server).content.version < objectOf(server).committed.version),
  'a server has what was never proposed to it': (moment, system) =>
    serversIn(moment, system).some(
      server => objectOf(server).content.version > 1 && objectOf(server).proposed === undefined,
    ),
  'a read sees the operation': (moment, system) => usersIn(moment, system)[1]!.reads.some(({ value }) => value !== ''),
  'a read sees what no server calls committed': (moment, system) =>
    usersIn(moment, system)[1]!.reads.some(({ version }) =>
      serversIn(moment, system).every(server => objectOf(server).committed.version < version),
    ),
} satisfies Readonly<Record<string, Property>>

/** The operations of each version, as far as anybody has it. */
function versionsIn(moment: Moment, system: System): Map<number, number[]> {
  const versions = new Map<number, number[]>()
  const longest = accountsIn(moment, system).reduce((best, one) => (one.version > best.version ? one : best))
  for (const { version, operation } of longest.log) {
    versions.set(version, [...(versions.get(version) ?? []), operation.id])
  }
  return versions
}

// Who decides a version of its own has an operation of its own in it.
function completes(moment: Moment, system: System, left: string, by: string): boolean {
  const { decided } = clientIn(moment, system, by).user
  const others = clientIn(moment, system, left).user.decided
  const versions = versionsIn(moment, system)
  return [...decided.keys()].some(at => !others.has(at) && versions.get(at)?.every(id => isOf(left, id)))
}

type Sometimes = keyof typeof SOMETIMES

const suite = explorationSuite({ build: orderingSystem, always: orderAlways, sometimes: SOMETIMES })
const { named } = suite

const one = { servers: 1, crashes: 0 }
const three = { servers: 3, crashes: 1 }
const liar = { servers: 5, crashes: 0, liars: 1, asksAll: true }
const BOTH: readonly Sometimes[] = ['the first is answered', 'the second is answered']
const TOGETHER: readonly Sometimes[] = [...BOTH, 'an operation goes by way of the other client']

/** Where no depth is named, to the end. */
export const orderingSystems: Readonly<Record<string, NamedSystem>> = {
  one: named(
    '1 server, an operation each, the timers of each client fire once',
    { ...one, submits: [1, 1], timers: 1 },
    ...TOGETHER,
    'a proposal is overtaken',
    'one client completes what the other left half done',
  ),
  'one-duplicate': named(
    '1 server, two operations and one, one duplicate',
    { ...one, submits: [2, 1], duplicates: 1 },
    ...TOGETHER,
    'one version has operations of both',
  ),
  'one-restart': named(
    '1 server, two operations and one, one crash',
    { ...one, submits: [2, 1], restarts: 1 },
    ...TOGETHER,
    'one client completes what the other left half done',
    'a server comes back with a proposal',
  ),
  'one-turns': named(
    '1 server, two operations each, a client that has the turn keeps it, one duplicate',
    {
      ...one,
      submits: [2, 2],
      turns: true,
      duplicates: 1,
    },
    ...TOGETHER,
    'one version has operations of both',
    'one version has two operations of one client',
  ),
  three: named(
    '3 servers, an operation each',
    { ...three, submits: [1, 1], asksAll: true, depth: 18 },
    ...BOTH,
    'one version has operations of both',
    'a proposal is overtaken',
  ),
  read: named(
    '3 servers, one operation, then a read by the other client',
    { ...three, submits: [1, 0], reads: true },
    'a read sees the operation',
    'a read sees what no server calls committed',
  ),
  gone: named(
    '3 servers, the first client is gone, then the second',
    {
      ...three,
      submits: [1, 1],
      dies: FIRST,
      depth: 18,
    },
    'the second is answered',
    'one client completes what the other left half done',
  ),
  'gone-higher': named(
    '3 servers, the second client is gone, then the first, whose rank is lower',
    {
      ...three,
      submits: [1, 1],
      dies: SECOND,
      depth: 18,
    },
    'a server lags',
  ),
  restart: named(
    '3 servers, an operation each, one crash',
    {
      ...three,
      submits: [1, 1],
      restarts: 1,
      asksAll: true,
      depth: 15,
    },
    ...BOTH,
    'a server comes back with a proposal',
  ),
  lag: named(
    '3 servers that ask each other, two operations',
    { ...three, submits: [2, 0], fetches: true, depth: 16 },
    'a server lags',
    'a server has what was never proposed to it',
  ),
  liar: named('5 servers, one of them invents, an operation each', { ...liar, submits: [1, 1], depth: 17 }, ...BOTH),
}

/** For each planted bug that two clients can show in a short life, a system in which it breaks a property and the unbroken rules do not. */
export const plantedOrderingSystems: Readonly<Record<string, OrderingSystemOptions>> = {
  'lower-version-in-a-rank': { ...one, submits: [2, 0], duplicates: 1 },
  'committed-goes-back': { ...one, submits: [2, 0], duplicates: 1 },
  'parent-not-committed': { ...liar, submits: [2, 0] },
  'only-proposed-vouches': { ...liar, submits: [2, 0] },
  'liars-are-enough': { ...liar, submits: [1, 0] },
  'commit-without-propose': { ...one, submits: [1, 0] },
  'one-acknowledgement-too-few': { ...three, submits: [1, 0] },
  'rank-forgotten-at-restart': { ...one, submits: [1, 1], restarts: 1 },
  'answered-from-proposed': { ...three, submits: [1, 1], asksAll: true },
  'half-done-not-completed': { ...one, submits: [1, 1] },
  'highest-sequence-number': { ...one, submits: [1, 2], turns: true },
  'read-of-committed-alone': { ...three, submits: [1, 0], reads: true },
}

/** Explores one of `orderingSystems`, by name. */
export const exploreOrdering = suite.exploring(orderingSystems)

/** Explores the system of a planted bug, with the bug or, to compare, without. */
export const exploreOrderingBug = suite.exploringBugs(plantedOrderingSystems)
