// Members that route, without clocks and network: what one says, the next one hears at once. For counting messages.

import type { Effect, NodeId } from '../../src/core/index.ts'
import { idealSignatures } from '../../src/crypto/index.ts'
import { eventsDefaults } from '../../src/events/defaults.ts'
import type { Attributes, Filter } from '../../src/events/index.ts'
import { type Routing, routing } from '../../src/events/routing/machine.ts'
import { routingBasics } from '../../src/events/routing/settings.ts'
import type { Link, RoutingCommand, RoutingEvent, RoutingState } from '../../src/events/routing/state.ts'
import type { RoutingMessage } from '../../src/events/routing/wire.ts'

interface Member {
  readonly machine: Routing
  readonly state: RoutingState
}

/** One event over one link of one tree. What a liar owed and did not send is swallowed. */
export interface Carried {
  readonly from: NodeId
  readonly to: NodeId
  readonly tree: number
  readonly swallowed: boolean
}

export class Overlaid {
  readonly names: readonly NodeId[]
  /** Messages since the last look, by kind. */
  readonly sent = new Map<RoutingMessage['kind'], number>()
  readonly handed: { readonly member: NodeId; readonly id: number }[] = []
  /** Ways of events since the last look, in the order in which they were sent. */
  readonly ways: Carried[] = []
  /** They take events and pass none on. */
  readonly liars = new Set<NodeId>()
  private readonly members = new Map<NodeId, Member>()
  private readonly under: { from: NodeId; to: NodeId; body: RoutingMessage }[] = []
  private ids = 0

  constructor(count: number, degree: number, clausesMax: number, trees = 1) {
    const signatures = idealSignatures()
    this.names = Array.from({ length: count }, (_, at) => `broker-${at}`)
    for (const id of this.names) {
      const machine = routing({
        ...routingBasics,
        trees,
        degree,
        clausesMax,
        group: 'lab',
        hash: eventsDefaults.hash,
        signatures,
        signer: signatures.signer(id),
        keyOf: ({ member }) => signatures.signer(member).publicKey,
      })
      this.members.set(id, { machine, state: machine.init(id, [], new Map()) })
      this.step(id, { kind: 'start' })
      for (const member of this.names) this.tell(id, { kind: 'changed', view: { member, identity: new Uint8Array() } })
      this.tell(id, { kind: 'overlay', record: { number: 1, members: this.names } })
    }
    this.run()
    this.sent.clear()
  }

  private step(id: NodeId, input: Parameters<Routing['step']>[1]): void {
    const { machine, state } = this.members.get(id)!
    machine.step(state, input, {
      now: 0,
      below: () => 0,
      bytes: length => new Uint8Array(length),
      do: (effect: Effect<RoutingMessage, RoutingEvent>) => {
        if (effect.kind === 'send') this.send(id, effect.to, effect.body)
        if (effect.kind === 'emit' && effect.event.kind === 'handed')
          this.handed.push({ member: id, id: effect.event.id })
      },
    })
  }

  private send(from: NodeId, to: NodeId, body: RoutingMessage): void {
    const swallowed = body.kind === 'event' && this.liars.has(from)
    if (body.kind === 'event') this.ways.push({ from, to, tree: body.place.tree, swallowed })
    if (!swallowed) this.under.push({ from, to, body })
  }

  private tell(id: NodeId, body: RoutingCommand): void {
    this.step(id, { kind: 'command', body })
  }

  private run(): void {
    for (let at = 0; at < this.under.length; at++) {
      const { from, to, body } = this.under[at]!
      this.sent.set(body.kind, (this.sent.get(body.kind) ?? 0) + 1)
      this.step(to, { kind: 'message', from, body })
    }
    this.under.length = 0
  }

  subscribe(member: NodeId, filter: Filter): number {
    const id = ++this.ids
    this.tell(member, { kind: 'subscribe', id, channel: 'lab', filter })
    this.run()
    return id
  }

  publish(member: NodeId, attributes: Attributes): void {
    const content = { attributes, payload: new Uint8Array(), time: 0 }
    this.tell(member, { kind: 'publish', id: ++this.ids, channel: 'lab', content })
    this.step(member, { kind: 'timer', name: 'batch' })
    this.run()
  }

  /** What a member remembers. */
  stateOf(member: NodeId): RoutingState {
    return this.members.get(member)!.state
  }

  /** Its links, in all trees. */
  linksOf(member: NodeId): readonly Link[] {
    return this.stateOf(member).overlays[0]!.links
  }

  /** Who is next to a member. */
  neighbours(member: NodeId): readonly NodeId[] {
    return this.linksOf(member).map(({ peer }) => peer)
  }

  /** Clauses that a link has been told of, on average. */
  clausesALink(): number {
    const links = [...this.members.values()].flatMap(({ state }) => state.overlays[0]!.links)
    return links.reduce((sum, { told }) => sum + told.size, 0) / links.length
  }
}
