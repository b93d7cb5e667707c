// A node that runs many protocols is itself a protocol. Its messages, commands and events carry the name of the
// part they belong to; each part saves in a lane of its own, so that locks do not wait for objects' disk writes.
//
// Parts do not know each other. A wire turns one part's event into another part's command. The command is given
// only after the event is out, which is after everything the first part saved before it: otherwise the second part
// could promise the world something that the first forgets in a crash. (An event that a part tells in a lane of its own
// waits for no save: such an event must not be wired to a promise.)
//
// Everything is typed by the parts: a message of a node is a message of one of its parts, with that part's name, and a
// wire from one part to another turns an event of the first into a command of the second.

import { addressed, ownName, ownTurn } from './addressing.ts'
import { assert } from './assert.ts'
import type { AnyProtocol, Effect, Input, NodeId, Protocol, Saved, Turn } from './process.ts'

/** A body, and the part of the node it belongs to. */
export interface Parted<Part extends string = string, Body = unknown> {
  readonly part: Part
  readonly body: Body
}

/** The parts of a node by their names. One that is undefined is not run. */
export type Parts = Readonly<Record<string, AnyProtocol | undefined>>

type Named<P> = keyof P & string
// biome-ignore-start lint/suspicious/noExplicitAny: what is not asked for here may be anything
type StateOf<P> = P extends Protocol<infer State, any, any, any> ? State : never
type MessageOf<P> = P extends Protocol<any, infer Message, any, any> ? Message : never
type CommandOf<P> = P extends Protocol<any, any, infer Command, any> ? Command : never
type EventOf<P> = P extends Protocol<any, any, any, infer Event> ? Event : never
// biome-ignore-end lint/suspicious/noExplicitAny: what is not asked for here may be anything

/** The states of the parts, by their names. */
export type ComposedState<P extends Parts> = { readonly [Part in keyof P]: StateOf<P[Part]> }
/** A message from one part to the part of the same name elsewhere. */
export type PartMessage<P extends Parts> = { [Part in Named<P>]-?: Parted<Part, MessageOf<P[Part]>> }[Named<P>]
/** A command for one of the parts. */
export type PartCommand<P extends Parts> = { [Part in Named<P>]-?: Parted<Part, CommandOf<P[Part]>> }[Named<P>]
/** An event of one of the parts. */
export type PartEvent<P extends Parts> = { [Part in Named<P>]-?: Parted<Part, EventOf<P[Part]>> }[Named<P>]

/** The protocol that a node of these parts is. */
export type Composed<P extends Parts> = Protocol<ComposedState<P>, PartMessage<P>, PartCommand<P>, PartEvent<P>>

interface WireBetween<From extends string, To extends string, Event, Command> {
  readonly from: From
  readonly to: To
  /** The command that the event becomes, or undefined where it does not concern the other part. */
  turn(event: Event): Command | undefined
}

/** A wire between two parts of a node. */
export type Wire<P extends Parts> = {
  [From in Named<P>]-?: {
    [To in Named<P>]-?: WireBetween<From, To, EventOf<P[From]>, CommandOf<P[To]>>
  }[Named<P>]
}[Named<P>]

/** What keeps the parts apart. Each line has a planted bug in `src/node/proof`. */
export interface ComposeRules {
  /** A part saves in its own lane: in one lane with another, it would be given the other's records after a restart. */
  lane(part: string): string
  /** A part is given what it saved itself. */
  records(saved: Saved, part: string): readonly Uint8Array[]
  /** Two parts may use one name for their timers: one must not replace the other's. */
  timer(part: string, name: string): string
  /** A wire waits until the event is out, and so durable. */
  waitsForEvent(): boolean
}

/** The rules as they must be. */
export const composeRules: ComposeRules = {
  lane: part => part,
  records: (saved, part) => saved.get(part) ?? [],
  timer: addressed,
  waitsForEvent: () => true,
}

/** How the parts of a node are joined. */
export interface Composing<P extends Parts> {
  readonly wires?: readonly Wire<P>[]
  readonly rules?: ComposeRules
}

/** Makes one protocol of several parts. */
export function compose<P extends Parts>(name: string, parts: P, composing: Composing<P> = {}): Composed<P> {
  const node = new Node(parts, composing.wires ?? [], composing.rules ?? composeRules)
  const composed: Protocol<State, Parted, Parted, Parted> = {
    name,
    init: (self, peers, saved) => node.init(self, peers, saved),
    step: (state, input, turn) => node.step(state, input, turn),
    check: state => node.check(state),
    wire: event => node.wire(event),
  }
  // The one place where a name stands for its part's type: `Node` gives a body to no other part than the one it names.
  return composed as unknown as Composed<P>
}

