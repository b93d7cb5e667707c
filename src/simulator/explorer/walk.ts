// One way through a small system, step by step: what the explorer found, in somebody's hands. At every place it says what can
// happen next; another choice there is another walk. Time is the explorer's: only the order counts, and ticks.
//
// A walk takes none of the shortcuts that make an exploration smaller (system.ts), except that a message is without what no
// receiver acts upon: so each of its steps is one thing that happens, and a story's lines are steps of a walk.

import type { NodeId } from '../../core/index.ts'
import type { Micros } from '../network.ts'
import { stateText } from '../states.ts'
import { brief, type TraceEntry, TraceHash } from '../trace.ts'
import { beginnings, expand, type Packed, type Visit } from './packed.ts'
import type { NamedSystem } from './suite.ts'
import { clockAt, type Moment, type System, unreduced } from './system.ts'
import { type Change, Tables } from './tables.ts'

/** Something that can happen next. */
export interface WalkChoice {
  /** As a story tells it. */
  readonly label: string
  /** As a trace tells it. */
  readonly entry: Omit<TraceEntry, 'at'>
}

interface Way extends WalkChoice {
  readonly next: Packed
  readonly change: Change | undefined
  /** The message that is delivered, by number. */
  readonly flight: number | undefined
}

/** A millisecond for each step: a picture needs times. */
export const WALK_STEP: Micros = 1_000
/** A message that is kept to be delivered once more. */
const AGAIN = ' (and again later)'

/** A walk: made of the numbers of the choices that were taken. */
export class Walk {
  readonly trace: TraceEntry[] = []
  readonly steps: number[] = []
  /** To which step each place of the trace belongs; -1 where it is how all begins, and there was no choice. */
  readonly stepOf: number[] = []
  /** What can happen at each step, the one after the last included; nothing more once a promise is broken. */
  readonly choices: (readonly WalkChoice[])[] = []
  /** The first broken promise, and its place in the trace. */
  broken: { readonly property: string; readonly index: number } | undefined
  private readonly system: System
  private readonly tables: Tables
  private readonly always: readonly (readonly [string, NamedSystem['properties']['always'][string]])[]
  private readonly packed: Packed[] = []
  private readonly sent = new Map<number, Micros[]>()
  private ways: readonly Way[] = []

  constructor({ system, properties }: NamedSystem, steps: readonly number[] = []) {
    const whole = system()
    const { messageEssence } = whole
    this.system = { ...unreduced(whole), ...(messageEssence && { messageEssence }) }
    this.tables = new Tables(this.system, false)
    this.always = Object.entries(properties.always)
    this.ways = this.collected([], visit => beginnings(this.tables, visit))
    // Where all begins in one way, it is no choice.
    if (this.ways.length === 1) this.go(this.ways[0]!)
    else this.choices.push(this.ways)
    for (const step of steps) if (!this.take(step)) break
  }

  get nodes(): readonly NodeId[] {
    return this.system.nodes.map(({ id }) => id)
  }

  /** What can happen next. */
  get next(): readonly WalkChoice[] {
    return this.ways
  }

  get hash(): string {
    const hash = new TraceHash()
    for (const { at, kind, node, from, what } of this.trace) {
      hash.time(at)
      hash.kind(kind)
      for (const text of [node, from ?? '', what]) {
        for (let place = 0; place < text.length; place++) hash.number(text.charCodeAt(place))
        hash.number(text.length)
      }
    }
    return hash.hex()
  }

  /** One step more; false where there is no such choice. */
  take(step: number): boolean {
    const way = this.ways[step]
    if (way === undefined) return false
    this.steps.push(step)
    this.go(way)
    return true
  }

  /** What a node remembered after the event at this place of the trace: JSON. */
  stateAt(index: number, node: NodeId): string | undefined {
    const begun = this.packed.length - this.steps.length
    const packed = this.packed[(this.stepOf[index] ?? Number.NaN) + begun]
    const place = this.system.nodes.findIndex(({ id }) => id === node)
    return packed === undefined || place < 0 ? undefined : stateText(this.moment(packed).nodes[place]!.state)
  }

  private moment({ tick, locals }: Packed): Moment {
    return { tick, nodes: locals.map(local => this.tables.locals[local]!.node) }
  }

  private go(way: Way): void {
    const before = this.packed.at(-1)
    this.tell(way)
    this.packed.push(way.next)
    this.noteSent(before?.bag ?? [], way)
    const moment = this.moment(way.next)
    const property = this.always.find(([, holds]) => !holds(moment, this.system))?.[0]
    if (property !== undefined) this.breaks(property)
    this.ways = property === undefined ? this.after(way.next) : []
    this.choices.push(this.ways)
  }

  private breaks(property: string): void {
    this.broken = { property, index: Math.max(0, this.trace.length - 1) }
  }

