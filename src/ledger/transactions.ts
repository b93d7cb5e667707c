// What can be appended to a ledger, as bytes. One encoding for one transaction: a leaf is exactly these bytes.
//
// A signature covers the register's id and all other fields, so that it holds on one ledger only, and for one meaning. No
// transaction has a fee; each has a limit, and `until`: a size from which it is refused, so that one that was refused for
// want of money does not come alive years later.

import {
  bytes,
  type Codec,
  type Decoded,
  decode,
  encode,
  list,
  SERVERS_MAX,
  struct,
  text,
  uint,
  variants,
} from '../core/index.ts'
import { type Checkpoint, type CountedVote, checkpointCodec, signatureCodec } from './checkpoint.ts'
import { amountCodec, idCodec, type Keepers, keepersFields, keyCodec, OPERATORS_MAX, REGISTERS_MAX } from './genesis.ts'
import { LEAVES_MAX, PROOF_MAX, SIGNATURE_BYTES, TRANSACTION_BYTES_MAX, WINDOW_MAX } from './limits.ts'

export { TRANSACTION_BYTES_MAX }

/** What shows that something was burned (or a burn made void) elsewhere. */
export type Evidence =
  /** Leaf `index` of a linked ledger, up to a certificate of its servers. */
  | {
      readonly kind: 'proof'
      readonly ledger: Uint8Array
      readonly leaf: Uint8Array
      readonly index: number
      readonly path: readonly Uint8Array[]
      readonly checkpoint: Checkpoint
    }
  /** A burn of this ledger's other register, by its index: everybody has seen it. */
  | { readonly kind: 'own'; readonly index: number }

/** What an account's owner signs. */
export interface Spending {
  readonly register: number
  readonly from: Uint8Array
  /** Contiguous from 0 for each account: of two spendings of one coin one is refused for ever. */
  readonly sequence: number
  /** The id of the register whose coins they are. */
  readonly asset: Uint8Array
  readonly to: Uint8Array
  readonly amount: bigint
  /** Refused from this size of the ledger on. */
  readonly until: number
  readonly signature: Uint8Array
}

/** One transaction. */
export type Transaction =
  | (Spending & { readonly kind: 'transfer'; readonly memo: string })
  /** `peer` is the register where it may be minted; `expires` the size of that ledger from which it may not, 0: never. */
  | (Spending & { readonly kind: 'burn'; readonly peer: Uint8Array; readonly expires: number })
  /** Of a 2-in-1: burned here and minted in the other register, in one leaf. */
  | (Spending & { readonly kind: 'move' })
  | { readonly kind: 'mint'; readonly register: number; readonly evidence: Evidence }
  /** By the one who burned: it will never be minted. */
  | { readonly kind: 'void'; readonly register: number; readonly evidence: Evidence; readonly signature: Uint8Array }
  /** By proof that the burn was made void where it could have been minted. */
  | { readonly kind: 'refund'; readonly register: number; readonly evidence: Evidence }
  /** Lets burns of another ledger be minted, and burns go there. Numbered for each peer: an old one cannot come again. */
  | {
      readonly kind: 'link'
      readonly number: number
      /** The other ledger's genesis. */
      readonly peer: Uint8Array
      /** Coins of the peer that may be here at once. */
      readonly cap: bigint
      /** Coins that may be minted within `window` ticks; 0: no such limit. */
      readonly rate: bigint
      readonly window: number
      /** By operators, by their places in the genesis. */
      readonly signatures: readonly CountedVote[]
    }
  /** Two certificates of a linked ledger that contradict each other: by anybody. */
  | {
      readonly kind: 'freeze'
      readonly ledger: Uint8Array
      readonly one: Checkpoint
      readonly other: Checkpoint
      /** The other root of the smaller size, and how the larger tree grew out of it. */
      readonly root: Uint8Array
      readonly path: readonly Uint8Array[]
    }
  /** Others keep the ledger from here on. By the operators, and by as many of the new keepers as certify; those of before agree by certifying it. */
  | (Keepers & {
      readonly kind: 'epoch'
      readonly number: number
      /** Of the epoch before. */
      readonly previous: Uint8Array
      readonly signatures: readonly CountedVote[]
      /** Of the new voting keys: a group that is not there would end the ledger. */
      readonly pledges: readonly CountedVote[]
    })
  /** A linked ledger is kept by others: its epoch leaf, the last of a certificate of those before. By anybody. */
  | ({ readonly kind: 'follow'; readonly ledger: Uint8Array } & EpochStep)
  /** An hour has passed, say b + 1 servers. */
  | { readonly kind: 'tick'; readonly number: number; readonly signatures: readonly CountedVote[] }

