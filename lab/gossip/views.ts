// Peer sampling for a hundred thousand nodes in one flat array: node i's list is the slice [i·c, (i+1)·c).
//
// LECTURE, "peer sampling": each node has a list of c references, regularly picks one, and exchanges about c/2. What is
// kept afterwards is not said, and matters. The rules here, by the names of the papers that fixed them:
// - swap-random: what was received takes the place of what was sent (Cyclon's basic shuffle, Voulgaris et al. 2005);
//   the partner is picked at random, as the lecture has it. No reference is made or lost but for duplicates.
// - swap-oldest: the same, but the partner is the reference that has been held longest (Cyclon proper).
// - half: what was received takes the place of as many others, drawn at random; what was sent may stay. References are
//   copied and forgotten.
// - newest: both keep the c newest of all references of both (Newscast, Jelasity et al. 2003); a node's own one is
//   new in every exchange.
// - blind: both keep c of all references of both, at random.

import { type Chance, shuffle } from './chance.ts'

export const RULES = ['swap-random', 'swap-oldest', 'half', 'newest', 'blind'] as const
export type Rule = (typeof RULES)[number]

/** In rounds. References that old are equally old: with c = 30 none lives half as long. */
const AGE_MAX = 63

export class Views {
  readonly size: number
  /** c */
  readonly length: number
  /** How many references are exchanged, the own one included. */
  readonly half: number
  readonly rule: Rule
  /** c/2 references are shown, not all. */
  readonly byHalves: boolean
  /** A list may hold the same reference twice. The lecture does not forbid it; only swaps and halves are affected. */
  readonly doubles: boolean
  readonly links: Int32Array
  /** When the reference was made (newest) or came here (swap-oldest): larger is younger. Only for those rules. */
  readonly born: Int32Array
  private readonly chance: Chance
  private readonly order: Int32Array
  /** stamp[id] = now: the id is in the list that is being filled. */
  private readonly stamps: Int32Array
  private stamp = 0
  private round = 0
  private readonly sent: Int32Array
  private readonly sentBorn: Int32Array
  private readonly answered: Int32Array
  private readonly answeredBorn: Int32Array
  private readonly pool: Int32Array
  private readonly poolBorn: Int32Array
  /** Where in the pool an id is. */
  private readonly places: Int32Array
  private readonly ages = new Int32Array(AGE_MAX + 1)

  constructor(size: number, length: number, rule: Rule, chance: Chance, doubles = false) {
    this.size = size
    this.doubles = doubles
    this.length = length
    this.half = Math.max(1, Math.floor(length / 2))
    this.rule = rule
    this.chance = chance
    this.links = new Int32Array(size * length)
    this.born = new Int32Array(rule === 'newest' || rule === 'swap-oldest' ? size * length : 0)
    this.order = Int32Array.from({ length: size }, (_, place) => place)
    this.stamps = new Int32Array(size)
    this.byHalves = rule !== 'newest' && rule !== 'blind'
    const most = this.byHalves ? this.half : length + 1
    this.sent = new Int32Array(most)
    this.sentBorn = new Int32Array(most)
    this.answered = new Int32Array(most)
    this.answeredBorn = new Int32Array(most)
    this.pool = new Int32Array(2 * length + 2)
    this.poolBorn = new Int32Array(2 * length + 2)
    this.places = new Int32Array(rule === 'newest' ? size : 0)
    this.begin()
  }

  // Every list starts with c others, drawn at random: a random graph.
  private begin(): void {
    const { size, length, links, stamps, chance } = this
    for (let node = 0; node < size; node++) {
      const stamp = ++this.stamp
      stamps[node] = stamp
      for (let slot = node * length; slot < (node + 1) * length; ) {
        const id = chance.below(size)
        if (stamps[id] === stamp) continue
        stamps[id] = stamp
        links[slot++] = id
      }
    }
  }

  /** Every node starts one exchange, in random order. */
  runRound(exchange: (node: number) => void = node => this.exchange(node)): void {
    this.round++
    shuffle(this.order, this.chance)
    for (let at = 0; at < this.size; at++) exchange(this.order[at]!)
  }

  private exchange(node: number): void {
    const partner = this.pickPartner(node)
    const sent = this.offer(node, true, this.sent, this.sentBorn)
    const answered = this.offer(partner, false, this.answered, this.answeredBorn)
    this.merge(node, this.answered, this.answeredBorn, answered)
    this.merge(partner, this.sent, this.sentBorn, sent)
  }

  /** Chooses the partner, and brings its reference to the first slot, so that a swap gives it away first. */
  pickPartner(node: number): number {
    const { links, born, length, chance } = this
    const from = node * length
    let slot = from
    if (this.rule === 'swap-oldest') {
      for (let at = from + 1; at < from + length; at++) if (born[at]! < born[slot]!) slot = at
    } else {
      slot = from + chance.below(length)
    }
    this.exchangeSlots(from, slot)
    return links[from]!
  }

