// Members that lie, knowing the words: each is the honest machine with something done to what it says. They sign what
// they like, but only as themselves. Used by the simulator and the lab.

import { encode, type NodeId } from '../../../core/index.ts'
import { castVote, drawVote, proveRepresentation, representationProofCodec } from '../../../crypto/index.ts'
import { generalLiars } from '../../../simulator/index.ts'
import { ballotContext, passContext, passedOn, startList, tally } from '../../verified/proofs.ts'
import { driftOf } from '../../verified/record.ts'
import { saidBy } from '../../verified/saying.ts'
import { decodeShuffleAnswer, encodeShuffleWork, performShuffleWork } from '../../verified/shuffle-work.ts'
import type { Ballot, Pass, SlotsMessage, Vote } from '../../verified/wire.ts'
import { clinging, restarting, restless, splitting } from './epoch-liars.ts'
import { flipping, flooding, framing, hastyHeader, twoKeys, unsignedSuccessor } from './false-witnesses.ts'
import { forget, isOdd, remember } from './liars-memory.ts'
import { type LiarMeans, type LiarScene, type Lies, lying, type SlotsLiar } from './lying.ts'

/** One lie about one kind of word, everything else as it should be. */
function changing<Kind extends SlotsMessage['kind']>(
  kind: Kind,
  change: (scene: LiarScene, said: Extract<SlotsMessage, { kind: Kind }>, to: NodeId) => SlotsMessage | undefined,
  sameForAll = true,
): () => Lies {
  return () => ({
    says(scene, to, said) {
      const own = said.kind === kind && said.author === scene.state.self
      const words = own ? change(scene, said as Extract<SlotsMessage, { kind: Kind }>, to) : said
      if (words !== undefined && own && sameForAll) remember(scene, words)
      if (words !== undefined) scene.send(to, words)
    },
  })
}

const NOT_A_POINT = new Uint8Array([7, 7, 7])

/** The first ticket twice, and one lost. */
const doubledTicket = changing('pass', (scene, said) =>
  scene.forge(said, { list: said.list.map((ticket, place) => (place === 1 ? said.list[0]! : ticket)) }),
)

/** A mark in the second half of a ticket, to find it again. */
const taggedTicket = changing('pass', (scene, said) => {
  const tag = ({ c1, c2 }: Pass['list'][number]) => ({ c1, c2: scene.group.add(c2, scene.group.generator) })
  return scene.forge(said, { list: said.list.map((ticket, place) => (place === 0 ? tag(ticket) : ticket)) })
})

const pointOutside = changing('pass', (scene, said) =>
  scene.forge(said, {
    list: said.list.map((ticket, place) => (place === 0 ? { ...ticket, c1: NOT_A_POINT } : ticket)),
  }),
)

const pointOfIdentity = changing('vote', (scene, said) =>
  scene.forge(said, { ballots: said.ballots.map(ballot => ({ ...ballot, a: scene.group.identity })) }),
)

const falseShare = changing('share', (scene, said) =>
  scene.forge(said, { value: scene.group.add(said.value, scene.group.generator) }),
)

const falseOpening = changing('opening', (scene, said) =>
  scene.forge(said, {
    parts: said.parts.map(part => ({ ...part, value: scene.group.add(part.value, scene.group.generator) })),
  }),
)

const withheldShare = changing('share', () => undefined)

/** Withheld from one owner only. */
const withheldFromOne = changing('share', (scene, said) => {
  const n = scene.state.epoch.record.members.length
  return said.owner === (scene.state.epoch.position + 1) % n ? undefined : said
})

/** Two good passes, one for each half of the group. */
function twoPasses(): Lies {
  const second = new Map<string, Pass>()
  return {
    says(scene, to, said) {
      if (said.kind !== 'pass' || said.author !== scene.state.self || !isOdd(scene, to)) return scene.send(to, said)
      const name = `${said.epoch.join()}/${said.round}`
      const other = second.get(name) ?? anotherPass(scene, said)
      second.set(name, other)
      scene.send(to, other)
    },
  }
}

function anotherPass(scene: LiarScene, said: Pass): Pass {
  const { epoch } = scene.state
  const round = epoch.rounds.get(said.round)
  const before = round?.passes[said.place - 1]
  const count = said.list.length
  const list = before === undefined ? startList(scene.group, said.epoch, said.round, count) : passedOn(before)
  const context = passContext(said.epoch, said.round, said.place)
  const request = encodeShuffleWork({
    kind: 'shuffle',
    key: epoch.groupKey,
    list,
    context,
    follow: undefined,
    reencrypt: true,
  })
  const answer = decodeShuffleAnswer(performShuffleWork(scene.group, request, length => scene.turn.bytes(length)))
  return answer?.kind === 'shuffled' ? scene.forge(said, { list: answer.list, proof: answer.proof }) : said
}

/** Two ballots in one check. */
const twoVotes = changing(
  'vote',
  (scene, said, to) => (isOdd(scene, to) ? scene.forge(said, { ballots: heldBallots(scene, said) }) : said),
  false,
)

