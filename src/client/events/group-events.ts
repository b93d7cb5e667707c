// The events of a group: its channels, what is open, and what the node below says.

import type { NodeId } from '../../core/index.ts'
import type { ClientCommand } from '../../events/client/state.ts'
import { eventsBasics } from '../../events/settings.ts'
import { type Accusation, tallyEventComplaints } from '../inspect-objects.ts'
import type { Lie } from '../objects/orders.ts'
import { type ChannelBelow, EventChannel } from './channel.ts'
import { EventsHub } from './hub.ts'
import type { ChannelOptions } from './options.ts'

/** Servers of an older version do not answer. */
const RECALL_MS = 2_000

/** What the events of a group need of it. */
export interface EventsBelow {
  command(body: ClientCommand): void
  newId(): number
  /** Servers that may lie, and all of them. */
  readonly liars: number
  readonly servers: readonly NodeId[]
  /** Servers that must hold an event before it is accepted. */
  readonly needed: number
  /** Why a server is not connected, as far as the connections tell; undefined where it is. */
  readonly whyAway: (server: NodeId) => string | undefined
  /** Bytes of this client's events that a server keeps; undefined: as many as usual. */
  readonly keepMax: number | undefined
  readonly object: ChannelBelow['object']
}

export class GroupEvents {
  readonly hub: EventsHub
  private readonly liars: number
  private readonly servers: readonly NodeId[]
  private readonly keepMax: number
  private readonly object: ChannelBelow['object']
  private readonly subscriptions = new Set<{ close(): Promise<void> }>()

  constructor(below: EventsBelow) {
    const { command, newId, object, liars, servers, keepMax = eventsBasics.authorBytesMax } = below
    this.keepMax = keepMax
    this.liars = liars
    this.servers = servers
    this.object = object
    this.hub = new EventsHub(command, newId, () => lackingOf(below))
  }

  /** Lies about events that this client was told. */
  get lies(): readonly Lie[] {
    return this.hub.lies.map(({ server, what, channel }) => ({ server, what, object: channel, version: 0 }))
  }

  /** What clients and servers hold against servers that lied about events. Nothing where too few servers tell. */
  async accusations(): Promise<readonly Accusation[]> {
    const told = await this.hub.recall({ timeout: RECALL_MS }).catch(() => [])
    return tallyEventComplaints(told, this.lies, this.liars, this.servers)
  }

  open<Payload>(name: string, options: ChannelOptions<Payload>): EventChannel<Payload> {
    const below: ChannelBelow = {
      hub: this.hub,
      liars: this.liars,
      keepMax: this.keepMax,
      object: this.object,
      accusations: () => this.accusations(),
      opened: closable => {
        this.subscriptions.add(closable)
        return () => this.subscriptions.delete(closable)
      },
    }
    return new EventChannel(below, name, options)
  }

  /** Places are saved before the connections go. */
  async close(): Promise<void> {
    this.hub.close()
    await Promise.all([...this.subscriptions].map(one => one.close()))
  }
}

/** Which servers are missing, in a sentence, where fewer are connected than hold an event that is accepted. */
export function lackingOf({ servers, needed, whyAway }: Pick<EventsBelow, 'servers' | 'needed' | 'whyAway'>) {
  const away = servers.flatMap(server => {
    const why = whyAway(server)
    return why === undefined ? [] : [`${server}: ${why}`]
  })
  const here = servers.length - away.length
  if (here >= needed) return undefined
  return `${here} of ${servers.length} servers are connected, and events take ${needed}. ${away.join('; ')}.`
}
