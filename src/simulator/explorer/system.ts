// A small system as the explorer sees it: a value that is never changed, only replaced.
//
// Nodes, a bag of messages under way, and ticking clocks. A message may be delivered at any time or never (so loss
// needs no action of its own), a duplicate may stay in the bag, a timer fires at any time after it is due, and a
// node may crash and come back with what it saved. Clocks tick together, at rates that differ by the drift allowed:
// timers that fired whenever the explorer likes would make every lease fail.

import { type AnyProtocol, type Codec, copy, type Input, type NodeId, type Saved, type Turn } from '../../core/index.ts'
import { type Fingerprints, nodeFingerprints } from './symmetry.ts'

export interface SystemNode {
  readonly id: NodeId
  readonly protocol: AnyProtocol
  readonly peers: readonly NodeId[]
  readonly saved?: Saved
  /** What its clock gains in one tick, in milliseconds. */
  readonly rate: number
  /** Interchangeable with the other symmetric nodes: the explorer looks at one of several mirrored states only. */
  readonly symmetric?: boolean
  /** May crash and restart, within the budget. */
  readonly crashes?: boolean
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

export interface System {
  readonly nodes: readonly SystemNode[]
  // biome-ignore lint/suspicious/noExplicitAny: the explorer knows no vocabulary
  readonly vocabulary: Codec<any>
  readonly acts: readonly UserAct[]
  /** Ticks until the end of time. */
  readonly ticks: number
  readonly crashes: number
  readonly duplicates: number
}

/** One node at one moment. */
export interface NodeMoment {
  // biome-ignore lint/suspicious/noExplicitAny: the explorer knows no vocabulary
  readonly state: any
  /** When each timer is due, on the node's clock. */
  readonly timers: ReadonlyMap<string, number>
  readonly records: readonly Uint8Array[]
  /** What its clock shows at tick 0 of its life is 0; a restart goes on with the same clock. */
  readonly fingerprints: Fingerprints
}

export interface Flight {
  readonly from: number
  readonly to: number
  readonly body: unknown
  /** Equal for equal messages. */
  readonly text: string
}

export interface Moment {
  readonly tick: number
  readonly nodes: readonly NodeMoment[]
  readonly bag: readonly Flight[]
  /** Which user acts were done, as bits. */
  readonly done: number
  readonly crashesLeft: number
  readonly duplicatesLeft: number
}

export function clockAt(system: System, node: number, tick: number): number {
  return tick * system.nodes[node]!.rate
}

interface Outcome {
  readonly node: NodeMoment
  readonly sent: readonly Flight[]
}

/** Everything that one input to one node can lead to: one outcome for each series of random choices. */
export function outcomes(
  system: System,
  moment: Moment,
  place: number,
  before: Pick<NodeMoment, 'state' | 'timers' | 'records'>,
  input: Input<unknown, unknown>,
): Outcome[] {
  const results: Outcome[] = []
  const untried: number[][] = [[]]
  for (let choices = untried.pop(); choices !== undefined; choices = untried.pop()) {
    results.push(runOnce(system, moment, place, before, input, choices, untried))
  }
  return results
}

function runOnce(
  system: System,
  moment: Moment,
  place: number,
  before: Pick<NodeMoment, 'state' | 'timers' | 'records'>,
  input: Input<unknown, unknown>,
  choices: readonly number[],
  untried: number[][],
): Outcome {
  const spec = system.nodes[place]!
  const state = copy(before.state)
  const timers = new Map(before.timers)
  const now = clockAt(system, place, moment.tick)
  const sent: Flight[] = []
  let records = before.records
  let chosen = 0
  const taken = [...choices]

  const turn: Turn<unknown, unknown> = {
    now,
    below(bound) {
      const at = chosen++
      if (at >= taken.length) {
        for (let value = 1; value < bound; value++) untried.push([...taken, value])
        taken.push(0)
      }
      return taken[at]!
    },
    bytes: length => new Uint8Array(length),
    do(effect) {
      switch (effect.kind) {
        case 'send':
          return post(system, place, effect.to, effect.body, sent)
        case 'timer':
          timers.set(effect.name, now + effect.after)
          return
        case 'cancel':
          timers.delete(effect.name)
          return
        case 'save':
          records = [...records, effect.record]
          return
        case 'snapshot':
          records = [effect.record]
          return
        case 'emit':
          return
      }
    },
  }
  spec.protocol.step(state, input, turn)
  spec.protocol.check?.(state)
  return {
    node: { state, timers, records, fingerprints: nodeFingerprints(system, place, state, timers, records) },
    sent,
  }
}

function post(system: System, from: number, to: NodeId, body: unknown, sent: Flight[]): void {
  const target = system.nodes.findIndex(node => node.id === to)
  if (target < 0) return
  sent.push({ from, to: target, body, text: JSON.stringify(body) })
}

/** The system at the beginning, every node started. */
export function beginning(system: System): Moment {
  let moment: Moment = {
    tick: 0,
    nodes: [],
    bag: [],
    done: 0,
    crashesLeft: system.crashes,
    duplicatesLeft: system.duplicates,
  }
  for (const [place, spec] of system.nodes.entries()) {
    const records = spec.saved?.get('') ?? []
    const started = startNode(system, moment, place, records)
    moment = { ...moment, nodes: [...moment.nodes, started.node], bag: [...moment.bag, ...started.sent] }
  }
  return moment
}

export function startNode(system: System, moment: Moment, place: number, records: readonly Uint8Array[]): Outcome {
  const spec = system.nodes[place]!
  const state = spec.protocol.init(spec.id, spec.peers, new Map([['', records]]))
  return outcomes(system, moment, place, { state, timers: new Map(), records }, { kind: 'start' })[0]!
}