function heldBallots(scene: LiarScene, said: Vote): Ballot[] {
  const random = (length: number) => scene.turn.bytes(length)
  return said.ballots.map((_ballot, subject) => {
    const secret = drawVote(scene.group, true, random)
    const statement = castVote(scene.group, scene.state.epoch.groupKey, secret)
    const context = ballotContext(said.epoch, said.round, said.check, subject, said.author)
    const proof = proveRepresentation(scene.group, statement, secret, context, random)
    return { a: statement.a, b: statement.b, proof: encode(representationProofCodec(scene.group), proof) }
  })
}

/** Says that it holds, always. It costs the others one lease a round, and is no lie that can be proved. */
function alwaysHeld(): Lies {
  const said = new Map<string, Vote>()
  return {
    says(scene, to, words) {
      if (words.kind !== 'vote' || words.author !== scene.state.self) return scene.send(to, words)
      const name = `${words.epoch.join()}/${words.round}/${words.check}`
      const held = said.get(name) ?? scene.forge(words, { ballots: heldBallots(scene, words) })
      said.set(name, held)
      remember(scene, held)
      scene.send(to, held)
    },
  }
}

/** Waits for the others' ballots, and posts what makes the sum `wanted`. */
function lastVote(wanted: (scene: LiarScene, said: Vote) => { a: Uint8Array; b: Uint8Array }): () => Lies {
  return () => {
    const kept = new Map<string, Vote>()
    return {
      says(scene, to, said) {
        if (said.kind !== 'vote' || said.author !== scene.state.self) return scene.send(to, said)
        kept.set(`${said.round}/${said.check}`, said)
        forget(scene, said)
      },
      hears(scene, heard) {
        const own = heard.kind === 'vote' ? kept.get(`${heard.round}/${heard.check}`) : undefined
        const round = own === undefined ? undefined : scene.state.epoch.rounds.get(own.round)
        if (own === undefined || round === undefined) return
        const { members } = scene.state.epoch.record
        const others = members.map((_member, author) => saidBy(round, 'vote', author, own.check))
        const known = others.filter(vote => vote !== undefined && vote.author !== own.author)
        if (known.length < members.length - 1) return
        kept.delete(`${own.round}/${own.check}`)
        const ballots = own.ballots.map((ballot, subject) => {
          const sum = tally(
            scene.group,
            known.map(vote => vote!.ballots[subject]!),
          )
          const goal = wanted(scene, own)
          const a = scene.group.subtract(goal.a, sum.a)
          const b = scene.group.subtract(goal.b, sum.b)
          return { ...ballot, a, b }
        })
        const forged = scene.forge(own, { ballots })
        remember(scene, forged)
        scene.sendToAll(forged)
      },
    }
  }
}

/** The sum of all ballots becomes "free", although somebody holds. */
const cancelling = lastVote(({ group, state, turn }) => {
  const randomness = group.randomScalar(length => turn.bytes(length))
  return { a: group.multiplyBase(randomness), b: group.multiply(state.epoch.groupKey, randomness) }
})

/** The sum of all ballots becomes somebody's ticket, which the group then opens. */
const slippingIn = lastVote(({ group, state }, said) => {
  const ticket = state.epoch.rounds.get(said.round)!.passes.at(-1)!.list[(state.epoch.position + 1) % 2]!
  return { a: ticket.c1, b: group.add(ticket.c2, group.generator) }
})

/** Complains of a share that it has, and names somebody else's ticket. */
function askingForMore(): Lies {
  return {
    hears(scene, said) {
      if (said.kind !== 'share' || said.owner !== scene.state.epoch.position) return
      const { epoch, self } = scene.state
      const accused = epoch.record.members.findIndex(({ name }) => name === said.author)
      const point = epoch.rounds.get(said.round)?.passes.at(-1)?.list[accused]?.c1
      if (point === undefined) return
      const words = { kind: 'complaint', author: self, epoch: epoch.hash, round: said.round, accused, point } as const
      scene.send(said.author, scene.forge({ ...words, signature: new Uint8Array() }, {}))
    },
  }
}

/** Posts its key last, minus the sum of the others': the group's key would be its own. */
function rogueKey(): Lies {
  let own: (SlotsMessage & { kind: 'key' }) | undefined
  return {
    says(scene, to, said) {
      if (said.kind !== 'key' || said.author !== scene.state.self) return scene.send(to, said)
      own = said
      forget(scene, said)
    },
    hears(scene) {
      const { epoch } = scene.state
      if (own === undefined) return
      const others = epoch.record.members.map((_member, author) => saidBy(epoch, 'key', author))
      const known = others.filter(key => key !== undefined && key.author !== scene.state.self)
      if (known.length < epoch.record.members.length - 1) return
      const secret = scene.group.randomScalar(length => scene.turn.bytes(length))
      scene.known.push(secret)
      const sum = known.reduce((total, key) => scene.group.add(total, key!.publicKey), scene.group.identity)
      const forged = scene.forge(own, { publicKey: scene.group.subtract(scene.group.multiplyBase(secret), sum) })
      own = undefined
      remember(scene, forged)
      scene.sendToAll(forged)
    },
  }
}

