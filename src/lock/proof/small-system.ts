// A group small enough that the explorer can try everything: a few servers, two clients, one name, a tick or two.
//
// A tick is 5 ms of true time; fast clocks gain 6 in it and slow ones 4, so the drift is 0.2. A lease lasts 6 ms on
// a server's clock: one tick on a fast one. A client believes for 4 ms: one tick on a slow clock. It fits exactly.

import { encode, type NodeId } from '../../core/index.ts'
import type { Moment, System, SystemNode, UserAct } from '../../simulator/index.ts'
import { lockClient } from '../client/machine.ts'
import type { Acquisition, ClientState } from '../client/state.ts'
import { lockServer } from '../server/machine.ts'
import type { ServerState } from '../server/state.ts'
import { type LockSettings, lockDefaults } from '../settings.ts'
import { type ServerMessage, serverRecord } from '../wire.ts'
import { twoFaced } from './liars.ts'
import { brokenRules } from './planted.ts'
import {
  reducedClient,
  reducedMessage,
  reducedServer,
  type Scope,
  settledAtClient,
  settledAtServer,
} from './reduction.ts'

const NAME = 'a'
const FIRST_START = new Map([['', [encode(serverRecord, { kind: 'first' })]]])
/** One tick on a fast clock. */
const TTL = 6
const DRIFT = 0.2
const FAST = 6
const SLOW = 4

export const FIRST = 'client-1'
export const SECOND = 'client-2'

/** How large a small system is, and what may go wrong in it. */
export interface LockSystemOptions {
  readonly servers: number
  readonly liars: number
  readonly ticks: number
  /** How many ticks a lease lasts on a fast clock: 1, or more where a renewal is to come in time. */
  readonly leaseTicks?: number
  readonly crashes?: number
  readonly duplicates?: number
  /** How often a client that had only too low a token tries again at once. */
  readonly quickTries?: number
  /** Clients that back off and try again where they fail. */
  readonly waits?: readonly NodeId[]
  /** Clients that wait in the servers' lists. */
  readonly fair?: readonly NodeId[]
  /** Clients that may let go. */
  readonly releases?: readonly NodeId[]
  /** Clients that may renew, once. */
  readonly renews?: readonly NodeId[]
  /** Clients that may give up or let go once, and want the lock once more. */
  readonly again?: readonly NodeId[]
  /** Which clocks run fast; the others run slow. Fast servers end leases early: the dangerous way. */
  readonly clocks?: 'fast servers' | 'fast clients'
  readonly bug?: string | undefined
}

/** A few servers and clients that the explorer can try to the end. */
export function lockSystem(options: LockSystemOptions): System {
  const settings: LockSettings = {
    ...lockDefaults,
    liars: options.liars,
    ttlMax: ttlOf(options),
    drift: DRIFT,
    answerMax: SLOW,
    backoffBase: 1,
    backoffMax: 1,
    quickTries: options.quickTries ?? 0,
    accuses: false,
    rules: brokenRules(options.bug),
  }
  const servers = Array.from({ length: options.servers }, (_, place) => serverNode(settings, options, place))
  const peers = servers.map(server => server.id)
  const clients = [FIRST, SECOND].map(id => clientNode(settings, options, id, peers))
  const { ticks, crashes = 0, duplicates = 0 } = options
  const system = { nodes: [...servers, ...clients], acts: userActs(options), ticks, crashes, duplicates }
  return isClaimed(options) ? { ...system, messageEssence: reducedMessage } : system
}

// What the reductions claim is true of the unbroken rules only, and where nobody waits in the lists.
function isClaimed({ bug, fair = [] }: LockSystemOptions): boolean {
  return bug === undefined && fair.length === 0
}

function serverNode(settings: LockSettings, options: LockSystemOptions, place: number): SystemNode {
  const rate = options.clocks === 'fast clients' ? SLOW : FAST
  const common = { id: `server-${place + 1}`, peers: [], saved: FIRST_START, rate }
  const honest = lockServer(settings)
  // It remembers nothing, so when it is asked makes no difference.
  if (place < options.liars) return { ...common, protocol: twoFaced.corrupt(honest), settled: () => true }
  const node = { ...common, protocol: honest, symmetric: true, crashes: true }
  if (!isClaimed(options)) return node
  const { renewals } = scopeOf(options)
  return {
    ...node,
    essence: (state: ServerState, clock) => reducedServer(state, clock, renewals),
    settled: settledAtServer,
  }
}

