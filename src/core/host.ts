// The half of a driver that all four share: runs one machine, keeps the save barrier, follows the wires.
// A driver supplies the ports; everything about order lives here and is tested once.
//
// A throw, of the machine, its check or a port, is a bug: the host ends itself, so that half a step is never promised
// to anybody, and passes the error on. It cannot be used again; the node restarts from what was durable.

import { assert } from './assert.ts'
import type { SaveKind } from './kept.ts'
import type { Effect, Input, Millis, NodeId, Protocol, Saved, Turn } from './process.ts'
import { weightOf } from './weight.ts'

/** What a driver supplies: time, chance, and how each effect is performed. */
export interface Ports<Message, Event> {
  now(): Millis
  below(bound: number): number
  bytes(length: number): Uint8Array
  send(to: NodeId, body: Message): void
  timer(name: string, after: Millis): void
  cancel(name: string): void
  /**
   * Makes the record durable, then calls `durable`: at once or later, but once, and in the order of the saves of a lane.
   * Without `durable` nobody waits for it: it is lazy.
   */
  save(lane: string, record: Uint8Array, kind: SaveKind, durable?: () => void): void
  /** Drops, behind all that was saved before, what the newest account begun in this life makes needless. */
  forget(lane: string): void
  emit(event: Event): void
  /**
   * So many bytes more (or less) of effects are held back that follow from this peer's words. A driver that listens to peers without
   * end needs it: what waits for a slow disk is what they ask for.
   */
  held?(peer: NodeId, change: number): void
}

/** A running machine. */
export interface Host<State, Message, Command> {
  readonly state: State
  input(input: Input<Message, Command>): void
  /** True while an effect waits for a save to become durable. */
  waiting(): boolean
  /** A crash: what was held back is dropped, and late calls of `durable` do nothing. */
  end(): void
}

interface HeldEffect<Message, Event> {
  readonly effect: Effect<Message, Event>
  /** Whose word it follows from, where it is a peer's, and what it weighs. */
  readonly cause: NodeId | undefined
  readonly bytes: number
}

/** What a lane holds back while a save of it is under way, from `next` on. */
interface Lane<Message, Event> {
  readonly name: string
  readonly queue: HeldEffect<Message, Event>[]
  next: number
  saving: boolean
  draining: boolean
}

/** More held-back effects than this in one lane mean that the disk is gone or the peers flood us: the node stops. */
const HELD_BACK_MAX = 1_000_000
/** A lane that always saves never empties its queue: when this many effects are done, they are cut off. */
const DONE_MAX = 1_024

/** Runs a machine over a driver's ports. It is not started: `start` is the first input. */
export function createHost<State, Message, Command, Event>(
  protocol: Protocol<State, Message, Command, Event>,
  self: NodeId,
  peers: readonly NodeId[],
  saved: Saved,
  ports: Ports<Message, Event>,
): Host<State, Message, Command> {
  const machine = new Machine(protocol, protocol.init(self, peers, saved), ports, self)
  return {
    state: machine.state,
    input: input => machine.input(input),
    waiting: () => machine.heldBack.size > 0,
    end: () => machine.end(),
  }
}

class Machine<State, Message, Command, Event> {
  readonly state: State
  private readonly self: NodeId
  readonly heldBack = new Map<string, Lane<Message, Event>>()
  private readonly protocol: Protocol<State, Message, Command, Event>
  private readonly ports: Ports<Message, Event>
  private readonly inputs: Input<Message, Command>[] = []
  /** Of each of these, whose word it follows from. */
  private readonly causes: (NodeId | undefined)[] = []
  /** Of what is being done now. */
  private cause: NodeId | undefined
  private readonly turn: Turn<Message, Event>
  private effects: Effect<Message, Event>[] = []
  private spare: Effect<Message, Event>[] = []
  private running = false
  private stepping = false
  private ended = false
  private now: Millis = 0

  constructor(
    protocol: Protocol<State, Message, Command, Event>,
    state: State,
    ports: Ports<Message, Event>,
    self: NodeId,
  ) {
    this.self = self
    this.protocol = protocol
    this.state = state
    this.ports = ports
    const time = () => this.now
    this.turn = {
      get now() {
        return time()
      },
      below: bound => ports.below(bound),
      bytes: length => ports.bytes(length),
      do: effect => {
        assert(this.stepping, 'a turn was used after its step')
        this.effects.push(effect)
      },
    }
  }

  input(input: Input<Message, Command>): void {
    if (this.ended) return
    this.inputs.push(input)
    // What a node says to itself follows from what it was told.
    this.causes.push(input.kind === 'message' && input.from !== this.self ? input.from : this.cause)
    if (!this.running) this.settle()
  }

