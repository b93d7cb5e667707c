// SWIM in flat arrays: as many members as fit a square of bytes. A model of the machine in src/membership, not the machine:
// that one keeps about a kilobyte for each member it knows, and ten thousand members would know a hundred million.
//
// Kept: who is asked and when, helpers, suspicion with its time-outs and confirmations, refutation, gossip with bounded
// retransmissions, lost messages. Left out: signatures, entry, repair, clocks of their own; an answer takes no time.
// The arithmetic (time-outs, retransmissions) is the product's.

import { type Random, seededRandom } from '../../src/core/index.ts'
import { membershipBeat, membershipDefaults, retransmissions, suspicionTime } from '../../src/membership/index.ts'

export interface FlatOptions {
  readonly members: number
  readonly crashed: number
  readonly loss: number
  readonly seed: number
  /** The ticks after which it ends, noticed or not. */
  readonly ticksMax: number
}

export interface FlatResult {
  /** From the crash until the first, and until the last of all, has given up each of the crashed. */
  readonly firstMs: number
  readonly lastMs: number
  /** Running members given up by somebody. */
  readonly mistaken: number
  readonly refuted: number
  readonly messages: number
  readonly ticks: number
}

type Kind = 'alive' | 'suspect' | 'failed'

interface Rumour {
  readonly kind: Kind
  readonly subject: number
  readonly incarnation: number
  readonly author: number
}

interface Told {
  readonly rumour: Rumour
  times: number
}

interface Suspicion {
  readonly since: number
  readonly accusers: Set<number>
}

const beat = membershipBeat
const { lifeguard, certifyAt } = membershipDefaults
/** One beat of gossip; a probe takes three. */
const TICK_MS = beat.gossipEvery
const PROBE_TICKS = beat.probeEvery / TICK_MS
const RIDING_MAX = 16
const [SEEN_ALIVE, SEEN_SUSPECT, SEEN_FAILED] = [0, 1, 2]

class FlatGroup {
  tick = 0
  messages = 0
  mistaken = 0
  refuted = 0
  firstMs = Number.NaN
  lastMs = Number.NaN
  private readonly size: number
  private readonly loss: number
  private readonly random: Random
  /** Members from here on run; those before have crashed. */
  private readonly firstRunning: number
  /** Row by row: what each thinks of each, and under which incarnation. */
  private readonly seen: Uint8Array
  private readonly known: Uint8Array
  private readonly own: Uint8Array
  private readonly queues: Told[][]
  private readonly suspicions: Map<number, Suspicion>[]
  private readonly notices: Map<number, Set<number>>[]
  private readonly unanswered: Int32Array
  private readonly limit: number
  /** Pairs of a running and a crashed member that are still to be noticed. */
  private missing: number

  constructor({ members, crashed, loss, seed }: FlatOptions) {
    this.size = members
    this.loss = loss
    this.random = seededRandom(seed, 0x51a7)
    this.firstRunning = crashed
    this.seen = new Uint8Array(members * members)
    this.known = new Uint8Array(members * members)
    this.own = new Uint8Array(members)
    this.queues = Array.from({ length: members }, () => [])
    this.suspicions = Array.from({ length: members }, () => new Map())
    this.notices = Array.from({ length: members }, () => new Map())
    this.unanswered = new Int32Array(members).fill(-1)
    this.limit = retransmissions(beat, members)
    this.missing = crashed * (members - crashed)
  }

  get done(): boolean {
    return this.missing === 0
  }

  step(): void {
    this.tick++
    for (let member = this.firstRunning; member < this.size; member++) {
      if ((this.tick + member) % PROBE_TICKS === 0) this.probe(member)
      if (this.queues[member]!.length > 0) this.gossip(member)
      if (this.suspicions[member]!.size > 0) this.expire(member)
    }
  }

  private runs(member: number): boolean {
    return member >= this.firstRunning
  }

  /** A number of messages one after the other, all of which arrive. */
  private arrives(messages: number): boolean {
    this.messages += messages
    return this.loss === 0 || this.random.unit() < (1 - this.loss) ** messages
  }

  private other(member: number): number {
    const drawn = this.random.below(this.size - 1)
    return drawn < member ? drawn : drawn + 1
  }

