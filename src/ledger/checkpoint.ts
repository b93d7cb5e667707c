// What servers vote for, and a certificate: c votes for one text.
//
// The text is a signed note, the form of transparency logs: origin, size, root, then lines of our own. A vote is an Ed25519
// signature of that text, so a certificate is a note that witnesses of others can read and cosign.
// The hash that the next height refers to covers neither attempt nor signatures: servers that hold different votes for
// one history must not sign different words for the next.

import { type Codec, list, SERVERS_MAX, sameBytes, struct, toHex, uint } from '../core/index.ts'
import { framed } from '../crypto/framing.ts'
import { type Descriptor, epochAt, exactly, idCodec, type LedgerCrypto } from './genesis.ts'
import { HASH_BYTES, LEAVES_MAX, SIGNATURE_BYTES } from './limits.ts'
import type { SizedRoot } from './merkle.ts'
import type { LedgerRules } from './rules.ts'

/** What is certified: the first `size` leaves have this root. */
export interface Head extends SizedRoot {
  /** 0 before the first certificate. */
  readonly height: number
  /** Of the head before it. */
  readonly previous: Uint8Array
}

/** What one server signs. */
export interface Statement extends Head {
  readonly attempt: number
  /** Of the proposal that was executed. */
  readonly proposal: Uint8Array
}

/** A vote as part of a certificate: the server's place in the genesis. */
export interface CountedVote {
  readonly server: number
  readonly signature: Uint8Array
}

/** A statement with c votes for it. */
export interface Checkpoint extends Statement {
  readonly votes: readonly CountedVote[]
}

/** A height holds a leaf at least. */
export const HEIGHT_MAX = LEAVES_MAX
/** By its time-outs, an attempt beyond it lasts longer than anybody waits. */
export const ATTEMPT_MAX = 10_000

export const signatureCodec = exactly(SIGNATURE_BYTES, 'a signature')

export const statementFields = {
  height: uint(HEIGHT_MAX),
  size: uint(LEAVES_MAX),
  root: idCodec,
  previous: idCodec,
  attempt: uint(ATTEMPT_MAX),
  proposal: idCodec,
}

/** Certificates as bytes. */
export const checkpointCodec: Codec<Checkpoint> = struct<Checkpoint>({
  ...statementFields,
  votes: list(struct<CountedVote>({ server: uint(SERVERS_MAX - 1), signature: signatureCodec }), SERVERS_MAX),
})

/** The head of a ledger without leaves. Nobody signed it: it follows from the genesis. */
export function firstHead(suite: LedgerCrypto): Checkpoint {
  const none = new Uint8Array(HASH_BYTES)
  // The tree's root of no leaves; from the suite's hash alone, since these words are also read where no tree is.
  const root = suite.hash(new Uint8Array(0))
  return { height: 0, size: 0, root, previous: none, attempt: 0, proposal: none, votes: [] }
}

/** What the next height names as `previous`. */
export function headHash(descriptor: Descriptor, head: Head, suite: LedgerCrypto): Uint8Array {
  const { height, size, root, previous } = head
  const { number } = epochAt(descriptor, size)
  return suite.hash(framed('coterie ledger head', descriptor.id, number, height, size, root, previous))
}

const utf8 = new TextEncoder()

/** The origin line of a ledger's notes. */
export function originOf({ hex }: Descriptor): string {
  return `coterie.ledger/${hex}`
}

/** The text that votes sign. The epoch follows from the size: a vote of one epoch holds in no other. */
export function noteText(descriptor: Descriptor, statement: Statement): string {
  return textIn(descriptor, statement, epochAt(descriptor, statement.size).number)
}

function textIn(descriptor: Descriptor, statement: Statement, epoch: number): string {
  const { size, root, height, attempt, previous, proposal } = statement
  const lines = [
    originOf(descriptor),
    String(size),
    base64(root),
    `epoch ${epoch} height ${height} attempt ${attempt}`,
    `previous ${toHex(previous)}`,
    `proposal ${toHex(proposal)}`,
  ]
  return `${lines.join('\n')}\n`
}

/** The text as bytes. */
export function noteBytes(descriptor: Descriptor, statement: Statement): Uint8Array {
  return utf8.encode(noteText(descriptor, statement))
}

/** The certificate as a signed note: the text, a blank line, a line for each signature. */
export function signedNote(descriptor: Descriptor, checkpoint: Checkpoint, suite: LedgerCrypto): string {
  const { servers } = epochAt(descriptor, checkpoint.size)
  const lines = checkpoint.votes.map(({ server, signature }) => {
    const { name, key } = servers[server]!
    // As notes have it: the first four bytes of the hash of name, line feed, algorithm and key, then the signature.
    const label = utf8.encode(`${name}\n`)
    const hint = suite.hash(concat(label, Uint8Array.of(1), key)).subarray(0, 4)
    return `— ${name} ${base64(concat(hint, signature))}\n`
  })
  return `${noteText(descriptor, checkpoint)}\n${lines.join('')}`
}

