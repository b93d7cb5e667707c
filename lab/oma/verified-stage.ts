// Plays rounds of level `verified` and puts each into the hands of the same adversaries as the printed levels. The
// start list is public, every member passes all tickets, and ticket k is dealt to member k: nobody makes the list,
// nobody takes.

import { type AnyProtocol, type Effect, type NodeId, sameBytes, seededRandom } from '../../src/core/index.ts'
import {
  type Ciphertext,
  combine,
  type Element,
  type Group,
  idealSignatures,
  partialDecryption,
  randomPermutation,
  type Scalar,
} from '../../src/crypto/index.ts'
import { calm, type SimulatedNode, World } from '../../src/simulator/index.ts'
import {
  type MemberState,
  performShuffleWork,
  type SlotsEvent,
  type SlotsMessage,
  type SlotsRules,
  type SlotsSettings,
  slotsDefaults,
  slotsMember,
  slotsRules,
  slotsVocabulary,
} from '../../src/slots/index.ts'
import { startList, ticketElement } from '../../src/slots/verified/proofs.ts'
import { decodeShuffleAnswer } from '../../src/slots/verified/shuffle-work.ts'
import { featuresOf } from './classifier.ts'
import type { Game, Kept, Pass, Share, View } from './view.ts'

export interface VerifiedGame {
  readonly group: Group
  readonly members: number
  readonly slots: number
  readonly rules?: Partial<SlotsRules>
}

type PassSaid = SlotsMessage & { kind: 'pass' }

interface Overheard {
  readonly passes: Map<number, { readonly said: PassSaid; readonly at: number }>
  readonly shares: Map<string, Share>
}

const EXACT = { ...calm, delayMin: 1_000, delaySpread: 0 }
const SLICE = 100_000
/** A round takes a fraction of it. */
const ROUND_MAX = 3_000_000

export function playVerified(game: VerifiedGame, seed: number, rounds: number): readonly Game[] {
  return new Session(game, seed).play(rounds)
}

class Session {
  private readonly game: VerifiedGame
  private readonly world: World
  private readonly ring: readonly NodeId[]
  private readonly honest: readonly [number, number]
  private readonly signatures = idealSignatures()
  private readonly secrets = new Map<number, Scalar>()
  private readonly heard = new Map<number, Overheard>()
  /** What a pass was permuted by, known by its first ticket. */
  private readonly permutations = new Map<string, readonly number[]>()
  private readonly seed: number
  private works = 0
  private requests = 0

  constructor(game: VerifiedGame, seed: number) {
    this.game = game
    this.seed = seed
    this.world = new World({ seed, network: EXACT })
    this.ring = Array.from({ length: game.members }, (_, place) => `member-${place}`)
    const random = seededRandom(seed, 0xca1e)
    const one = random.below(game.members)
    const other = (one + 1 + random.below(game.members - 1)) % game.members
    this.honest = [Math.min(one, other), Math.max(one, other)]
  }

  play(rounds: number): readonly Game[] {
    const { world, game, ring, signatures } = this
    const slots = Array.from({ length: game.slots }, (_, slot) => `slot-${slot}`)
    const settings: SlotsSettings = { ...slotsDefaults, name: 'game', slots, beat: 20, checkMax: 20 }
    const members = ring.map(name => ({ name, identity: signatures.signer(name).publicKey }))
    const rules = { ...slotsRules, ...game.rules }
    for (const [place, id] of ring.entries()) {
      const means = { group: game.group, signer: signatures.signer(id), signatures, rules }
      const protocol = this.overheard(place, slotsMember({ settings, members, ...means }))
      world.add({ id, protocol, peers: ring, vocabulary: slotsVocabulary })
    }
    world.listen((node, event) => this.observe(node, event as SlotsEvent))
    for (const id of ring) world.start(id)
    for (const id of ring) world.command(id, { kind: 'request', id: ++this.requests })
    const until = world.now + (rounds + 1) * ROUND_MAX
    while (this.whole() < rounds && world.now < until) world.run(world.now + SLICE)
    return [...this.heard.keys()]
      .filter(round => this.isWhole(round))
      .slice(0, rounds)
      .map(round => this.gameOf(round))
  }

  private whole(): number {
    return [...this.heard.keys()].filter(round => this.isWhole(round)).length
  }

  private isWhole(round: number): boolean {
    const { members } = this.game
    const { passes, shares } = this.heard.get(round)!
    return passes.size === members && shares.size >= members * (members - 1)
  }

  private overheard(place: number, protocol: AnyProtocol): AnyProtocol {
    return {
      ...protocol,
      step: (state: MemberState, input, turn) => {
        protocol.step(state, input, {
          now: turn.now,
          below: bound => turn.below(bound),
          bytes: length => turn.bytes(length),
          do: (effect: Effect<SlotsMessage, SlotsEvent>) => {
            if (effect.kind === 'send') this.hear(effect.body, turn.now)
            turn.do(effect)
          },
        })
        if (state.epoch.secret !== undefined) this.secrets.set(place, state.epoch.secret)
      },
    }
  }

