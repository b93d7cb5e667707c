// A server or a member that lies, over the real transport, under its own certificate and with its own store: the node that
// ships, in which each part can be made to lie and to be honest again while it runs. Whatever a liar does, it does as
// itself: it has no other keys.
//
// The lies are the simulator's: each wraps the honest machine, and works on the honest machine's state, so that one can
// follow another. At a rate, what a lie said is said again and again to everybody who heard it.

import {
  type AnyProtocol,
  type Codec,
  type Effect,
  encode,
  type Input,
  type NodeId,
  ownTurn,
  SettingsError,
  type Turn,
  type Writer,
} from '../src/core/index.ts'
import {
  type Keys as ElectionKeys,
  type ElectionSettings,
  electionDefaults,
  electionVocabulary,
} from '../src/election/index.ts'
import { electionLiars } from '../src/election/proof/index.ts'
import { interestVocabulary } from '../src/events/interest/wire.ts'
import { interestLiars } from '../src/events/proof/interest/liars.ts'
import { eventsLiars } from '../src/events/proof/liars.ts'
import { routingLiars } from '../src/events/proof/routing/liars.ts'
import { routingVocabulary } from '../src/events/routing/wire.ts'
import { eventsVocabulary } from '../src/events/wire.ts'
import type { LedgerServerSettings } from '../src/ledger/index.ts'
import { ledgerLiars } from '../src/ledger/proof/liars.ts'
import { ledgerVocabulary } from '../src/ledger/wire.ts'
import { lockVocabulary } from '../src/lock/index.ts'
import { lockLiars } from '../src/lock/proof/index.ts'
import { membershipVocabulary } from '../src/membership/index.ts'
import { membershipLiars } from '../src/membership/proof/index.ts'
import { nodeVocabulary } from '../src/node/index.ts'
import { ledgerServerSettings } from '../src/node/ledger.ts'
import { livesVocabulary } from '../src/node/lives/wire.ts'
import { type MemberEvent, type MemberSettings, memberOf, memberParts, memberVocabulary } from '../src/node/member.ts'
import { livesLiars } from '../src/node/proof/lives-liars.ts'
import { type ServerParts, serverOf } from '../src/node/server.ts'
import { orderingVocabulary } from '../src/ordering/index.ts'
import { orderingLiars } from '../src/ordering/proof/index.ts'
import { loadNodeConfig } from '../src/runtime/config/config.ts'
import { sha256 } from '../src/runtime/hash.ts'
import { ledgerCryptoOf, voterOf, votingSeed } from '../src/runtime/ledger.ts'
import { silence } from '../src/runtime/log.ts'
import { type MemberOptions, type RunningMember, startMember } from '../src/runtime/member.ts'
import { startServer } from '../src/runtime/server.ts'
import { type Liar, twisting } from '../src/simulator/index.ts'
import { slotsVocabulary } from '../src/slots/index.ts'
import { slotsLiars } from '../src/slots/proof/index.ts'

/** The parts of a node that can lie; `node` is the whole, down to the bytes of its frames. */
export type LyingPart =
  | 'lock'
  | 'ordering'
  | 'events'
  | 'ledger'
  | 'membership'
  | 'election'
  | 'slots'
  | 'routing'
  | 'interest'
  | 'lives'
  | 'node'

export interface Lie {
  readonly part: LyingPart
  readonly lie: string
  /** How often it is said besides, to each who heard it. */
  readonly perSecond: number
}

type Liars = readonly Liar[]
/** Lies that the proofs do not have, and that somebody brings along. */
export type MoreLies = Partial<Record<LyingPart, () => Liars>>

export interface LyingNode {
  /** From now on it lies like this, and in no other part; undefined: it is honest. */
  tell(lie: Lie | undefined): void
  /** What it has said besides, at a rate. */
  repeated(): number
  /** The names of the lies that it knows. */
  lies(): Partial<Record<LyingPart, readonly string[]>>
  stop(): Promise<void>
}

export interface LyingMember extends LyingNode {
  readonly member: RunningMember
}

// biome-ignore lint/suspicious/noExplicitAny: a liar wraps machines of every vocabulary
type AnyTurn = Turn<any, any>
// biome-ignore lint/suspicious/noExplicitAny: as above
type AnyCodec = Codec<any>
// biome-ignore lint/suspicious/noExplicitAny: as above
type AnyEffect = Effect<any, any>

/** Timers of lies begin so; those of machines do not. */
const LIE_MARK = 'lie'
/** A part of no node: frames that are no message. */
export const RAW_PART = 'raw'

