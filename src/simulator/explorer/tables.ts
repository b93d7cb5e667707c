// Small numbers for what recurs. A system has millions of states, but each node has only hundreds of states of its own,
// and there are only hundreds of different messages. Each gets a number, and a node's step is computed once for each
// state and input: the exploration then moves numbers about. A state's key is the exact list of its numbers, no hash.

import { assert, fingerprint, type Input } from '../../core/index.ts'
import { refuseNames, splitNode, symmetricNames } from './symmetry.ts'
import { clockAt, diskOf, type NodeMoment, type Outcome, outcomes, type System, starts } from './system.ts'

export interface Flight {
  readonly from: number
  readonly to: number
  readonly body: unknown
  readonly label: string
  /** Which symmetric node it concerns, or -1, and its number among all that look the same but for that name. */
  readonly rank: number
  readonly symbol: number
}

/** What one input leads to: the node's next state and the messages sent, by number. */
export interface Change {
  readonly local: number
  readonly sent: readonly number[]
  readonly told: readonly unknown[]
}

export interface Labelled {
  readonly label: string
  readonly changes: readonly Change[]
}

/** One state of one node at one tick. */
export interface Local {
  readonly place: number
  readonly tick: number
  readonly node: NodeMoment
  readonly own: number
  /** What it remembers of each symmetric node. */
  readonly about: readonly number[]
  readonly deliveries: Map<number, readonly Change[]>
  readonly settled: Map<number, boolean>
  readonly acts: Map<number, Labelled | undefined>
  timers: readonly Labelled[] | undefined
  crash: Labelled | undefined
  later: number | undefined
}

export class Tables {
  readonly system: System
  readonly flights: Flight[] = []
  readonly locals: Local[] = []
  readonly symmetric: readonly number[]
  readonly others: readonly number[]
  readonly #names: readonly string[]
  readonly #reduced: boolean
  readonly #flightNumbers = new Map<string, number>()
  readonly #localNumbers = new Map<string, number>()
  readonly #texts = new Map<string, number>()
  readonly #places: ReadonlyMap<string, number>

  constructor(system: System, reduced: boolean) {
    const places = [...system.nodes.keys()]
    this.system = system
    this.#reduced = reduced
    this.symmetric = places.filter(place => system.nodes[place]!.symmetric)
    this.others = places.filter(place => !system.nodes[place]!.symmetric)
    this.#names = symmetricNames(system)
    this.#places = new Map(places.map(place => [system.nodes[place]!.id, place]))
  }

  placeOf(id: string): number {
    const place = this.#places.get(id)
    assert(place !== undefined, `no node '${id}' in the system`)
    return place
  }

  start(place: number, tick: number, records: readonly Uint8Array[]): Change[] {
    return this.#record(place, tick, starts(this.system.nodes[place]!, clockAt(this.system, place, tick), records))
  }

  deliver(number: number, flightNumber: number): readonly Change[] {
    const local = this.locals[number]!
    const known = local.deliveries.get(flightNumber)
    if (known !== undefined) return known
    const { from, body } = this.flights[flightNumber]!
    const changes = this.#step(local, local.node, { kind: 'message', from: this.system.nodes[from]!.id, body })
    local.deliveries.set(flightNumber, changes)
    return changes
  }

  timers(number: number): readonly Labelled[] {
    const local = this.locals[number]!
    if (local.timers !== undefined) return local.timers
    const { id } = this.system.nodes[local.place]!
    const now = clockAt(this.system, local.place, local.tick)
    local.timers = [...local.node.timers]
      .filter(([, due]) => due <= now)
      .map(([name]) => {
        const left = new Map(local.node.timers)
        left.delete(name)
        const changes = this.#step(local, { ...local.node, timers: left }, { kind: 'timer', name })
        return { label: `${id}: timer ${name}`, changes }
      })
    return local.timers
  }

  /** Undefined where the act is not allowed. */
  act(number: number, act: number): Labelled | undefined {
    const local = this.locals[number]!
    if (local.acts.has(act)) return local.acts.get(act)
    const { node, label, allowed, command } = this.system.acts[act]!
    const { state } = local.node
    let done: Labelled | undefined
    if (allowed === undefined || allowed(state, clockAt(this.system, local.place, local.tick))) {
      const changes = this.#step(local, local.node, { kind: 'command', body: command(state) })
      done = { label: `${node}: ${label}`, changes }
    }
    local.acts.set(act, done)
    return done
  }