/** What shows that others keep a ledger: the leaf that says so, the last of a certificate of those who kept it before. */
export interface EpochStep {
  readonly leaf: Uint8Array
  readonly path: readonly Uint8Array[]
  readonly checkpoint: Checkpoint
}

/** The kinds that an account's owner signs. */
export type SpendingTransaction = Extract<Transaction, { from: Uint8Array }>

/** Bytes of a memo. */
export const MEMO_BYTES_MAX = 256
/** A burn with its memo-less fields, or a void with the burn that it is about. */
const LEAF_BYTES_MAX = 16_384
/** A linked ledger's descriptor in a link. */
export const PEER_BYTES_MAX = 65_536
/** Epochs of one ledger: one a day for two years and a half. */
export const EPOCHS_MAX = 1_000
/** The last sequence of an account. */
export const SEQUENCE_MAX = Number.MAX_SAFE_INTEGER - 1

const signature = bytes(SIGNATURE_BYTES)
const register = uint(REGISTERS_MAX - 1)
const path = list(idCodec, PROOF_MAX)
const size = uint(LEAVES_MAX)
const counted = (max: number) =>
  list(struct<CountedVote>({ server: uint(SERVERS_MAX - 1), signature: signatureCodec }), max)

const evidence: Codec<Evidence> = variants<Evidence>({
  proof: { ledger: idCodec, leaf: bytes(LEAF_BYTES_MAX), index: size, path, checkpoint: checkpointCodec },
  own: { index: size },
})

const spending = {
  register,
  from: keyCodec,
  sequence: uint(SEQUENCE_MAX),
  asset: idCodec,
  to: keyCodec,
  amount: amountCodec(1n),
  until: size,
}

/** An epoch of a hundred servers with long names, all of which pledged. */
const EPOCH_BYTES_MAX = 32_768
const stepFields = { leaf: bytes(EPOCH_BYTES_MAX), path, checkpoint: checkpointCodec }

/** A step as bytes. */
export const epochStepCodec: Codec<EpochStep> = struct<EpochStep>(stepFields)

/** Transactions as bytes: append only. */
export const transactionCodec: Codec<Transaction> = variants<Transaction>({
  transfer: { ...spending, memo: text(MEMO_BYTES_MAX), signature },
  burn: { ...spending, peer: idCodec, expires: size, signature },
  move: { ...spending, signature },
  mint: { register, evidence },
  void: { register, evidence, signature },
  refund: { register, evidence },
  link: {
    number: uint(SEQUENCE_MAX),
    peer: bytes(PEER_BYTES_MAX),
    cap: amountCodec(0n),
    rate: amountCodec(0n),
    window: uint(WINDOW_MAX),
    signatures: counted(OPERATORS_MAX),
  },
  freeze: { ledger: idCodec, one: checkpointCodec, other: checkpointCodec, root: idCodec, path },
  tick: { number: uint(SEQUENCE_MAX), signatures: counted(SERVERS_MAX) },
  epoch: {
    number: uint(EPOCHS_MAX),
    previous: idCodec,
    ...keepersFields,
    signatures: counted(OPERATORS_MAX),
    pledges: counted(SERVERS_MAX),
  },
  follow: { ledger: idCodec, ...stepFields },
})

/** A leaf's transaction, or why it is none. */
export function readTransaction(leaf: Uint8Array): Decoded<Transaction> {
  if (leaf.length > TRANSACTION_BYTES_MAX) return { ok: false, refusal: `more than ${TRANSACTION_BYTES_MAX} bytes` }
  return decode(transactionCodec, leaf)
}

/** The bytes that become a leaf. */
export function writeTransaction(transaction: Transaction): Uint8Array {
  return encode(transactionCodec, transaction)
}

const DOMAIN = new TextEncoder().encode('coterie ledger\0')
const NO_SIGNATURE = new Uint8Array(0)

/** What is signed: the domain, the id of the register (or ledger), and the transaction without its signatures. */
export function signingBytes(id: Uint8Array, transaction: Transaction): Uint8Array {
  const body = writeTransaction(unsigned(transaction))
  const message = new Uint8Array(DOMAIN.length + id.length + body.length)
  message.set(DOMAIN)
  message.set(id, DOMAIN.length)
  message.set(body, DOMAIN.length + id.length)
  return message
}

function unsigned(transaction: Transaction): Transaction {
  if (transaction.kind === 'epoch') return { ...transaction, signatures: [], pledges: [] }
  if ('signature' in transaction) return { ...transaction, signature: NO_SIGNATURE }
  if ('signatures' in transaction) return { ...transaction, signatures: [] }
  return transaction
}