/** The names of the lies that a server's or a member's proofs know, without a node. `secret`: where ballots are, there are more. */
export function namesOfLies(
  role: 'server' | 'member',
  more: MoreLies = {},
  secret = false,
): Map<LyingPart, readonly string[]> {
  const none = new Uint8Array(32)
  const counting = secret ? { counting: {} } : {}
  const signer = { publicKey: none, sign: () => none }
  const keys = { signer, sealing: {}, signatures: {}, ...counting } as unknown as ElectionKeys
  const found: [LyingPart, Liars][] =
    role === 'server'
      ? [
          ['lock', lockLiars()],
          ['ordering', orderingLiars(sha256)],
          ['events', eventsLiars()],
          ['ledger', ledgerLiars(() => undefined as never)],
          ['lives', livesLiars],
        ]
      : [
          ['membership', membershipLiars() as unknown as Liars],
          ['election', electionLiars(electionDefaults as ElectionSettings, keys)],
          ['routing', routingLiars()],
          ['interest', interestLiars()],
          ['slots', slotsLiars({ group: undefined as never, signer: keys.signer, known: [] })],
        ]
  found.push(['node', nodeLiars])
  return new Map(found.map(([part, liars]) => [part, namesIn([...liars, ...(more[part]?.() ?? [])])]))
}

const namesIn = (liars: Liars) => [...new Set(liars.map(({ name }) => name))]

/** `folder` is a server's, as `coterie init` made it. It is honest until it is told otherwise. */
export async function startLyingServer(folder: string, more: MoreLies = {}): Promise<LyingNode> {
  const config = await loadNodeConfig(folder)
  if (config.role !== 'server') throw new SettingsError(`${config.file} is not a server's`)
  const mask = new NodeMask(more)
  const brings = { hash: sha256, ledgerCrypto: ledgerCryptoOf(), voter: voterOf(await votingSeed(config.folder)) }
  const ledgers = ledgerServerSettings(config.group, brings)
  const server = await startServer({
    config,
    log: silence,
    disguise: parts => ({ protocol: lyingServer(parts, mask, ledgers), vocabulary: withRaw(nodeVocabulary) as never }),
    failed,
  })
  return mask.running(() => server.stop())
}

/** What a member says of itself in elections, and what the group's coordinators are chosen by. */
export type TakesPart = Pick<MemberOptions, 'attributes' | 'ranking'>

const FIRST_COME: TakesPart = {
  attributes: [],
  ranking: [
    { name: 'joined', best: 'small', tolerance: 0 },
    { name: 'failures', best: 'small', tolerance: 0 },
  ],
}

/** `folder` is a member's, as `coterie init --members` made it. It is honest until it is told otherwise. */
export async function startLyingMember(
  folder: string,
  more: MoreLies = {},
  takesPart: TakesPart = FIRST_COME,
  event: (event: MemberEvent) => void = () => {},
): Promise<LyingMember> {
  const config = await loadNodeConfig(folder)
  if (config.role !== 'member') throw new SettingsError(`${config.file} is not a member's`)
  const mask = new NodeMask(more)
  const member = await startMember({
    config,
    log: silence,
    ...takesPart,
    disguise: settings => ({ protocol: lyingMember(settings, mask), vocabulary: withRaw(memberVocabulary) as never }),
    event,
    failed,
  })
  return { ...mask.running(() => member.stop()), member }
}

function failed(error: Error): void {
  throw error
}

/** `ledgers`: what it votes with, its own key; undefined where the group has no ledgers. */
function lyingServer(parts: ServerParts, mask: NodeMask, ledgers: LedgerServerSettings | undefined) {
  const lock = mask.part('lock', parts.lock, lockVocabulary, lockLiars)
  const { ordering } = parts
  const objects = ordering && mask.part('ordering', ordering, orderingVocabulary, () => orderingLiars(sha256))
  const { events: channels } = parts
  const events = channels && mask.part('events', channels, eventsVocabulary, eventsLiars)
  const ledger =
    parts.ledger && ledgers && mask.part('ledger', parts.ledger, ledgerVocabulary, () => ledgerLiars(() => ledgers))
  const lives = parts.lives && mask.part('lives', parts.lives, livesVocabulary, () => livesLiars)
  // Without the other parts it would wait for their word, and lie to nobody.
  const known = { ...(objects && { ordering: objects }), ...(events && { events }), ...(ledger && { ledger }) }
  const disguised = { ...parts, lock, ...known, ...(lives && { lives }) }
  return mask.whole(serverOf(disguised as ServerParts), nodeVocabulary)
}