  crash(number: number): Labelled {
    const local = this.locals[number]!
    const { records, lazy } = local.node
    local.crash ??= {
      label: `${this.system.nodes[local.place]!.id}: crashes and restarts`,
      // With all it saved, or without the last lazy record, or without the last two, …
      changes: Array.from({ length: lazy + 1 }, (_, lost) =>
        this.start(local.place, local.tick, records.slice(0, records.length - lost)),
      ).flat(),
    }
    return local.crash
  }

  /** The same node one tick later. */
  later(number: number): number {
    const local = this.locals[number]!
    local.later ??= this.#localNumber(local.place, local.tick + 1, local.node)
    return local.later
  }

  isSettled(number: number, flightNumber: number, beside: readonly number[]): boolean {
    const local = this.locals[number]!
    const { settled } = this.system.nodes[local.place]!
    if (settled === undefined) return false
    const known = beside.length === 0 ? local.settled.get(flightNumber) : undefined
    if (known !== undefined) return known
    const { from, body } = this.flights[flightNumber]!
    const bodies = beside.map(other => this.flights[other]!.body)
    const answer = settled(local.node.state, this.system.nodes[from]!.id, body, bodies)
    if (beside.length === 0) local.settled.set(flightNumber, answer)
    return answer
  }

  /** The same number for the same text, from 0 on. */
  textNumber(text: string): number {
    const known = this.#texts.get(text)
    if (known !== undefined) return known
    this.#texts.set(text, this.#texts.size)
    return this.#texts.size - 1
  }

  #step(local: Local, before: NodeMoment, input: Input<unknown, unknown>): Change[] {
    const { place, tick } = local
    const clock = clockAt(this.system, place, tick)
    return this.#record(place, tick, outcomes(this.system.nodes[place]!, clock, before, input))
  }

  #record(place: number, tick: number, results: readonly Outcome[]): Change[] {
    return results.map(({ node, sent, told }) => ({
      told,
      local: this.#localNumber(place, tick, node),
      sent: sent.flatMap(({ to, body }) => {
        const target = this.#places.get(to)
        return target === undefined ? [] : [this.#flightNumber(place, target, body)]
      }),
    }))
  }

  #localNumber(place: number, tick: number, moment: NodeMoment): number {
    const { system } = this
    const clock = clockAt(system, place, tick)
    const timers = this.#reduced
      ? timersThatMatter(moment.timers, clock, clockAt(system, place, system.ticks))
      : moment.timers
    const node = { ...moment, timers }
    const essence = system.nodes[place]!.essence?.(node.state, clock) ?? node.state
    const { own, about } = splitNode(system, place, essence, timers, diskOf(node))
    const key = `${place} ${tick} ${own}#${about.join('#')}`
    const known = this.#localNumbers.get(key)
    if (known !== undefined) return known
    const number = this.locals.length
    this.#localNumbers.set(key, number)
    this.locals.push({
      place,
      tick,
      node,
      own: this.textNumber(own),
      about: about.map(text => this.textNumber(text)),
      deliveries: new Map(),
      settled: new Map(),
      acts: new Map(),
      timers: undefined,
      crash: undefined,
      later: undefined,
    })
    return number
  }

  #flightNumber(from: number, to: number, sent: unknown): number {
    const { nodes, messageEssence, words } = this.system
    const body = messageEssence === undefined ? sent : messageEssence(sent)
    const text = fingerprint(body)
    const key = `${from}>${to}${text}`
    const known = this.#flightNumbers.get(key)
    if (known !== undefined) return known
    refuseNames(this.#names, text, 'message')
    const ranks = [this.symmetric.indexOf(from), this.symmetric.indexOf(to)]
    assert(ranks.includes(-1), `${nodes[from]!.id} and ${nodes[to]!.id} are symmetric and talk to each other`)
    const rank = Math.max(...ranks)
    const way = rank < 0 ? key : rank === ranks[0] ? `>${to}${text}` : `${from}>${text}`
    const number = this.flights.length
    this.#flightNumbers.set(key, number)
    const label = `${nodes[from]!.id} → ${nodes[to]!.id}: ${words === undefined ? text : words(body)}`
    this.flights.push({ from, to, body, label, rank, symbol: this.textNumber(`flight ${way}`) })
    return number
  }
}

// A timer that is due is due, however long since; one that is due after the end of time will never fire.
export function timersThatMatter(timers: ReadonlyMap<string, number>, clock: number, end: number): Map<string, number> {
  const matter = new Map<string, number>()
  for (const [name, due] of timers) if (due <= end) matter.set(name, Math.max(due, clock))
  return matter
}
