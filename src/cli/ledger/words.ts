// Transactions, receipts and checkpoints as plain data for --json, and as lines for people. Amounts are texts: a number of
// JSON holds 2^53 at most.

import {
  type Checkpoint,
  type Descriptor,
  type Evidence,
  type LedgerReceipt,
  readDescriptor,
  readTransaction,
  type Transaction,
  toHex,
} from '../../ledger/index.ts'
import { ledgerCryptoOf } from '../../runtime/ledger.ts'

export type Words = Readonly<Record<string, unknown>>

/** Bytes and amounts as text, all the way down. */
export function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return String(value)
  if (value instanceof Uint8Array) return toHex(value)
  if (Array.isArray(value)) return value.map(plain)
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, inner]) => [key, plain(inner)]))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plain(inner)]))
}

export function shownReceipt({ ledger, leaf, index, checkpoint }: LedgerReceipt): Words {
  const read = readTransaction(leaf)
  return {
    ledger: toHex(ledger),
    index,
    size: checkpoint.size,
    height: checkpoint.height,
    ...(read.ok && { transaction: plain(short(read.value)) }),
  }
}

export function shownCheckpoint({ size, root, height, attempt, votes }: Checkpoint): Words {
  return { size, root: toHex(root), height, attempt, signatures: votes.length }
}

/** Without what only machines read: proofs, certificates and signatures. */
function short(transaction: Transaction): Words {
  if (transaction.kind === 'epoch') {
    const { kind, number, servers, crashes, liars, signatures, pledges } = transaction
    const kept = { servers: servers.map(server => server.name), crashes, liars }
    return { kind, number, ...kept, signatures: signatures.length, pledges: pledges.length }
  }
  if (transaction.kind === 'follow')
    return { kind: transaction.kind, ledger: transaction.ledger, size: transaction.checkpoint.size }
  const {
    signature: _,
    signatures,
    evidence,
    one: __,
    other: ___,
    path: ____,
    peer,
    ...rest
  } = transaction as Transaction & {
    signature?: unknown
    signatures?: readonly unknown[]
    evidence?: Evidence
    one?: unknown
    other?: unknown
    path?: unknown
    peer?: Uint8Array
  }
  return {
    ...rest,
    ...(peer !== undefined && { peer: transaction.kind === 'link' ? peerOf(peer) : peer }),
    ...(signatures !== undefined && { signatures: signatures.length }),
    ...(evidence !== undefined && { burn: burnOf(evidence) }),
  }
}

function burnOf(evidence: Evidence): Words {
  return evidence.kind === 'own' ? { index: evidence.index } : { ledger: evidence.ledger, index: evidence.index }
}

export function shownEntry(index: number, transaction: Transaction): Words {
  return { index, ...(plain(short(transaction)) as Words) }
}

type Shown = (hex: Uint8Array | string) => string

/** A key or an id in full. */
export const whole: Shown = hex => (typeof hex === 'string' ? hex : toHex(hex))
/** As far as people tell keys apart. */
export const cut: Shown = hex => whole(hex).slice(0, 8)

/** One line for one leaf of a ledger. */
export function describeTransaction(transaction: Transaction, { registerIds, genesis }: Descriptor, key = cut): string {
  switch (transaction.kind) {
    case 'transfer':
    case 'move':
    case 'burn': {
      const { kind, from, sequence, to, amount, asset, register } = transaction
      const memo =
        transaction.kind === 'transfer' && transaction.memo !== '' ? `  ${JSON.stringify(transaction.memo)}` : ''
      const into = transaction.kind === 'burn' ? ` into ${key(transaction.peer)}` : ''
      // Coins of another ledger are not this one's, whatever their number.
      const coins = toHex(asset) === registerIds[register] ? '' : ` of ${key(asset)}`
      const where = genesis.registers.length > 1 ? ` in ${genesis.registers[register]}` : ''
      return `${kind} ${amount}${coins}${where} from ${key(from)} (its ${sequence}) to ${key(to)}${into}${memo}`
    }
    case 'mint':
    case 'void': {
      const { kind, evidence } = transaction
      return `${kind} of burn ${evidence.index}${evidence.kind === 'own' ? '' : ` of ${key(evidence.ledger)}`}`
    }
    case 'refund':
      return `refund of ${refunded(transaction.evidence)}, which was made void`
    case 'link': {
      const { number, peer, cap, rate, window } = transaction
      const rated = rate === 0n ? '' : `, ${rate} in ${window} hours`
      return `link ${number} to ${key(peerOf(peer))}, cap ${cap}${rated}`
    }
    case 'freeze':
      return `freeze of the link to ${key(transaction.ledger)}`
    case 'tick':
      return `tick ${transaction.number}`
    case 'epoch':
      return `epoch ${transaction.number}: kept by ${transaction.servers.map(server => server.name).join(', ')} from here on`
    case 'follow':
      return `follow of ${key(transaction.ledger)} into its next epoch`
  }
}

/** The burn that a proof of its void is about. */
function refunded(evidence: Evidence): string {
  if (evidence.kind === 'own') return `burn ${evidence.index}`
  const read = readTransaction(evidence.leaf)
  return read.ok && read.value.kind === 'void' ? `burn ${read.value.evidence.index}` : 'a burn'
}

/** The id of a linked ledger, by the description that the link holds. */
function peerOf(peer: Uint8Array): string {
  const described = readDescriptor(peer, ledgerCryptoOf())
  return typeof described === 'string' ? 'no ledger' : described.hex
}
