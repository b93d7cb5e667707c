// Checks what a system claims about itself (`essence`, `messageEssence`, `settled`) on its full, unreduced space. Two
// explorations that agree in what they reach can agree by luck; this looks at each claim where it is made:
// - states of a node with the same essence lead, by every input that any of them can meet, to the same essences and
//   the same messages;
// - a settled message changes nothing, and after whatever else happens it is still settled and its replies the same.

import { assert, fingerprint } from '../../core/index.ts'
import { beginnings, besideOf, expand, keyOf, type Packed } from './packed.ts'
import { clockAt, diskOf, type System, unreduced } from './system.ts'
import { type Change, type Labelled, Tables, timersThatMatter } from './tables.ts'

/** Throws at the first claim that does not hold; tells how many states and how many nodes' states it looked at. */
export function checkClaims(system: System, statesMax = 500_000): { states: number; locals: number } {
  const claims = new Claims(system)
  const seen = new Set<string>()
  let below: Packed[] = []
  const visit = (packed: Packed) => {
    const key = keyOf(claims.tables, packed)
    if (seen.has(key)) return
    seen.add(key)
    below.push(packed)
    claims.meet(packed)
  }
  beginnings(claims.tables, visit)
  while (below.length > 0) {
    const layer = below
    below = []
    assert(seen.size <= statesMax, 'too many states to check claims')
    for (const packed of layer) {
      const settled = claims.settledIn(packed)
      expand(claims.tables, packed, next => {
        claims.checkSettled(settled, next)
        visit(next)
      })
    }
  }
  return { states: seen.size, locals: claims.checkEssence() }
}

class Claims {
  readonly tables: Tables
  readonly #system: System
  readonly #essences = new Map<number, string>()
  /** For each essence, the states of the node that have it and the messages that they meet. */
  readonly #classes = new Map<string, { members: Set<number>; flights: Set<number> }>()

  constructor(system: System) {
    this.#system = system
    this.tables = new Tables(unreduced(system), false)
  }

  meet(packed: Packed): void {
    for (const local of packed.locals) this.#class(local).members.add(local)
    for (const flight of packed.bag) this.#class(packed.locals[this.tables.flights[flight]!.to]!).flights.add(flight)
  }

  #class(local: number) {
    const essence = this.#essence(local)
    const known = this.#classes.get(essence) ?? { members: new Set<number>(), flights: new Set<number>() }
    this.#classes.set(essence, known)
    return known
  }

  #essence(number: number): string {
    const known = this.#essences.get(number)
    if (known !== undefined) return known
    const { place, tick, node } = this.tables.locals[number]!
    const clock = clockAt(this.#system, place, tick)
    const essence = this.#system.nodes[place]!.essence?.(node.state, clock) ?? node.state
    const timers = timersThatMatter(node.timers, clock, clockAt(this.#system, place, this.#system.ticks))
    const text = [place, tick, ...[essence, timers, diskOf(node)].map(fingerprint)].join(' ')
    this.#essences.set(number, text)
    return text
  }

  #message(flight: number): string {
    const { from, to, body } = this.tables.flights[flight]!
    return `${from}>${to}${fingerprint(this.#system.messageEssence?.(body) ?? body)}`
  }

  #outcome(changes: readonly Change[]): string {
    const texts = changes.map(({ local, sent }) => `${this.#essence(local)} sends ${this.#sent(sent)}`)
    return texts.sort().join('; ')
  }

  #sent(flights: readonly number[]): string {
    return flights
      .map(flight => this.#message(flight))
      .sort()
      .join()
  }

  /** The number of states of nodes that were compared. */
  checkEssence(): number {
    let compared = 0
    for (const [essence, { members, flights }] of [...this.#classes]) {
      const expected = new Map<string, string>()
      for (const member of members) {
        compared++
        for (const [input, outcome] of this.#behaviour(member, flights)) {
          const before = expected.get(input)
          if (before === undefined) expected.set(input, outcome)
          else assert(before === outcome, `one essence, two outcomes of ${input}: ${essence}\n${before}\n${outcome}`)
        }
      }
    }
    return compared
  }

  *#behaviour(member: number, flights: ReadonlySet<number>): Generator<[string, string]> {
    const { tables } = this
    const { place, tick } = tables.locals[member]!
    const { nodes, acts, ticks, crashes } = this.#system
    const labelled = (happened: Labelled | undefined): string =>
      happened ? this.#outcome(happened.changes) : 'refused'
    for (const flight of flights) yield [this.#message(flight), this.#outcome(tables.deliver(member, flight))]
    yield [
      'timers',
      tables
        .timers(member)
        .map(timer => `${timer.label} ${labelled(timer)}`)
        .sort()
        .join('; '),
    ]
    for (const [number, act] of acts.entries()) {
      if (act.node === nodes[place]!.id) yield [act.label, labelled(tables.act(member, number))]
    }
    if (crashes > 0 && nodes[place]!.crashes) yield ['crash', labelled(tables.crash(member))]
    if (tick < ticks) yield ['tick', this.#essence(tables.later(member))]
  }

  /** The settled messages under way, with their replies. */
  settledIn(packed: Packed): Map<number, string> {
    const { tables } = this
    const settled = new Map<number, string>()
    for (const [at, number] of packed.bag.entries()) {
      const { from, to, body, label } = tables.flights[number]!
      const local = packed.locals[to]!
      const beside = besideOf(tables, packed.bag, at, from, to).map(other => tables.flights[other]!.body)
      const { nodes } = this.#system
      if (!nodes[to]!.settled?.(tables.locals[local]!.node.state, nodes[from]!.id, body, beside)) continue
      const changes = tables.deliver(local, number)
      const same = changes.every(change => this.#essence(change.local) === this.#essence(local))
      assert(same, `called settled, but it changed the node: ${label}`)
      settled.set(
        number,
        changes
          .map(change => this.#sent(change.sent))
          .sort()
          .join('; '),
      )
    }
    return settled
  }

  checkSettled(before: ReadonlyMap<number, string>, next: Packed): void {
    if (before.size === 0) return
    const after = this.settledIn(next)
    for (const [number, replies] of before) {
      if (!next.bag.includes(number)) continue
      const { label } = this.tables.flights[number]!
      assert(after.has(number), `called settled, and then no longer: ${label}`)
      assert(after.get(number) === replies, `called settled, but the replies change: ${label}`)
    }
  }
}