type State = Readonly<Record<string, unknown>>
/** A wire whose two ends are no longer known: it hears only its own part's events. */
type LooseWire = WireBetween<string, string, never, unknown>

class Node {
  private readonly parts = new Map<string, AnyProtocol>()
  private readonly wires: readonly LooseWire[]
  private readonly rules: ComposeRules
  /** What was sent last: the same words to several peers are one body, which a driver encodes once. */
  private sent: Parted | undefined

  constructor(parts: Parts, wires: readonly LooseWire[], rules: ComposeRules) {
    for (const [part, protocol] of Object.entries(parts)) {
      assert(!part.includes('/'), `a part's name has no slash: ${part}`)
      if (protocol !== undefined) this.parts.set(part, protocol)
    }
    for (const { from, to } of wires) assert(this.parts.has(from) && this.parts.has(to), `wire ${from} → ${to}`)
    this.wires = wires
    this.rules = rules
  }

  init(self: NodeId, peers: readonly NodeId[], saved: Saved): State {
    const states: Record<string, unknown> = {}
    for (const [part, protocol] of this.parts) {
      states[part] = protocol.init(self, peers, new Map([['', this.rules.records(saved, part)]]))
    }
    return states
  }

  step(state: State, input: Input<Parted, Parted>, turn: Turn<Parted, Parted>): void {
    switch (input.kind) {
      case 'start':
      case 'stop':
        for (const part of this.parts.keys()) this.stepPart(state, part, input, turn)
        return
      case 'message': {
        const { part, body } = input.body
        // A message for a part that this node does not run is somebody else's mistake.
        if (!this.parts.has(part)) return
        return this.stepPart(state, part, { kind: 'message', from: input.from, body }, turn)
      }
      case 'command': {
        const { part, body } = input.body
        return this.stepPart(state, part, { kind: 'command', body }, turn)
      }
      case 'timer': {
        const { owner, name } = ownName(input.name)
        return this.stepPart(state, owner, { kind: 'timer', name }, turn)
      }
    }
  }

  check(state: State): void {
    for (const [part, protocol] of this.parts) {
      const own = state[part]
      assert(own !== undefined, 'every part has a state')
      protocol.check?.(own)
    }
  }

  wire({ part, body }: Parted): Parted[] {
    if (!this.rules.waitsForEvent()) return []
    return this.commandsOf(part, body)
  }

  private commandsOf(part: string, event: unknown): Parted[] {
    const commands: Parted[] = []
    for (const wire of this.wires) {
      const body = wire.from === part ? wire.turn(event as never) : undefined
      if (body !== undefined) commands.push({ part: wire.to, body })
    }
    return commands
  }

  private stepPart(state: State, part: string, input: Input<unknown, unknown>, turn: Turn<Parted, Parted>): void {
    const protocol = this.parts.get(part)
    assert(protocol !== undefined, `input for unknown part ${part}`)
    const own = ownTurn<unknown, unknown>(turn, effect => {
      turn.do(this.address(part, effect))
      if (effect.kind === 'emit' && !this.rules.waitsForEvent()) this.giveAtOnce(state, part, effect.event, turn)
    })
    protocol.step(state[part], input, own)
  }

  /** The planted bug: another part acts on what a crash may still undo. */
  private giveAtOnce(state: State, from: string, event: unknown, turn: Turn<Parted, Parted>): void {
    for (const { part, body } of this.commandsOf(from, event))
      this.stepPart(state, part, { kind: 'command', body }, turn)
  }

  private parted(part: string, body: unknown): Parted {
    const { sent } = this
    if (sent?.part === part && sent.body === body) return sent
    this.sent = { part, body }
    return this.sent
  }

  // A part may speak in a lane of its own, for words that stand whatever becomes of its saves. It saves in one only.
  private address(part: string, effect: Effect<unknown, unknown>): Effect<Parted, Parted> {
    const { rules } = this
    const lane = effect.lane === undefined ? rules.lane(part) : addressed(part, effect.lane)
    switch (effect.kind) {
      case 'send':
        return { kind: 'send', to: effect.to, body: this.parted(part, effect.body), lane }
      case 'emit':
        return { kind: 'emit', event: { part, body: effect.event }, lane }
      case 'timer':
        return { kind: 'timer', name: rules.timer(part, effect.name), after: effect.after, lane }
      case 'cancel':
        return { kind: 'cancel', name: rules.timer(part, effect.name), lane }
      case 'save':
      case 'snapshot':
      case 'forget':
        return { ...effect, lane: rules.lane(part) }
    }
  }
}