  private hear(body: SlotsMessage, at: number): void {
    if (body.kind !== 'pass' && body.kind !== 'share') return
    const known = this.heard.get(body.round) ?? { passes: new Map(), shares: new Map() }
    this.heard.set(body.round, known)
    if (body.kind === 'pass' && !known.passes.has(body.place)) known.passes.set(body.place, { said: body, at })
    if (body.kind !== 'share') return
    const from = this.ring.indexOf(body.author)
    known.shares.set(`${from} ${body.owner}`, { owner: body.owner, from, value: body.value })
  }

  private observe(node: SimulatedNode, event: SlotsEvent): void {
    const { world } = this
    const { id } = node.spec
    if (event.kind === 'work') return this.work(node, event.id, event.request)
    if (event.kind !== 'seat') return
    world.at(world.now, () => world.command(id, { kind: 'release', id: event.id }))
    world.at(world.now, () => world.command(id, { kind: 'request', id: ++this.requests }))
  }

  /** Done at once, from a seed of its own: a curious member remembers how it permuted. */
  private work(node: SimulatedNode, id: number, request: Uint8Array): void {
    const chance = () => {
      const random = seededRandom(this.seed, 0x3000 + this.works)
      return (length: number) => random.bytes(length)
    }
    this.works++
    const answer = performShuffleWork(this.game.group, request, chance())
    const made = decodeShuffleAnswer(answer)
    if (made?.kind === 'shuffled') {
      this.permutations.set(made.list[0]!.c2.join(), randomPermutation(made.list.length, chance()))
    }
    this.world.at(this.world.now, () => this.world.command(node.spec.id, { kind: 'worked', id, answer }))
  }

  private gameOf(round: number): Game {
    const { group, members, slots } = this.game
    const { passes: said, shares } = this.heard.get(round)!
    const lap = [...said.values()].sort((a, b) => a.said.place - b.said.place)
    const { epoch } = lap[0]!.said
    const all = this.ring.map((_, place) => place)
    const table = all.map(ticket => ticketElement(group, epoch, round, ticket))
    const last = lap.at(-1)!.said.list
    const tickets = all.map(place => this.open(table, last[place]!))
    const coalition = all.filter(place => !this.honest.includes(place))
    const [answer, other] = [tickets[this.honest[0]]!, tickets[this.honest[1]]!]
    const view: Omit<View, 'features'> = {
      group,
      members,
      slots,
      table,
      honest: this.honest,
      left: [Math.min(answer, other), Math.max(answer, other)],
      coordinator: round % members,
      rotating: false,
      passes: this.passes(lap, startList(group, epoch, round, members)),
      firstList: all,
      kept: new Map(lap.flatMap(({ said: pass }) => this.keptOf(pass, coalition))),
      secrets: new Map(coalition.map(place => [place, this.secrets.get(place)!])),
      opened: new Map(coalition.map(place => [place, tickets[place]!])),
      dealt: new Map(all.map(place => [place, last[place]!])),
      shares: [...shares.values()],
      took: new Map(
        lap.slice(1).map(({ said: pass, at }, place) => [this.ring.indexOf(pass.author), at - lap[place]!.at]),
      ),
      laps: [],
      releases: [],
      firstToRelease: this.honest[0],
      stolen: undefined,
      betrayed: [this.honest[0], this.secrets.get(this.honest[0])!],
    }
    return { view: { ...view, features: featuresOf(view) }, answer }
  }

  /** What only all secrets together can do: the answer. */
  private open(table: readonly Element[], ticket: Ciphertext): number {
    const { group } = this.game
    const shares = [...this.secrets.values()].map(secret => partialDecryption(group, secret, ticket.c1))
    const content = combine(group, ticket, shares)
    return table.findIndex(one => sameBytes(one, content))
  }

  private passes(lap: readonly { readonly said: PassSaid }[], first: readonly Ciphertext[]): readonly Pass[] {
    const lists = [first, ...lap.map(({ said }) => said.list)]
    const turns = lap.map(({ said }, place) => ({
      by: this.ring.indexOf(said.author),
      input: lists[place]!,
      output: said.list,
    }))
    return [{ by: -1, input: [], output: first }, ...turns]
  }

  private keptOf(pass: PassSaid, coalition: readonly number[]): readonly (readonly [number, Kept])[] {
    const by = this.ring.indexOf(pass.author)
    const permutation = this.permutations.get(pass.list[0]!.c2.join())
    return permutation === undefined || !coalition.includes(by) ? [] : [[by, { permutation, taken: -1 }]]
  }
}
