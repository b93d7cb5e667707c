// What a client keeps of its calls to ledgers' servers: for each what was asked, and what each server said last.

import { assert, type Millis, type NodeId, type Scene, timers } from '../../core/index.ts'
import type { Checkpoint, CountedVote } from '../checkpoint.ts'
import type { Descriptor } from '../genesis.ts'
import type { LedgerReceipt } from '../receipt.ts'
import type { RefusalCode } from '../refusal.ts'
import type { LedgerSettings } from '../settings.ts'
import type { EpochStep } from '../transactions.ts'
import type { Answer, LedgerMessage, LedgerReply, Question, ServerLies } from '../wire.ts'

/** What a process asks of ledgers. `id` comes back with what answers it. */
export type LedgerCommand =
  | { readonly kind: 'open'; readonly genesis: Uint8Array }
  /** Of all servers; or of those, of whom so many must answer and the others are waited for a while. */
  | { readonly kind: 'offers'; readonly id: number; readonly of?: readonly NodeId[]; readonly needed?: number }
  | { readonly kind: 'find'; readonly id: number; readonly name: string }
  /** Whom the servers caught. Those that do not answer are waited for a moment. */
  | { readonly kind: 'caught'; readonly id: number }
  | { readonly kind: 'create'; readonly id: number; readonly genesis: Uint8Array }
  | { readonly kind: 'submit'; readonly id: number; readonly ledger: string; readonly leaf: Uint8Array }
  | { readonly kind: 'ask'; readonly id: number; readonly ledger: string; readonly question: Question }
  | { readonly kind: 'prove'; readonly id: number; readonly ledger: string; readonly index: number }
  | {
      readonly kind: 'compare'
      readonly id: number
      readonly ledger: string
      readonly first: number
      readonly root: Uint8Array
    }
  | { readonly kind: 'page'; readonly id: number; readonly ledger: string; readonly from: number }
  /** An epoch, signed by operators: who of the new keepers will keep the ledger? */
  | { readonly kind: 'pledge'; readonly id: number; readonly ledger: string; readonly leaf: Uint8Array }
  | { readonly kind: 'cancel'; readonly id: number }

/** The voting key that a server offers for a new ledger. */
export interface Offer {
  readonly server: NodeId
  readonly key: Uint8Array
  readonly salt: Uint8Array
}

/** What it is told. */
export type LedgerEvent =
  | { readonly kind: 'offers'; readonly id: number; readonly offers: readonly Offer[] }
  | { readonly kind: 'found'; readonly id: number; readonly genesis: Uint8Array | undefined }
  | { readonly kind: 'caught'; readonly id: number; readonly told: ReadonlyMap<NodeId, readonly ServerLies[]> }
  | {
      readonly kind: 'created'
      readonly id: number
      readonly answers: Readonly<Record<NodeId, string>>
      readonly ok: boolean
    }
  | { readonly kind: 'receipt'; readonly id: number; readonly receipt: LedgerReceipt }
  | {
      readonly kind: 'refused'
      readonly id: number
      readonly code: RefusalCode
      readonly why: string
      readonly size: number
    }
  | { readonly kind: 'answer'; readonly id: number; readonly answer: Answer; readonly checkpoint: Checkpoint }
  | {
      readonly kind: 'compared'
      readonly id: number
      readonly path: readonly Uint8Array[]
      readonly checkpoint: Checkpoint
    }
  /** The tree of `first` leaves that the caller holds is not the beginning of what is certified now. */
  | { readonly kind: 'forked'; readonly id: number; readonly checkpoint: Checkpoint; readonly server: NodeId }
  | {
      readonly kind: 'page'
      readonly id: number
      readonly from: number
      readonly frontier: readonly Uint8Array[]
      readonly leaves: readonly Uint8Array[]
      readonly checkpoint: Checkpoint
      readonly server: NodeId
    }
  | { readonly kind: 'pledged'; readonly id: number; readonly pledges: readonly CountedVote[] }
  /** Others keep the ledger: what it is checked by from now on. Nobody asked: the id is 0. */
  | {
      readonly kind: 'epoch'
      readonly id: 0
      readonly ledger: string
      readonly descriptor: Descriptor
      readonly steps: readonly EpochStep[]
    }
  /** More servers than can lie do not know the ledger. */
  | { readonly kind: 'unknown'; readonly id: number }
  /** Too much is under way. */
  | { readonly kind: 'crowded'; readonly id: number }

export type LedgerCall = Exclude<LedgerCommand, { kind: 'open' | 'cancel' }>

export interface Call {
  readonly asked: LedgerCall
  /** The newest of each server. */
  readonly answers: Map<NodeId, LedgerReply>
  /** For reads: the height that the answer must have reached; fixed by the first n - f answers. */
  target: number | undefined
  /** When it is said again, and how often it was. */
  nextAt: Millis
  said: number
}

export interface LedgerClientState {
  readonly servers: readonly NodeId[]
  readonly ledgers: Map<string, Descriptor>
  readonly calls: Map<number, Call>
  /** Bytes of each server's answers that have not decided anything yet. */
  readonly shares: Map<NodeId, number>
  ticking: boolean
  /** Certificates that were found good, by what they sign. */
  readonly certified: Set<string>
  /** The same by the thing itself: a lot of receipts shares one. */
  readonly sound: WeakSet<Checkpoint>
  /** Ledgers of which a certificate was shown that is not understood: when their servers were last asked for later keepers. */
  readonly doubted: Map<string, Millis>
}

export type ClientScene = Scene<LedgerClientState, LedgerSettings, LedgerMessage, LedgerEvent>

export const clientTimers = timers('repeat')

/** Calls of one process that are under way. */
export const CALLS_MAX = 4_096
/** Bytes of one server's answers that are kept while others are waited for: what is beyond it counts as not said. */
export const ANSWERS_BYTES_MAX = 16 * 2 ** 20

export function checkClient({ calls, certified, shares }: LedgerClientState): void {
  for (const [server, bytes] of shares)
    assert(bytes > 0 && bytes <= ANSWERS_BYTES_MAX, `keeps ${bytes} bytes of answers of ${server}`)
  assert(calls.size <= CALLS_MAX, 'too many calls are under way')
  assert(certified.size <= CERTIFIED_MAX, 'too many certificates are remembered')
}

export const CERTIFIED_MAX = 1_024
