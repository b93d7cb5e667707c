// The words of ledgers, between clients and servers and among servers, and what a server keeps on disk. Append only.
// A ledger is named by its id everywhere: names are what clients call it.

import {
  bool,
  bytes,
  type Codec,
  list,
  type NodeId,
  oneOf,
  option,
  SERVERS_MAX,
  struct,
  text,
  uint,
  variants,
} from '../core/index.ts'
import {
  type Checkpoint,
  checkpointCodec,
  HEIGHT_MAX,
  type Statement,
  signatureCodec,
  statementFields,
} from './checkpoint.ts'
import {
  amountCodec,
  exactly,
  idCodec,
  keyCodec,
  LEDGER_NAME_BYTES_MAX,
  REGISTERS_MAX,
  SERVER_NAME_BYTES_MAX,
} from './genesis.ts'
import { LEAVES_MAX, PROOF_MAX } from './limits.ts'
import { leavesCodec, type Proposal, proposalFields, type Report, reportCodec, reportsCodec } from './proposal.ts'
import { type RefusalCode, refusalCodes } from './refusal.ts'
import { EPOCHS_MAX, type EpochStep, epochStepCodec, SEQUENCE_MAX, TRANSACTION_BYTES_MAX } from './transactions.ts'

/** What a client asks about a ledger. */
export type Question =
  | { readonly kind: 'account'; readonly register: number; readonly key: Uint8Array }
  | { readonly kind: 'head' }
  /** What became of a burn of that ledger, here; or of our own, whether it was refunded. */
  | { readonly kind: 'fate'; readonly register: number; readonly ledger: Uint8Array; readonly index: number }
  | { readonly kind: 'link'; readonly ledger: Uint8Array }
  | { readonly kind: 'totals'; readonly register: number }

/** What a server answers, at its newest certified size. */
export type Answer =
  | { readonly kind: 'account'; readonly next: number; readonly balances: readonly AssetBalance[] }
  | { readonly kind: 'head' }
  | { readonly kind: 'fate'; readonly fate: 'open' | 'minted' | 'void' | 'refunded' }
  | {
      readonly kind: 'link'
      readonly next: number
      readonly cap: bigint
      readonly held: bigint
      readonly frozen: boolean
      /** The newest epoch of that ledger which is known here. */
      readonly epoch: number
    }
  | { readonly kind: 'totals'; readonly accounts: number; readonly held: bigint; readonly outstanding: bigint }

export interface AssetBalance {
  readonly asset: Uint8Array
  readonly amount: bigint
}

interface Asked {
  /** Of the one who asks: the answer carries it. */
  readonly query: number
}

interface About {
  readonly ledger: Uint8Array
}

/** What a server can be caught at; each is told once for each server and life of who caught it. */
const ledgerLies = [
  'signed two votes of one attempt',
  'denied a vote that it signed',
  'gave a word under a signature that does not hold',
  'proposed what cannot be',
  'gave leaves that do not lead to their certificate',
] as const
export type LedgerLie = (typeof ledgerLies)[number]

/** What one server was caught at. */
export interface ServerLies {
  readonly server: NodeId
  readonly what: readonly LedgerLie[]
}

/** From clients, and where a server has something to hand on, from servers. */
export type LedgerRequest =
  | (Asked & { readonly kind: 'offer' })
  /** Which servers were caught, and at what? */
  | (Asked & { readonly kind: 'caught' })
  | (Asked & { readonly kind: 'find'; readonly name: string })
  | (Asked & { readonly kind: 'create'; readonly genesis: Uint8Array })
  /** `receipt`: this server is to answer; all answer where they refuse. */
  | (Asked & About & { readonly kind: 'submit'; readonly leaf: Uint8Array; readonly receipt: boolean })
  /** `epoch`: the newest that the asker knows. Who knows a later one answers with the steps to it. */
  | (Asked & About & { readonly kind: 'ask'; readonly epoch: number; readonly question: Question })
  | (Asked & About & { readonly kind: 'prove'; readonly index: number })
  | (Asked & About & { readonly kind: 'compare'; readonly first: number })
  | (Asked & About & { readonly kind: 'page'; readonly from: number })
  /** Which keepers came after that epoch? */
  | (Asked & About & { readonly kind: 'steps'; readonly from: number })
  /** Whether this server will keep the ledger, as the operators say: an epoch without pledges. */
  | (Asked & About & { readonly kind: 'pledge'; readonly leaf: Uint8Array })

