// UCB-D, UCB-DS and UCB-DS2 (THESIS §7.3.2, algorithms 8 and 9; §7.4.4, algorithm 10): each arm at a node R_i, and a controller AS
// that learns which arm is pulled in every round. The arms pass the largest index so far along a ring that is drawn anew each time.
//
// Corrections: first_i is set (algorithm 8 leaves it out); the comparison of algorithm 9 stays in UCB-DS2 (algorithm 10 leaves it
// out); what a node cannot open is refused, and what was sealed for one round opens in no other ("Dec_i = i" alone would take an
// old one). What it does not hide: protocols/bandits 10.

import { assert } from '../../core/index.ts'
import { ucb1 } from '../policies/index.ts'

/** In the clear; with one key for all; with another for each arm, so that arms do not see who leads. */
export type RingLevel = 'ucb-d' | 'ucb-ds' | 'ucb-ds2'

/** Seals for the owner of the key of that name; bound to what it is about. */
export interface PrintedSeals {
  seal(key: string, about: string, message: Uint8Array): Uint8Array
  /** Undefined where it was not sealed with this key, about this. */
  open(key: string, about: string, sealed: Uint8Array): Uint8Array | undefined
}

/** Sums under encryption, to the user's key. */
export interface PrintedSums {
  encrypt(value: bigint): bigint
  add(one: bigint, other: bigint): bigint
  decrypt(sum: bigint): bigint
}

/** What a ring is played with. */
export interface RingParts {
  readonly arms: number
  readonly budget: number
  readonly level: RingLevel
  readonly seals: PrintedSeals
  readonly sums: PrintedSums
  /** What a data owner gives each arm at the beginning (step 0), where the arms have not their own sources. */
  readonly handOver?: readonly Uint8Array[]
  below(bound: number): number
  /** Sees every message: `from` and `to` are the names of nodes. */
  overhear?(from: string, to: string, message: Uint8Array | bigint): void
  /** What the controller decides by: for each round the order of the ring, and who leads at its end. */
  decided?(order: readonly number[], leader: number): void
  /** Runs what a node computes: for who measures how long each takes. */
  working?<Result>(node: string, work: () => Result): Result
}

type Working = NonNullable<RingParts['working']>
const AS = 'AS'
const atOnce: Working = (_node, work) => work()

/** An arm is to be pulled: answer with its reward in steps of the grid. */
export interface RingPull {
  readonly arm: number
  readonly number: number
}

/** What came of it. */
export interface RingResult {
  /** Of all rewards, in steps. */
  readonly steps: number
  readonly arms: readonly { readonly pulls: number; readonly sum: number }[]
}

const ALL = 'all'
const NOBODY = 255

/** The bytes of a message that is for node `to`: in the clear in UCB-D. */
class Post {
  private readonly parts: RingParts

  constructor(parts: RingParts) {
    this.parts = parts
  }

  send(from: string, to: string, about: string, message: Uint8Array): Uint8Array {
    const { level, seals, overhear } = this.parts
    const sealed = level === 'ucb-d' ? message : seals.seal(ALL, about, message)
    overhear?.(from, to, sealed)
    return sealed
  }

  receive(about: string, sealed: Uint8Array): Uint8Array {
    const { level, seals } = this.parts
    const message = level === 'ucb-d' ? sealed : seals.open(ALL, about, sealed)
    assert(message !== undefined, 'a message of the ring opens')
    return message
  }
}

const name = (arm: number) => `R${arm + 1}`
const INDEX_BYTES = 8

/** R_i: alone knows its rewards. */
class RingArm {
  pulls = 0
  sum = 0
  private readonly place: number
  private readonly parts: RingParts
  private all: number
  private isFirst = false
  next = NOBODY

  constructor(place: number, parts: RingParts) {
    this.place = place
    this.parts = parts
    this.all = parts.arms - 1
  }

  /** Algorithm 9, lines 1 to 3. Whether it is to be pulled. */
  turn(message: Uint8Array): boolean {
    this.isFirst = message[1] === 1
    this.next = message[2]!
    this.all++
    return message[0] === 1
  }

  /** Lines 8 to 18: the leader so far, in the form in which it is passed on. */
  pass(received: Uint8Array | undefined, about: string): Uint8Array {
    const index = ucb1.index({ pulls: this.pulls, sum: this.sum }, this.all, () => 0.5)
    if (!this.isFirst && received !== undefined && readIndex(received) >= index) return received
    return lead(index, this.named(about))
  }

