// The simulated world: nodes with clocks that drift and disks that lose what was not synced, a network, virtual time.
// One seed decides everything. It knows `Protocol` and nothing of any particular one.

import {
  assert,
  createHost,
  type Host,
  type NodeId,
  type Ports,
  type Random,
  type Saved,
  seededRandom,
  Writer,
} from '../core/index.ts'
import { Disk } from './disk.ts'
import { type Micros, Network } from './network.ts'
import { EventQueue } from './queue.ts'
import { brief, type TraceEntry, TraceHash, type TraceKind } from './trace.ts'
import type { NextEvent, NodeSpec, WorldOptions } from './world-options.ts'

export type { NodeSpec, WorldOptions } from './world-options.ts'

/** A node in a world: it runs, or is down. */
export interface SimulatedNode {
  readonly index: number
  readonly spec: NodeSpec
  readonly disk: Disk
  readonly random: Random
  /** Counts its lives; what belongs to an earlier one is void. */
  life: number
  // biome-ignore lint/suspicious/noExplicitAny: the world runs every protocol
  host: Host<any, any, any> | undefined
  paused: boolean
  /** When it was last resumed: what it does at that very moment may come too late for anybody. */
  resumedAt: Micros
  readonly missed: WorldEvent[]
  readonly timers: Map<string, number>
}

interface WorldEvent {
  time: Micros
  order: number
  kind: 'deliver' | 'timer' | 'act'
  node: SimulatedNode | undefined
  life: number
  from: number
  sentAt: Micros
  body: unknown
  name: string
  version: number
}

const EVENTS_MAX = 20_000_000

export type EventListener = (node: SimulatedNode, event: unknown) => void

/** Simulated nodes, network, disks and clocks; one seed decides everything. */
export class World {
  now: Micros = 0
  delivered = 0
  readonly network: Network
  readonly nodes = new Map<NodeId, SimulatedNode>()
  readonly trace: TraceEntry[] = []
  private readonly options: WorldOptions
  private readonly queue = new EventQueue<WorldEvent>()
  private readonly listeners: EventListener[] = []
  private readonly hash = new TraceHash()
  private readonly writer = new Writer()
  private readonly random: Random
  private versions = 0

  constructor(options: WorldOptions) {
    this.options = options
    this.random = seededRandom(options.seed, 0x5eed)
    this.network = new Network(seededRandom(options.seed, 0x11e7), options.network)
  }

  add(given: NodeSpec): SimulatedNode {
    const spec = this.options.cast?.(given) ?? given
    assert(!this.nodes.has(spec.id), `node ${spec.id} exists`)
    const index = this.nodes.size
    const random = this.random.fork(index)
    const disk = new Disk(spec.saved, random.fork(1))
    const node = {
      index,
      spec,
      disk,
      random,
      life: 0,
      host: undefined,
      paused: false,
      resumedAt: -1,
      missed: [],
      timers: new Map(),
    }
    this.nodes.set(spec.id, node)
    return node
  }

  node(id: NodeId): SimulatedNode {
    const node = this.nodes.get(id)
    assert(node !== undefined, `node ${id} exists`)
    return node
  }

  listen(listener: EventListener): void {
    this.listeners.push(listener)
  }

  /** The node's own clock, in milliseconds. */
  clock(node: SimulatedNode, at: Micros = this.now): number {
    return (node.spec.clockOffset ?? 0) + (at / 1000) * (node.spec.clockRate ?? 1)
  }

  /** When, in true time, the node's clock shows so much. */
  whenClockShows(node: SimulatedNode, millis: number): Micros {
    return ((millis - (node.spec.clockOffset ?? 0)) * 1000) / (node.spec.clockRate ?? 1)
  }

  start(id: NodeId): void {
    const node = this.node(id)
    if (node.host !== undefined) return
    node.life++
    node.paused = false
    const { protocol, peers } = node.spec
    this.note(node.life === 1 ? 'start' : 'restart', node, '')
    node.host = createHost(protocol, id, peers, node.disk.read(), this.ports(node, node.life))
    node.host.input({ kind: 'start' })
  }