function lyingMember(settings: MemberSettings, mask: NodeMask) {
  const { keys, slots } = settings
  const means = { group: slots.group, signer: slots.signer, known: [] }
  const parts = memberParts({
    ...settings,
    slots: { ...slots, disguise: honest => mask.part('slots', honest, slotsVocabulary, () => slotsLiars(means)) },
  })
  const gossips = () =>
    membershipLiars().map(liar => ({
      name: liar.name,
      corrupt: (honest: AnyProtocol) => liar.corrupt(honest, settings.membership),
    }))
  const votes = () => electionLiars(settings.election, keys)
  const membership = mask.part('membership', parts.membership, membershipVocabulary, gossips)
  const election = mask.part('election', parts.election, electionVocabulary, votes)
  const routing = mask.part('routing', parts.routing, routingVocabulary, routingLiars)
  const interest = mask.part('interest', parts.interest, interestVocabulary, interestLiars)
  return mask.whole(memberOf({ ...parts, membership, election, routing, interest }), memberVocabulary)
}

/** What a liar can do below all protocols. */
const nodeLiars: Liars = [
  /** Beside every message, a frame that is none. */
  twisting('bad-frames', (send, turn) => {
    turn.do(send)
    turn.do({ kind: 'send', to: send.to, body: { part: RAW_PART, body: turn.bytes(1 + turn.below(200)) } })
  }),
]

/** The words of a node, and frames of any bytes. */
function withRaw(vocabulary: AnyCodec): AnyCodec {
  return {
    write(writer: Writer, message: { readonly part: string; readonly body: Uint8Array }) {
      if (message.part === RAW_PART) writer.raw(message.body)
      else vocabulary.write(writer, message)
    },
    read: reader => vocabulary.read(reader),
  }
}

/** The masks of a node's parts, of which at most one is not honest. */
class NodeMask {
  private readonly masks: PartMask[] = []
  private readonly more: MoreLies
  private readonly parrot = new Parrot()
  private told: Lie | undefined

  constructor(more: MoreLies) {
    this.more = more
  }

  part<Machine extends AnyProtocol>(
    part: LyingPart,
    honest: Machine,
    vocabulary: AnyCodec,
    liars: () => Liars,
  ): Machine {
    const mask = new PartMask(part, honest, vocabulary, () => [...liars(), ...(this.more[part]?.() ?? [])])
    this.masks.push(mask)
    if (this.told?.part === part) mask.wear(this.told.lie)
    return mask.protocol as Machine
  }

  whole<Node extends AnyProtocol>(node: Node, vocabulary: AnyCodec): Node {
    const words = withRaw(vocabulary)
    const masked = this.part('node', node, words, () => nodeLiars)
    return { ...masked, step: this.parrot.overhearing(masked, words) }
  }

  running(stop: () => Promise<void>): LyingNode {
    return {
      stop,
      repeated: () => this.parrot.repeated,
      tell: lie => this.tell(lie),
      lies: () => Object.fromEntries(this.masks.map(mask => [mask.part, mask.names()])),
    }
  }

  private tell(lie: Lie | undefined): void {
    const known = lie === undefined || this.masks.some(mask => mask.part === lie.part && mask.names().includes(lie.lie))
    if (!known) throw new SettingsError(`there is no lie ${lie.lie} of ${lie.part}`)
    this.told = lie
    for (const mask of this.masks) mask.wear(mask.part === lie?.part ? lie.lie : undefined)
    this.parrot.repeat(lie)
  }
}

/** One part: the honest machine, and in its place for a while a liar that works on the same state. */
class PartMask {
  readonly part: LyingPart
  readonly protocol: AnyProtocol
  private readonly honest: AnyProtocol
  private readonly vocabulary: AnyCodec
  private readonly liars: () => Liars
  private liar: AnyProtocol | undefined
  /** The lie has not begun: its machine is to hear of a start that was long ago. */
  private isNew = false
  /** While a lie begins, the honest machine, which began long ago, hears nothing. */
  private isDeaf = false
  private readonly timers = new Set<string>()

  constructor(part: LyingPart, honest: AnyProtocol, vocabulary: AnyCodec, liars: () => Liars) {
    this.part = part
    this.honest = honest
    this.vocabulary = vocabulary
    this.liars = liars
    this.protocol = {
      ...honest,
      name: `${honest.name}, masked`,
      step: (state, input, turn) => this.step(state, input, turn),
    }
  }

  names(): readonly string[] {
    return namesIn(this.liars())
  }