  /** i_m: in the clear to all arms, or sealed to AS alone. */
  private named(about: string): Uint8Array {
    const { level, seals } = this.parts
    const own = Uint8Array.of(this.place)
    return level === 'ucb-ds2' ? seals.seal(name(this.place), about, own) : own
  }
}

function lead(index: number, named: Uint8Array): Uint8Array {
  const out = new Uint8Array(INDEX_BYTES + named.length)
  new DataView(out.buffer).setFloat64(0, index)
  out.set(named, INDEX_BYTES)
  return out
}

function readIndex(message: Uint8Array): number {
  return new DataView(message.buffer, message.byteOffset, message.byteLength).getFloat64(0)
}

/** Plays a whole run. Each arm that is asked for is pulled before it goes on. */
export function* playRing(parts: RingParts): Generator<RingPull, RingResult, number> {
  const { arms: count, budget, sums, overhear, working = atOnce } = parts
  const post = new Post(parts)
  const arms = Array.from({ length: count }, (_, place) => new RingArm(place, parts))
  for (const [place, source] of parts.handOver?.entries() ?? []) {
    post.receive('source', post.send('DO', name(place), 'source', source))
  }
  overhear?.('U', AS, BigInt(budget))
  let leader = NOBODY
  for (let round = 0; round <= budget - count; round++) {
    const about = `round ${round}`
    const order = working(AS, () => permutation(count, parts.below))
    for (const [place, arm] of arms.entries()) {
      const sealed = working(AS, () => post.send(AS, name(place), about, toldTo(place, order, leader)))
      if (!working(name(place), () => arm.turn(post.receive(about, sealed)))) continue
      arm.sum += yield { arm: place, number: arm.pulls + 1 }
      arm.pulls++
    }
    leader = ringRound(parts, post, arms, { order, about, before: leader })
    parts.decided?.(order, leader)
  }
  let sum: bigint | undefined
  for (const [place, arm] of arms.entries()) {
    const sealed = working(name(place), () => sums.encrypt(BigInt(arm.sum)))
    overhear?.(name(place), AS, sealed)
    const before = sum
    sum = before === undefined ? sealed : working(AS, () => sums.add(before, sealed))
  }
  overhear?.(AS, 'U', sum!)
  const steps = Number(working('U', () => sums.decrypt(sum!)))
  return { steps, arms: arms.map(({ pulls, sum: own }) => ({ pulls, sum: own })) }
}

/** Algorithm 8: whether it is pulled, whether it is the first of the ring, and who is the next. */
function toldTo(place: number, order: readonly number[], leader: number): Uint8Array {
  const at = order.indexOf(place)
  return Uint8Array.of(Number(leader === NOBODY || leader === place), Number(at === 0), order[at + 1] ?? NOBODY)
}

interface Ring {
  readonly order: readonly number[]
  readonly about: string
  /** Who led in the round before. */
  readonly before: number
}

/** Steps 3 and 4: once round the ring, and the leader to AS. */
function ringRound(parts: RingParts, post: Post, arms: readonly RingArm[], { order, about, before }: Ring): number {
  const { working = atOnce } = parts
  let sealed: Uint8Array | undefined
  let at = order[0]!
  for (;;) {
    const [arm, from, had] = [arms[at]!, name(at), sealed]
    const { next } = arm
    sealed = working(from, () => {
      const passed = arm.pass(had && post.receive(about, had), about)
      return next === NOBODY
        ? post.send(from, AS, about, passed.slice(INDEX_BYTES))
        : post.send(from, name(next), about, passed)
    })
    const last = sealed
    if (next === NOBODY) return working(AS, () => leaderOf(parts, about, post.receive(about, last), before))
    at = next
  }
}

/** Algorithm 10, lines 15 to 19: AS tries the keys of all arms. */
function leaderOf({ level, seals, arms }: RingParts, about: string, named: Uint8Array, before: number): number {
  if (level !== 'ucb-ds2') return named[0]!
  const found = triedFirst(arms, before).find(arm => seals.open(name(arm), about, named)?.[0] === arm)
  assert(found !== undefined, 'no arm sealed the leader of this round')
  return found
}

/** All arms, and in front the one that led before: it mostly leads again, and every key that does not fit costs more than one that does. */
export function triedFirst(arms: number, before: number): number[] {
  const order = Array.from({ length: arms }, (_, arm) => arm)
  return order.includes(before) ? [before, ...order.filter(arm => arm !== before)] : order
}

export function permutation(length: number, below: (bound: number) => number): number[] {
  const order = Array.from({ length }, (_, place) => place)
  for (let last = length - 1; last > 0; last--) {
    const chosen = below(last + 1)
    ;[order[last], order[chosen]] = [order[chosen]!, order[last]!]
  }
  return order
}
