// Counts what one entry and exit costs. Every message takes exactly one message time, so that delays come out whole.

import { type AnyProtocol, encode, type NodeId, type Turn } from '../../src/core/index.ts'
import { lockClient, lockDefaults, lockServer, lockVocabulary, serverRecord } from '../../src/lock/index.ts'
import { type AnyMutexAlgorithm, decentralised, type MutexEvent } from '../../src/papers/mutex/index.ts'
import { calm, type Micros, World } from '../../src/simulator/index.ts'

export interface Entry {
  /** Sent from the request until all is quiet after the exit. */
  readonly messages: number
  /** Sent before the entry: the LECTURE's delay, where one message follows the other. */
  readonly before: number
  /** From the request to the entry, in message times, where messages travel side by side. */
  readonly delay: number
}

const MESSAGE: Micros = 1_000
const EXACT = { ...calm, delayMin: MESSAGE, delaySpread: 0 }
/** Longer than any entry here takes, backoff included. */
const QUIET: Micros = 10_000_000

interface Tally {
  sent: number
}

/** The same machine, with the messages that it sends counted. */
function counted(protocol: AnyProtocol, tally: Tally, counts: (to: NodeId) => boolean = () => true): AnyProtocol {
  return {
    ...protocol,
    step(state, input, turn: Turn<unknown, unknown>) {
      protocol.step(state, input, {
        now: turn.now,
        below: bound => turn.below(bound),
        bytes: length => turn.bytes(length),
        do(effect) {
          if (effect.kind === 'send' && counts(effect.to)) tally.sent++
          turn.do(effect)
        },
      })
    },
  }
}

function names(what: string, count: number): NodeId[] {
  return Array.from({ length: count }, (_, place) => `${what}-${place + 1}`)
}

function newWorld(): World {
  return new World({ seed: 1, network: EXACT })
}

/** The commands of a user, and the event that says that it is in. */
interface Use {
  readonly enter: unknown
  readonly leave: unknown
  isEntry(event: unknown): boolean
}

/** Lets the user in and out, and counts. */
function enterAndLeave(world: World, tally: Tally, user: NodeId, { enter, leave, isEntry }: Use): Entry {
  const start = world.now
  let before = Number.NaN
  let delay = Number.NaN
  tally.sent = 0
  world.listen((node, event) => {
    if (node.spec.id !== user || !isEntry(event)) return
    before = tally.sent
    delay = (world.now - start) / MESSAGE
    // Late enough that every answer is in.
    world.at(world.now + 10 * MESSAGE, () => world.command(user, leave))
  })
  world.command(user, enter)
  world.run(world.now + QUIET)
  return { messages: tally.sent, before, delay }
}

const ENTER: Use = {
  enter: { kind: 'enter', id: 1 },
  leave: { kind: 'leave', id: 1 },
  isEntry: event => (event as MutexEvent).kind === 'entered',
}

/** One member of N, the second, enters; the others want nothing. */
export function alone(algorithm: AnyMutexAlgorithm, size: number): Entry {
  const world = newWorld()
  const tally = { sent: 0 }
  const members = names('member', size)
  const { vocabulary } = algorithm
  const protocol = counted(algorithm.protocol, tally)
  for (const id of members) world.add({ id, protocol, peers: members, vocabulary })
  for (const id of members) world.start(id)
  return enterAndLeave(world, tally, members[1]!, ENTER)
}

/** Takes votes and gives them back, as it is told: the others that want the resource. */
const rival: AnyProtocol = {
  name: 'rival',
  init: () => ({}),
  step(_state, input, turn) {
    if (input.kind !== 'command') return
    const { kind, coordinators } = input.body
    for (const to of coordinators) turn.do({ kind: 'send', to, body: { kind, attempt: 1 } })
  },
}

export interface Votes {
  readonly coordinators: number
  /** m */
  readonly needed: number
  /** How many a process asks: m to N. */
  readonly asked: number
  /** k: the attempt that succeeds. In those before, the process gets m - 1 votes. */
  readonly attempts: number
  /** How many coordinators vote for the rival in the attempt that succeeds: 0 to N - m. */
  readonly against: number
}

/** A process outside the coordinators enters at its k-th attempt. Only its own messages and the answers count. */
export function byVotes(votes: Votes): Entry {
  const { needed, asked, attempts, against } = votes
  const world = newWorld()
  const tally = { sent: 0 }
  const coordinators = names('coordinator', votes.coordinators)
  const { protocol, vocabulary } = decentralised({ needed, asked })
  const coordinator = counted(protocol, tally, to => to === 'user')
  for (const id of coordinators) world.add({ id, protocol: coordinator, peers: coordinators, vocabulary })
  world.add({ id: 'user', protocol: counted(protocol, tally), peers: coordinators, vocabulary })
  world.add({ id: 'rival', protocol: rival, peers: coordinators, vocabulary })
  for (const id of [...coordinators, 'user', 'rival']) world.start(id)
  const taken = coordinators.slice(0, attempts > 1 ? votes.coordinators - needed + 1 : against)
  world.command('rival', { kind: 'request', coordinators: taken })
  world.listen((_node, event) => {
    const { kind, attempts: failed } = event as { kind: string; attempts?: number }
    if (kind !== 'retrying' || failed !== attempts - 1) return
    world.command('rival', { kind: 'release', coordinators: taken.slice(against) })
  })
  world.run(10 * MESSAGE)
  return enterAndLeave(world, tally, 'user', ENTER)
}

