// Trust in two numbers, and the quorums that follow from them.
//
// liars b: servers that may do anything. crashes f ≥ b: servers that may be gone, liars included.
//
// The lock's rule (g grants): two holders must share an honest server, so 2g - n ≥ b + 1, and g servers must be left
// when f are gone, so g ≤ n - f. Hence n ≥ 2f + b + 1.
// The printed rule of BACKOFF §4 (q = n - f replies, at most b of them LOCKED): two quorums must share 3b + 1 servers,
// hence n ≥ 2f + 3b + 1. It is for the lab.
// Ordering (BACKOFF §6, q = n - f - b): two quorums share 2b + 1, hence n ≥ 2f + 4b + 1.

import { SettingsError } from './errors.ts'
import { checkValue, optionsSchema, type Rules, whole } from './options.ts'

/** What a group must withstand. */
export interface TrustSettings {
  readonly liars?: number
  readonly crashes?: number
  /** Number of servers; the default is the smallest group that can do everything. */
  readonly servers?: number
}

/** How many servers there are, how many of them may lie or be gone, and the numbers that follow. */
export interface Trust {
  readonly servers: number
  readonly liars: number
  readonly crashes: number
  /** g: grants that make a holder. */
  readonly lockGrants: number
  /** q of ordering, or undefined where the group is too small for objects. */
  readonly orderingQuorum: number | undefined
}

/** More servers than this make every call slower than any fault it masks is likely. */
export const SERVERS_MAX = 100

/** The fewest servers for a lock. */
export function lockServersNeeded(liars: number, crashes: number): number {
  return 2 * crashes + liars + 1
}

/** The fewest servers for the lock as printed in BACKOFF. */
export function printedLockServersNeeded(liars: number, crashes: number): number {
  return 2 * crashes + 3 * liars + 1
}

/** The fewest servers for objects. */
export function orderingServersNeeded(liars: number, crashes: number): number {
  return 2 * crashes + 4 * liars + 1
}

/** g = ⌈(n + b + 1) / 2⌉: any two sets of that many servers share b + 1. */
export function lockGrants(servers: number, liars: number): number {
  return Math.ceil((servers + liars + 1) / 2)
}

/** q = n - f - b. */
export function orderingQuorum(servers: number, liars: number, crashes: number): number {
  return servers - crashes - liars
}

const number = whole(0, SERVERS_MAX)
/** For the schemas of calls that take these settings and more. */
export const trustRules: Rules<TrustSettings> = { liars: number, crashes: number, servers: number }
const checkTrust = optionsSchema<TrustSettings>(trustRules)

/** Works the numbers out, or refuses with a sentence that says what would work. */
export function trust(settings: TrustSettings = {}): Trust {
  checkTrust('trust', settings)
  const liars = settings.liars ?? 0
  const crashes = settings.crashes ?? Math.max(1, liars)
  if (crashes < liars) {
    throw new SettingsError(
      `crashes is ${crashes} and liars is ${liars}; a liar may also fall silent, so crashes counts the liars too: ` +
        `set crashes to at least ${liars}.`,
    )
  }
  const servers = settings.servers ?? smallestForAll(liars, crashes)
  const needed = lockServersNeeded(liars, crashes)
  if (servers < needed) {
    throw new SettingsError(
      `${count(servers, 'server')} cannot keep a lock with ${describeFaults(liars, crashes)}: that takes ` +
        `${count(needed, 'server')} ` +
        `(${orderingServersNeeded(liars, crashes)} for objects too). ${smallerFaults(servers)}`,
    )
  }
  const objects = servers >= orderingServersNeeded(liars, crashes)
  return {
    servers,
    liars,
    crashes,
    lockGrants: lockGrants(servers, liars),
    orderingQuorum: objects ? orderingQuorum(servers, liars, crashes) : undefined,
  }
}

function smallestForAll(liars: number, crashes: number): number {
  const servers = orderingServersNeeded(liars, crashes)
  if (servers <= SERVERS_MAX) return servers
  throw new SettingsError(
    `liars: ${liars} and crashes: ${crashes} take ${servers} servers, and a group has at most ${SERVERS_MAX}: ` +
      'expect fewer to fail.',
  )
}

function smallerFaults(servers: number): string {
  if (servers < 1) return 'A group has at least one server.'
  const crashes = Math.floor((servers - 1) / 2)
  return `With ${servers} ${servers === 1 ? 'server' : 'servers'}, liars: 0 and crashes: ${crashes} would work.`
}

function describeFaults(liars: number, crashes: number): string {
  return `${count(liars, 'liar')} and ${count(crashes, 'server')} gone`
}

function count(number: number, noun: string): string {
  return `${number === 0 ? 'no' : number} ${noun}${number === 1 ? '' : 's'}`
}

/** "7 servers: locks need 5 grants, objects quorums of 5; one may lie, one may be gone." */
export function explainTrust(group: Trust): string {
  checkValue('group', { must: 'what trust({ … }) gives', fits: isTrust }, group)
  const objects =
    group.orderingQuorum === undefined
      ? `no objects (they need ${orderingServersNeeded(group.liars, group.crashes)} servers)`
      : `objects quorums of ${group.orderingQuorum}`
  return `${count(group.servers, 'server')}: locks need ${count(group.lockGrants, 'grant')}, ${objects}; ${mayFail(group)}.`
}

const isTrust = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Number.isInteger((value as Partial<Trust>).lockGrants)

function mayFail(group: Trust): string {
  const lie = group.liars === 0 ? 'none may lie' : `${inWords(group.liars)} may lie`
  const gone = `${inWords(group.crashes)} may be gone`
  return group.liars === 0 ? `${lie}, ${gone}` : `${lie}, ${gone} (liars included)`
}

const WORDS = ['none', 'one', 'two', 'three', 'four', 'five', 'six']

function inWords(number: number): string {
  return WORDS[number] ?? String(number)
}
