// The small systems in which the explorer tries everything: n = 3 without liars, and n = 4 with one.
//
// A tick is 5 ms of true time; fast clocks gain 6 in it and slow ones 4, so the drift is 0.2. A lease lasts 6 ms on
// a server's clock: one tick on a fast one. A client believes for 4 ms: one tick on a slow clock. It fits exactly.

import { encode, type NodeId } from '../core/index.ts'
import type { Moment, Properties, System, SystemNode, UserAct } from '../simulator/index.ts'
import { lockClient } from './client.ts'
import { unreliable } from './liars.ts'
import { serverRecord } from './messages.ts'
import { brokenRules } from './planted.ts'
import { lockServer, type ServerState } from './server.ts'
import { type LockSettings, lockDefaults } from './settings.ts'
import type { ClientState, Pursuit } from './state.ts'

const NAME = 'a'
const FIRST_START = new Map([['', [encode(serverRecord, { kind: 'first' })]]])
const TTL = 6
const DRIFT = 0.2
const FAST = 6
const SLOW = 4

export interface LockSystemOptions {
  readonly servers: number
  readonly liars: number
  readonly ticks: number
  readonly crashes?: number
  readonly duplicates?: number
  /** The first client tries again when it fails. */
  readonly retries?: boolean
  /** The first client may let go, and the second too. */
  readonly releases?: boolean
  readonly bug?: string
  readonly clocks?: 'fast servers' | 'fast clients'
}

export function lockSystem(options: LockSystemOptions): System {
  const fastServers = options.clocks !== 'fast clients'
  const settings: LockSettings = {
    ...lockDefaults,
    liars: options.liars,
    ttlMax: TTL,
    drift: DRIFT,
    answerMax: FAST,
    backoffBase: 1,
    backoffMax: 1,
    rules: brokenRules(options.bug),
  }
  const servers = Array.from({ length: options.servers }, (_, place): SystemNode => {
    const honest = lockServer(settings)
    const lies = place < options.liars
    return {
      id: `server-${place + 1}`,
      protocol: lies ? unreliable.corrupt(honest) : honest,
      peers: [],
      saved: FIRST_START,
      rate: fastServers ? FAST : SLOW,
      symmetric: !lies,
      crashes: !lies,
    }
  })
  const peers = servers.map(server => server.id)
  const clients = ['client-1', 'client-2'].map(
    (id): SystemNode => ({ id, protocol: lockClient(settings), peers, rate: fastServers ? SLOW : FAST }),
  )
  return {
    nodes: [...servers, ...clients],
    acts: userActs(options),
    ticks: options.ticks,
    crashes: options.crashes ?? 0,
    duplicates: options.duplicates ?? 0,
  }
}

function userActs(options: LockSystemOptions): UserAct[] {
  const acquire = (node: NodeId, wait: boolean, hint: number): UserAct => ({
    node,
    label: 'wants the lock',
    command: () => ({ kind: 'acquire', id: 1, name: NAME, ttl: TTL, wait, renew: false, hint }),
  })
  const release = (node: NodeId): UserAct => ({
    node,
    label: 'lets go',
    allowed: (state: ClientState) => state.pursuits.get(NAME)?.phase === 'held',
    command: () => ({ kind: 'release', id: 1, name: NAME }),
  })
  // Tokens by the wall clock: the second is behind, and may have to learn.
  const acts = [acquire('client-1', options.retries ?? false, 2), acquire('client-2', false, 3)]
  return options.releases ? [...acts, release('client-1')] : acts
}

function pursuitOf(moment: Moment, system: System, client: NodeId): Pursuit | undefined {
  const place = system.nodes.findIndex(node => node.id === client)
  return (moment.nodes[place]!.state as ClientState).pursuits.get(NAME)
}

/** Does this client believe, by its own clock, that it holds? */
function believes(moment: Moment, system: System, client: NodeId): boolean {
  const place = system.nodes.findIndex(node => node.id === client)
  const pursuit = pursuitOf(moment, system, client)
  return pursuit?.phase === 'held' && moment.tick * system.nodes[place]!.rate < pursuit.deadline
}

const first = 'client-1'
const second = 'client-2'

function anyServer(moment: Moment, system: System, test: (state: ServerState, clock: number) => boolean): boolean {
  return system.nodes.some((node, place) => node.symmetric && test(moment.nodes[place]!.state, moment.tick * node.rate))
}

export const lockProperties: Properties = {
  always: {
    'never two holders': (moment, system) => !(believes(moment, system, first) && believes(moment, system, second)),
  },
  sometimes: {
    'the first client holds': (moment, system) => believes(moment, system, first),
    'the second client holds': (moment, system) => believes(moment, system, second),
    'a belief runs out': (moment, system) =>
      pursuitOf(moment, system, first)?.phase === 'held' && !believes(moment, system, first),
    'one follows the other': (moment, system) =>
      pursuitOf(moment, system, first)?.phase === 'held' &&
      !believes(moment, system, first) &&
      believes(moment, system, second),
    'servers are split between the clients': (moment, system) =>
      [first, second].every(client => anyServer(moment, system, state => state.locks.get(NAME)?.holder === client)),
  },
}

/** Reached only where the system crashes. */
export const crashProperties: Properties = {
  always: lockProperties.always,
  sometimes: {
    ...lockProperties.sometimes,
    'a server waits after its restart': (moment, system) =>
      anyServer(moment, system, (state, clock) => clock < state.recoverUntil),
  },
}
