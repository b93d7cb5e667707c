// Drives one node in real time: transport frames become inputs, effects become frames, timers and disk writes.
//
// The way of a message: a frame from an authenticated peer → decoded by the node's vocabulary, or refused → `step` →
// effects → saved where asked → encoded → sent. A refusal is counted and logged, and costs nothing else. A throw out
// of `step`, or a store that failed, is the end of this node: it can no longer keep what it promised. A word that has no
// encoding promises nothing to anybody: it is a lost message, counted and logged, and the node goes on.

import {
  type Codec,
  createHost,
  decode,
  type Host,
  type Input,
  type NodeId,
  type Ports,
  type Protocol,
  type Saved,
  type SaveKind,
  TooLong,
  Writer,
} from '../core/index.ts'
import type { Clock } from './clock.ts'
import { Holding } from './holding.ts'
import { type LogRefusedMessage, type LogUnsaid, limitRefusedMessages, limitUnsaid } from './message-refusals.ts'
import { inBackground, randomBelow, randomBytes } from './platform.ts'
import type { Storage } from './storage/storage.ts'
import { FRAME_BYTES_MAX, type Log, type Transport, type TransportEvents } from './transport/transport.ts'

export interface DriverOptions<State, Message, Command, Event> {
  readonly protocol: Protocol<State, Message, Command, Event>
  readonly self: NodeId
  readonly peers: readonly NodeId[]
  readonly vocabulary: Codec<Message>
  readonly clock: Clock
  readonly log: Log
  /** Where records go; a node that never saves needs none. */
  readonly storage?: Storage
  readonly saved: Saved
  /** Timers of a node in the background do not keep the process alive. */
  readonly background?: boolean
  /** What has become known without an input, taken before each: the machine must not decide on less than is known. */
  news?(): readonly Command[]
  event(event: Event): void
  /** Sees what passes, for metrics. It changes nothing. */
  readonly meter?: Meter<Message, Command, Event>
  /** Called once: the node has ended and must not be used. */
  failed(error: Error): void
  up?(peer: NodeId): void
  down?(peer: NodeId, why: string): void
}

/** Who sees what comes to a node and what it says. */
export interface Meter<Message, Command, Event> {
  received?(from: NodeId, message: Message): void
  sent?(to: NodeId, message: Message): void
  command?(command: Command): void
  event?(event: Event): void
}

export interface DriverCounts {
  received: number
  sent: number
  refused: number
  saves: number
  /** Words that are longer than a frame. */
  tooLong: number
  /** Words with something in them that their vocabulary has no place for. */
  unsayable: number
}

/** The driver of a node: of `serverNode`, `DriverOf<ServerNode>`. */
export type DriverOf<Node> =
  Node extends Protocol<infer State, infer Message, infer Command, infer Event>
    ? Driver<State, Message, Command, Event>
    : never

/** What a node is driven by: its machine, and the words that it knows. */
export type Disguise<Node> =
  Node extends Protocol<infer State, infer Message, infer Command, infer Event>
    ? Pick<DriverOptions<State, Message, Command, Event>, 'protocol' | 'vocabulary'>
    : never

/** The longest that a clean stop waits for the disk. */
const STOP_MAX_MS = 5_000
/** The longest that a timer of the platform waits; it fires at once where it is given more. */
const TIMEOUT_MAX_MS = 2 ** 31 - 1

export class Driver<State, Message, Command, Event> {
  readonly counts: DriverCounts = { received: 0, sent: 0, refused: 0, saves: 0, tooLong: 0, unsayable: 0 }
  readonly events: TransportEvents
  private readonly options: Omit<DriverOptions<State, Message, Command, Event>, 'saved'>
  private readonly host: Host<State, Message, Command>
  private readonly timers = new Map<string, NodeJS.Timeout>()
  /** What is longer than a frame is said to nobody, and is not put together either: an answer may be as long as who asks likes. */
  private readonly writer = new Writer(FRAME_BYTES_MAX)
  /** What the writer holds: the same words to several peers are encoded once. */
  private written: Message | undefined
  private readonly logRefused: LogRefusedMessage
  private readonly logUnsaid: LogUnsaid
  private readonly holding: Holding
  private transport: Transport | undefined
  private ended = false
  private stopped: (() => void) | undefined

  constructor({ saved, ...options }: DriverOptions<State, Message, Command, Event>) {
    // Without the records: the machine has made its state of them, and a second copy for life would serve nobody.
    this.options = options
    this.logRefused = limitRefusedMessages(options.log)
    this.logUnsaid = limitUnsaid(options.log)
    this.holding = new Holding(options.log, () => this.transport)
    this.host = createHost(options.protocol, options.self, options.peers, saved, this.ports())
    this.events = {
      frame: (from, frame) => this.frame(from, frame),
      up: peer => options.up?.(peer),
      down: (peer, why) => options.down?.(peer, why),
    }
  }

  /** The transport was made with this driver's `events`. */
  start(transport: Transport): void {
    this.transport = transport
    this.input({ kind: 'start' })
  }

