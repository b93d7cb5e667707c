// Plays rounds of the paper's ring and puts each into the hands of the adversaries: the shipped machines in the
// simulator, every message one millisecond, everything overheard, and the memory of all but two members kept.

import { type AnyProtocol, type Effect, type NodeId, seededRandom, type Turn } from '../../src/core/index.ts'
import type { Ciphertext, Group, Scalar } from '../../src/crypto/index.ts'
import { type Flaws, flawedRules } from '../../src/papers/slots/index.ts'
import { calm, type Micros, World } from '../../src/simulator/index.ts'
import {
  type PassSecret,
  type RingEvent,
  type RingMessage,
  type RingSettings,
  type RingState,
  ringDefaults,
  ringMember,
  ringVocabulary,
  type Tickets,
  tableTickets,
} from '../../src/slots/ring/index.ts'
import { type Attack, attacked } from './attacks.ts'
import { featuresOf } from './classifier.ts'
import type { Game, Kept, Lap, Pass, ReleaseLap, Share, View } from './view.ts'

export interface PrintedGame {
  readonly group: Group
  readonly members: number
  readonly settings: Pick<RingSettings, 'slots' | 'level' | 'fairness'> & Partial<RingSettings>
  readonly flaws?: Partial<Flaws>
  readonly tickets?: Tickets
  readonly attack?: Attack
  /** The honest let go at once: one lap, for games that are not about the release. */
  readonly brief?: boolean
  /** How many are honest; two of them are to be told apart, and the others' tickets are told. Two, unless told. */
  readonly honest?: number
  /** Who is to be told apart; drawn, unless told. */
  readonly apart?: readonly [number, number]
}

interface Said {
  readonly at: number
  readonly from: number
  readonly to: number
  readonly body: RingMessage
}

interface Remembered {
  readonly kept: PassSecret | undefined
  readonly opened: number | undefined
}

/** Everything about one round that anybody could know; what the adversary may is chosen later. */
interface Record {
  readonly said: Said[]
  readonly came: Map<string, number>
  readonly memory: Map<number, Remembered>
}

const MILLISECOND: Micros = 1_000
const EXACT = { ...calm, delayMin: MILLISECOND, delaySpread: 0 }
/** How long the honest ones hold: past the first pause between laps, and past the second. */
const HOLDS = [15, 30] as const
const SLICE: Micros = 50_000
/** No round lasts longer, unless an attack holds it up. */
const ROUND_MAX: Micros = 2_000_000

/** Rounds one after the other, with the same two honest members, drawn from the seed. */
export function playPrinted(game: PrintedGame, seed: number, rounds: number): readonly Game[] {
  return new Session(game, seed).play(game.attack === undefined ? rounds : 1)
}

class Session {
  private readonly game: PrintedGame
  private readonly settings: RingSettings
  private readonly tickets: Tickets
  private readonly world: World
  private readonly ring: readonly NodeId[]
  private readonly honest: readonly [number, number]
  /** Honest too: their tickets are told to the coalition, their keys and turns are not. */
  private readonly further: readonly number[]
  private readonly first: number
  private readonly secrets = new Map<number, Scalar>()
  private readonly records = new Map<number, Record>()
  private stolen: number | undefined
  private newest = 0
  private readonly thief: number

  constructor(game: PrintedGame, seed: number) {
    this.game = game
    this.settings = { ...ringDefaults, ...game.settings }
    this.tickets = game.tickets ?? tableTickets(game.group, game.members)
    this.world = new World({ seed, network: EXACT })
    this.ring = Array.from({ length: game.members }, (_, place) => `member-${place}`)
    const random = seededRandom(seed, 0xca1e)
    // The member that begins the lap slips a ciphertext in, so it is not one of the honest.
    const lowest = game.attack === 'slipped in' ? 1 : 0
    const one = lowest + random.below(game.members - lowest)
    const other = lowest + ((one - lowest + 1 + random.below(game.members - lowest - 1)) % (game.members - lowest))
    this.honest = game.apart ?? [Math.min(one, other), Math.max(one, other)]
    const rest = this.ring.map((_, place) => place).filter(place => !this.honest.includes(place))
    this.further = Array.from({ length: (game.honest ?? 2) - 2 }, () => rest.splice(random.below(rest.length), 1)[0]!)
    this.first = this.honest[random.below(2)]!
    this.thief = rest[0]!
  }

