// A receipt: a leaf, where it is, and the certificate that it is there. Anyone who holds the ledger's descriptor can check it
// alone, without a network, for ever.

import {
  bytes,
  type Codec,
  CoterieError,
  checkValue,
  decode,
  encode,
  list,
  sameBytes,
  struct,
  toHex,
  uint,
} from '../core/index.ts'
import { type Checkpoint, checkpointCodec, whyNotCertified } from './checkpoint.ts'
import { ledgerCrypto } from './crypto.ts'
import { type Descriptor, idCodec, type LedgerCrypto } from './genesis.ts'
import { bytesGiven, checkShown, receiptGiven } from './given.ts'
import { LEAVES_MAX, PROOF_MAX } from './limits.ts'
import { leafHash, verifyInclusion } from './merkle.ts'
import { ledgerRules } from './rules.ts'
import { readTransaction, TRANSACTION_BYTES_MAX, type Transaction } from './transactions.ts'

/** A leaf, its place, and the certificate. */
export interface LedgerReceipt {
  readonly ledger: Uint8Array
  readonly leaf: Uint8Array
  readonly index: number
  readonly path: readonly Uint8Array[]
  readonly checkpoint: Checkpoint
}

/** What was shown does not hold: a receipt, a checkpoint or a log. */
export class NotProven extends CoterieError {
  override readonly name = 'NotProven'
  readonly outcome = 'may have happened'
}

/** Receipts as bytes. */
export const receiptCodec: Codec<LedgerReceipt> = struct<LedgerReceipt>({
  ledger: idCodec,
  leaf: bytes(TRANSACTION_BYTES_MAX),
  index: uint(LEAVES_MAX),
  path: list(idCodec, PROOF_MAX),
  checkpoint: checkpointCodec,
})

/** A receipt as bytes, to be kept. */
export function encodeReceipt(receipt: LedgerReceipt): Uint8Array {
  checkValue('receipt', receiptGiven, receipt)
  return encode(receiptCodec, receipt)
}

/** Throws `NotProven` where the bytes are no receipt. */
export function decodeReceipt(encoded: Uint8Array): LedgerReceipt {
  checkValue('encoded', bytesGiven('the bytes of a receipt'), encoded)
  const decoded = decode(receiptCodec, encoded)
  if (!decoded.ok) throw new NotProven(`no receipt of a ledger: ${decoded.refusal}.`)
  return decoded.value
}

/** Checks a receipt and gives its transaction; throws `NotProven`, which says what is wrong. */
export function verifyReceipt(
  receipt: LedgerReceipt,
  descriptor: Descriptor,
  suite: LedgerCrypto = ledgerCrypto(),
): Transaction {
  checkShown(receipt, descriptor)
  const wrong = whyNoReceipt(receipt, descriptor, suite)
  if (wrong !== undefined) throw new NotProven(`the receipt does not hold: ${wrong}.`)
  const read = readTransaction(receipt.leaf)
  if (!read.ok) throw new NotProven(`the receipt's leaf is no transaction: ${read.refusal}.`)
  return read.value
}

/** What is wrong with a receipt; nothing where it holds. */
export function whyNoReceipt(receipt: LedgerReceipt, descriptor: Descriptor, suite: LedgerCrypto): string | undefined {
  return whyNotThere(receipt, descriptor, suite) ?? whyNotCertified(descriptor, receipt.checkpoint, suite, ledgerRules)
}

/** The same but for the certificate: whether the leaf is where it says. */
export function whyNotThere(receipt: LedgerReceipt, descriptor: Descriptor, suite: LedgerCrypto): string | undefined {
  const { ledger, leaf, index, path, checkpoint } = receipt
  if (!sameBytes(ledger, descriptor.id))
    return `it is of ledger ${toHex(ledger).slice(0, 8)}, not of ${descriptor.hex.slice(0, 8)}`
  const { size, root } = checkpoint
  const included = verifyInclusion({ leaf: leafHash(leaf, suite.hash), index, size, root }, path, suite.hash)
  return included ? undefined : `its leaf is not at ${index} of ${size}`
}
