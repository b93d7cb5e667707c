// What callers hand to the functions of a ledger, known by its shape: what is something else is refused in a sentence. Whether it
// holds is asked afterwards, by those who check it.

import { checkValue, type Rule } from '../core/index.ts'

const field = (value: unknown, name: string | symbol): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string | symbol, unknown>)[name] : undefined
const isBytes = (value: unknown): boolean => value instanceof Uint8Array
const isCheckpoint = (value: unknown): boolean =>
  isBytes(field(value, 'root')) && Number.isInteger(field(value, 'size')) && Array.isArray(field(value, 'votes'))
const isReceipt = (value: unknown): boolean =>
  isBytes(field(value, 'leaf')) &&
  isBytes(field(value, 'ledger')) &&
  Array.isArray(field(value, 'path')) &&
  isCheckpoint(field(value, 'checkpoint'))
const isDescriptor = (value: unknown): boolean =>
  isBytes(field(value, 'id')) && Array.isArray(field(value, 'registerIds')) && Array.isArray(field(value, 'epochs'))
const isStep = (value: unknown): boolean =>
  isBytes(field(value, 'leaf')) && Array.isArray(field(value, 'path')) && isCheckpoint(field(value, 'checkpoint'))

/** A checkpoint, as `ledger.checkpoint` gives it. */
export const checkpointGiven: Rule = { must: 'a checkpoint', fits: isCheckpoint }
/** What `ledger.descriptor` is, and what `readDescriptor` gives. */
export const descriptorGiven: Rule = { must: 'the descriptor of a ledger (ledger.descriptor)', fits: isDescriptor }
/** As much of it as can be written. */
export const describedGiven: Rule = {
  ...descriptorGiven,
  fits: value => Array.isArray(field(field(value, 'genesis'), 'servers')) && Array.isArray(field(value, 'epochs')),
}
/** A ledger, or the descriptor of one. */
export const ledgerGiven: Rule = {
  must: 'a ledger or its descriptor',
  fits: value => isDescriptor(value) || isDescriptor(field(value, 'descriptor')),
}
/** A receipt, not its bytes. */
export const receiptGiven: Rule = { must: 'a receipt (decodeReceipt makes one of bytes)', fits: isReceipt }
/** A receipt, or the place of a leaf. */
export const shownGiven: Rule = {
  must: 'a receipt, or the index of a leaf where the ledger has two registers',
  fits: value => isReceipt(value) || (Number.isSafeInteger(value) && (value as number) >= 0),
}
/** Someone who can spend. */
export const accountGiven: Rule = {
  must: 'an account (newAccount, accountFrom)',
  fits: value => typeof field(value, 'key') === 'string' && typeof field(value, 'sign') === 'function',
}
/** Steps from one epoch to the next. */
export const stepsGiven: Rule = {
  must: 'a list of steps from epoch to epoch',
  fits: value => Array.isArray(value) && value.every(isStep),
}
/** Leaves, one after the other. */
export const logGiven: Rule = {
  must: 'the leaves of a log, in a list or a loop',
  fits: value =>
    typeof field(value, Symbol.iterator) === 'function' || typeof field(value, Symbol.asyncIterator) === 'function',
}
/** Bytes, by what they are. */
export const bytesGiven = (must: string): Rule => ({ must, fits: isBytes })

/** Refuses what is no receipt, or no descriptor. */
export function checkShown(receipt: unknown, descriptor: unknown): void {
  checkValue('receipt', receiptGiven, receipt)
  checkValue('descriptor', descriptorGiven, descriptor)
}