  play(rounds: number): readonly Game[] {
    const { world, game } = this
    const vocabulary = ringVocabulary(game.group)
    for (const [place, id] of this.ring.entries()) {
      world.add({ id, protocol: this.overheard(place), peers: this.ring, vocabulary })
    }
    world.listen((node, event) => this.observe(this.ring.indexOf(node.spec.id), event as RingEvent))
    for (const id of this.ring) world.start(id)
    for (const id of this.ring) {
      for (let request = 0; request <= rounds; request++) world.command(id, { kind: 'request', id: request })
    }
    const until = world.now + rounds * ROUND_MAX
    while (this.newest < rounds && world.now < until && this.stolen === undefined) world.run(world.now + SLICE)
    return Array.from({ length: rounds }, (_, round) => this.gameOf(round))
  }

  private overheard(place: number): AnyProtocol {
    const { game, settings, tickets } = this
    const { group, members, flaws = {} } = game
    const honest = ringMember({ settings, members, group, tickets, rules: flawedRules(flaws) })
    const protocol =
      game.attack !== undefined && place === this.thief
        ? attacked(honest, game.attack, {
            group,
            tickets,
            victim: () => this.victim(),
            steal: ticket => this.steal(ticket),
          })
        : honest
    return {
      ...protocol,
      step: (state: RingState, input, turn: Turn<RingMessage, RingEvent>) => {
        if (input.kind === 'message') this.came(place, input.body as RingMessage, turn.now)
        protocol.step(state, input, {
          now: turn.now,
          below: bound => turn.below(bound),
          bytes: length => turn.bytes(length),
          do: (effect: Effect<RingMessage, RingEvent>) => {
            if (effect.kind === 'send') this.sent(place, effect.to, effect.body, turn.now)
            turn.do(effect)
          },
        })
        if (state.secret !== undefined) this.secrets.set(place, state.secret)
        const { number, kept, opened } = state.round
        this.record(number).memory.set(place, { kept, opened })
      },
    }
  }

  private record(round: number): Record {
    const known = this.records.get(round)
    if (known !== undefined) return known
    const fresh = { said: [], came: new Map(), memory: new Map() }
    this.records.set(round, fresh)
    return fresh
  }

  private came(place: number, body: RingMessage, at: number): void {
    if (body.kind !== 'release') return
    this.record(body.round).came.set(`${place} ${body.lap}`, at)
  }

  private sent(place: number, to: NodeId, body: RingMessage, at: number): void {
    if (body.kind === 'key' || body.kind === 'newRound') return
    this.record(body.round).said.push({ at, from: place, to: this.ring.indexOf(to), body })
    if (body.kind === 'ask' && place === this.honest[0] && this.game.attack !== undefined) this.strike()
  }

  /** As soon as the ticket is known, and everybody has one. */
  private strike(): void {
    this.world.at(this.world.now + 5 * MILLISECOND, () =>
      this.world.command(this.ring[this.thief]!, { kind: 'attack' }),
    )
  }

  private victim(): Ciphertext | undefined {
    return this.dealt(this.record(0)).get(this.honest[0])
  }

  private steal(ticket: number): void {
    this.stolen = ticket
  }

  private observe(place: number, event: RingEvent): void {
    const { world } = this
    if (event.kind === 'round') this.newest = Math.max(this.newest, event.round)
    if (event.kind !== 'granted') return
    const hold = this.honest.includes(place) && !this.game.brief ? HOLDS[place === this.first ? 0 : 1] * MILLISECOND : 0
    world.at(world.now + hold, () => world.command(this.ring[place]!, { kind: 'release', id: event.id }))
  }

  private gameOf(round: number): Game {
    const { game, honest, settings } = this
    const { group, members } = game
    const record = this.record(round)
    const coordinator = round % members
    const others = this.ring.map((_, place) => place).filter(place => !honest.includes(place))
    const coalition = others.filter(place => !this.further.includes(place))
    const opened = new Map(others.map(place => [place, record.memory.get(place)?.opened ?? members]))
    const all = Array.from({ length: members }, (_, ticket) => ticket)
    const answer = record.memory.get(honest[0])?.opened ?? -1
    const left = [answer, record.memory.get(honest[1])?.opened ?? -1].sort((a, b) => a - b)
    const speaker = honest.find(place => place !== coordinator)!
    const view: Omit<View, 'features'> = {
      group,
      members,
      slots: settings.slots,
      table: all.map(ticket => this.tickets.encode(ticket)),
      honest,
      left: [left[0]!, left[1]!],
      coordinator,
      rotating: settings.fairness === 'rotating',
      passes: this.passes(record, coordinator),
      firstList: this.firstList(record, coordinator),
      kept: new Map(coalition.flatMap(place => keptOf(place, record))),
      secrets: new Map(coalition.map(place => [place, this.secrets.get(place)!])),
      opened,
      dealt: this.dealt(record),
      shares: this.shares(record),
      took: this.took(record, coordinator),
      laps: coalition.includes(coordinator) ? this.laps(record, coordinator) : [],
      releases: this.releases(record, coordinator),
      firstToRelease: this.first,
      stolen: this.stolen,
      betrayed: [speaker, this.secrets.get(speaker)!],
    }
    return { view: { ...view, features: featuresOf(view) }, answer }
  }

