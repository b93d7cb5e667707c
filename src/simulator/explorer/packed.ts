// A state of the whole system as numbers, and everything that can happen next.

import { assert } from '../../core/index.ts'
import type { Change, Labelled, Tables } from './tables.ts'

export interface Packed {
  readonly tick: number
  /** Which user acts were done, as bits. */
  readonly done: number
  readonly crashesLeft: number
  readonly duplicatesLeft: number
  /** Each node's state, by its number. */
  readonly locals: readonly number[]
  /** The messages under way, by number, in order. */
  readonly bag: readonly number[]
}

/** `change`: of the node that the step happened to; nothing where time passed, or where all began. */
export type Visit = (next: Packed, label: string, change?: Change) => void

/** The system at the beginning, every node started: several where a start throws dice. */
export function beginnings(tables: Tables, visit: Visit): void {
  const { nodes, crashes, duplicates } = tables.system
  let starts: Packed[] = [{ tick: 0, done: 0, crashesLeft: crashes, duplicatesLeft: duplicates, locals: [], bag: [] }]
  for (const [place, spec] of nodes.entries()) {
    const changes = tables.start(place, 0, spec.saved?.get('') ?? [])
    starts = starts.flatMap(packed =>
      changes.map(({ local, sent }) => ({
        ...packed,
        locals: [...packed.locals, local],
        bag: added(packed.bag, sent),
      })),
    )
  }
  for (const packed of starts) settle(tables, packed, 'start', visit)
}

/** Everything that can happen next. */
export function expand(tables: Tables, packed: Packed, visit: Visit): void {
  deliveries(tables, packed, visit)
  for (const [place, local] of packed.locals.entries()) {
    for (const timer of tables.timers(local)) follow(tables, packed, place, timer, visit)
  }
  acts(tables, packed, visit)
  if (packed.crashesLeft > 0) crashes(tables, packed, visit)
  if (packed.tick < tables.system.ticks) {
    const locals = packed.locals.map(local => tables.later(local))
    settle(tables, { ...packed, tick: packed.tick + 1, locals }, `tick ${packed.tick + 1}`, visit)
  }
}

function deliveries(tables: Tables, packed: Packed, visit: Visit): void {
  const { bag } = packed
  for (let at = 0; at < bag.length; at++) {
    const number = bag[at]!
    if (number === bag[at - 1]) continue
    const flight = tables.flights[number]!
    const changes = tables.deliver(packed.locals[flight.to]!, number)
    const taken = { ...packed, bag: without(bag, at) }
    follow(tables, taken, flight.to, { label: flight.label, changes }, visit)
    if (packed.duplicatesLeft === 0) continue
    const kept = { ...packed, duplicatesLeft: packed.duplicatesLeft - 1 }
    follow(tables, kept, flight.to, { label: `${flight.label} (and again later)`, changes }, visit)
  }
}

function acts(tables: Tables, packed: Packed, visit: Visit): void {
  for (const [number, { node }] of tables.system.acts.entries()) {
    if ((packed.done >> number) & 1) continue
    const place = tables.placeOf(node)
    const act = tables.act(packed.locals[place]!, number)
    if (act !== undefined) follow(tables, { ...packed, done: packed.done | (1 << number) }, place, act, visit)
  }
}

function crashes(tables: Tables, packed: Packed, visit: Visit): void {
  const crashed = { ...packed, crashesLeft: packed.crashesLeft - 1 }
  for (const [place, spec] of tables.system.nodes.entries()) {
    if (spec.crashes) follow(tables, crashed, place, tables.crash(packed.locals[place]!), visit)
  }
}

function follow(tables: Tables, packed: Packed, place: number, happened: Labelled, visit: Visit): void {
  for (const change of happened.changes)
    settle(tables, changed(packed, place, change), happened.label, (next, label) => visit(next, label, change))
}

