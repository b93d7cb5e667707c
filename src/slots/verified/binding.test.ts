// protocols/slots: every proof is bound to the epoch, the round, the step and its author. One that was made for
// one place must not hold in any other, though the statement be the same. And the test of the test: proofs whose round
// is left out do hold elsewhere, and the property says so.

import { describe, expect, it } from 'vitest'
import { encode, seededRandom } from '../../core/index.ts'
import {
  castVote,
  checkShuffle,
  drawVote,
  insecureBareGroup,
  keyPair,
  possessionProofCodec,
  provePossession,
  proveRepresentation,
  proveShuffle,
  representationProofCodec,
  shuffle,
} from '../../crypto/index.ts'
import {
  ballotContext,
  checkBallot,
  checkKey,
  checkOpening,
  checkShare,
  keyContext,
  makeOpening,
  makeShare,
  passContext,
  startList,
} from './proofs.ts'
import type { Key, Opening, Share, Vote } from './wire.ts'

const group = insecureBareGroup()
const random = seededRandom(11)
const draw = (length: number) => random.bytes(length)
const keys = keyPair(group, draw)

interface Where {
  readonly epoch: Uint8Array
  readonly round: number
  readonly step: number
  readonly author: string
}
const here: Where = { epoch: new Uint8Array(32), round: 3, step: 1, author: 'a' }
const elsewhere: readonly (readonly [string, Where])[] = [
  ['epoch', { ...here, epoch: new Uint8Array(32).fill(1) }],
  ['round', { ...here, round: 4 }],
  ['step', { ...here, step: 2 }],
  ['author', { ...here, author: 'b' }],
]

/** Makes a proof for one place, and says whether it holds in another. */
type Proven = (made: Where, used: Where) => boolean
const said = ({ epoch, round, author }: Where) => ({ epoch, round, author, signature: new Uint8Array() })

const key: Proven = (made, used) => {
  const proof = provePossession(group, keys, keyContext(made.epoch, made.author), draw)
  const { publicKey } = keys
  return checkKey(group, {
    kind: 'key',
    ...said(used),
    publicKey,
    proof: encode(possessionProofCodec(group), proof),
  } as Key)
}

const pass: Proven = (made, used) => {
  const input = startList(group, here.epoch, here.round, 3)
  const { output, secret } = shuffle(group, keys.publicKey, input, draw)
  const claim = { key: keys.publicKey, input, output }
  const proof = proveShuffle(group, { ...claim, context: passContext(made.epoch, made.round, made.step) }, secret, draw)
  return checkShuffle(group, { ...claim, proof, context: passContext(used.epoch, used.round, used.step) }, draw)
}

const share: Proven = (made, used) => {
  const point = group.hashToElement('a test', new Uint8Array([1]))
  const part = makeShare(group, keys, point, { ...made, owner: made.step }, draw)
  const words = { kind: 'share', ...said(used), owner: used.step, lap: new Uint8Array(), ...part }
  return checkShare(group, keys.publicKey, point, words as Share)
}

function vote(made: Where, used: Where): Vote {
  const secret = drawVote(group, true, draw)
  const statement = castVote(group, keys.publicKey, secret)
  const context = ballotContext(made.epoch, made.round, made.step, 0, made.author)
  const proof = encode(representationProofCodec(group), proveRepresentation(group, statement, secret, context, draw))
  return { kind: 'vote', ...said(used), check: used.step, ballots: [{ a: statement.a, b: statement.b, proof }] }
}
const ballot: Proven = (made, used) => checkBallot(group, keys.publicKey, vote(made, used), 0)

const opening: Proven = (made, used) => {
  const votes = [vote(here, here)]
  const parts = makeOpening(group, keys, votes, { ...made, check: made.step }, draw)
  const words = { kind: 'opening', ...said(used), check: used.step, votes: new Uint8Array(), parts }
  return checkOpening(group, keys.publicKey, votes, words as Opening)
}

/** Each proof, and what it is bound to: a key is posted once an epoch, a pass has its author by its place. */
const proofs: readonly (readonly [name: string, proven: Proven, to: readonly string[]])[] = [
  ['key', key, ['epoch', 'author']],
  ['pass', pass, ['epoch', 'round', 'step']],
  ['share', share, ['epoch', 'round', 'step', 'author']],
  ['ballot', ballot, ['epoch', 'round', 'step', 'author']],
  ['opening', opening, ['epoch', 'round', 'step', 'author']],
]

/** The places in which a proof made here does not hold. */
function boundTo(proven: Proven): string[] {
  return elsewhere.filter(([, there]) => !proven(here, there)).map(([what]) => what)
}

describe.each(proofs)('the proof of a %s', (_name, proven, to) => {
  it('holds in its place', () => expect(proven(here, here)).toBe(true))
  it('holds nowhere else', () => expect(boundTo(proven)).toEqual(to))
  it('planted: without its round it holds in every round', () => {
    const unbound: Proven = (made, used) => proven({ ...made, round: 0 }, { ...used, round: 0 })
    expect(boundTo(unbound)).toEqual(to.filter(what => what !== 'round'))
  })
})
