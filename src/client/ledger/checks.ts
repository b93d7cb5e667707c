// What a caller gave, as what a transaction takes: or a sentence that says what is wrong with it.

import { SettingsError } from '../../core/index.ts'
import {
  AMOUNT_MAX,
  type Descriptor,
  type Evidence,
  fromHex,
  type LedgerReceipt,
  NotProven,
  readTransaction,
  type Transaction,
} from '../../ledger/index.ts'

/** A leaf with its place and meaning. */
export interface LedgerEntry {
  readonly index: number
  readonly leaf: Uint8Array
  readonly transaction: Transaction
}

export function entryOf(index: number, leaf: Uint8Array): LedgerEntry {
  const read = readTransaction(leaf)
  if (!read.ok) throw new NotProven(`leaf ${index} is no transaction: ${read.refusal}.`)
  return { index, leaf, transaction: read.value }
}

/** A receipt as what another ledger takes for proof. */
export function evidenceOf(burn: LedgerReceipt | number): Evidence {
  if (typeof burn === 'number') return { kind: 'own', index: burn }
  const { ledger, leaf, index, path, checkpoint } = burn
  return { kind: 'proof', ledger, leaf, index, path, checkpoint }
}

export function peerId(into: { readonly descriptor: Descriptor } | Descriptor | string): Uint8Array {
  if (typeof into === 'string') return idOf(into)
  const descriptor = 'descriptor' in into ? into.descriptor : into
  if (descriptor.registerIds.length > 1)
    throw new SettingsError('that ledger has two registers: name the id of one of them.')
  return descriptor.id
}

export function idOf(hex: string): Uint8Array {
  const id = fromHex(hex)
  if (id?.length !== 32)
    throw new SettingsError(`${JSON.stringify(hex)} is no id of a ledger: 64 digits of hexadecimal.`)
  return id
}

export function checkAmount(what: string, amount: bigint, least: bigint): void {
  if (typeof amount !== 'bigint') throw new SettingsError(`${what} is ${String(amount)}; it must be a bigint: 250n.`)
  if (amount < least || amount > AMOUNT_MAX)
    throw new SettingsError(`${what} is ${amount}; it must be from ${least} to 2^63 - 1.`)
}

export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise(resolve => {
    const end = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal?.addEventListener('abort', end, { once: true })
  })
}
