// What is proposed, reported and shown: the words of an attempt that are signed or hashed, apart from the machine.

import { bytes, type Codec, encode, list, option, SERVERS_MAX, struct, toHex, uint } from '../core/index.ts'
import { framed } from '../crypto/framing.ts'
import { ATTEMPT_MAX, HEIGHT_MAX, type Statement, signatureCodec, statementFields } from './checkpoint.ts'
import type { Descriptor, LedgerCrypto } from './genesis.ts'
import { TRANSACTION_BYTES_MAX } from './transactions.ts'

/** A server's promise not to vote below `attempt` any more, with its newest vote. */
export interface Report {
  readonly server: number
  readonly height: number
  readonly attempt: number
  readonly vote: Statement | undefined
  readonly signature: Uint8Array
}

/** What a leader proposes: leaves, and for attempts after the first the reports that let it. */
export interface Proposal {
  readonly height: number
  readonly attempt: number
  readonly leaves: readonly Uint8Array[]
  readonly reports: readonly Report[]
}

/** Leaves of one height, and their bytes: a proposal with its reports fits into one frame and one record. */
export const BATCH_MAX = 1_024
export const BATCH_BYTES_MAX = 256 * 1024

const statementCodec: Codec<Statement> = struct<Statement>(statementFields)

export const reportCodec: Codec<Report> = struct<Report>({
  server: uint(SERVERS_MAX - 1),
  height: uint(HEIGHT_MAX),
  attempt: uint(ATTEMPT_MAX),
  vote: option(statementCodec),
  signature: signatureCodec,
})

export const reportsCodec = list(reportCodec, SERVERS_MAX)
/** More bytes than any honest server proposes: its last leaf may go beyond the batch. */
export function isTooLarge(leaves: readonly Uint8Array[]): boolean {
  return leaves.reduce((sum, leaf) => sum + leaf.length, 0) > 2 * BATCH_BYTES_MAX
}

export const leavesCodec = list(bytes(TRANSACTION_BYTES_MAX), BATCH_MAX)

export const proposalFields = {
  height: uint(HEIGHT_MAX),
  attempt: uint(ATTEMPT_MAX),
  leaves: leavesCodec,
  reports: reportsCodec,
}

/** What a report's signature covers. */
export function reportBytes({ id }: Descriptor, { height, attempt, vote }: Omit<Report, 'signature'>): Uint8Array {
  const said = vote === undefined ? new Uint8Array(0) : encode(statementCodec, vote)
  return framed('coterie ledger report', id, height, attempt, said)
}

/** By what votes name a proposal. */
export function proposalHash({ id }: Descriptor, proposal: Proposal, { hash }: LedgerCrypto): Uint8Array {
  const { height, attempt, leaves, reports } = proposal
  const [entries, shown] = [hash(encode(leavesCodec, leaves)), hash(encode(reportsCodec, reports))]
  return hash(framed('coterie ledger proposal', id, height, attempt, entries, shown)).slice()
}

/** What a vote is for, as one word: two votes for the same leaves are for the same value. */
export function outcomeOf({ size, root }: { readonly size: number; readonly root: Uint8Array }): string {
  return `${size} ${toHex(root)}`
}