  private passes(record: Record, coordinator: number): readonly Pass[] {
    const tokens = new Map(
      record.said.flatMap(({ from, body }) => (body.kind === 'request' ? [[from, body.tickets] as const] : [])),
    )
    return this.turns(tokens, coordinator)
  }

  /** Everybody's turn with a token, by who sent what. */
  private turns(sent: ReadonlyMap<number, readonly Ciphertext[]>, coordinator: number): readonly Pass[] {
    return this.ring.map((_, place) => {
      const by = (coordinator + place) % this.game.members
      const before = (by - 1 + this.game.members) % this.game.members
      return { by, input: place === 0 ? [] : (sent.get(before) ?? []), output: sent.get(by) ?? [] }
    })
  }

  /** Whole laps only: of the last one the end may not be on the wire yet. */
  private releases(record: Record, coordinator: number): readonly ReleaseLap[] {
    const laps = new Map<number, Map<number, readonly Ciphertext[]>>()
    for (const { from, body } of record.said) {
      if (body.kind !== 'release') continue
      const sent = laps.get(body.lap) ?? new Map<number, readonly Ciphertext[]>()
      laps.set(body.lap, sent.set(from, body.entries))
    }
    return [...laps.values()]
      .filter(sent => sent.size === this.game.members)
      .map(sent => ({ passes: this.turns(sent, coordinator) }))
  }

  /** The maker of the list knows what is where. */
  private firstList(record: Record, coordinator: number): readonly (number | undefined)[] {
    const length = this.game.members - (this.settings.fairness === 'rotating' ? 1 : 0)
    const memory = record.memory.get(coordinator)
    if ([...this.honest, ...this.further].includes(coordinator) || memory?.kept === undefined)
      return new Array(length).fill(undefined)
    const own = this.settings.fairness === 'rotating' ? memory.opened : undefined
    const contents = this.ring.map((_, ticket) => ticket).filter(ticket => ticket !== own)
    return memory.kept.permutation.map(place => contents[place])
  }

  private dealt(record: Record): Map<number, Ciphertext> {
    return new Map(record.said.flatMap(({ from, body }) => (body.kind === 'ask' ? [[from, body.ticket] as const] : [])))
  }

  private shares(record: Record): readonly Share[] {
    return record.said.flatMap(({ from, to, body }) =>
      body.kind === 'share' ? [{ owner: to, from, value: body.share }] : [],
    )
  }

  /** In the first lap, from when the token came to when it went on. The coordinator's beginning is not seen. */
  private took(record: Record, coordinator: number): Map<number, number> {
    const took = new Map<number, number>()
    for (const { at, from, body } of record.said) {
      if (body.kind !== 'release' || body.lap !== 1 || from === coordinator) continue
      const came = record.came.get(`${from} 1`)
      if (came !== undefined) took.set(from, at - came)
    }
    return took
  }

  private laps(record: Record, coordinator: number): readonly Lap[] {
    const { group } = this.game
    const last = (coordinator - 1 + this.game.members) % this.game.members
    const secret = this.secrets.get(coordinator)!
    return record.said.flatMap(({ from, body }) => {
      if (body.kind !== 'release' || from !== last) return []
      const free = body.entries.map(({ c1, c2 }) =>
        group.equal(group.subtract(c2, group.multiply(c1, secret)), group.generator),
      )
      return [{ free }]
    })
  }
}

function keptOf(place: number, record: Record): readonly (readonly [number, Kept])[] {
  const kept = record.memory.get(place)?.kept
  return kept === undefined ? [] : [[place, { permutation: kept.permutation, taken: kept.taken }]]
}
