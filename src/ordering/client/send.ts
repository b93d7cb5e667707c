// The making of a client's state for one object, and small questions about it.

import { type NodeId, orderingQuorum } from '../../core/index.ts'
import { LOWEST_RANK } from '../rules.ts'
import { emptyContent } from '../versions/content.ts'
import type { ClientMessage, OrderingMessage } from '../wire.ts'
import type { ClientObject, ClientScene, ClientState, OwnSession } from './state.ts'

const NOTHING = new Uint8Array(0)

export function noSession(): OwnSession {
  return {
    phase: 'none',
    opener: 0,
    nonce: NOTHING,
    ttl: 0,
    id: '',
    since: 0,
    ping: 0,
    pings: new Map(),
    echoes: new Map(),
    gone: new Set(),
    named: new Map(),
  }
}

export function objectOf(state: ClientState, name: string): ClientObject {
  let object = state.objects.get(name)
  if (object === undefined) {
    object = newObject(name)
    state.objects.set(name, object)
  }
  return object
}

function newObject(object: string): ClientObject {
  return {
    name: object,
    session: noSession(),
    queue: [],
    outstanding: new Map(),
    outstandingBytes: 0,
    seq: 1,
    submitted: 0,
    responses: new Map(),
    silentContacts: new Set(),
    heardAt: new Map(),
    quietSince: 0,
    slowest: 0,
    impatient: false,
    phase: 'idle',
    rank: LOWEST_RANK,
    wallLead: undefined,
    counters: new Map(),
    replies: new Map(),
    refused: new Map(),
    busy: new Map(),
    sentAt: 0,
    tries: 0,
    othersUntil: 0,
    shares: false,
    choice: undefined,
    proposal: undefined,
    unannounced: undefined,
    replica: emptyContent(),
    fetching: undefined,
    copying: undefined,
    wanted: undefined,
    heads: new Map(),
    changes: new Map(),
    pool: { opens: new Map(), operations: new Map(), votes: new Map() },
    silent: new Map(),
    watches: new Map(),
    completes: false,
    copies: new Set(),
  }
}

export function quorumOf(scene: ClientScene): number {
  const { state, settings } = scene
  return orderingQuorum(state.servers.length, settings.liars, settings.crashes)
}

export function send(scene: ClientScene, to: NodeId, body: OrderingMessage): void {
  const { turn } = scene
  turn.do({ kind: 'send', to, body })
}

export function sendAll(scene: ClientScene, body: ClientMessage): void {
  const { state, turn } = scene
  for (const to of state.servers) turn.do({ kind: 'send', to, body })
}
