// LECTURE, "Secure gossiping": colluding nodes that return links only to each other (the hub attack), and the defence
// by statistics.
//
// The attackers are the nodes 0 … k-1. In every exchange they show only each other, always as new; they start one
// exchange a round each, with anybody. What they are shown they throw away.
//
// The defence: an honest node uses half of the exchanges that it starts for statistics instead of its list, and the
// partner cannot tell which. It remembers what its last exchanges for statistics showed; in a healthy network the same
// reference hardly ever comes up in several of them (in-degrees are close to c), so one that does belongs to a hub.
// It is dropped from the list, never taken in again and not answered; its places go to references remembered from the
// statistics. Every node judges alone: a list of suspects that is passed on could be used to defame.

import type { Chance } from './chance.ts'
import type { Views } from './views.ts'

export interface HubOptions {
  readonly attackers: number
  readonly defended: boolean
}

/** How many exchanges for statistics are remembered. More see a smaller hub, and cost memory. */
const REMEMBERED = 10
/** Suspects that a node keeps, several times the attackers; the oldest is forgotten first. */
const SUSPECTS_MAX = 64
/** Honest nodes that one node may come to suspect in a thousand memories filled. */
const FALSE_SUSPICIONS = 1e-3

/** In how many of the remembered exchanges a reference must come up: by chance hardly anybody's does. */
export function suspicionThreshold(size: number, half: number): number {
  const share = half / size
  let ways = 1
  for (let times = 1; times <= REMEMBERED; times++) {
    ways *= (REMEMBERED - times + 1) / times
    if (size * ways * share ** times < FALSE_SUSPICIONS) return times
  }
  return REMEMBERED
}

export class HubAttack {
  private readonly views: Views
  private readonly chance: Chance
  private readonly options: HubOptions
  private readonly shown: Int32Array
  private readonly shownBorn: Int32Array
  private readonly answered: Int32Array
  private readonly answeredBorn: Int32Array
  private readonly hub: Int32Array
  private readonly memory: Int32Array
  private readonly written: Int32Array
  private readonly suspects: Int32Array
  private readonly suspected: Int32Array
  private readonly counts: Int32Array
  private readonly threshold: number
  private round = 0
  /** Honest nodes suspected by an honest node, counted each time. */
  falseSuspicions = 0

  constructor(views: Views, options: HubOptions, chance: Chance) {
    this.views = views
    this.options = options
    this.chance = chance
    const { size, half, length } = views
    this.shown = new Int32Array(length + 1)
    this.shownBorn = new Int32Array(length + 1)
    this.answered = new Int32Array(length + 1)
    this.answeredBorn = new Int32Array(length + 1)
    this.hub = Int32Array.from({ length: options.attackers }, (_, place) => place)
    const remembered = options.defended ? size : 0
    this.memory = new Int32Array(remembered * REMEMBERED * half).fill(-1)
    this.written = new Int32Array(remembered)
    this.suspects = new Int32Array(remembered * SUSPECTS_MAX).fill(-1)
    this.suspected = new Int32Array(remembered)
    this.counts = new Int32Array(size)
    this.threshold = suspicionThreshold(size, half)
  }

  runRound(): void {
    this.round++
    this.views.runRound(node => this.exchange(node))
  }

  private isAttacker(node: number): boolean {
    return node < this.options.attackers
  }

  private exchange(node: number): void {
    const { views, chance, options } = this
    if (this.isAttacker(node)) return this.attack(views.size - 1 - chance.below(views.size - options.attackers))
    const forStatistics = options.defended && (chance.next() & 1) === 0
    const partner = views.pickPartner(node)
    const count = views.offer(node, true, this.shown, this.shownBorn)
    const answered = this.isAttacker(partner)
      ? this.showHub(this.answered, this.answeredBorn)
      : views.offer(partner, false, this.answered, this.answeredBorn)
    if (!this.isAttacker(partner) && !this.isSuspect(partner, node)) {
      this.take(partner, this.shown, this.shownBorn, count)
    }
    if (forStatistics) this.remember(node, this.answered, answered)
    else this.take(node, this.answered, this.answeredBorn, answered)
  }