  end(): void {
    this.ended = true
    this.heldBack.clear()
    this.inputs.length = 0
    this.causes.length = 0
    this.effects.length = 0
  }

  // Inputs that arrive on the way (a listener that answers an event, a wire) wait until what is under way is done:
  // their effects, and above all their saves, must not come before older ones.
  private settle(lane?: Lane<Message, Event>): void {
    this.running = true
    try {
      if (lane !== undefined) this.drain(lane)
      while (this.inputs.length > 0 && !this.ended) {
        this.cause = this.causes.shift()
        this.run(this.inputs.shift()!)
      }
      this.checkLanes()
    } catch (error) {
      this.end()
      throw error
    } finally {
      this.running = false
      this.cause = undefined
    }
  }

  private run(input: Input<Message, Command>): void {
    this.now = this.ports.now()
    this.stepping = true
    this.protocol.step(this.state, input, this.turn)
    this.stepping = false
    this.protocol.check?.(this.state)
    const asked = this.effects
    this.effects = this.spare
    for (const effect of asked) {
      if (this.ended) break
      this.request(effect)
    }
    asked.length = 0
    this.spare = asked
  }

  /** Between inputs only a save that is under way holds something back: anything else would wait for ever. */
  private checkLanes(): void {
    for (const { name, saving, draining, queue, next } of this.heldBack.values()) {
      assert(saving && !draining, `lane '${name}' waits for no save`)
      assert(next <= queue.length, `lane '${name}' did more than it was asked`)
    }
  }

  private request(effect: Effect<Message, Event>): void {
    const lane = this.heldBack.get(effect.lane ?? '')
    if (lane === undefined) return this.perform(effect)
    assert(lane.queue.length - lane.next < HELD_BACK_MAX, 'effects held back without end')
    const { cause } = this
    const bytes = cause === undefined || this.ports.held === undefined ? 0 : weightOf(effect)
    lane.queue.push({ effect, cause, bytes })
    if (bytes > 0) this.ports.held!(cause!, bytes)
  }

  private perform(effect: Effect<Message, Event>): void {
    const { ports } = this
    switch (effect.kind) {
      case 'send':
        return ports.send(effect.to, effect.body)
      case 'timer':
        assert(!Number.isNaN(effect.after), `timer '${effect.name}' is set to no time`)
        return ports.timer(effect.name, effect.after)
      case 'cancel':
        return ports.cancel(effect.name)
      case 'emit':
        return this.emit(effect.event)
      case 'save': {
        const kind = effect.begins ? 'begin' : 'append'
        if (effect.lazy) return ports.save(effect.lane ?? '', effect.record, kind)
        return this.save(effect.lane ?? '', effect.record, kind)
      }
      case 'snapshot':
        return this.save(effect.lane ?? '', effect.record, 'replace')
      case 'forget':
        return ports.forget(effect.lane ?? '')
    }
  }

  private emit(event: Event): void {
    this.ports.emit(event)
    const commands = this.protocol.wire?.(event)
    if (commands !== undefined) for (const body of commands) this.input({ kind: 'command', body })
  }

  private save(name: string, record: Uint8Array, kind: SaveKind): void {
    const lane = this.heldBack.get(name) ?? { name, queue: [], next: 0, saving: false, draining: false }
    this.heldBack.set(name, lane)
    assert(!lane.saving, `lane '${name}' saves one record at a time`)
    lane.saving = true
    let done = false
    this.ports.save(name, record, kind, () => {
      if (this.ended) return
      // A second word about one record would let go what waits for the next.
      assert(!done, `a record of lane '${name}' became durable twice`)
      done = true
      lane.saving = false
      if (this.running) this.drain(lane)
      else this.settle(lane)
    })
  }

  private letGo({ effect, cause, bytes }: HeldEffect<Message, Event>): void {
    this.cause = cause
    if (bytes > 0) this.ports.held!(cause!, -bytes)
    this.perform(effect)
  }

  // A lane may save again while it drains: what is left then waits behind the new save.
  private drain(lane: Lane<Message, Event>): void {
    if (lane.draining) return
    lane.draining = true
    const { cause } = this
    while (lane.next < lane.queue.length && !lane.saving && !this.ended) this.letGo(lane.queue[lane.next++]!)
    this.cause = cause
    lane.draining = false
    if (lane.next > DONE_MAX) {
      lane.queue.splice(0, lane.next)
      lane.next = 0
    }
    if (!lane.saving) this.heldBack.delete(lane.name)
  }
}