/** What is wrong with a certificate, in a sentence; nothing where it holds. */
export function whyNotCertified(
  descriptor: Descriptor,
  checkpoint: Checkpoint,
  suite: LedgerCrypto,
  rules: Pick<LedgerRules, 'votesNeeded'>,
): string | undefined {
  const epoch = epochAt(descriptor, checkpoint.size)
  const needed = rules.votesNeeded(epoch)
  if (checkpoint.height === 0) {
    const first = firstHead(suite)
    const same = checkpoint.size === 0 && sameBytes(checkpoint.root, first.root) && checkpoint.votes.length === 0
    return same ? undefined : 'a checkpoint at height 0 that is not the empty one'
  }
  if (checkpoint.size < checkpoint.height) return 'a checkpoint with fewer leaves than heights'
  const signers = new Set(checkpoint.votes.map(vote => vote.server))
  if (signers.size !== checkpoint.votes.length) return 'a server signed the checkpoint twice'
  if (signers.size < needed) return `${signers.size} servers signed the checkpoint, and it takes ${needed}`
  const message = noteBytes(descriptor, checkpoint)
  for (const { server, signature } of checkpoint.votes) {
    const voter = epoch.servers[server]
    if (voter === undefined)
      return `the checkpoint is signed by server ${server}, and there are ${epoch.servers.length}`
    if (!suite.verify(voter.key, message, signature))
      return whyReplaced(descriptor, checkpoint, server, suite) ?? `the signature of ${voter.name} does not hold`
  }
  return undefined
}

/** Where a signature is good, but of keepers that were replaced at that size. */
function whyReplaced(
  descriptor: Descriptor,
  checkpoint: Checkpoint,
  server: number,
  suite: LedgerCrypto,
): string | undefined {
  const signature = checkpoint.votes.find(vote => vote.server === server)!.signature
  for (const { number, servers } of descriptor.epochs) {
    const ended = descriptor.epochs[number + 1]?.from
    const voter = servers[server]
    if (ended === undefined || voter === undefined) continue
    if (suite.verify(voter.key, utf8.encode(textIn(descriptor, checkpoint, number)), signature))
      return `it is of epoch ${number}, which ended at ${ended} leaves, and claims ${checkpoint.size}`
  }
  return undefined
}

/** Servers that signed both of two contradicting checkpoints of one attempt: 2c - n at least, and they lied. */
export function signersOfBoth(descriptor: Descriptor, one: Checkpoint, other: Checkpoint): string[] {
  if (one.height !== other.height || one.attempt !== other.attempt) return []
  const first = new Set(one.votes.map(vote => vote.server))
  const { servers } = epochAt(descriptor, other.size)
  return other.votes.filter(vote => first.has(vote.server)).map(vote => servers[vote.server]!.name)
}

function concat(...parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let start = 0
  for (const part of parts) {
    whole.set(part, start)
    start += part.length
  }
  return whole
}

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/** Standard base 64, with padding; pure, since neither Buffer nor btoa is everywhere. */
export function base64(value: Uint8Array): string {
  let written = ''
  for (let at = 0; at < value.length; at += 3) {
    const [one, two, three] = [value[at]!, value[at + 1], value[at + 2]]
    written += DIGITS[one >> 2]! + DIGITS[((one & 3) << 4) | ((two ?? 0) >> 4)]!
    written += two === undefined ? '=' : DIGITS[((two & 15) << 2) | ((three ?? 0) >> 6)]!
    written += three === undefined ? '=' : DIGITS[three & 63]!
  }
  return written
}

/** Undefined where it is not the one encoding of some bytes. */
export function fromBase64(written: string): Uint8Array | undefined {
  if (written.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(written)) return undefined
  const padding = written.endsWith('==') ? 2 : written.endsWith('=') ? 1 : 0
  const value = new Uint8Array((written.length / 4) * 3 - padding)
  for (let at = 0, place = 0; at < written.length; at += 4, place += 3) {
    const [a, b, c, d] = [0, 1, 2, 3].map(step => Math.max(0, DIGITS.indexOf(written[at + step]!))) as [
      number,
      number,
      number,
      number,
    ]
    const whole = (a << 18) | (b << 12) | (c << 6) | d
    for (let byte = 0; byte < 3 && place + byte < value.length; byte++)
      value[place + byte] = (whole >> (16 - 8 * byte)) & 255
  }
  return base64(value) === written ? value : undefined
}