  /** An attacker starts an exchange with an honest node, which answers as usual; nobody keeps that answer. */
  private attack(victim: number): void {
    const { views } = this
    const count = this.showHub(this.shown, this.shownBorn)
    views.offer(victim, false, this.answered, this.answeredBorn)
    if (!this.isSuspect(victim, this.shown[0]!)) this.take(victim, this.shown, this.shownBorn, count)
  }

  private showHub(into: Int32Array, intoBorn: Int32Array): number {
    const { hub, chance, views, round } = this
    const count = Math.min(hub.length, views.byHalves ? views.half : views.length + 1)
    for (let at = 0; at < count; at++) {
      const other = at + chance.below(hub.length - at)
      const id = hub[other]!
      hub[other] = hub[at]!
      hub[at] = id
      into[at] = id
      intoBorn[at] = round
    }
    return count
  }

  private isSuspect(node: number, id: number): boolean {
    if (!this.options.defended || this.suspected[node] === 0) return false
    const from = node * SUSPECTS_MAX
    const end = from + Math.min(SUSPECTS_MAX, this.suspected[node]!)
    for (let at = from; at < end; at++) if (this.suspects[at] === id) return true
    return false
  }

  private take(node: number, received: Int32Array, receivedBorn: Int32Array, count: number): void {
    let kept = count
    if (this.options.defended && this.suspected[node]! > 0) {
      kept = 0
      for (let at = 0; at < count; at++) {
        if (this.isSuspect(node, received[at]!)) continue
        received[kept] = received[at]!
        receivedBorn[kept++] = receivedBorn[at]!
      }
    }
    this.views.merge(node, received, receivedBorn, kept)
  }

  private remember(node: number, received: Int32Array, count: number): void {
    const { memory, written, views, counts } = this
    const from = node * REMEMBERED * views.half
    const start = from + (written[node]! % REMEMBERED) * views.half
    for (let at = 0; at < views.half; at++) memory[start + at] = at < count ? received[at]! : -1
    written[node] = written[node]! + 1
    const end = from + REMEMBERED * views.half
    for (let at = from; at < end; at++) if (memory[at]! >= 0) counts[memory[at]!]!++
    for (let at = from; at < end; at++) {
      const id = memory[at]!
      if (id < 0) continue
      if (counts[id]! >= this.threshold && id !== node) this.suspect(node, id)
      counts[id] = 0
    }
  }

  private suspect(node: number, id: number): void {
    if (this.isSuspect(node, id)) return
    const { suspects, suspected, views } = this
    if (!this.isAttacker(id)) this.falseSuspicions++
    suspects[node * SUSPECTS_MAX + (suspected[node]! % SUSPECTS_MAX)] = id
    suspected[node] = suspected[node]! + 1
    const from = node * views.length
    for (let at = from; at < from + views.length; at++) {
      if (views.links[at] === id) return this.replace(node, at)
    }
  }

  /** Puts a remembered reference in the place of a suspect's; without one, the place keeps what it has. */
  private replace(node: number, slot: number): void {
    const { views, memory, chance } = this
    const places = REMEMBERED * views.half
    const start = chance.below(places)
    for (let step = 0; step < places; step++) {
      const id = memory[node * places + ((start + step) % places)]!
      if (id < 0 || id === node || this.isSuspect(node, id) || this.holds(node, id)) continue
      views.links[slot] = id
      return
    }
  }

  private holds(node: number, id: number): boolean {
    const { links, length } = this.views
    for (let at = node * length; at < (node + 1) * length; at++) if (links[at] === id) return true
    return false
  }

  /** Of the honest nodes: the share that has links only to attackers, and the share of links that go to attackers. */
  measure(): { readonly captured: number; readonly links: number } {
    const { views, options } = this
    const { links, length, size } = views
    let captured = 0
    let caught = 0
    for (let node = options.attackers; node < size; node++) {
      let to = 0
      for (let at = node * length; at < (node + 1) * length; at++) if (links[at]! < options.attackers) to++
      if (to === length) captured++
      caught += to
    }
    const honest = size - options.attackers
    return { captured: captured / honest, links: caught / (honest * length) }
  }
}