  private probe(member: number): void {
    const last = this.unanswered[member]!
    if (last >= 0) this.suspect(member, last)
    const target = this.other(member)
    this.unanswered[member] = -1
    if (this.seen[member * this.size + target] === SEEN_FAILED) return
    if (this.runs(target) && this.arrives(2)) {
      this.tell(member, target)
      return this.tell(target, member)
    }
    for (let asked = 0; asked < beat.helpers; asked++) {
      const helper = this.other(member)
      if (helper !== target && this.runs(helper) && this.runs(target) && this.arrives(4)) return
    }
    this.unanswered[member] = target
  }

  private suspect(member: number, subject: number): void {
    const incarnation = this.known[member * this.size + subject]!
    this.hear(member, { kind: 'suspect', subject, incarnation, author: member })
  }

  private gossip(member: number): void {
    for (let fanout = 0; fanout < beat.gossipFanout; fanout++) {
      const to = this.other(member)
      if (this.seen[member * this.size + to] === SEEN_FAILED) continue
      if (this.arrives(1) && this.runs(to)) this.tell(member, to)
    }
  }

  private tell(from: number, to: number): void {
    const queue = this.queues[from]!
    if (queue.length === 0) return
    queue.sort((a, b) => a.times - b.times)
    const riding = queue.slice(0, RIDING_MAX)
    for (const told of riding) told.times++
    this.queues[from] = queue.filter(({ times }) => times < this.limit)
    for (const { rumour } of riding) this.hear(to, rumour)
  }

  private spread(member: number, rumour: Rumour): void {
    this.queues[member]!.push({ rumour, times: 0 })
  }

  private hear(member: number, rumour: Rumour): void {
    const { subject, incarnation } = rumour
    const at = member * this.size + subject
    if (rumour.kind === 'alive') {
      if (subject === member || incarnation <= this.known[at]!) return
      this.known[at] = incarnation
      this.seen[at] = SEEN_ALIVE
      this.suspicions[member]!.delete(subject)
      this.notices[member]!.delete(subject)
      return this.spread(member, rumour)
    }
    if (subject === member) return this.refute(member, incarnation)
    if (incarnation !== this.known[at]) return
    if (rumour.kind === 'failed') this.collect(member, rumour)
    if (this.seen[at] !== SEEN_FAILED) this.accuse(member, rumour, at)
  }

  private refute(member: number, incarnation: number): void {
    if (incarnation !== this.own[member]) return
    this.own[member]!++
    this.refuted++
    this.spread(member, { kind: 'alive', subject: member, incarnation: this.own[member]!, author: member })
  }

  private accuse(member: number, rumour: Rumour, at: number): void {
    const suspicions = this.suspicions[member]!
    const suspicion = suspicions.get(rumour.subject) ?? { since: this.tick, accusers: new Set() }
    suspicions.set(rumour.subject, suspicion)
    this.seen[at] = SEEN_SUSPECT
    if (suspicion.accusers.has(rumour.author)) return
    suspicion.accusers.add(rumour.author)
    if (rumour.kind === 'suspect' && suspicion.accusers.size <= beat.confirmations + 1) this.spread(member, rumour)
  }

  private collect(member: number, notice: Rumour): void {
    const held = this.notices[member]!.get(notice.subject) ?? new Set()
    this.notices[member]!.set(notice.subject, held)
    if (held.size >= certifyAt || held.has(notice.author)) return
    held.add(notice.author)
    this.spread(member, notice)
  }

  private expire(member: number): void {
    for (const [subject, { since, accusers }] of this.suspicions[member]!) {
      const lasts = suspicionTime(beat, lifeguard, this.size, accusers.size - 1)
      if ((this.tick - since) * TICK_MS < lasts) continue
      this.suspicions[member]!.delete(subject)
      this.seen[member * this.size + subject] = SEEN_FAILED
      this.collect(member, {
        kind: 'failed',
        subject,
        incarnation: this.known[member * this.size + subject]!,
        author: member,
      })
      if (this.runs(subject)) {
        this.mistaken++
        continue
      }
      this.missing--
      if (Number.isNaN(this.firstMs)) this.firstMs = this.tick * TICK_MS
      this.lastMs = this.tick * TICK_MS
    }
  }
}

/** Some members of a large group crash at once: how long until everybody knows? */
export function flatSwim(options: FlatOptions): FlatResult {
  const group = new FlatGroup(options)
  while (!group.done && group.tick < options.ticksMax) group.step()
  const { firstMs, lastMs, mistaken, refuted, messages, tick: ticks } = group
  return { firstMs, lastMs: group.done ? lastMs : Number.POSITIVE_INFINITY, mistaken, refuted, messages, ticks }
}
