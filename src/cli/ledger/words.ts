// Transactions, receipts and checkpoints as plain data for --json, and as lines for people. Amounts are texts: a number of
// JSON holds 2^53 at most.

import {
  type Checkpoint,
  type Evidence,
  type LedgerReceipt,
  readTransaction,
  type Transaction,
  toHex,
} from '../../ledger/index.ts'

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
    ...(peer !== undefined && transaction.kind === 'burn' && { peer }),
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

/** As far as people tell keys apart. */
export const cut = (hex: Uint8Array | string) => (typeof hex === 'string' ? hex : toHex(hex)).slice(0, 8)

/** One line for one leaf. */
export function describeTransaction(transaction: Transaction): string {
  switch (transaction.kind) {
    case 'transfer':
    case 'move':
    case 'burn': {
      const { kind, from, sequence, to, amount } = transaction
      const memo =
        transaction.kind === 'transfer' && transaction.memo !== '' ? `  ${JSON.stringify(transaction.memo)}` : ''
      const into = transaction.kind === 'burn' ? ` into ${cut(transaction.peer)}` : ''
      return `${kind} ${amount} from ${cut(from)} (its ${sequence}) to ${cut(to)}${into}${memo}`
    }
    case 'mint':
    case 'void': {
      const { kind, evidence } = transaction
      return `${kind} of burn ${evidence.index}${evidence.kind === 'own' ? '' : ` of ${cut(evidence.ledger)}`}`
    }
    case 'refund':
      return 'refund of a burn that was made void'
    case 'link':
      return `link ${transaction.number}, cap ${transaction.cap}`
    case 'freeze':
      return `freeze of the link to ${cut(transaction.ledger)}`
    case 'tick':
      return `tick ${transaction.number}`
    case 'epoch':
      return `epoch ${transaction.number}: kept by ${transaction.servers.map(server => server.name).join(', ')} from here on`
    case 'follow':
      return `follow of ${cut(transaction.ledger)} into its next epoch`
  }
}