  private tell({ entry, flight, change, next }: Way): void {
    const at = this.packed.length * WALK_STEP
    const { node } = entry
    const entries: TraceEntry[] = [
      ...(node === '' ? this.clocks(next.tick) : [{ ...entry, ...this.sentAt(flight, at) }]),
      ...(change?.told ?? []).map(event => ({ kind: 'emit' as const, node, what: brief(event) })),
    ].map(one => ({ ...one, at }))
    for (const one of entries) {
      this.trace.push(one)
      this.stepOf.push(this.steps.length - 1)
    }
  }

  /** Time passes for all at once, and for each as its clock has it. */
  private clocks(tick: number): Omit<TraceEntry, 'at'>[] {
    if (tick === 0) return this.nodes.map(node => ({ kind: 'start', node, what: '' }))
    return this.nodes.map((node, place) => {
      return { kind: 'note', node, what: `its clock shows ${clockAt(this.system, place, tick)} ms` }
    })
  }

  private sentAt(flight: number | undefined, at: Micros): { sentAt?: Micros } {
    return flight === undefined ? {} : { sentAt: this.sent.get(flight)?.[0] ?? at - WALK_STEP }
  }

  /** When each message under way was sent: those that are new were sent in this step. */
  private noteSent(before: readonly number[], { next: { bag }, flight }: Way): void {
    const at = (this.packed.length - 1) * WALK_STEP
    const counts = new Map<number, number>()
    for (const number of bag) counts.set(number, (counts.get(number) ?? 0) + 1)
    for (const number of before) counts.set(number, (counts.get(number) ?? 0) - 1)
    if (flight !== undefined && counts.get(flight) === -1) this.sent.get(flight)?.shift()
    for (const [number, more] of counts) {
      for (let count = 0; count < more; count++) this.sent.set(number, [...(this.sent.get(number) ?? []), at])
    }
  }

  private after(packed: Packed): Way[] {
    try {
      return this.collected(packed.bag, visit => expand(this.tables, packed, visit))
    } catch (error) {
      // A planted bug may lead to what a machine's own assertion notices.
      this.breaks(
        `a machine throws in one of the next steps: ${error instanceof Error ? error.message : String(error)}`,
      )
      return []
    }
  }

  /** By label: numbers of messages depend on what was tried before, and an address must not. */
  private collected(bag: readonly number[], visiting: (visit: Visit) => void): Way[] {
    const ways: Way[] = []
    const labels = new Map(bag.map(number => [this.tables.flights[number]!.label, number]))
    visiting((next, label, change) => {
      const plain = label.endsWith(AGAIN) ? label.slice(0, -AGAIN.length) : label
      const flight = labels.get(plain)
      ways.push({ label, entry: this.entryOf(label, flight), next, change, flight })
    })
    return ways.sort((one, other) => (one.label < other.label ? -1 : one.label > other.label ? 1 : 0))
  }

  private entryOf(label: string, number: number | undefined): Omit<TraceEntry, 'at'> {
    if (number !== undefined) {
      const { from, to, body } = this.tables.flights[number]!
      const again = label.endsWith(AGAIN) ? AGAIN : ''
      return { kind: 'deliver', node: this.nodes[to]!, from: this.nodes[from]!, what: brief(body) + again }
    }
    const colon = label.indexOf(': ')
    if (colon < 0) return { kind: 'note', node: '', what: label }
    const [node, what] = [label.slice(0, colon), label.slice(colon + 2)]
    if (what.startsWith('timer ')) return { kind: 'timer', node, what: what.slice('timer '.length) }
    return { kind: what.startsWith('crashes') ? 'crash' : 'command', node, what }
  }
}

/** The walk that a story tells: where a line may lead to several states, each is tried until a promise is broken. */
export function retrace(named: NamedSystem, story: readonly string[]): Walk | undefined {
  const lines = story.flatMap(line => line.split('\n')).slice(1)
  const first = new Walk(named)
  const untried: (readonly number[])[] = first.trace.length > 0 ? [[]] : first.next.map((_, step) => [step])
  const begun = untried[0]?.length ?? 0
  for (let steps = untried.pop(); steps !== undefined; steps = untried.pop()) {
    const walk = new Walk(named, steps)
    let fitting = fittingIn(walk, lines[steps.length - begun])
    while (fitting.length === 1) {
      walk.take(fitting[0]!)
      fitting = fittingIn(walk, lines[walk.steps.length - begun])
    }
    // What is settled is delivered at once, and its lines stand after the step that broke it.
    if (walk.broken !== undefined) return walk
    for (const step of fitting.reverse()) untried.push([...walk.steps, step])
  }
  return undefined
}

function fittingIn(walk: Walk, line: string | undefined): number[] {
  return walk.next.flatMap(({ label }, step) => (label === line ? [step] : []))
}

/** The same walk with another choice at one step, or without it; what came after it comes as before, where it still can. */
export function rerouted(named: NamedSystem, before: Walk, step: number, instead: number | undefined): Walk {
  const walk = new Walk(named, before.steps.slice(0, step))
  if (instead !== undefined) walk.take(instead)
  for (let later = step + 1; later < before.steps.length; later++) {
    const { label } = before.choices[later]![before.steps[later]!]!
    const same = walk.next.findIndex(choice => choice.label === label)
    if (same >= 0) walk.take(same)
  }
  return walk
}
