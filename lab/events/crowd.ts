// A crowd of members that gossip by interest, in rounds: everybody has its turn in every round, and messages arrive at once. The
// machines are those that ship.

import { type Effect, type Input, type Random, seededRandom } from '../../src/core/index.ts'
import { idealSignatures } from '../../src/crypto/index.ts'
import { eventsDefaults } from '../../src/events/defaults.ts'
import { matches } from '../../src/events/filter.ts'
import { type Attributes, type Filter, parseFilter } from '../../src/events/index.ts'
import { type Interest, interest } from '../../src/events/interest/machine.ts'
import { interestBasics } from '../../src/events/interest/settings.ts'
import type { InterestCommand, InterestEvent, InterestState } from '../../src/events/interest/state.ts'
import type { InterestMessage } from '../../src/events/interest/wire.ts'

const ROUND_MS = 1_000
const PATIENCE_MS = 10
/** Members that each knows of when it begins. */
const FIRST_KNOWN = 20
export const CHANNEL = 'crowd'

/** What a crowd is. */
export interface CrowdOptions {
  readonly members: number
  /** One attribute or two. */
  readonly attributes: number
  /** How long an interval is on average, of a whole of 1. */
  readonly side: number
  readonly entries: number
  readonly fans: number
  readonly seed: number
}

/** What became of some events. */
export interface Spread {
  readonly wanted: number
  readonly came: number
  /** Events that reached all who wanted them. */
  readonly whole: number
  readonly events: number
  readonly messages: number
}

/** An event from one member to another. */
export interface Sent {
  readonly from: string
  readonly to: string
}

interface One {
  readonly id: string
  readonly machine: Interest
  readonly state: InterestState
  readonly filter: Filter
  gone: boolean
}

export class Crowd {
  private readonly random: Random
  private readonly members = new Map<string, One>()
  readonly names: readonly string[]
  private readonly queue: { readonly from: string; readonly to: string; readonly body: InterestMessage }[] = []
  private readonly options: CrowdOptions
  private now = 0
  private sent: Sent[] = []
  private handed: string[] = []

  constructor(options: CrowdOptions) {
    this.options = options
    this.random = seededRandom(options.seed)
    this.names = Array.from({ length: options.members }, (_, at) => `member-${at}`)
    const signatures = idealSignatures()
    const { entries, fans } = options
    const keyFor = (member: string) => signatures.signer(member).publicKey
    for (const id of this.names) {
      const machine = interest({
        ...interestBasics,
        group: 'crowd',
        hash: eventsDefaults.hash,
        signatures,
        signer: signatures.signer(id),
        keyOf: ({ member }) => keyFor(member),
        keyFor,
        round: ROUND_MS,
        patience: PATIENCE_MS,
        entries,
        fans,
      })
      const filter = this.drawFilter()
      this.members.set(id, { id, machine, state: machine.init(id, [], new Map()), filter, gone: false })
    }
    for (const one of this.members.values()) this.begin(one)
    for (const one of this.members.values()) this.introduce(one)
  }

  private drawFilter(): Filter {
    const drawn = () => {
      const width = 2 * this.options.side * this.random.unit()
      const gte = this.random.unit() * (1 - width)
      return { gte, lte: gte + width }
    }
    return parseFilter(this.options.attributes === 1 ? { x: drawn() } : { x: drawn(), y: drawn() })
  }

  private begin(one: One): void {
    this.step(one, { kind: 'start' })
    this.step(one, command({ kind: 'subscribe', id: 1, channel: CHANNEL, filter: one.filter }))
  }

  /** Some others, with what they want: what peer sampling has for a member before it begins. */
  private introduce(one: One): void {
    for (let at = 0; at < FIRST_KNOWN; at++) {
      const member = this.names[this.random.below(this.names.length)]!
      this.step(one, command({ kind: 'changed', view: { member, identity: NOBODY, here: true } }))
      const own = this.members.get(member)!.state.claim!
      this.step(one, { kind: 'message', from: member, body: { kind: 'exchange', own, given: [], asks: false } })
    }
  }

