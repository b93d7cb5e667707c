// A few lock servers and clients driven by hand, and everything under way between them: the test decides what arrives.

import { encode, type NodeId } from '../../src/core/index.ts'
import type { ClientState } from '../../src/lock/client/state.ts'
import {
  type ClientCommand,
  type ClientEvent,
  type LockMessage,
  type LockSettings,
  lockClient,
  lockServer,
  type ServerCommand,
  type ServerEvent,
  type ServerState,
  serverRecord,
} from '../../src/lock/index.ts'
import { Puppet, sent, told } from './machine.ts'

type Server = Puppet<ServerState, LockMessage, ServerCommand, ServerEvent>
type Client = Puppet<ClientState, LockMessage, ClientCommand, ClientEvent>

export interface Letter {
  readonly from: NodeId
  readonly to: NodeId
  readonly body: LockMessage
}

const FIRST_START = new Map([['', [encode(serverRecord, { kind: 'first' })]]])

export class Group {
  readonly servers = new Map<NodeId, Server>()
  readonly clients = new Map<NodeId, Client>()
  /** In the order in which they were sent. */
  underway: Letter[] = []
  readonly events: { readonly who: NodeId; readonly event: ClientEvent }[] = []

  constructor(settings: LockSettings, servers: readonly NodeId[], clients: readonly NodeId[]) {
    for (const id of servers) this.servers.set(id, new Puppet(lockServer(settings), servers, FIRST_START, id))
    for (const id of clients) this.clients.set(id, new Puppet(lockClient(settings), servers))
    for (const [id, node] of this.nodes()) this.took(id, node.start())
  }

  command(client: NodeId, body: ClientCommand): void {
    this.took(client, this.clients.get(client)!.command(body))
  }

  /** Wants the lock, and waits for it in the servers' lists. */
  wants(client: NodeId, id: number, hint: number, wish: Partial<ClientCommand & { kind: 'acquire' }> = {}): void {
    const usual = { kind: 'acquire', id, name: 'a', ttl: 1_000, wait: true, fair: true, renew: true, hint } as const
    this.command(client, { ...usual, ...wish })
  }

  letsGo(client: NodeId, id: number): void {
    this.command(client, { kind: 'release', id, name: 'a' })
  }

  deliver(letter: Letter, copy = false): void {
    if (!copy) this.underway = this.underway.filter(other => other !== letter)
    const { from, to, body } = letter
    const node = this.servers.get(to) ?? this.clients.get(to)!
    this.took(to, node.hear(from, body))
  }

  /** Delivers everything that fits, and what comes of it, in the order of sending. */
  settle(fits: (letter: Letter) => boolean = () => true): void {
    for (let letter = this.underway.find(fits); letter !== undefined; letter = this.underway.find(fits)) {
      this.deliver(letter)
    }
  }

  lose(fits: (letter: Letter) => boolean = () => true): void {
    this.underway = this.underway.filter(letter => !fits(letter))
  }

  pass(millis: number): void {
    for (const [id, node] of this.nodes()) this.took(id, node.pass(millis))
  }

  restart(server: NodeId): void {
    this.took(server, this.servers.get(server)!.restart())
  }

  /** Its store is gone: it comes back with nothing. */
  loseStore(server: NodeId): void {
    this.took(server, this.servers.get(server)!.lose())
  }

  phase(client: NodeId): string | undefined {
    return this.clients.get(client)!.state.acquisitions.get('a')?.phase
  }

  holders(): NodeId[] {
    return [...this.clients].flatMap(([id, { state, now }]) => {
      const acquisition = state.acquisitions.get('a')
      const holds = acquisition?.phase === 'held' || acquisition?.phase === 'ending'
      return holds && now < acquisition.deadline ? [id] : []
    })
  }

  holderAt(server: NodeId): NodeId {
    return this.servers.get(server)!.state.locks.get('a')?.holder ?? ''
  }

  listAt(server: NodeId): NodeId[] {
    return (
      this.servers
        .get(server)!
        .state.locks.get('a')
        ?.waiters?.map(({ client }) => client) ?? []
    )
  }

  private nodes(): [NodeId, Server | Client][] {
    return [...this.servers, ...this.clients]
  }

  private took(who: NodeId, out: Parameters<typeof sent<LockMessage>>[0]): void {
    for (const { to, body } of sent(out)) this.underway.push({ from: who, to, body })
    for (const event of told(out) as ClientEvent[]) this.events.push({ who, event })
  }
}