  private exchangeSlots(a: number, b: number): void {
    const { links, born } = this
    const link = links[a]!
    links[a] = links[b]!
    links[b] = link
    if (born.length === 0) return
    const age = born[a]!
    born[a] = born[b]!
    born[b] = age
  }

  /** What the node shows its partner, written to `into`; how many. For a swap these are its first slots. */
  offer(node: number, starts: boolean, into: Int32Array, intoBorn: Int32Array): number {
    const { links, born, length, half, chance } = this
    const from = node * length
    const swaps = this.byHalves
    const count = swaps ? half : length
    for (let at = 0; at < count; at++) {
      // Who starts has the partner in the first slot, and sends itself in its place.
      if (swaps && (at > 0 || !starts)) this.exchangeSlots(from + at, from + at + chance.below(length - at))
      into[at] = links[from + at]!
      intoBorn[at] = born.length > 0 ? born[from + at]! : 0
    }
    if (swaps) {
      if (starts) this.writeSelf(node, 0, into, intoBorn)
      return count
    }
    this.writeSelf(node, count, into, intoBorn)
    return count + 1
  }

  private writeSelf(node: number, at: number, into: Int32Array, intoBorn: Int32Array): void {
    into[at] = node
    intoBorn[at] = this.round
  }

  /** The node takes what it was shown into its list, by the rule. */
  merge(node: number, received: Int32Array, receivedBorn: Int32Array, count: number): void {
    if (!this.byHalves) return this.choose(node, received, receivedBorn, count)
    if (this.rule === 'half') this.drawFirst(node)
    this.swapIn(node, received, receivedBorn, count)
  }

  /** Brings c/2 references, drawn at random, to the first slots: those that will be forgotten. */
  private drawFirst(node: number): void {
    const from = node * this.length
    for (let at = 0; at < this.half; at++)
      this.exchangeSlots(from + at, from + at + this.chance.below(this.length - at))
  }

  private swapIn(node: number, received: Int32Array, receivedBorn: Int32Array, count: number): void {
    const { links, born, length, half, stamps } = this
    const stamp = ++this.stamp
    const from = node * length
    stamps[node] = stamp
    if (!this.doubles) for (let at = from; at < from + length; at++) stamps[links[at]!] = stamp
    let slot = from
    const end = from + half
    for (let at = 0; at < count && slot < end; at++) {
      const id = received[at]!
      if (stamps[id] === stamp) continue
      if (!this.doubles) stamps[id] = stamp
      links[slot] = id
      if (born.length > 0) born[slot] = receivedBorn[at]!
      slot++
    }
  }

  private choose(node: number, received: Int32Array, receivedBorn: Int32Array, count: number): void {
    const { links, born, length, stamps, pool, poolBorn, places } = this
    const stamp = ++this.stamp
    const from = node * length
    const newest = this.rule === 'newest'
    stamps[node] = stamp
    let filled = 0
    for (let at = 0; at < count; at++) {
      const id = received[at]!
      if (stamps[id] === stamp) continue
      stamps[id] = stamp
      if (newest) places[id] = filled
      pool[filled] = id
      poolBorn[filled++] = receivedBorn[at]!
    }
    for (let at = from; at < from + length; at++) {
      const id = links[at]!
      if (stamps[id] === stamp) {
        const place = places[id]!
        if (newest && id !== node && born[at]! > poolBorn[place]!) poolBorn[place] = born[at]!
        continue
      }
      stamps[id] = stamp
      pool[filled] = id
      if (newest) poolBorn[filled] = born[at]!
      filled++
    }
    if (newest) this.keepNewest(from, filled)
    else this.keepAny(from, filled)
  }

  private keepAny(from: number, filled: number): void {
    const { links, length, pool, chance } = this
    for (let at = 0; at < length && at < filled; at++) {
      const chosen = at + chance.below(filled - at)
      links[from + at] = pool[chosen]!
      pool[chosen] = pool[at]!
    }
  }

  /** The c newest, equally new ones at random. Counted by age instead of sorted: ages are small. */
  private keepNewest(from: number, filled: number): void {
    const { links, born, length, pool, poolBorn, ages, round, chance } = this
    ages.fill(0)
    for (let at = 0; at < filled; at++) ages[Math.min(AGE_MAX, round - poolBorn[at]!)]!++
    let oldest = 0
    let younger = 0
    while (younger + ages[oldest]! < length && oldest < AGE_MAX) younger += ages[oldest++]!
    let ties = ages[oldest]!
    let wanted = Math.min(length, filled) - younger
    let slot = from
    for (let at = 0; at < filled; at++) {
      const age = Math.min(AGE_MAX, round - poolBorn[at]!)
      if (age > oldest) continue
      if (age === oldest && chance.below(ties--) >= wanted) continue
      if (age === oldest) wanted--
      links[slot] = pool[at]!
      born[slot++] = poolBorn[at]!
    }
  }

  /** How many lists each node is in. */
  inDegrees(): Int32Array {
    const degrees = new Int32Array(this.size)
    for (const id of this.links) degrees[id]!++
    return degrees
  }
}