/** Our lock with N servers, none of which lies. */
export function byLock(servers: number): Entry {
  const world = newWorld()
  const tally = { sent: 0 }
  const ids = names('server', servers)
  const saved = new Map([['', [encode(serverRecord, { kind: 'first' })]]])
  const server = counted(lockServer(lockDefaults), tally)
  for (const id of ids) world.add({ id, protocol: server, peers: [], vocabulary: lockVocabulary, saved })
  const client = counted(lockClient(lockDefaults), tally)
  world.add({ id: 'client', protocol: client, peers: ids, vocabulary: lockVocabulary })
  for (const id of [...ids, 'client']) world.start(id)
  const name = 'a'
  return enterAndLeave(world, tally, 'client', {
    enter: { kind: 'acquire', id: 1, name, ttl: 60_000, wait: true, renew: false, hint: 1 },
    leave: { kind: 'release', id: 1, name },
    isEntry: event => (event as { kind: string }).kind === 'acquired',
  })
}

/** What many that want in at the same moment see. */
export interface Crowded {
  /** Inside at the same time, at most. */
  readonly most: number
  /** Never let in. */
  readonly waiting: number
}

const INSIDE: Micros = 5 * MESSAGE
/** Between half and one and a half message times: requests meet in every order. */
const UNEVEN = { ...calm, delayMin: MESSAGE / 2, delaySpread: MESSAGE }
const CROWDED_MAX: Micros = 60_000_000

/** Everybody enters at the same moment, and leaves when it was inside for a while. */
function enterTogether(world: World, users: readonly NodeId[], { enter, leave, isEntry }: Use): Crowded {
  const inside = new Set<NodeId>()
  const entered = new Set<NodeId>()
  let most = 0
  world.listen((node, event) => {
    const { id } = node.spec
    if (!isEntry(event)) return
    inside.add(id)
    entered.add(id)
    most = Math.max(most, inside.size)
    world.at(world.now + INSIDE, () => {
      inside.delete(id)
      world.command(id, leave)
    })
  })
  for (const id of users) world.command(id, enter)
  while (entered.size < users.length && world.now < CROWDED_MAX) world.run(world.now + 100 * MESSAGE)
  return { most, waiting: users.length - entered.size }
}

export type Crowd = (size: number, seed: number) => Crowded

/** All N members want in. */
export function crowdOf(algorithm: AnyMutexAlgorithm): Crowd {
  return (size, seed) => {
    const world = new World({ seed, network: UNEVEN })
    const members = names('member', size)
    const { protocol, vocabulary } = algorithm
    for (const id of members) world.add({ id, protocol, peers: members, vocabulary })
    for (const id of members) world.start(id)
    return enterTogether(world, members, ENTER)
  }
}

const CLIENTS = 4

/** Four processes outside the N coordinators want in, with m votes each. */
export function crowdByVotes(needed: (size: number) => number): Crowd {
  return (size, seed) => {
    const world = new World({ seed, network: UNEVEN })
    const coordinators = names('coordinator', size)
    const users = names('user', CLIENTS)
    const { protocol, vocabulary } = decentralised({ needed: needed(size) })
    for (const id of [...coordinators, ...users]) world.add({ id, protocol, peers: coordinators, vocabulary })
    for (const id of [...coordinators, ...users]) world.start(id)
    return enterTogether(world, users, ENTER)
  }
}

/** Four clients want our lock with N servers, without the list, which would let them in one after the other. */
export const crowdByLock: Crowd = (size, seed) => {
  const world = new World({ seed, network: UNEVEN })
  const ids = names('server', size)
  const clients = names('client', CLIENTS)
  const saved = new Map([['', [encode(serverRecord, { kind: 'first' })]]])
  for (const id of ids) {
    world.add({ id, protocol: lockServer(lockDefaults), peers: [], vocabulary: lockVocabulary, saved })
  }
  for (const id of clients)
    world.add({ id, protocol: lockClient(lockDefaults), peers: ids, vocabulary: lockVocabulary })
  for (const id of [...ids, ...clients]) world.start(id)
  const name = 'a'
  return enterTogether(world, clients, {
    enter: { kind: 'acquire', id: 1, name, ttl: 60_000, wait: true, fair: false, renew: false, hint: 1 },
    leave: { kind: 'release', id: 1, name },
    isEntry: event => (event as { kind: string }).kind === 'acquired',
  })
}
