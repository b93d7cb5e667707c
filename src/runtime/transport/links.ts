// Who can be reached, and over which connection. A peer may have several connections at a time: two servers that dial
// each other in the same moment, or a machine that lost power and came back while we still hold its old connection.
// The newest is used, because it was the last to prove that somebody is there; all are read. So no two nodes ever
// need to agree on which of their connections to keep.

import type { NodeId } from '../../core/index.ts'
import type { Common, Connection, ConnectionEvents } from './connection.ts'
import { clientOf, isClient, ownerOf } from './instance.ts'
import type { Limits } from './limits.ts'
import type { Outbox } from './outbox.ts'
import type { LogRefusal } from './refusals.ts'
import { Room } from './room.ts'
import type { Drops, Log, TransportEvents } from './transport.ts'
import { Share } from './turns.ts'

/** Dials one peer, again and again, while there is no connection to it. */
interface PeerDialer {
  /** What was sent while there was none. */
  readonly waiting: Outbox
  send(frame: Uint8Array): void
  /** The connection that it had made ended, after this long. */
  lost(lastedMs: number): void
  close(): void
}

interface Link {
  /** Newest last. */
  readonly connections: Connection[]
  /** Where we know the peer's address. */
  readonly dialer: PeerDialer | undefined
}

export interface LinkPorts {
  readonly limits: Limits
  readonly events: TransportEvents
  readonly drops: Drops
  readonly log: Log
  readonly refused: LogRefusal
}

export class Links {
  private readonly links = new Map<NodeId, Link>()
  /** Open connections of clients, by the name in the certificate. */
  private readonly clients = new Map<string, number>()
  private clientsTotal = 0
  /** Of those that are connected, by certificate. */
  private readonly owners = new Map<string, Common>()
  /** Peers that lied. Only those that were told of here: as many as the group has nodes. */
  private readonly caught = new Set<NodeId>()
  /** Certificates whose connections are not read now. */
  private readonly held = new Set<string>()
  private silent = false
  private readonly ports: LinkPorts

  constructor(ports: LinkPorts) {
    this.ports = ports
  }

  know(peer: NodeId, dialer: PeerDialer): void {
    const known = this.links.get(peer)
    known?.dialer?.close()
    this.links.set(peer, { connections: known?.connections ?? [], dialer })
  }

  /** It was caught lying: it is read slowly from now on, also when it comes again. */
  distrust(peer: NodeId): void {
    if (this.caught.has(peer)) return
    this.caught.add(peer)
    for (const connection of this.links.get(peer)?.connections ?? []) connection.slow()
  }

  /** No more of whoever has this peer's certificate is read, over any connection, until it is let go. */
  hold(peer: NodeId, isHeld: boolean): void {
    const owner = ownerOf(peer)
    if (isHeld === this.held.has(owner)) return
    if (isHeld) this.held.add(owner)
    else this.held.delete(owner)
    for (const [id, { connections }] of this.links) {
      if (ownerOf(id) === owner) for (const connection of connections) connection.hold(isHeld)
    }
  }

  dialers(): PeerDialer[] {
    return [...this.links.values()].flatMap(link => link.dialer ?? [])
  }

  send(to: NodeId, frame: Uint8Array): void {
    const { limits, drops } = this.ports
    const link = this.links.get(to)
    if (frame.length > limits.frameBytesMax) drops['too large']++
    else if (link === undefined) drops.unreachable++
    else if (link.connections.length > 0) {
      if (!link.connections.at(-1)!.send(frame)) drops['queue full']++
    } else link.dialer?.send(frame)
  }

  connected(): NodeId[] {
    return [...this.links].filter(([, link]) => link.connections.length > 0).map(([id]) => id)
  }

  /** Why this peer is not let in, or nothing. */
  refusal(id: NodeId): string | undefined {
    const { clientsMax, clientsPerNameMax } = this.ports.limits
    if (!isClient(id)) return undefined
    if (this.clientsTotal >= clientsMax) return `${clientsMax} client connections are open already`
    const ofThatName = this.clients.get(clientOf(id)) ?? 0
    return ofThatName < clientsPerNameMax ? undefined : `client '${clientOf(id)}' has ${ofThatName} connections already`
  }

  opened(id: NodeId, connection: Connection): void {
    const link = this.links.get(id) ?? { connections: [], dialer: undefined }
    this.links.set(id, link)
    link.connections.push(connection)
    if (this.caught.has(id)) connection.slow()
    if (this.held.has(ownerOf(id))) connection.hold(true)
    this.count(id, 1)
    connection.open(this.connectionEvents(id, connection), this.commonOf(id), link.dialer?.waiting)
    const oldest = link.connections[0]!
    if (link.connections.length > this.ports.limits.connectionsPerNodeMax) oldest.end('ended', 'replaced by newer ones')
    if (link.connections.length > 1 || this.silent) return
    this.ports.log(levelFor(id), 'peer up', { peer: id })
    this.ports.events.up(id)
  }

  private commonOf(id: NodeId): Common {
    const owner = ownerOf(id)
    const common = this.owners.get(owner) ?? { share: new Share(), room: new Room(this.ports.limits) }
    this.owners.set(owner, common)
    return common
  }

  private connectionEvents(id: NodeId, connection: Connection): ConnectionEvents {
    const { events, drops, refused, log, limits } = this.ports
    return {
      frame: frame => {
        if (!this.silent) events.frame(id, frame)
      },
      slowed: () => {
        const bytesPerSecond = this.caught.has(id) ? limits.caughtBytesPerSecond : limits.inBytesPerSecond
        log('warn', 'peer is read more slowly', { peer: id, why: `it says more than ${bytesPerSecond} bytes a second` })
      },
      end: (fault, why, lost) => {
        drops['connection lost'] += lost
        if (fault === 'refused') refused(why, { peer: id })
        this.lost(id, connection, why)
      },
    }
  }

  private lost(id: NodeId, connection: Connection, why: string): void {
    const link = this.links.get(id)!
    link.connections.splice(link.connections.indexOf(connection), 1)
    this.count(id, -1)
    if (link.connections.length > 0) return
    if (!isClient(id) || !this.clients.has(clientOf(id))) this.owners.delete(ownerOf(id))
    if (link.dialer === undefined) this.links.delete(id)
    else link.dialer.lost(performance.now() - connection.openedAt)
    if (this.silent) return
    this.ports.log(levelFor(id), 'peer down', { peer: id, why })
    this.ports.events.down(id, why)
  }

  private count(id: NodeId, change: number): void {
    if (!isClient(id)) return
    const name = clientOf(id)
    const count = (this.clients.get(name) ?? 0) + change
    this.clientsTotal += change
    if (count === 0) this.clients.delete(name)
    else this.clients.set(name, count)
  }

  /** No events from now on. */
  silence(): void {
    this.silent = true
  }
}

/** Processes of clients come and go all day, with every command: who wants to see it asks for more. */
function levelFor(id: NodeId): 'debug' | 'info' {
  return isClient(id) ? 'debug' : 'info'
}
