// Members that lie about others, or say more than anybody needs: evidence that is made up, successors that nobody signed, two
// keys, rounds before their time, words without end, bits that are flipped. At the rate that they are spoken to, or one that
// a transport allows.

import { encode } from '../../../core/index.ts'
import { keyPair, possessionProofCodec, provePossession } from '../../../crypto/index.ts'
import { type Evidence, encodeEvidence } from '../../verified/evidence.ts'
import { keyContext, leaderOf } from '../../verified/proofs.ts'
import { recordHash, slotsDealt, votersOf } from '../../verified/record.ts'
import { roundFor } from '../../verified/rounds.ts'
import { saidBy, saidByAll } from '../../verified/saying.ts'
import {
  type Accuse,
  type Ask,
  type Favour,
  type Header,
  type Key,
  NEEDS_MAX,
  type Pass,
  type Refuse,
  type Sign,
  type SlotsMessage,
  type Succeeded,
  statementHash,
  type Vote,
} from '../../verified/wire.ts'
import { isOdd, remember } from './liars-memory.ts'
import type { LiarScene, Lies } from './lying.ts'

const UNSIGNED = new Uint8Array()

/** A word of the liar's own, in the present epoch. */
function own<Kind extends SlotsMessage>(scene: LiarScene, words: Omit<Kind, 'author' | 'epoch' | 'signature'>): Kind {
  const { self, epoch } = scene.state
  return scene.forge({ ...words, author: self, epoch: epoch.hash, signature: UNSIGNED } as unknown as Kind, {})
}

/** Another key of its own, which it possesses. */
function otherKey(scene: LiarScene, key: Key): Key {
  const random = (length: number) => scene.turn.bytes(length)
  const pair = keyPair(scene.group, random)
  const proof = provePossession(scene.group, pair, keyContext(key.epoch, key.author), random)
  return scene.forge(key, {
    publicKey: pair.publicKey,
    proof: encode(possessionProofCodec(scene.group), proof),
  })
}

function otherList(scene: LiarScene, pass: Pass): Pass {
  const { group } = scene
  return scene.forge(pass, { list: pass.list.map(({ c1, c2 }) => ({ c1, c2: group.add(c2, group.generator) })) })
}

/** What it would show against the author of this word: all true, but for keys, a pass before or a lap that it makes up. */
function madeUpEvidence(scene: LiarScene, said: SlotsMessage): Evidence | undefined {
  const { epoch, self } = scene.state
  const { record } = epoch
  const keys = saidByAll(epoch, epoch, 'key')
  const place = record.members.findIndex(({ name }) => name === said.author)
  const ready = saidBy(epoch, 'ready', place)
  if (keys === undefined || ready === undefined || said.author === self) return undefined
  if (said.kind === 'vote') {
    const others = keys.map(key => (key.author === self ? otherKey(scene, key) : key))
    return { kind: 'ballot', record, statement: said, subject: 0, keys: others, ready }
  }
  const passes = epoch.rounds.get(said.round)?.passes ?? []
  if (said.kind === 'pass' && passes[said.place - 1] !== undefined) {
    return { kind: 'pass', record, statement: said, before: otherList(scene, passes[said.place - 1]!), keys, ready }
  }
  if (said.kind !== 'share' || passes.length < record.members.length) return undefined
  const lap = [...passes.slice(0, -1), otherList(scene, passes.at(-1)!)]
  const shown = { first: lap[0]!, last: lap.at(-1)!, passes: lap.map(statementHash) }
  return { kind: 'share', record, statement: said, ...shown, keys, ready }
}

/** Accuses everybody whose words it hears. */
export function framing(): Lies {
  return {
    hears(scene, said) {
      const evidence = madeUpEvidence(scene, said)
      if (evidence === undefined) return
      scene.sendToAll(own<Accuse>(scene, { kind: 'accuse', round: 0, evidence: encodeEvidence(evidence) }))
    },
  }
}

