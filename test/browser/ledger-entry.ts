// What the browser test runs in the tab: a receipt and a log checked with the signatures in TypeScript.

import { auditLedger, decodeReceipt, ledgerCrypto, readDescriptor, verifyReceipt } from '../../src/ledger/index.ts'

export interface Shown {
  readonly receipt: readonly number[]
  readonly descriptor: readonly number[]
  readonly leaves: readonly (readonly number[])[]
}

/** The receipt's kind of transaction, and how many leaves the audit went through; or what is wrong. */
export async function check(shown: Shown): Promise<string> {
  const suite = ledgerCrypto()
  const descriptor = readDescriptor(Uint8Array.from(shown.descriptor), suite)
  if (typeof descriptor === 'string') return descriptor
  try {
    const receipt = decodeReceipt(Uint8Array.from(shown.receipt))
    const { kind } = verifyReceipt(receipt, descriptor, suite)
    const leaves = shown.leaves.map(leaf => Uint8Array.from(leaf))
    const { size } = await auditLedger(leaves, { descriptor, checkpoint: receipt.checkpoint, suite })
    return `${kind} ${size}`
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
