// The one order in a single state of a small system: what every schedule must keep true, and what must come about in
// some (BACKOFF §7, lemma 4 and theorem 1).
//
// The simulator's checkers (history.ts) follow a run to its end. A state of the explorer has no end: so what was
// acknowledged, or is taken for decided by anybody, counts as lost as soon as there is a quorum from which the next
// client would go on without it.

import { type NodeId, orderingQuorum } from '../../core/index.ts'
import type { Moment, Property, System } from '../../simulator/index.ts'
import { choose, type Voucher } from '../choose.ts'
import type { ClientObject } from '../client/state.ts'
import { proposedHead, type ServerObject } from '../server/state.ts'
import { digestKey } from '../versions/digest.ts'
import type { Head, Write } from '../wire.ts'
import type { ObservedClient, ObservedServer, UserLog } from './observed.ts'
import { brokenOrderingRules } from './planted.ts'
import { decodeWords, type Entry, logOf, perform, type RegisterResult } from './register.ts'
import { CLIENTS, KEY, OBJECT, type OrderingSystemOptions, operationId, START } from './small-system.ts'

/** What one node's state says of the order. */
interface Account {
  /** The digests of the versions that it takes for decided. */
  readonly heads: ReadonlyMap<number, string>
  /** It takes two of one number for decided. */
  readonly torn: boolean
  readonly version: number
  readonly log: readonly Entry[]
  /** How many operations of each client were applied; undefined where not each once, in order and with what it did. */
  readonly applied: readonly number[] | undefined
  /** Something is proposed here that no operation did. */
  readonly forged: boolean
}

// A node has few states, the system many.
const accounts = new WeakMap<object, Account>()

/** The honest ones. A liar remembers nothing. */
export function serversIn(moment: Moment, system: System): readonly ObservedServer[] {
  const count = system.nodes.length - CLIENTS.length
  return moment.nodes.slice(0, count).flatMap(({ state }) => ('machine' in state ? [state] : []))
}

export function clientIn(moment: Moment, system: System, client: NodeId): ObservedClient {
  return moment.nodes[system.nodes.length - CLIENTS.length + CLIENTS.indexOf(client)]!.state
}

export function objectOf({ machine }: ObservedServer): ServerObject {
  return machine.objects.get(OBJECT)!
}

export function clientObjectIn({ machine }: ObservedClient): ClientObject {
  return machine.objects.get(OBJECT)!
}

export function usersIn(moment: Moment, system: System): readonly UserLog[] {
  return CLIENTS.map(client => clientIn(moment, system, client).user)
}

/** What every honest node says. */
export function accountsIn(moment: Moment, system: System): readonly Account[] {
  const found: Account[] = []
  for (const server of serversIn(moment, system)) found.push(remembered(server, () => ofServer(objectOf(server))))
  for (const client of CLIENTS) {
    const state = clientIn(moment, system, client)
    found.push(remembered(state, () => ofClient(clientObjectIn(state), state.user)))
  }
  return found
}

function remembered(state: object, make: () => Account): Account {
  let account = accounts.get(state)
  if (account === undefined) {
    account = make()
    accounts.set(state, account)
  }
  return account
}

// A client that proposes a version says that its parent is committed.
function ofServer({ committed, content, recent, unapplied, proposed }: ServerObject): Account {
  const heads: Head[] = [committed, content, ...recent, ...unapplied.values()]
  if (proposed !== undefined) heads.push({ version: proposed.version - 1, digest: proposed.parent })
  return accountOf(heads, content, proposed?.writes ?? [])
}

function ofClient({ replica, proposal }: ClientObject, { decided }: UserLog): Account {
  const heads: Head[] = [replica, ...[...decided].map(([version, digest]) => ({ version, digest }))]
  if (proposal !== undefined) heads.push({ version: proposal.version - 1, digest: proposal.parent })
  return accountOf(heads, replica, proposal?.writes ?? [])
}

function accountOf(heads: readonly Head[], content: ServerObject['content'], proposed: readonly Write[]): Account {
  const digests = new Map<number, string>()
  let torn = false
  for (const { version, digest } of heads) {
    const key = digestKey(digest)
    torn ||= (digests.get(version) ?? key) !== key
    digests.set(version, key)
  }
  const log = logOf(content.table)
  const stored = content.table.get(`key ${KEY}`)
  const value = stored === undefined ? '' : decodeWords<string>(stored)
  const sets = (prefix: string) => proposed.some(({ key }) => key.startsWith(prefix))
  const forged = sets('key ') && !sets('log ')
  return { heads: digests, torn, version: content.version, log, applied: appliedIn(log, value), forged }
}

function appliedIn(log: readonly Entry[], value: string): readonly number[] | undefined {
  const counts = CLIENTS.map(() => 0)
  let after = ''
  for (const { operation } of log) {
    const place = CLIENTS.findIndex((client, at) => operation.id === operationId(client, counts[at]!))
    if (place < 0) return undefined
    counts[place]!++
    after = perform(operation, after).after
  }
  return after === value ? counts : undefined
}