  get state(): State {
    return this.host.state
  }

  command(body: Command): void {
    this.options.meter?.command?.(body)
    this.input({ kind: 'command', body })
  }

  /** A clean stop: the machine saves what spares the next start its caution, and the disk finishes. */
  async stop(): Promise<void> {
    if (this.ended) return
    this.input({ kind: 'stop' })
    if (this.host.waiting()) {
      await new Promise<void>(resolve => {
        this.stopped = resolve
        inBackground(setTimeout(resolve, STOP_MAX_MS))
      })
    }
    this.end()
  }

  /** As by a crash: nothing more is said or saved. */
  end(): void {
    this.ended = true
    this.host.end()
    for (const timer of this.timers.values()) clearTimeout(timer)
    this.timers.clear()
  }

  private input(input: Input<Message, Command>): void {
    if (this.ended) return
    this.takeNews()
    this.give(input)
  }

  private takeNews(): void {
    const news = this.options.news?.()
    if (news !== undefined) for (const body of news) this.give({ kind: 'command', body })
  }

  private give(input: Input<Message, Command>): void {
    // What is said of one input is not changed any more; of a later one it may be another thing in the same object.
    this.written = undefined
    try {
      this.host.input(input)
    } catch (error) {
      this.fail(error instanceof Error ? error : new Error(String(error)))
    }
  }

  private fail(error: Error): void {
    if (this.ended) return
    this.end()
    this.options.log('error', 'this node has ended', { error: error.message, stack: error.stack })
    this.options.failed(error)
  }

  private frame(from: NodeId, frame: Uint8Array): void {
    const decoded = decode(this.options.vocabulary, frame)
    if (!decoded.ok) {
      this.counts.refused++
      this.logRefused(from, decoded.refusal)
      return
    }
    this.counts.received++
    this.options.meter?.received?.(from, decoded.value)
    this.input({ kind: 'message', from, body: decoded.value })
  }

  private ports(): Ports<Message, Event> {
    const { options } = this
    return {
      now: options.clock,
      below: randomBelow,
      bytes: randomBytes,
      send: (to, body) => this.send(to, body),
      timer: (name, after) => this.setTimer(name, after),
      cancel: name => this.cancelTimer(name),
      save: (lane, record, kind, durable) => this.save(lane, record, kind, durable),
      forget: lane => this.storage().forget(lane),
      held: (peer, change) => this.holding.change(peer, change),
      emit: event => {
        options.meter?.event?.(event)
        options.event(event)
      },
    }
  }

  private send(to: NodeId, body: Message): void {
    this.counts.sent++
    this.options.meter?.sent?.(to, body)
    // Through the queue of inputs like everybody else's: a node that talks to itself must not be quicker than its peers think.
    if (to === this.options.self) return this.input({ kind: 'message', from: to, body })
    if (body !== this.written && !this.encode(to, body)) return
    this.transport?.send(to, this.writer.bytes.subarray(0, this.writer.length))
  }

  /**
   * False: it is too long for any frame, or has no encoding. What a peer said may be in it, so nobody must be able to end this
   * node with that: a peer that is not told something asks again, as after a frame that was lost.
   */
  private encode(to: NodeId, body: Message): boolean {
    // Not while it throws half way.
    this.written = undefined
    this.writer.reset()
    try {
      this.options.vocabulary.write(this.writer, body)
    } catch (error) {
      if (error instanceof TooLong) this.counts.tooLong++
      else this.counts.unsayable++
      this.logUnsaid(to, body, error)
      return false
    }
    this.written = body
    return true
  }

  private setTimer(name: string, after: number): void {
    this.cancelTimer(name)
    this.wait(name, Math.max(0, Math.ceil(after)))
  }

  /** A long wait is several of the platform's, one after another. */
  private wait(name: string, left: number): void {
    const part = Math.min(left, TIMEOUT_MAX_MS)
    const timer = setTimeout(() => (left > part ? this.wait(name, left - part) : this.due(name)), part)
    if (this.options.background) inBackground(timer)
    this.timers.set(name, timer)
  }

  private due(name: string): void {
    this.timers.delete(name)
    // What became known may have put this very timer off.
    this.takeNews()
    if (!this.timers.has(name)) this.input({ kind: 'timer', name })
  }

  private cancelTimer(name: string): void {
    const timer = this.timers.get(name)
    if (timer === undefined) return
    clearTimeout(timer)
    this.timers.delete(name)
  }

  private storage(): Storage {
    const { storage } = this.options
    if (storage === undefined) throw new Error(`${this.options.protocol.name} saves, but has no storage`)
    return storage
  }

  private save(lane: string, record: Uint8Array, kind: SaveKind, durable: (() => void) | undefined): void {
    this.counts.saves++
    if (durable === undefined) return this.storage().save(lane, record, kind)
    this.storage().save(lane, record, kind, () => {
      if (this.ended) return
      try {
        durable()
      } catch (error) {
        this.fail(error instanceof Error ? error : new Error(String(error)))
      }
      if (!this.host.waiting()) this.stopped?.()
    })
  }
}