// Delivers what is settled until nothing is.
function settle(tables: Tables, packed: Packed, label: string, visit: Visit): void {
  const at = settledAt(tables, packed)
  if (at < 0) return visit(packed, label)
  const number = packed.bag[at]!
  const flight = tables.flights[number]!
  const before = packed.locals[flight.to]!
  const changes = tables.deliver(before, number)
  // A second copy of the message must be worth no more than a second copy of its reply.
  const plain = changes.length === 1 && changes[0]!.sent.length <= 1
  assert(
    plain || tables.system.duplicates === 0,
    `settled, with several replies, and may be duplicated: ${flight.label}`,
  )
  const taken = { ...packed, bag: without(packed.bag, at) }
  for (const change of changes) {
    assert(change.local === before, `called settled, but it changed the node: ${flight.label}`)
    settle(
      tables,
      changed(taken, flight.to, change),
      change.sent.length === 0 ? label : `${label}\n${flight.label}`,
      visit,
    )
  }
}

function settledAt(tables: Tables, packed: Packed): number {
  const { bag, locals } = packed
  for (let at = 0; at < bag.length; at++) {
    const { from, to } = tables.flights[bag[at]!]!
    if (tables.system.nodes[to]!.settled === undefined) continue
    if (tables.isSettled(locals[to]!, bag[at]!, besideOf(tables, bag, at, from, to))) return at
  }
  return -1
}

const NONE: readonly number[] = []

/** The other messages under way from the same sender to the same receiver. */
export function besideOf(
  tables: Tables,
  bag: readonly number[],
  at: number,
  from: number,
  to: number,
): readonly number[] {
  let beside: number[] | undefined
  for (let place = 0; place < bag.length; place++) {
    const flight = tables.flights[bag[place]!]!
    if (place === at || flight.from !== from || flight.to !== to) continue
    beside ??= []
    beside.push(bag[place]!)
  }
  return beside ?? NONE
}

function changed(packed: Packed, place: number, { local, sent }: Change): Packed {
  return { ...packed, locals: packed.locals.with(place, local), bag: added(packed.bag, sent) }
}

function without(bag: readonly number[], at: number): number[] {
  const left: number[] = []
  for (let place = 0; place < bag.length; place++) if (place !== at) left.push(bag[place]!)
  return left
}

function added(bag: readonly number[], sent: readonly number[]): readonly number[] {
  if (sent.length === 0) return bag
  const all = [...bag, ...sent]
  sortFew(all)
  return all
}

/** Sorts in place; for a dozen numbers faster than a comparing sort. */
export function sortFew(numbers: number[]): void {
  for (let at = 1; at < numbers.length; at++) {
    const moving = numbers[at]!
    let to = at
    for (; to > 0 && numbers[to - 1]! > moving; to--) numbers[to] = numbers[to - 1]!
    numbers[to] = moving
  }
}

/** Equal exactly for states that are equal or mirrored (symmetry.ts). */
export function keyOf(tables: Tables, packed: Packed): string {
  const { locals, flights, symmetric, others } = tables
  let key = unit(packed.tick) + unit(packed.done) + unit(packed.crashesLeft * 256 + packed.duplicatesLeft)
  for (const place of others) key += unit(locals[packed.locals[place]!]!.own)
  const views: number[] = []
  for (let rank = 0; rank < symmetric.length; rank++) views.push(tables.textNumber(viewOf(tables, packed, rank)))
  sortFew(views)
  for (const view of views) key += unit(view)
  for (const number of packed.bag) if (flights[number]!.rank < 0) key += unit(number)
  return key
}

// All that concerns one symmetric node, but for its name.
function viewOf(tables: Tables, packed: Packed, rank: number): string {
  const { locals, flights, symmetric, others } = tables
  let view = unit(locals[packed.locals[symmetric[rank]!]!]!.own)
  for (const place of others) view += unit(locals[packed.locals[place]!]!.about[rank]!)
  const symbols: number[] = []
  for (const number of packed.bag) if (flights[number]!.rank === rank) symbols.push(flights[number]!.symbol)
  sortFew(symbols)
  for (const symbol of symbols) view += unit(symbol)
  return view
}

const WIDE = 0xffff

// A number as one character, or three where it is large; no number begins like another.
function unit(number: number): string {
  if (number < WIDE) return String.fromCharCode(number)
  return String.fromCharCode(WIDE, number >>> 16, number & 0xffff)
}