function clientNode(
  settings: LockSettings,
  options: LockSystemOptions,
  id: NodeId,
  peers: readonly NodeId[],
): SystemNode {
  const node = {
    id,
    protocol: lockClient(settings),
    peers,
    rate: options.clocks === 'fast clients' ? FAST : SLOW,
  }
  if (!isClaimed(options)) return node
  const scope = scopeOf(options)
  return {
    ...node,
    essence: (state: ClientState, clock) => reducedClient(state, clock, scope),
    settled: (state: ClientState, _from, body: ServerMessage) => settledAtClient(state, body, scope),
  }
}

function scopeOf({ renews = [], again = [] }: LockSystemOptions): Scope {
  return { renewals: renews.length > 0, again: again.length > 0 }
}

function ttlOf({ leaseTicks = 1 }: LockSystemOptions): number {
  return leaseTicks * TTL
}

function userActs(options: LockSystemOptions): UserAct[] {
  const { waits = [], fair = [], releases = [], renews = [], again = [] } = options
  const ttl = ttlOf(options)
  const acquisition = (state: ClientState) => state.acquisitions.get(NAME)
  const isHeld = (state: ClientState) => acquisition(state)?.phase === 'held'
  const isNew = (state: ClientState) => state.attempts === 0
  const acquire = (node: NodeId, id: number, hint: number) => () => {
    const patience = { wait: waits.includes(node) || fair.includes(node), fair: fair.includes(node) }
    return { kind: 'acquire', id, name: NAME, ttl, ...patience, renew: false, hint }
  }
  const letGo = (state: ClientState) => ({ kind: 'release', id: acquisition(state)!.id, name: NAME })
  const renew = (state: ClientState) => ({ kind: 'extend', id: acquisition(state)!.id, name: NAME, ttl })
  return [
    // Tokens by the wall clock: the first client's is behind, and may have to learn.
    { node: FIRST, label: 'wants the lock', allowed: isNew, command: acquire(FIRST, 1, 2) },
    { node: SECOND, label: 'wants the lock', allowed: isNew, command: acquire(SECOND, 1, 3) },
    ...releases.map((node): UserAct => ({ node, label: 'lets go', allowed: isHeld, command: letGo })),
    ...renews.map((node): UserAct => ({ node, label: 'renews', allowed: isHeld, command: renew })),
    ...again.flatMap((node): UserAct[] => [
      { node, label: 'gives up', allowed: state => acquisition(state) !== undefined, command: letGo },
      {
        node,
        label: 'wants the lock again',
        allowed: state => state.attempts > 0 && acquisition(state) === undefined,
        command: acquire(node, 2, 9),
      },
    ]),
  ]
}

export function acquisitionOf(moment: Moment, system: System, client: NodeId): Acquisition | undefined {
  const place = system.nodes.findIndex(node => node.id === client)
  return (moment.nodes[place]!.state as ClientState).acquisitions.get(NAME)
}

/** The token with which it last took the lock, or 0. */
export function takenBy(moment: Moment, system: System, client: NodeId): number {
  return (moment.nodes[system.nodes.findIndex(node => node.id === client)]!.state as ClientState).used
}

/** Does this client believe, by its own clock, that it holds? */
export function believes(moment: Moment, system: System, client: NodeId): boolean {
  const place = system.nodes.findIndex(node => node.id === client)
  const acquisition = acquisitionOf(moment, system, client)
  const holds = acquisition?.phase === 'held' || acquisition?.phase === 'ending'
  return holds && moment.tick * system.nodes[place]!.rate < acquisition.deadline
}

export function anyServer(
  moment: Moment,
  system: System,
  test: (state: ServerState, clock: number) => boolean,
): boolean {
  return system.nodes.some((node, place) => node.crashes && test(moment.nodes[place]!.state, moment.tick * node.rate))
}

export function heldBy(state: ServerState): NodeId {
  return state.locks.get(NAME)?.holder ?? ''
}
