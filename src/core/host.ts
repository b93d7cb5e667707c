// The half of a driver that all four share: runs one machine, keeps the save barrier, follows the wires.
// A driver supplies the ports; everything about order lives here and is tested once.

import { assert } from './assert.ts'
import type { Effect, Input, Millis, NodeId, Protocol, Saved, Turn } from './process.ts'

export interface Ports<Message, Event> {
  now(): Millis
  below(bound: number): number
  bytes(length: number): Uint8Array
  send(to: NodeId, body: Message): void
  timer(name: string, after: Millis): void
  cancel(name: string): void
  /** Makes the record durable, then calls `durable`: at once or later, but once, and in the order of the saves of a lane. */
  save(lane: string, record: Uint8Array, replaces: boolean, durable: () => void): void
  emit(event: Event): void
}

export interface Host<State, Message, Command> {
  readonly state: State
  input(input: Input<Message, Command>): void
  /** True while an effect waits for a save to become durable. */
  waiting(): boolean
  /** A crash: what was held back is dropped, and late calls of `durable` do nothing. */
  end(): void
}

/** More held-back effects than this in one lane mean that the disk is gone or the peers flood us: the node stops. */
const HELD_BACK_MAX = 1_000_000

export function createHost<State, Message, Command, Event>(
  protocol: Protocol<State, Message, Command, Event>,
  self: NodeId,
  peers: readonly NodeId[],
  saved: Saved,
  ports: Ports<Message, Event>,
): Host<State, Message, Command> {
  const state = protocol.init(self, peers, saved)
  const heldBack = new Map<string, Effect<Message, Event>[]>()
  const inputs: Input<Message, Command>[] = []
  let effects: Effect<Message, Event>[] = []
  let spare: Effect<Message, Event>[] = []
  let running = false
  let ended = false
  let now = 0

  const turn: Turn<Message, Event> = {
    get now() {
      return now
    },
    below: bound => ports.below(bound),
    bytes: length => ports.bytes(length),
    do: effect => {
      effects.push(effect)
    },
  }

  function run(input: Input<Message, Command>): void {
    now = ports.now()
    protocol.step(state, input, turn)
    protocol.check?.(state)
    const asked = effects
    effects = spare
    for (const effect of asked) request(effect)
    asked.length = 0
    spare = asked
  }

  function request(effect: Effect<Message, Event>): void {
    const queue = heldBack.get(effect.lane ?? '')
    if (queue === undefined) return perform(effect)
    assert(queue.length < HELD_BACK_MAX, 'effects held back without end')
    queue.push(effect)
  }

  function perform(effect: Effect<Message, Event>): void {
    switch (effect.kind) {
      case 'send':
        return ports.send(effect.to, effect.body)
      case 'timer':
        return ports.timer(effect.name, effect.after)
      case 'cancel':
        return ports.cancel(effect.name)
      case 'emit':
        return emit(effect.event)
      case 'save':
      case 'snapshot':
        return save(effect.lane ?? '', effect.record, effect.kind === 'snapshot')
    }
  }

  function emit(event: Event): void {
    ports.emit(event)
    const commands = protocol.wire?.(event)
    if (commands !== undefined) for (const body of commands) host.input({ kind: 'command', body })
  }

  function save(lane: string, record: Uint8Array, replaces: boolean): void {
    const queue = heldBack.get(lane) ?? []
    heldBack.set(lane, queue)
    ports.save(lane, record, replaces, () => {
      if (!ended) release(lane, queue)
    })
  }

  // A lane may save again while it drains: what is left then waits behind the new save.
  function release(lane: string, queue: Effect<Message, Event>[]): void {
    heldBack.delete(lane)
    while (queue.length > 0) {
      const effect = queue.shift()!
      perform(effect)
      const fresh = heldBack.get(lane)
      if (fresh === undefined) continue
      fresh.unshift(...queue)
      return
    }
  }

  const host: Host<State, Message, Command> = {
    state,
    input(input) {
      if (ended) return
      inputs.push(input)
      if (running) return
      running = true
      try {
        while (inputs.length > 0 && !ended) run(inputs.shift()!)
      } finally {
        running = false
      }
    },
    waiting: () => heldBack.size > 0,
    end() {
      ended = true
      heldBack.clear()
      inputs.length = 0
    },
  }
  return host
}
