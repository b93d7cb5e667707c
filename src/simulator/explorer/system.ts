// A small system as the explorer sees it: nodes, a bag of messages under way, and ticking clocks.
//
// A message may be delivered at any time or never (so loss needs no action of its own), a duplicate may stay in the
// bag, a timer fires at any time after it is due, and a node may crash and come back with what it saved. Clocks tick
// together, at rates that differ by the drift allowed: timers that fired whenever the explorer likes would make every
// lease fail.
//
// Three declarations make a system smaller. Each is a claim about the protocol, and each can be switched off
// (`reduced: false`), so that a test can compare the two on a tiny system:
// - `symmetric`: these nodes can be exchanged without anybody noticing (symmetry.ts).
// - `essence`: what is left out of it makes no difference from now on, to the node's steps or to a property. Two
//   states of equal essence at the same tick are one state.
// - `settled`: whenever this message is delivered from now on, or if it never is, it changes nothing in the node, and
//   the replies are the same. Then it is delivered at once: to deliver it later commutes with all that happens in
//   between, and not to deliver it is the same as to lose its replies. The explorer stops if the node did change.

import {
  type AnyProtocol,
  copy,
  type Effect,
  type Input,
  type NodeId,
  type Saved,
  type Turn,
} from '../../core/index.ts'

/** A node of a small system. */
export interface SystemNode {
  readonly id: NodeId
  readonly protocol: AnyProtocol
  readonly peers: readonly NodeId[]
  readonly saved?: Saved
  /** What its clock gains in one tick, in milliseconds. */
  readonly rate: number
  /** Interchangeable with the other symmetric nodes, to which it never talks. */
  readonly symmetric?: boolean
  /** May crash and restart, within the budget. */
  readonly crashes?: boolean
  /** What of its state still matters, now that its clock shows this. Keeps its Maps under the names of others. */
  // biome-ignore lint/suspicious/noExplicitAny: the explorer knows no vocabulary
  essence?(state: any, clock: number): unknown
  /** No matter when it comes, this message changes nothing here. `beside`: the sender's others that are under way to here. */
  // biome-ignore lint/suspicious/noExplicitAny: the explorer knows no vocabulary
  settled?(state: any, from: NodeId, body: any, beside: readonly any[]): boolean
}

/** Something a user may do, wherever `allowed` says so. Each is done at most once. */
export interface UserAct {
  readonly node: NodeId
  readonly label: string
  // biome-ignore lint/suspicious/noExplicitAny: the explorer knows no vocabulary
  allowed?(state: any, clock: number): boolean
  // biome-ignore lint/suspicious/noExplicitAny: the explorer knows no vocabulary
  command(state: any): unknown
}

/** A few nodes and acts, and what may go wrong: what the explorer tries to the end. */
export interface System {
  readonly nodes: readonly SystemNode[]
  readonly acts: readonly UserAct[]
  /** Ticks until the end of time. */
  readonly ticks: number
  readonly crashes: number
  readonly duplicates: number
  /** The message without what no receiver acts upon. */
  // biome-ignore lint/suspicious/noExplicitAny: the explorer knows no vocabulary
  messageEssence?(body: any): unknown
  /** How a story tells of a message, where all of it would be too long. */
  // biome-ignore lint/suspicious/noExplicitAny: the explorer knows no vocabulary
  words?(body: any): string
}

/** What the disk of a node holds. */
export interface DiskMoment {
  readonly records: readonly Uint8Array[]
  /** Where among them the newest account begins, if this life has begun one. */
  readonly begun: number | undefined
  /** How many of them, counted from the end, a crash may lose. */
  readonly lazy: number
}

/** One node at one moment. */
export interface NodeMoment extends DiskMoment {
  // biome-ignore lint/suspicious/noExplicitAny: the explorer knows no vocabulary
  readonly state: any
  /** When each timer is due, on the node's clock. It starts at 0, and a restart goes on with the same clock. */
  readonly timers: ReadonlyMap<string, number>
}

/** What tells two disks apart. */
export function diskOf({ records, begun, lazy }: DiskMoment): unknown {
  return [records, begun, lazy]
}

/** What a property may look at. Not the messages under way: some that make no difference are left out. */
export interface Moment {
  readonly tick: number
  readonly nodes: readonly NodeMoment[]
}

export function clockAt(system: System, place: number, tick: number): number {
  return tick * system.nodes[place]!.rate
}