  private step(one: One, input: Input<InterestMessage, InterestCommand>): void {
    const { random } = this
    one.machine.step(one.state, input, {
      now: this.now,
      below: bound => random.below(bound),
      bytes: length => random.bytes(length),
      do: effect => this.perform(one, effect),
    })
  }

  private perform(one: One, effect: Effect<InterestMessage, InterestEvent>): void {
    if (effect.kind === 'send') {
      if (effect.body.kind === 'event') this.sent.push({ from: one.id, to: effect.to })
      this.queue.push({ from: one.id, to: effect.to, body: effect.body })
    }
    if (effect.kind === 'emit' && effect.event.kind === 'handed') this.handed.push(one.id)
  }

  private deliver(): void {
    for (let next = this.queue.shift(); next !== undefined; next = this.queue.shift()) {
      const to = this.members.get(next.to)!
      if (!to.gone) this.step(to, { kind: 'message', from: next.from, body: next.body })
    }
  }

  /** So many rounds, in each of which everybody has one exchange. */
  rounds(count: number): void {
    for (let round = 0; round < count; round++) {
      this.now += ROUND_MS
      for (const one of this.members.values()) {
        if (one.gone) continue
        this.step(one, { kind: 'timer', name: 'round' })
        this.deliver()
      }
    }
  }

  /** So many of them die at once, and nobody is told. */
  kill(share: number): void {
    for (const one of this.members.values()) if (this.random.unit() < share) one.gone = true
  }

  /** Events that somebody wants, of members drawn at random; what did not answer is given up in between. */
  publish(events: number): Spread {
    let [wanted, came, whole, messages] = [0, 0, 0, 0]
    const alive = [...this.members.values()].filter(({ gone }) => !gone)
    for (let at = 0; at < events; at++) {
      const attributes = this.within(alive[this.random.below(alive.length)]!.filter)
      const author = alive[this.random.below(alive.length)]!
      const wanting = alive.filter(({ filter }) => matches(filter, attributes))
      messages += this.follow(author.id, attributes).length
      const got = new Set(this.handed)
      wanted += wanting.length
      came += got.size
      if (got.size === wanting.length) whole++
    }
    return { wanted, came, whole, events, messages }
  }

  /** One event of this author, until nobody waits for an answer: who sent it to whom, in that order. */
  follow(author: string, attributes: Attributes): readonly Sent[] {
    this.handed = []
    this.sent = []
    const content = { attributes, payload: NOBODY, time: 0 }
    this.step(this.members.get(author)!, command({ kind: 'publish', id: 1, channel: CHANNEL, content }))
    this.settle([...this.members.values()].filter(({ gone }) => !gone))
    return this.sent
  }

  /** What a member remembers. */
  stateOf(member: string): InterestState {
    return this.members.get(member)!.state
  }

  filterOf(member: string): Filter {
    return this.members.get(member)!.filter
  }

  /** Who was handed the last event. */
  get given(): readonly string[] {
    return this.handed
  }

  /** Until nobody waits for an answer. */
  private settle(alive: readonly One[]): void {
    this.deliver()
    const isLate = ({ state }: One) => state.outgoing.size > 0
    for (let late = alive.filter(isLate); late.length > 0; late = alive.filter(isLate)) {
      this.now += PATIENCE_MS
      for (const one of late) this.step(one, { kind: 'timer', name: 'patience' })
      this.deliver()
    }
  }

  /** A point that the filter holds. */
  private within(filter: Filter): Attributes {
    const found: Record<string, number> = { x: this.random.unit(), y: this.random.unit() }
    for (const { attribute, tests } of filter.$any[0]!) {
      let [from, to] = [0, 1]
      for (const test of tests) if (test.op === 'range') [from, to] = [Math.max(from, test.from), Math.min(to, test.to)]
      found[attribute] = from + this.random.unit() * (to - from)
    }
    return found
  }
}

const NOBODY = new Uint8Array()

function command(body: InterestCommand): Input<InterestMessage, InterestCommand> {
  return { kind: 'command', body }
}