  /** The process is gone, and what its disk had not synced is lost, whole or in part. */
  crash(id: NodeId): void {
    const node = this.node(id)
    if (node.host === undefined) return
    this.note('crash', node, '')
    this.halt(node)
    node.disk.crash()
  }

  /** The process is gone, and its disk too: it comes back with nothing. */
  lose(id: NodeId): void {
    this.crash(id)
    this.node(id).disk.lose()
  }

  /** The process is gone, and an older copy of its disk is put back. */
  putBack(id: NodeId, copy: Saved): void {
    this.crash(id)
    this.node(id).disk.putBack(copy)
  }

  /** A clean stop: the machine may save, and its disk finishes. */
  stop(id: NodeId): void {
    const node = this.node(id)
    if (node.host === undefined) return
    this.resume(id)
    this.note('stop', node, '')
    node.host.input({ kind: 'stop' })
    while (node.host.waiting()) node.disk.finish()
    this.halt(node)
    node.disk.stop()
  }

  private halt(node: SimulatedNode): void {
    node.host?.end()
    node.host = undefined
    node.life++
    node.timers.clear()
    node.missed.length = 0
    node.paused = false
  }

  /** As by SIGSTOP: nothing runs, the clock goes on. */
  pause(id: NodeId): void {
    const node = this.node(id)
    if (node.host === undefined || node.paused) return
    node.paused = true
    this.note('pause', node, '')
  }

  resume(id: NodeId): void {
    const node = this.node(id)
    if (!node.paused) return
    node.paused = false
    node.resumedAt = this.now
    this.note('resume', node, '')
    for (const event of node.missed.splice(0)) this.happen(event)
  }

  command(id: NodeId, body: unknown): void {
    const node = this.node(id)
    if (node.host === undefined) return
    if (node.paused) {
      node.missed.push(this.event('act', node, { body: () => this.command(id, body) }))
      return
    }
    this.note('command', node, body)
    node.host.input({ kind: 'command', body })
  }

  /** Runs something at a time of the world's own: faults, users. */
  at(time: Micros, action: () => void): void {
    this.queue.push(this.event('act', undefined, { time: Math.max(time, this.now), body: action }))
  }

  /** Goes on until the time is reached or nothing is left to happen. */
  run(until: Micros): void {
    const max = this.options.eventsMax ?? EVENTS_MAX
    for (let count = 0; ; count++) {
      const next = this.queue.peek()
      if (next === undefined || next.time > until) break
      assert(count < max, `more than ${max} events in one run`)
      this.step()
    }
    this.now = Math.max(this.now, until)
  }

  /** The next thing happens; false where nothing is left to happen. */
  step(): boolean {
    const next = this.queue.pop()
    if (next === undefined) return false
    this.now = next.time
    this.happen(next)
    return true
  }

  /** When the next thing happens. */
  nextAt(): Micros | undefined {
    return this.queue.peek()?.time
  }

  /** What happens next; a message only if somebody is there to get it. */
  next(): NextEvent | undefined {
    const event = this.queue.peek()
    if (event === undefined) return undefined
    const { time: at, node, body } = event
    if (event.kind !== 'deliver' || node?.host === undefined || node.paused) return { at }
    const { sentAt } = event
    return { at, delivers: { to: node.spec.id, from: this.byIndex[event.from]!.spec.id, sentAt, body } }
  }

  traceHash(): string {
    return this.hash.hex()
  }

  private happen(event: WorldEvent): void {
    const { node } = event
    if (node === undefined) return (event.body as () => void)()
    if (event.life >= 0 && event.life !== node.life) return
    if (node.paused) {
      node.missed.push(event)
      return
    }
    if (event.kind === 'deliver') return this.deliver(node, event)
    if (event.kind === 'act') return (event.body as () => void)()
    if (node.timers.get(event.name) !== event.version) return
    node.timers.delete(event.name)
    this.note('timer', node, event.name)
    node.host?.input({ kind: 'timer', name: event.name })
  }

