// The search of check.ts for one key.
//
// Walk the returns in order of time. At the return of X, X must stand in the order; if it does not, put it there, after
// as many others that are under way as needed. Any order that real time allows has this form: move each operation
// back until just before the first return among itself and those behind it. So a configuration is small: which of the
// operations under way are done already, and the state. Depth first, since one order is enough; at each return the
// configurations with the fewest extra operations first, since what is not used up can still be used.

import { fingerprint } from '../../core/index.ts'
import { type Entry, type Operation, returnOf, type Whole } from './model.ts'
import { type Needs, needsOf, outlived } from './needs.ts'

/** A set of small numbers, 32 to a word, as many words as needed. */
type Bits = readonly number[]
const NONE: Bits = []

const has = (set: Bits, at: number): boolean => (((set[at >>> 5] ?? 0) >>> (at & 31)) & 1) === 1

function flipped(set: Bits, at: number): Bits {
  const words = [...set]
  while (words.length <= at >>> 5) words.push(0)
  words[at >>> 5]! ^= 1 << (at & 31)
  while (words.at(-1) === 0) words.pop()
  return words
}

const within = (small: Bits, large: Bits): boolean => small.every((word, at) => (word & ~(large[at] ?? 0)) === 0)

function size(set: Bits): number {
  let count = 0
  for (const word of set) for (let rest = word; rest !== 0; rest &= rest - 1) count++
  return count
}

/** Tries for each configuration that is kept: a try takes about a microsecond, a configuration takes memory. */
const TRIES_MAX = 30

/** One return, and who is under way then. */
interface Moment<Call, Result> {
  readonly returning: Entry<Call, Result>
  readonly pending: readonly Entry<Call, Result>[]
}

interface Configuration<State, Call, Result> {
  readonly state: State
  /** A text of the state. */
  readonly print: string
  /** Operations under way that are done, and will return. */
  readonly taken: Bits
  /** Operations of unknown outcome that are done. */
  readonly spent: Bits
  /** The last operation put into the order, and what came before it. */
  readonly last: Entry<Call, Result> | undefined
  readonly before: Configuration<State, Call, Result> | undefined
}

/** A return that is being explained. */
interface Frame<State, Call, Result> {
  readonly moment: number
  /** Configurations to be tried: those that spent fewest first, then those with the fewest extra operations. */
  readonly queues: { readonly items: Configuration<State, Call, Result>[]; head: number }[]
  /** Tried with the returning operation next, and to be tried with others. */
  tried: Configuration<State, Call, Result> | undefined
}

export type Found<State, Call, Result> = { readonly configurations: number } & (
  | { readonly kind: 'order'; readonly order: readonly Operation<Call, Result>[]; readonly state: State }
  | { readonly kind: 'none' }
  /** Gave up. */
  | { readonly kind: 'undecided' }
)

export function search<State, Call, Result>(
  model: Whole<State, Call, Result>,
  operations: readonly Operation<Call, Result>[],
  configurationsMax: number,
): Found<State, Call, Result> {
  const sorted = [...operations].sort((a, b) => a.calledAt - b.calledAt)
  const entries = entriesOf(model, sorted)
  const needs = needsOf(model, entries)
  if (outlived(model, entries, needs)) return { kind: 'none', configurations: 0 }
  const walk = new Walk(model, entries, needs)
  walk.begin()
  for (;;) {
    const found = walk.advance()
    const { configurations } = walk
    if (found !== undefined) return { ...found, configurations }
    const tired = configurations > configurationsMax || walk.tries > TRIES_MAX * configurationsMax
    if (tired) return { kind: 'undecided', configurations }
  }
}

function entriesOf<State, Call, Result>(
  model: Whole<State, Call, Result>,
  sorted: readonly Operation<Call, Result>[],
): Entry<Call, Result>[] {
  const never = Number.POSITIVE_INFINITY
  return sorted.map(operation => {
    const known = operation.outcome.kind === 'returned'
    const twin = known ? undefined : fingerprint(operation.call)
    return { operation, reads: model.reads(operation.call), twin, slot: 0, first: never, last: never }
  })
}

