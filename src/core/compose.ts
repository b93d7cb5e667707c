// A node that runs many protocols is itself a protocol. Its messages, commands and events carry the name of the
// part they belong to; each part saves in a lane of its own, so that locks do not wait for objects' disk writes.
//
// Parts do not know each other. A wire turns one part's event into another part's command. The command is given
// only after the event is out, which is after everything the first part saved before it: otherwise the second part
// could promise the world something that the first forgets in a crash. (An event that a part tells in a lane of its own
// waits for no save: such an event is not to be wired to a promise.)

import { assert } from './assert.ts'
import type { AnyProtocol, Effect, Input, NodeId, Protocol, Saved, Turn } from './process.ts'

export interface Parted<Body = unknown> {
  readonly part: string
  readonly body: Body
}

export interface Wire {
  readonly from: string
  readonly to: string
  /** The command that the event becomes, or undefined where it does not concern the other part. */
  // biome-ignore lint/suspicious/noExplicitAny: the wire stands between two vocabularies and is typed where it is made
  turn(event: any): unknown
}

export type ComposedState = Map<string, unknown>

export function compose(
  name: string,
  parts: Readonly<Record<string, AnyProtocol>>,
  wires: readonly Wire[] = [],
): Protocol<ComposedState, Parted, Parted, Parted> {
  const names = Object.keys(parts)
  for (const part of names) assert(!part.includes('/'), `a part's name has no slash: ${part}`)
  for (const wire of wires)
    assert(names.includes(wire.from) && names.includes(wire.to), `wire ${wire.from} → ${wire.to}`)

  function init(self: NodeId, peers: readonly NodeId[], saved: Saved): ComposedState {
    return new Map(names.map(part => [part, parts[part]!.init(self, peers, new Map([['', saved.get(part) ?? []]]))]))
  }

  return {
    name,
    init,
    step: (state, input, turn) => stepParts(parts, names, state, input, turn),
    check(state) {
      for (const part of names) parts[part]!.check?.(state.get(part))
    },
    wire(event) {
      const commands: Parted[] = []
      for (const wire of wires) {
        if (wire.from !== event.part) continue
        const body = wire.turn(event.body)
        if (body !== undefined) commands.push({ part: wire.to, body })
      }
      return commands
    },
  }
}

type Parts = Readonly<Record<string, AnyProtocol>>

function stepParts(
  parts: Parts,
  names: readonly string[],
  state: ComposedState,
  input: Input<Parted, Parted>,
  turn: Turn<Parted, Parted>,
): void {
  const give = (part: string, own: Input<unknown, unknown>) => stepPart(parts, state, part, own, turn)
  switch (input.kind) {
    case 'start':
    case 'stop':
      for (const part of names) give(part, input)
      return
    case 'message':
      // A message for a part that this node does not run is somebody else's mistake.
      if (!names.includes(input.body.part)) return
      return give(input.body.part, { kind: 'message', from: input.from, body: input.body.body })
    case 'command':
      assert(names.includes(input.body.part), `command for unknown part ${input.body.part}`)
      return give(input.body.part, { kind: 'command', body: input.body.body })
    case 'timer': {
      const slash = input.name.indexOf('/')
      return give(input.name.slice(0, slash), { kind: 'timer', name: input.name.slice(slash + 1) })
    }
  }
}

function stepPart(
  parts: Parts,
  state: ComposedState,
  part: string,
  input: Input<unknown, unknown>,
  turn: Turn<Parted, Parted>,
): void {
  parts[part]!.step(state.get(part), input, {
    now: turn.now,
    below: bound => turn.below(bound),
    bytes: length => turn.bytes(length),
    do: effect => turn.do(address(part, effect)),
  })
}

// A part may speak in a lane of its own, for words that stand whatever becomes of its saves. It saves in one only.
function address(part: string, effect: Effect<unknown, unknown>): Effect<Parted, Parted> {
  const lane = effect.lane === undefined ? part : `${part}/${effect.lane}`
  switch (effect.kind) {
    case 'send':
      return { kind: 'send', to: effect.to, body: { part, body: effect.body }, lane }
    case 'emit':
      return { kind: 'emit', event: { part, body: effect.event }, lane }
    case 'timer':
      return { kind: 'timer', name: `${part}/${effect.name}`, after: effect.after, lane }
    case 'cancel':
      return { kind: 'cancel', name: `${part}/${effect.name}`, lane }
    case 'save':
    case 'snapshot':
    case 'forget':
      return { ...effect, lane: part }
  }
}