/** To whom asked. */
export type LedgerReply =
  | (Asked & { readonly kind: 'blamed'; readonly lies: readonly ServerLies[] })
  | (Asked & { readonly kind: 'offered'; readonly key: Uint8Array; readonly salt: Uint8Array })
  | (Asked & { readonly kind: 'found'; readonly genesis: Uint8Array | undefined })
  | (Asked & { readonly kind: 'created'; readonly why: string })
  | (Asked & {
      readonly kind: 'receipt'
      readonly leaf: Uint8Array
      readonly index: number
      readonly path: readonly Uint8Array[]
      readonly checkpoint: Checkpoint
    })
  | (Asked & { readonly kind: 'refused'; readonly code: RefusalCode; readonly why: string; readonly size: number })
  | (Asked & { readonly kind: 'crowded' })
  | (Asked & { readonly kind: 'pledged'; readonly signature: Uint8Array })
  | (Asked & { readonly kind: 'unknown' })
  | (Asked & {
      readonly kind: 'answered'
      readonly voted: number
      readonly checkpoint: Checkpoint
      readonly answer: Answer
    })
  | (Asked & {
      readonly kind: 'compared'
      readonly first: number
      readonly path: readonly Uint8Array[]
      readonly checkpoint: Checkpoint
    })
  | (Asked & {
      readonly kind: 'paged'
      readonly from: number
      readonly frontier: readonly Uint8Array[]
      readonly leaves: readonly Uint8Array[]
      readonly checkpoint: Checkpoint
    })

/** What led to later keepers: it answers a certificate that was not understood. */
export interface StepLot extends About {
  readonly kind: 'stepped'
  readonly steps: readonly EpochStep[]
}

/** Receipts of one height for one client, under one certificate. The leaves are those that it handed in. */
export interface ReceiptLot {
  readonly kind: 'receipts'
  readonly checkpoint: Checkpoint
  readonly receipts: readonly (Asked & { readonly index: number; readonly path: readonly Uint8Array[] })[]
}

/** Among servers. */
export type PeerMessage =
  | (About & Proposal & { readonly kind: 'propose' })
  | (About & Statement & { readonly kind: 'vote'; readonly signature: Uint8Array })
  /** With the reports that opened the attempt it is in, so that who is behind may enter it. */
  | (About & { readonly kind: 'report'; readonly report: Report; readonly opened: readonly Report[] })
  | (About & { readonly kind: 'want'; readonly height: number; readonly proposal: Uint8Array })
  | (About & { readonly kind: 'certified'; readonly checkpoint: Checkpoint; readonly leaves: readonly Uint8Array[] })
  | (About & { readonly kind: 'recall' })
  | (About & { readonly kind: 'recalled'; readonly voted: number })
  | (About & { readonly kind: 'need' })
  | { readonly kind: 'genesis'; readonly genesis: Uint8Array }
  /** Which ledgers name me? Of a server that starts: it may have lost its store, or a ledger was made while it was away. */
  | { readonly kind: 'roll' }
  | (About & { readonly kind: 'hour'; readonly number: number; readonly signature: Uint8Array })
  /** Leaves from there on, of one that is behind. */
  | (About & { readonly kind: 'fetch'; readonly from: number })
  /** `path`: the leaves up to the last of these are the beginning of those that are certified. */
  | (About & {
      readonly kind: 'fetched'
      readonly from: number
      readonly leaves: readonly Uint8Array[]
      readonly path: readonly Uint8Array[]
      readonly checkpoint: Checkpoint
    })

/** Everything that is said about ledgers. */
export type LedgerMessage = LedgerRequest | LedgerReply | ReceiptLot | StepLot | PeerMessage

/** A genesis with all its accounts. */
export const GENESIS_BYTES_MAX = 65_536
const WHY_BYTES_MAX = 400
const ASSETS_MAX = 64
/** Bytes of one page, as of one batch. */
export const PAGE_BYTES_MAX = 256 * 1024
/** Steps of one lot: who needs more asks again. */
export const STEPS_MAX = 16
/** Receipts of one lot. */
export const RECEIPTS_MAX = 256

const query = uint()
const ledger = idCodec
const size = uint(LEAVES_MAX)
const register = uint(REGISTERS_MAX - 1)
const path = list(idCodec, PROOF_MAX)
const why = text(WHY_BYTES_MAX)

const question: Codec<Question> = variants<Question>({
  account: { register, key: keyCodec },
  head: {},
  fate: { register, ledger, index: size },
  link: { ledger },
  totals: { register },
})

const amount = amountCodec(0n)

/** Answers as bytes: what servers say is compared by them. */
export const answerCodec: Codec<Answer> = variants<Answer>({
  account: {
    next: uint(SEQUENCE_MAX),
    balances: list(struct<AssetBalance>({ asset: idCodec, amount }), ASSETS_MAX),
  },
  head: {},
  fate: { fate: oneOf('open', 'minted', 'void', 'refunded') },
  link: { next: uint(SEQUENCE_MAX), cap: amount, held: amount, frozen: bool, epoch: uint(EPOCHS_MAX) },
  totals: { accounts: uint(), held: amount, outstanding: amount },
})