/** Says everything, and beside it something that it said before: of an old round, or an old epoch. */
function repeating(): Lies {
  const said: SlotsMessage[] = []
  return {
    says(scene, to, words) {
      scene.send(to, words)
      if (said.length < 500) said.push(words)
      scene.send(to, said[scene.turn.below(said.length)]!)
    },
  }
}

/** Below the patience of the simulated group; twice that is longer than its lease. */
const LINGER_MS = 1_500

/** Says some of its words late. */
function lingeringBy(lateness: (scene: LiarScene, said: SlotsMessage) => number | undefined): () => Lies {
  return () => {
    const due = new Map<string, number>()
    const waiting: { readonly at: number; readonly to: NodeId; readonly said: SlotsMessage }[] = []
    return {
      says(scene, to, said) {
        const late = said.author === scene.state.self ? lateness(scene, said) : undefined
        if (late === undefined) return scene.send(to, said)
        const name = `${said.epoch.join()}/${said.round}/${said.kind}/${to}`
        const at = due.get(name) ?? scene.turn.now + late
        due.set(name, at)
        waiting.push({ at, to, said })
      },
      hears(scene) {
        const now = waiting.splice(0)
        for (const one of now) {
          if (one.at <= scene.turn.now) scene.send(one.to, one.said)
          else waiting.push(one)
        }
      },
    }
  }
}

/** Always late with its seal and then with its share, and never too late for either. */
const lingering = lingeringBy((_scene, { kind }) => {
  if (kind === 'seal') return LINGER_MS
  // It has its own seal from the first, and would share before the others have it.
  return kind === 'share' ? 2 * LINGER_MS : undefined
})

/** Late with one member's share only, by as long as that member may believe. */
const lateToOne = lingeringBy(({ state: { epoch } }, said) => {
  const { members, lease } = epoch.record
  const victim = (epoch.position + 1) % members.length
  return said.kind === 'share' && said.owner === victim ? lease * (1 - driftOf(epoch.record)) : undefined
})

/** Opens a round whose slots it has not. */
const oddHeader = changing('header', (scene, said) => scene.forge(said, { slots: [...said.slots, 60] }))

/** Signs nonsense: what is right in form and wrong in every other way must be survived. */
function garbling(): Lies {
  return {
    says(scene, to, said) {
      const own = said.author === scene.state.self && scene.turn.below(3) === 0
      scene.send(to, own ? garbled(scene, said) : said)
    },
  }
}

function garbled(scene: LiarScene, said: SlotsMessage): SlotsMessage {
  const { turn } = scene
  const fields = Object.entries(said).filter(([field]) => !['kind', 'author', 'epoch', 'signature'].includes(field))
  const [field, value] = fields[turn.below(fields.length)]!
  const change = { [field]: nonsense(value, turn) } as Partial<SlotsMessage>
  try {
    return scene.forge(said, change)
  } catch {
    // What cannot be encoded cannot be signed either.
    return said
  }
}

function nonsense(value: unknown, turn: LiarScene['turn']): unknown {
  if (typeof value === 'number') return turn.below(2) === 0 ? turn.below(70) : 0
  if (typeof value === 'boolean') return !value
  if (value instanceof Uint8Array) return turn.below(2) === 0 ? turn.bytes(value.length) : value.slice(turn.below(40))
  if (Array.isArray(value)) return turn.below(2) === 0 ? value.slice(1) : [...value, ...value.slice(0, 1)]
  return value === undefined ? 0 : value
}

/** Fresh ones for each run: some remember. */
export function slotsLiars(means: LiarMeans): readonly SlotsLiar[] {
  const own: readonly (readonly [string, () => Lies])[] = [
    ['doubled-ticket', doubledTicket],
    ['tagged-ticket', taggedTicket],
    ['point-outside', pointOutside],
    ['point-of-identity', pointOfIdentity],
    ['false-share', falseShare],
    ['false-opening', falseOpening],
    ['withheld-share', withheldShare],
    ['withheld-from-one', withheldFromOne],
    ['two-passes', twoPasses],
    ['two-votes', twoVotes],
    ['always-held', alwaysHeld],
    ['cancelling', cancelling],
    ['slipping-in', slippingIn],
    ['asking-for-more', askingForMore],
    ['rogue-key', rogueKey],
    ['repeating', repeating],
    ['odd-header', oddHeader],
    ['garbling', garbling],
    ['lingering', lingering],
    ['late-to-one', lateToOne],
    ['restless', restless],
    ['restarting', restarting],
    ['clinging', clinging],
    ['splitting', splitting],
    ['framing', framing],
    ['unsigned-successor', unsignedSuccessor],
    ['two-keys', twoKeys],
    ['hasty-header', hastyHeader],
    ['flooding', flooding],
    ['flipping', flipping],
  ]
  return [...own.map(([name, lies]) => lying(name, means, lies)), ...generalLiars()]
}