  wear(lie: string | undefined): void {
    const liar = this.liars().find(({ name }) => name === lie)
    // A liar that does not build on the honest machine is a machine of its own, which begins for itself.
    this.isNew = liar !== undefined && liar.corrupt.length > 0
    this.timers.clear()
    this.liar = liar?.corrupt({ ...this.honest, step: (...given) => this.isDeaf || this.honest.step(...given) })
  }

  private step(state: unknown, input: Input<unknown, unknown>, turn: AnyTurn): void {
    if (input.kind === 'timer' && input.name.startsWith(LIE_MARK) && !this.timers.delete(input.name)) return
    const { liar } = this
    if (liar === undefined) return this.honest.step(state, input, turn)
    const own = ownTurn<unknown, unknown>(turn, effect => this.perform(effect, turn))
    if (this.isNew && input.kind !== 'start') this.begin(state, own)
    try {
      liar.step(state, input, own)
    } catch {
      // A liar that stumbles over its own lies says nothing this time.
    }
  }

  private begin(state: unknown, turn: AnyTurn): void {
    this.isNew = false
    this.isDeaf = true
    try {
      this.liar?.step(state, { kind: 'start' }, turn)
    } finally {
      this.isDeaf = false
    }
  }

  private perform(effect: AnyEffect, turn: AnyTurn): void {
    if (effect.kind === 'timer' && effect.name.startsWith(LIE_MARK)) this.timers.add(effect.name)
    // What does not fit into its field cannot be put on the wire.
    if (effect.kind !== 'send' || sizeOf(this.vocabulary, effect.body) !== undefined) turn.do(effect)
  }
}

function sizeOf(vocabulary: AnyCodec, body: unknown): number | undefined {
  try {
    return encode(vocabulary, body).length
  } catch {
    return undefined
  }
}

const BEAT_MS = 10
const BEAT_TIMER = 'beat of lies'
/** Words that it repeats to one peer, and peers that it repeats them to. */
const KEPT_MAX = 16
const HEARERS_MAX = 64
/** Large lies are repeated less often: a flood on one machine must leave the honest processes their share of it. */
const BYTES_PER_SECOND_MAX = 16 << 20

interface Kept {
  readonly body: unknown
  readonly bytes: number
}

/** Says what the lying part said again, so many times a second, to each who heard it. */
class Parrot {
  repeated = 0
  private lie: Lie | undefined
  private readonly kept = new Map<NodeId, Kept[]>()
  private last = 0
  private place = 0

  repeat(lie: Lie | undefined): void {
    this.lie = lie !== undefined && lie.perSecond > 0 ? lie : undefined
    this.kept.clear()
  }

  overhearing(node: AnyProtocol, vocabulary: AnyCodec): AnyProtocol['step'] {
    return (state, input, turn) => {
      if (input.kind === 'start') turn.do({ kind: 'timer', name: BEAT_TIMER, after: BEAT_MS })
      if (input.kind === 'timer' && input.name === BEAT_TIMER) return this.beat(turn)
      if (this.lie === undefined) return node.step(state, input, turn)
      const own = ownTurn<unknown, unknown>(turn, effect => {
        if (effect.kind === 'send') this.keep(effect.to, effect.body as { readonly part: string }, vocabulary)
        turn.do(effect)
      })
      node.step(state, input, own)
    }
  }

  private keep(to: NodeId, body: { readonly part: string }, vocabulary: AnyCodec): void {
    if (body.part !== (this.lie?.part === 'node' ? RAW_PART : this.lie?.part)) return
    const bytes = sizeOf(vocabulary, body)
    const words = this.kept.get(to) ?? []
    if (bytes === undefined || (words.length === 0 && this.kept.size >= HEARERS_MAX)) return
    words.push({ body, bytes })
    if (words.length > KEPT_MAX) words.shift()
    this.kept.set(to, words)
  }

  private beat(turn: AnyTurn): void {
    turn.do({ kind: 'timer', name: BEAT_TIMER, after: BEAT_MS })
    const passed = Math.min(1_000, turn.now - this.last)
    this.last = turn.now
    if (this.lie === undefined) return
    const count = Math.round((this.lie.perSecond * passed) / 1_000)
    let bytes = (BYTES_PER_SECOND_MAX * passed) / 1_000
    for (let said = 0; said < count; said++) {
      this.place++
      for (const [to, words] of this.kept) {
        const word = words[this.place % words.length]!
        bytes -= word.bytes
        if (bytes < 0) return
        this.repeated++
        turn.do({ kind: 'send', to, body: word.body })
      }
    }
  }
}