/** What the operation gave at its place in the order, or nothing where it has none. */
function performed(log: readonly Entry[], id: number): { version: number; result: RegisterResult } | undefined {
  let value = ''
  for (const { version, operation } of log) {
    const { result, after } = perform(operation, value)
    if (operation.id === id) return { version, result }
    value = after
  }
  return undefined
}

function longest(all: readonly Account[]): Account {
  return all.reduce((best, checkpoint) => (checkpoint.version > best.version ? checkpoint : best))
}

/** The properties of the systems with these options. */
export function orderAlways(options: OrderingSystemOptions): Readonly<Record<string, Property>> {
  const { liars = 0 } = options
  const names = Array.from({ length: liars }, (_, place) => `server-${place + 1}`)
  return {
    'one state a version': (moment, system) => isOne(accountsIn(moment, system)),
    'each operation once, in its order': (moment, system) => {
      const told = usersIn(moment, system)
      const all = accountsIn(moment, system)
      return all.every(({ applied }) => applied?.every((count, place) => count <= told[place]!.asked))
    },
    'an answer is what the operation gave': (moment, system) => {
      const { log } = longest(accountsIn(moment, system))
      return usersIn(moment, system).every(({ answers }) =>
        [...answers].every(([id, given]) => isGiven(log, id, given)),
      )
    },
    'nothing decided is lost': isKept(options),
    'a read sees what was answered before': (moment, system) => {
      const whole = longest(accountsIn(moment, system))
      return usersIn(moment, system).every(({ reads }) => reads.every(read => isRead(whole, read)))
    },
    'nobody proposes what nobody asked for': (moment, system) =>
      accountsIn(moment, system).every(({ forged }) => !forged),
    'servers keep their invariants': (moment, system) =>
      serversIn(moment, system).every(({ broken }) => broken === undefined),
    'only liars are blamed': (moment, system) =>
      usersIn(moment, system).every(({ blamed }) => blamed.every(server => names.includes(server))),
  }
}

/** Lemma 4. */
function isOne(all: readonly Account[]): boolean {
  const digests = new Map<number, string>()
  for (const { heads, torn } of all) {
    if (torn) return false
    for (const [version, digest] of heads) {
      if ((digests.get(version) ?? digest) !== digest) return false
      digests.set(version, digest)
    }
  }
  return true
}

function isGiven(log: readonly Entry[], id: number, given: { version: number; result: RegisterResult }): boolean {
  const found = performed(log, id)
  return (
    found !== undefined &&
    found.version === given.version &&
    found.result.value === given.result.value &&
    found.result.swapped === given.result.swapped
  )
}

// Where the version is only proposed yet, nobody has its content.
function isRead({ version, log }: Account, read: UserLog['reads'][number]): boolean {
  if (read.version < read.from) return false
  if (version < read.version) return true
  let value = ''
  for (const entry of log) if (entry.version <= read.version) value = perform(entry.operation, value).after
  return value === read.value
}

/** From each quorum as it stands, the next client goes on from what is taken for decided, or from something later. */
function isKept(options: OrderingSystemOptions): Property {
  const { servers, liars = 0, crashes, bug } = options
  const rules = brokenOrderingRules(bug)
  const quorums = subsets(servers, orderingQuorum(servers, liars, crashes))
  return (moment, system) => {
    const acknowledged = acknowledgedIn(moment, system)
    if (acknowledged.size === 0) return true
    // A liar would have it that nothing was done.
    const vouchers: Voucher[] = Array.from({ length: liars }, () => ({ committed: START, proposed: undefined }))
    for (const server of serversIn(moment, system)) {
      const object = objectOf(server)
      vouchers.push({ committed: object.committed, proposed: proposedHead(object) })
    }
    return quorums.every(quorum => {
      const choice = choose(new Map(quorum.map(place => [`${place}`, vouchers[place]!])), liars, rules)
      return choice !== undefined && [...acknowledged].every(([version, digest]) => goesOn(choice, version, digest))
    })
  }
}

function goesOn(choice: Head, version: number, digest: string): boolean {
  if (choice.version !== version) return choice.version > version
  return digest === '' || digestKey(choice.digest) === digest
}

/** By version, its digest where anybody takes it for decided, or only was answered from it. */
function acknowledgedIn(moment: Moment, system: System): Map<number, string> {
  const found = new Map<number, string>()
  for (const { answers } of usersIn(moment, system)) for (const { version } of answers.values()) found.set(version, '')
  for (const { heads } of accountsIn(moment, system)) {
    for (const [version, digest] of heads) if (version > START.version) found.set(version, digest)
  }
  return found
}

/** All choices of so many places. */
function subsets(count: number, size: number, from = 0): number[][] {
  if (size === 0) return [[]]
  const found: number[][] = []
  for (let first = from; first <= count - size; first++) {
    for (const rest of subsets(count, size - 1, first + 1)) found.push([first, ...rest])
  }
  return found
}
