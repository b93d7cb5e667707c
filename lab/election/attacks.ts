// SRCEA figure 2, the security mechanism, attacked: each attack against the mechanism as printed, and against messages
// that are signed by their author, sealed with a fresh nonce and taken once.
//
// - The repeated vector: E_IV depends on the number of nodes only, and the first block of a vote is the voter and its
//   three preferences. Two equal ballots have an equal first block. An attacker that learned one ballot (those of an earlier
//   election are known, or the eavesdropper is asked for its own) reads all equal ones of later elections.
// - The published vector: E_IV = K ⊕ (n × height). The paper calls it "known to member nodes only"; shown, as other
//   initialisation vectors are, or logged, it is the key.
// - The insider: all members share both keys. One writes a vote in another's name.
// - The flipped time-stamp: it stands outside the HMAC. An old announcement becomes a new one.

import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { type Random, seededRandom } from '../../src/core/index.ts'
import {
  type BlockCipher,
  type GroupKeys,
  initialisationVector,
  open,
  readVote,
  seal,
  voteMessage,
} from '../../src/papers/srcea/index.ts'
import { type Experiment, type Row, type RunOptions, row } from '../experiment.ts'
import { type SignedGroup, SignedReceiver, sealSigned, signedGroup } from './signed.ts'

const ORDERS = [
  [1, 2, 3],
  [1, 3, 2],
  [2, 1, 3],
  [2, 3, 1],
  [3, 1, 2],
  [3, 2, 1],
]
const NODES = 20
const TRIALS = { small: 40, full: 400 }
const BLOCK = 16

/** AES on one block, by OpenSSL. */
export const aesBlock: BlockCipher = {
  encrypt: (key, block) =>
    createCipheriv(`aes-${8 * key.length}-ecb`, key, null)
      .setAutoPadding(false)
      .update(block),
  decrypt: (key, block) =>
    createDecipheriv(`aes-${8 * key.length}-ecb`, key, null)
      .setAutoPadding(false)
      .update(block),
}

function newKeys(): GroupKeys {
  return { encryption: randomBytes(16), hashing: randomBytes(32) }
}

interface Score {
  printed: number
  signed: number
}

interface Attack {
  readonly name: string
  /** How often it would come out right by guessing. */
  readonly guess: number
  /** One try against each. */
  once(random: Random, group: SignedGroup): { readonly printed: boolean; readonly signed: boolean }
}

/** The eavesdropper has seen one ballot of each kind in an earlier election; which is this one? */
const repeatedVector: Attack = {
  name: 'repeated vector: an eavesdropper names the ballot',
  guess: 1 / ORDERS.length,
  once(random, group) {
    const keys = newKeys()
    const voter = 4 + random.below(NODES - 4)
    const secret = random.below(ORDERS.length)
    const firstBlock = (bytes: Uint8Array) => Buffer.from(bytes.subarray(0, BLOCK)).toString('hex')
    const printed = (order: readonly number[], at: number) =>
      firstBlock(seal(voteMessage(voter, order, at), keys, NODES, at, aesBlock).sealed)
    const signed = (order: readonly number[], term: number) =>
      firstBlock(sealSigned(group, group.members[voter]!, voteMessage(voter, order, term), term, term).sealed)
    const guessed = (of: (order: readonly number[], at: number) => string) => {
      const later = of(ORDERS[secret]!, 2_000)
      const found = ORDERS.findIndex(order => of(order, 1_000) === later)
      return (found >= 0 ? found : random.below(ORDERS.length)) === secret
    }
    return { printed: guessed(printed), signed: guessed(signed) }
  },
}

const publishedVector: Attack = {
  name: 'published vector: an outsider opens a vote',
  guess: 0,
  once(random, group) {
    const keys = newKeys()
    const message = voteMessage(7, ORDERS[random.below(6)]!, 1_000)
    const sent = seal(message, keys, NODES, 1_000, aesBlock)
    const vector = initialisationVector(keys.encryption, NODES)
    // Equation 3 backwards: XOR with the same number again.
    const key = initialisationVector(vector, NODES)
    const opened = cbc(key, vector, sent.sealed)
    // Of a fresh nonce nothing follows; the same step is tried.
    const other = sealSigned(group, group.members[7]!, message, 1, 1_000)
    const wrongKey = Buffer.concat([
      initialisationVector(Buffer.concat([other.nonce, Buffer.alloc(4)]), NODES),
      other.nonce,
      Buffer.alloc(4),
    ])
    const decipher = createDecipheriv('chacha20-poly1305', wrongKey, other.nonce, { authTagLength: 16 })
    const read = decipher.setAuthTag(other.mark).update(other.sealed)
    return { printed: opened.subarray(0, message.length).equals(message), signed: read.equals(message) }
  },
}