/** A sentence that fits. */
export function shortened(sentence: string): string {
  return sentence.length <= WHY_BYTES_MAX / 3 ? sentence : `${sentence.slice(0, WHY_BYTES_MAX / 3 - 1)}…`
}

/** The words of ledgers on the wire. */
export const ledgerVocabulary: Codec<LedgerMessage> = variants<LedgerMessage>({
  offer: { query },
  find: { query, name: text(LEDGER_NAME_BYTES_MAX) },
  create: { query, genesis: bytes(GENESIS_BYTES_MAX) },
  submit: { query, ledger, leaf: bytes(TRANSACTION_BYTES_MAX), receipt: bool },
  ask: { query, ledger, epoch: uint(EPOCHS_MAX), question },
  prove: { query, ledger, index: size },
  compare: { query, ledger, first: size },
  page: { query, ledger, from: size },
  offered: { query, key: keyCodec, salt: exactly(16, 'a salt') },
  found: { query, genesis: option(bytes(GENESIS_BYTES_MAX)) },
  created: { query, why },
  receipt: { query, leaf: bytes(TRANSACTION_BYTES_MAX), index: size, path, checkpoint: checkpointCodec },
  refused: { query, code: oneOf(...refusalCodes), why, size },
  crowded: { query },
  unknown: { query },
  answered: { query, voted: uint(HEIGHT_MAX), checkpoint: checkpointCodec, answer: answerCodec },
  compared: { query, first: size, path, checkpoint: checkpointCodec },
  paged: { query, from: size, frontier: list(idCodec, 32), leaves: leavesCodec, checkpoint: checkpointCodec },
  propose: { ledger, ...proposalFields },
  vote: { ledger, ...statementFields, signature: signatureCodec },
  report: { ledger, report: reportCodec, opened: reportsCodec },
  want: { ledger, height: uint(HEIGHT_MAX), proposal: idCodec },
  certified: { ledger, checkpoint: checkpointCodec, leaves: leavesCodec },
  recall: { ledger },
  recalled: { ledger, voted: uint(HEIGHT_MAX) },
  need: { ledger },
  genesis: { genesis: bytes(GENESIS_BYTES_MAX) },
  hour: { ledger, number: uint(), signature: signatureCodec },
  roll: {},
  receipts: {
    checkpoint: checkpointCodec,
    receipts: list(struct<ReceiptLot['receipts'][number]>({ query, index: size, path }), RECEIPTS_MAX),
  },
  steps: { query, ledger, from: uint(EPOCHS_MAX) },
  pledge: { query, ledger, leaf: bytes(TRANSACTION_BYTES_MAX) },
  stepped: { ledger, steps: list(epochStepCodec, STEPS_MAX) },
  pledged: { query, signature: signatureCodec },
  fetch: { ledger, from: size },
  fetched: { ledger, from: size, leaves: leavesCodec, path, checkpoint: checkpointCodec },
  caught: { query },
  blamed: {
    query,
    lies: list(
      struct<ServerLies>({ server: text(SERVER_NAME_BYTES_MAX), what: list(oneOf(...ledgerLies), ledgerLies.length) }),
      SERVERS_MAX,
    ),
  },
})

/** What a server saves, in the order in which it happened. */
export type LedgerRecord =
  /** Of this life of the store: by it a ledger tells whether votes were forgotten. */
  | { readonly kind: 'salt'; readonly salt: Uint8Array }
  | { readonly kind: 'opened'; readonly genesis: Uint8Array; readonly owner: string }
  | {
      readonly kind: 'promised'
      readonly ledger: Uint8Array
      readonly report: Report
      readonly opened: readonly Report[]
    }
  | (About & Proposal & { readonly kind: 'voted' })
  /** Without leaves where they are those of the vote before it. */
  | {
      readonly kind: 'certified'
      readonly ledger: Uint8Array
      readonly checkpoint: Checkpoint
      readonly leaves: readonly Uint8Array[]
    }
  /** Votes that were forgotten are all behind. */
  | { readonly kind: 'rejoined'; readonly ledger: Uint8Array }
  /** Leaves that stand before those of the next certificate. */
  | { readonly kind: 'fetched'; readonly ledger: Uint8Array; readonly leaves: readonly Uint8Array[] }
  /** A proposal that reports rest on. */
  | (About & Proposal & { readonly kind: 'held' })

/** Records as bytes. */
export const ledgerRecord: Codec<LedgerRecord> = variants<LedgerRecord>({
  salt: { salt: exactly(16, 'a salt') },
  opened: { genesis: bytes(GENESIS_BYTES_MAX), owner: text(128) },
  promised: { ledger, report: reportCodec, opened: reportsCodec },
  voted: { ledger, ...proposalFields },
  certified: { ledger, checkpoint: checkpointCodec, leaves: leavesCodec },
  rejoined: { ledger },
  fetched: { ledger, leaves: leavesCodec },
  held: { ledger, ...proposalFields },
})