/** No faster than this, in milliseconds: each of its words is answered, and it would answer the answers. */
const PAUSE_MS = 20

function nowAndThen(act: (scene: LiarScene, count: number) => void): Lies {
  let [at, count] = [Number.NEGATIVE_INFINITY, 0]
  return {
    hears(scene) {
      if (scene.turn.now < at + PAUSE_MS || scene.state.epoch.position < 0) return
      at = scene.turn.now
      act(scene, count++)
    },
  }
}

/** Shows a successor of its own choice, and favours for it, that nobody else signed. */
export function unsignedSuccessor(): Lies {
  return nowAndThen(scene => {
    const { record, hash, position } = scene.state.epoch
    const members = [...record.members.slice(position), ...record.members.slice(0, position)]
    const next = { ...record, number: record.number + 1, previous: hash, members }
    const ballot = record.members.length + position
    const signatures = votersOf(record).map(({ name }) => {
      const words = { round: 0, ballot, record: recordHash(next) }
      return { author: name, signature: own<Sign>(scene, { kind: 'sign', ...words }).signature }
    })
    scene.sendToAll(own<Succeeded>(scene, { kind: 'succeeded', round: 0, link: { record: next, ballot, signatures } }))
    const favoured = { ballot, signatures }
    scene.sendToAll(own<Refuse>(scene, { kind: 'refuse', round: 0, ballot, record: next, favoured }))
  })
}

/** One key for some and another for the others, and it possesses both. */
export function twoKeys(): Lies {
  const second = new Map<string, Key>()
  return {
    says(scene, to, said) {
      if (said.kind !== 'key' || said.author !== scene.state.self || !isOdd(scene, to)) return scene.send(to, said)
      const name = said.epoch.join()
      const other = second.get(name) ?? otherKey(scene, said)
      second.set(name, other)
      scene.send(to, other)
    },
  }
}

/** Opens its rounds as soon as the epoch is live, whatever is still held. */
export function hastyHeader(): Lies {
  return nowAndThen(scene => {
    const { epoch } = scene.state
    const { record, next, position, live, closed } = epoch
    if (!live || closed || leaderOf(record, next) !== position) return
    const round = roundFor(epoch, next)
    if (round === undefined || saidBy(round, 'header', position) !== undefined) return
    const all = record.slots.map((_name, slot) => slot)
    const said = own<Header>(scene, { kind: 'header', round: next, slots: all.slice(0, slotsDealt(record)) })
    remember(scene, said)
    scene.sendToAll(said)
  })
}

/** Favours and signs what there is not, asks for the same word a hundred times, and votes in rounds to come. */
export function flooding(): Lies {
  return nowAndThen((scene, count) => {
    const { epoch } = scene.state
    const record = scene.turn.bytes(32)
    const need = { kind: 'key', author: scene.turn.below(epoch.record.members.length), index: 0 } as const
    const ballots = [{ a: scene.turn.bytes(384), b: scene.turn.bytes(384), proof: scene.turn.bytes(2_000) }]
    const round = epoch.next + (count % epoch.record.members.length)
    for (const said of [
      own<Favour>(scene, { kind: 'favour', round: 0, ballot: count % 1_000, record }),
      own<Sign>(scene, { kind: 'sign', round: 0, ballot: count % 1_000, record }),
      own<Ask>(scene, { kind: 'ask', round: 0, needs: new Array(NEEDS_MAX).fill(need) }),
      own<Vote>(scene, { kind: 'vote', round, check: 2, ballots }),
    ]) {
      scene.sendToAll(said)
    }
  })
}

/** Flips a bit of every signature, its own or of what it passes on. */
export function flipping(): Lies {
  return {
    says(scene, to, said) {
      const signature = said.signature.slice()
      const place = scene.turn.below(Math.max(1, signature.length))
      if (signature.length > 0) signature[place] = signature[place]! ^ (1 << scene.turn.below(8))
      scene.send(to, { ...said, signature })
    },
  }
}