  private deliver(node: SimulatedNode, event: WorldEvent): void {
    if (node.host === undefined) return
    const from = this.byIndex[event.from]!
    if (!this.written(from.spec, event.body)) return
    this.delivered++
    this.fold('deliver', node)
    this.hash.number(event.from)
    this.hash.bytes(this.writer.bytes, this.writer.length)
    if (this.options.record) {
      const { id } = node.spec
      const what = brief(event.body)
      const { sentAt, version: nth } = event
      this.trace.push({ at: this.now, kind: 'deliver', node: id, from: from.spec.id, sentAt, nth, what })
    }
    node.host.input({ kind: 'message', from: from.spec.id, body: event.body })
  }

  private written({ vocabulary, lies }: NodeSpec, body: unknown): boolean {
    this.writer.reset()
    try {
      vocabulary.write(this.writer, body)
      return true
    } catch (error) {
      if (lies) return false
      throw error
    }
  }

  private get byIndex(): SimulatedNode[] {
    if (this.indexed.length !== this.nodes.size) this.indexed = [...this.nodes.values()]
    return this.indexed
  }
  private indexed: SimulatedNode[] = []

  private fold(kind: TraceKind, node: SimulatedNode): void {
    this.hash.kind(kind)
    this.hash.time(this.now)
    this.hash.number(node.index)
  }

  private note(kind: TraceKind, node: SimulatedNode, what: unknown): void {
    this.fold(kind, node)
    if (!this.options.record) return
    this.trace.push({ at: this.now, kind, node: node.spec.id, what: brief(what) })
  }

  private event(kind: WorldEvent['kind'], node: SimulatedNode | undefined, part: Partial<WorldEvent>): WorldEvent {
    const blank = { order: 0, from: 0, sentAt: 0, body: undefined, name: '', version: 0 }
    return { time: this.now, kind, node, life: node?.life ?? 0, ...blank, ...part }
  }

  private ports(node: SimulatedNode, life: number): Ports<unknown, unknown> {
    return {
      now: () => this.clock(node),
      below: bound => node.random.below(bound),
      bytes: length => node.random.bytes(length),
      send: (to, body) => this.send(node, to, body),
      timer: (name, after) => this.setTimer(node, life, name, after),
      cancel: name => {
        node.timers.delete(name)
      },
      save: (lane, record, kind, durable) => {
        if (durable === undefined) return node.disk.writeLazily({ lane, record, kind })
        const done = node.disk.write({ lane, record, kind }, this.now, node.spec.diskMax ?? 0, durable)
        if (done > this.now)
          this.queue.push(this.event('act', node, { time: done, life, body: () => node.disk.finish() }))
        else node.disk.finish()
      },
      forget: lane => node.disk.forget(lane),
      emit: event => {
        this.note('emit', node, event)
        for (const listener of this.listeners) listener(node, event)
      },
    }
  }

  private send(node: SimulatedNode, to: NodeId, body: unknown): void {
    const target = this.nodes.get(to)
    if (target === undefined) return
    const { now } = this
    const { way, lost } = this.options
    const message = { from: node.spec.id, to, nth: 0 }
    let arrives = false
    message.nth = this.network.route(node.index, target.index, now, (time, nth) => {
      message.nth = nth
      for (const at of way?.(message, time) ?? [time]) {
        arrives = true
        this.queue.push(arrival(node, target, { time: at, sentAt: now, version: nth, body }))
      }
    })
    if (!arrives) lost?.(message, body)
  }

  private setTimer(node: SimulatedNode, life: number, name: string, after: number): void {
    const version = ++this.versions
    node.timers.set(name, version)
    const time = this.now + Math.ceil((after * 1000) / (node.spec.clockRate ?? 1))
    this.queue.push({ time, order: 0, kind: 'timer', node, life, from: 0, sentAt: 0, body: undefined, name, version })
  }
}

// A message belongs to whatever life the receiver then has: it may have restarted in between.
function arrival(
  from: SimulatedNode,
  node: SimulatedNode,
  part: Pick<WorldEvent, 'time' | 'sentAt' | 'version' | 'body'>,
): WorldEvent {
  const { time, sentAt, version, body } = part
  return { time, order: 0, kind: 'deliver', node, life: -1, from: from.index, sentAt, body, name: '', version }
}