/** Returns in order of time; at equal times calls come first. */
function momentsOf<Call, Result>(entries: readonly Entry<Call, Result>[]): Moment<Call, Result>[] {
  const returning = entries.filter(entry => entry.twin === undefined).sort((a, b) => returnOf(a) - returnOf(b))
  for (const [at, entry] of returning.entries()) entry.last = at
  const lastPlace = returning.length
  const pending = new Set<Entry<Call, Result>>()
  const free: number[] = []
  let slots = 0
  let unknown = 0
  let calls = 0
  const moments: Moment<Call, Result>[] = []
  for (const entry of returning) {
    for (; calls < entries.length && entries[calls]!.operation.calledAt <= returnOf(entry); calls++) {
      const next = entries[calls]!
      // What changes nothing and was not heard of explains nothing.
      if (next.twin !== undefined && next.reads) continue
      next.first = moments.length
      next.slot = next.twin === undefined ? (free.pop() ?? slots++) : unknown++
      pending.add(next)
    }
    // Who returns first is tried first, and who was never heard of last: a wrong guess then shows soon.
    const urgent = [...pending].sort((a, b) => Math.min(a.last, lastPlace) - Math.min(b.last, lastPlace))
    moments.push({ returning: entry, pending: urgent })
    pending.delete(entry)
    free.push(entry.slot)
  }
  return moments
}

function enqueue<State, Call, Result>(
  frame: Frame<State, Call, Result>,
  configuration: Configuration<State, Call, Result>,
): void {
  const spent = size(configuration.spent)
  while (frame.queues.length <= spent) frame.queues.push({ items: [], head: 0 })
  frame.queues[spent]!.items.push(configuration)
}

function dequeue<State, Call, Result>(
  frame: Frame<State, Call, Result>,
): Configuration<State, Call, Result> | undefined {
  const queue = frame.queues.find(one => one.head < one.items.length)
  return queue?.items[queue.head++]
}

type Ended<State, Call, Result> =
  | { kind: 'order'; order: readonly Operation<Call, Result>[]; state: State }
  | { kind: 'none' }

function orderOf<State, Call, Result>(end: Configuration<State, Call, Result>): Ended<State, Call, Result> {
  const order: Operation<Call, Result>[] = []
  for (let one: typeof end | undefined = end; one?.last !== undefined; one = one.before) order.push(one.last.operation)
  return { kind: 'order', order: order.reverse(), state: end.state }
}

class Walk<State, Call, Result> {
  /** Pairs of done operations and state that were kept. */
  configurations = 0
  /** With those that were known already. */
  tries = 0
  private readonly model: Whole<State, Call, Result>
  private readonly moments: readonly Moment<Call, Result>[]
  private readonly needs: Needs<Call, Result>
  private readonly stack: Frame<State, Call, Result>[] = []
  /** By moment: taken operations and state → the smallest sets of spent ones that were tried with them. */
  private readonly seen: Map<string, Bits[]>[] = []

  constructor(model: Whole<State, Call, Result>, entries: readonly Entry<Call, Result>[], needs: Needs<Call, Result>) {
    this.model = model
    this.moments = momentsOf(entries)
    this.needs = needs
  }

  begin(): void {
    const { initial } = this.model
    const print = this.model.fingerprint(initial)
    this.enter(0, { state: initial, print, taken: NONE, spent: NONE, last: undefined, before: undefined })
  }

  /** One configuration further. */
  advance(): Ended<State, Call, Result> | undefined {
    const frame = this.stack.at(-1)
    if (frame === undefined) return { kind: 'none' }
    const moment = this.moments[frame.moment]
    if (moment === undefined) return orderOf(dequeue(frame)!)
    if (frame.tried !== undefined) {
      const { tried } = frame
      frame.tried = undefined
      this.putOthers(frame, moment, tried)
      // That may have opened frames above this one, which come first.
      return undefined
    }
    const next = dequeue(frame)
    if (next === undefined) {
      this.stack.pop()
      return undefined
    }
    frame.tried = next
    for (const after of this.put(frame.moment, next, moment.returning)) {
      this.enter(frame.moment + 1, { ...after, taken: flipped(after.taken, moment.returning.slot) })
    }
    return undefined
  }