export interface Sent {
  readonly to: NodeId
  readonly body: unknown
}

export interface Outcome {
  readonly node: NodeMoment
  readonly sent: readonly Sent[]
  /** What the node told its user: nothing follows from it, but a reader of the story wants to know. */
  readonly told: readonly unknown[]
}

/** Everything that one input to one node can lead to: one outcome for each series of random choices. */
export function outcomes(
  spec: SystemNode,
  clock: number,
  before: NodeMoment,
  input: Input<unknown, unknown>,
): Outcome[] {
  const results: Outcome[] = []
  const untried: number[][] = [[]]
  for (let choices = untried.pop(); choices !== undefined; choices = untried.pop()) {
    results.push(runOnce(spec, clock, before, input, choosing(choices, untried)))
  }
  return results
}

/** Takes the given choices, then the first of each further one; what it leaves out is added to those still untried. */
function choosing(choices: readonly number[], untried: number[][]): (bound: number) => number {
  const taken = [...choices]
  let chosen = 0
  return bound => {
    const at = chosen++
    if (at >= taken.length) {
      for (let value = bound - 1; value > 0; value--) untried.push([...taken, value])
      taken.push(0)
    }
    return taken[at]!
  }
}

function runOnce(
  spec: SystemNode,
  now: number,
  before: NodeMoment,
  input: Input<unknown, unknown>,
  below: (bound: number) => number,
): Outcome {
  const state = copy(before.state)
  const timers = new Map(before.timers)
  const sent: Sent[] = []
  const told: unknown[] = []
  const inputs = [input]
  let disk: DiskMoment = before

  const turn: Turn<unknown, unknown> = {
    now,
    below,
    bytes: length => new Uint8Array(length),
    do(effect) {
      switch (effect.kind) {
        case 'send':
          sent.push({ to: effect.to, body: effect.body })
          return
        case 'timer':
          timers.set(effect.name, now + effect.after)
          return
        case 'cancel':
          timers.delete(effect.name)
          return
        case 'save':
        case 'snapshot':
        case 'forget':
          disk = write(disk, effect, spec.crashes ? () => below(2) === 0 : () => true)
          return
        case 'emit':
          told.push(effect.event)
          // The disk here is at once: what a node tells itself comes before anything else.
          for (const body of spec.protocol.wire?.(effect.event) ?? []) inputs.push({ kind: 'command', body })
          return
      }
    },
  }
  for (const next of inputs) {
    spec.protocol.step(state, next, turn)
    spec.protocol.check?.(state)
  }
  const { records, begun, lazy } = disk
  return { node: { state, timers, records, begun, lazy }, sent, told }
}

type DiskEffect = Extract<Effect<unknown, unknown>, { kind: 'save' | 'snapshot' | 'forget' }>

/** `reached`: whether a `forget` gets to the disk. If it does, so do the lazy records before it. */
function write({ records, begun, lazy }: DiskMoment, effect: DiskEffect, reached: () => boolean): DiskMoment {
  switch (effect.kind) {
    case 'save':
      return {
        records: [...records, effect.record],
        begun: effect.begins ? records.length : begun,
        lazy: effect.lazy ? lazy + 1 : 0,
      }
    case 'snapshot':
      return { records: [effect.record], begun: undefined, lazy: 0 }
    case 'forget':
      if (begun === undefined || begun === 0 || !reached()) return { records, begun, lazy }
      return { records: records.slice(begun), begun: 0, lazy: 0 }
  }
}

/** A node as it starts, for the first time or after a crash. */
export function starts(spec: SystemNode, clock: number, records: readonly Uint8Array[]): Outcome[] {
  const state = spec.protocol.init(spec.id, spec.peers, new Map([['', records]]))
  return outcomes(spec, clock, { state, timers: new Map(), records, begun: undefined, lazy: 0 }, { kind: 'start' })
}

/** The same system without the declarations that make it smaller. */
export function unreduced(system: System): System {
  const { nodes, acts, ticks, crashes, duplicates, words } = system
  const bare = nodes.map(({ id, protocol, peers, saved, rate, crashes: may }): SystemNode => {
    return { id, protocol, peers, rate, ...(saved && { saved }), ...(may && { crashes: may }) }
  })
  return { nodes: bare, acts, ticks, crashes, duplicates, ...(words && { words }) }
}