function cbc(key: Uint8Array, vector: Uint8Array, sealed: Uint8Array): Buffer {
  const decipher = createDecipheriv('aes-128-cbc', key, vector).setAutoPadding(false)
  return Buffer.concat([decipher.update(sealed), decipher.final()])
}

const insider: Attack = {
  name: 'insider: a member votes as another',
  guess: 0,
  once(random, group) {
    const keys = newKeys()
    const victim = 4 + random.below(NODES - 5)
    const forged = voteMessage(victim, ORDERS[0]!, 1_000)
    const opened = open(seal(forged, keys, NODES, 1_000, aesBlock), keys, NODES, 900, aesBlock)
    const printed = opened !== undefined && readVote(opened)?.sender === victim
    // The insider has the group key and its own private key, and says it is the victim.
    const mine = sealSigned(group, { ...group.members[victim + 1]!, id: victim }, forged, 1, 1_000)
    return { printed, signed: new SignedReceiver(group).open(mine, 1, 900) !== undefined }
  },
}

const flippedTime: Attack = {
  name: 'flipped time-stamp: an old message is taken for a new one',
  guess: 0,
  once(random, group) {
    const keys = newKeys()
    const old = voteMessage(7, ORDERS[random.below(6)]!, 1_000)
    const sent = seal(old, keys, NODES, 1_000, aesBlock)
    const printed = open({ ...sent, timestamp: 9_000 }, keys, NODES, 8_900, aesBlock) !== undefined
    const signed = sealSigned(group, group.members[7]!, old, 1, 1_000)
    const receiver = new SignedReceiver(group)
    const renewed = receiver.open({ ...signed, timestamp: 9_000, term: 2 }, 2, 8_900) !== undefined
    return { printed, signed: renewed }
  },
}

/** Not changed at all, only sent twice. */
const replay: Attack = {
  name: 'replay at once: the same vote counts twice',
  guess: 0,
  once(random, group) {
    const keys = newKeys()
    const vote = voteMessage(7, ORDERS[random.below(6)]!, 1_000)
    const sent = seal(vote, keys, NODES, 1_000, aesBlock)
    const twice = [sent, sent].filter(one => open(one, keys, NODES, 900, aesBlock) !== undefined).length === 2
    const signed = sealSigned(group, group.members[7]!, vote, 1, 1_000)
    const receiver = new SignedReceiver(group)
    const opened = [signed, signed].filter(one => receiver.open(one, 1, 900) !== undefined).length
    return { printed: twice, signed: opened === 2 }
  },
}

const attacks: readonly Attack[] = [repeatedVector, publishedVector, insider, flippedTime, replay]

export const srceaAttacks: Experiment = {
  name: 'srcea-attacks',
  title: 'Five attacks on SRCEA’s security mechanism: they win against the print and fail against signed messages.',
  source: 'SRCEA §3.2, figure 2, equation 3',
  run({ scale, seed, progress }: RunOptions) {
    const random = seededRandom(seed, 0xa77)
    const group = signedGroup(NODES)
    const rows = attacks.flatMap((attack, at) => {
      progress(at / attacks.length, attack.name)
      return attackRows(attack, TRIALS[scale], random, group)
    })
    return { rows, pictures: [], notes: NOTES }
  },
}

function attackRows(attack: Attack, trials: number, random: Random, group: SignedGroup): Row[] {
  const score: Score = { printed: 0, signed: 0 }
  for (let trial = 0; trial < trials; trial++) {
    const { printed, signed } = attack.once(random, group)
    if (printed) score.printed++
    if (signed) score.signed++
  }
  const spread = 5 * Math.sqrt((attack.guess * (1 - attack.guess)) / trials)
  const what = attack.guess > 0 ? ', which is guessing' : ''
  return [
    row(`${attack.name}: as printed`, score.printed / trials, 1, 0, 'of tries'),
    row(`${attack.name}: signed${what}`, score.signed / trials, attack.guess, spread, 'of tries'),
  ]
}

const NOTES = [
  'As printed: AES-128 in CBC mode with E_IV, HMAC-SHA-256 over the ciphertext, and a receiver that judges age by ' +
    'the time-stamp beside them, as figure 2 has it. The vote has a time inside too; the paper never compares it.',
  'Signed: Ed25519 over author, term, time, nonce and ciphertext; ChaCha20-Poly1305 with a fresh nonce; one ballot ' +
    'an author and term. A stand-in for the lab; the product’s ballots have the same parts.',
  'That an insider reads all votes is not an attack here: with one group key it is so by design.',
]