  /** Goes on to the first return that is not yet explained, and opens a frame for it, unless all that was tried. */
  private enter(from: number, configuration: Configuration<State, Call, Result>): void {
    let at = from
    let settled = this.takeReads(at, configuration)
    for (; at < this.moments.length; settled = this.takeReads(++at, settled)) {
      const { slot } = this.moments[at]!.returning
      if (!has(settled.taken, slot)) break
      settled = { ...settled, taken: flipped(settled.taken, slot) }
    }
    if (!this.fresh(at, settled)) return
    const frame = { moment: at, queues: [], tried: undefined }
    enqueue(frame, settled)
    this.stack.push(frame)
  }

  /** All that may come next besides the returning operation. */
  private putOthers(
    frame: Frame<State, Call, Result>,
    moment: Moment<Call, Result>,
    configuration: Configuration<State, Call, Result>,
  ): void {
    const offered = new Set<string>()
    for (const entry of moment.pending) {
      if (entry === moment.returning || has(this.setOf(configuration, entry), entry.slot)) continue
      if (entry.twin !== undefined) {
        if (offered.has(entry.twin)) continue
        offered.add(entry.twin)
      }
      for (const after of this.put(frame.moment, configuration, entry)) {
        // An operation nobody heard of that changes nothing explains nothing.
        if (entry.twin !== undefined && after.print === configuration.print) continue
        const settled = this.takeReads(frame.moment, after)
        // A read that returns now may have found its place on the way.
        if (has(settled.taken, moment.returning.slot)) this.enter(frame.moment, settled)
        else if (this.fresh(frame.moment, settled)) enqueue(frame, settled)
      }
    }
  }

  /** The configurations in which this operation comes next, with what it answered. */
  private *put(
    moment: number,
    configuration: Configuration<State, Call, Result>,
    entry: Entry<Call, Result>,
  ): Generator<Configuration<State, Call, Result>> {
    const { call, outcome } = entry.operation
    for (const { state, result } of this.model.step(configuration.state, call)) {
      if (outcome.kind === 'returned' && !this.model.equal(outcome.result, result)) continue
      const set = flipped(this.setOf(configuration, entry), entry.slot)
      const after = {
        state,
        print: this.model.fingerprint(state),
        taken: entry.twin === undefined ? set : configuration.taken,
        spent: entry.twin === undefined ? configuration.spent : set,
        last: entry,
        before: configuration,
      }
      if (after.print === configuration.print || !this.strands(moment, after, configuration.print)) yield after
    }
  }

  /** Somebody still needs the state that was just left, and nobody can bring it back. */
  private strands(moment: number, after: Configuration<State, Call, Result>, left: string): boolean {
    const undone = (entry: Entry<Call, Result>) =>
      entry.first > moment || (entry.last >= moment && !has(this.setOf(after, entry), entry.slot))
    // Sorted by return, so that where any is left to come the last one is.
    if (this.needs.requiring.get(left)?.findLast(undone) === undefined) return false
    if (this.model.forward) return true
    if (this.needs.restoring.get(left)?.findLast(undone) !== undefined) return false
    return this.needs.anywhere.findLast(undone) === undefined
  }

  private takeReads(
    moment: number,
    configuration: Configuration<State, Call, Result>,
  ): Configuration<State, Call, Result> {
    let settled = configuration
    for (const entry of this.moments[moment]?.pending ?? []) {
      if (!entry.reads || has(settled.taken, entry.slot)) continue
      for (const after of this.put(moment, settled, entry)) {
        settled = after
        break
      }
    }
    return settled
  }

  private setOf(configuration: Configuration<State, Call, Result>, entry: Entry<Call, Result>): Bits {
    return entry.twin === undefined ? configuration.taken : configuration.spent
  }

  /** Not tried yet, and nothing at least as free was. */
  private fresh(moment: number, configuration: Configuration<State, Call, Result>): boolean {
    this.tries++
    this.seen[moment] ??= new Map()
    const tried = this.seen[moment]
    const key = `${configuration.taken.join()};${configuration.print}`
    const smallest = tried.get(key) ?? []
    if (smallest.some(set => within(set, configuration.spent))) return false
    const rest = smallest.filter(set => !within(configuration.spent, set))
    rest.push(configuration.spent)
    tried.set(key, rest)
    this.configurations++
    return true
  }
}
