// What callers hand to the functions of a ledger, known by its shape: what is something else is refused in a sentence. Whether it
// holds is asked afterwards, by those who check it.

import { checkValue, type Rule, SERVERS_MAX } from '../core/index.ts'
import { HASH_BYTES, LEAVES_MAX, PROOF_MAX, SIGNATURE_BYTES, TRANSACTION_BYTES_MAX } from './limits.ts'

const field = (value: unknown, name: string | symbol): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string | symbol, unknown>)[name] : undefined
const isBytes = (value: unknown): boolean => value instanceof Uint8Array
const isBytesOf = (value: unknown, length: number): boolean => value instanceof Uint8Array && value.length === length
const isPlace = (value: unknown, max = LEAVES_MAX): boolean =>
  Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= max
const isHash = (value: unknown): boolean => isBytesOf(value, HASH_BYTES)
const isLeaf = (value: unknown): boolean => value instanceof Uint8Array && value.length <= TRANSACTION_BYTES_MAX
const isPath = (value: unknown): boolean =>
  Array.isArray(value) && value.length <= PROOF_MAX && value.every(one => isHash(one))
const isVote = (value: unknown): boolean =>
  isPlace(field(value, 'server'), SERVERS_MAX - 1) && isBytesOf(field(value, 'signature'), SIGNATURE_BYTES)

// Down to every number and length: what cannot be written on a wire ends the node that is asked to send it, and the locks and
// watches of the same process with it.
const isCheckpoint = (value: unknown): boolean => {
  const votes = field(value, 'votes')
  return (
    ['size', 'height', 'attempt'].every(name => isPlace(field(value, name))) &&
    ['root', 'previous', 'proposal'].every(name => isHash(field(value, name))) &&
    Array.isArray(votes) &&
    votes.length <= SERVERS_MAX &&
    votes.every(isVote)
  )
}
const isReceipt = (value: unknown): boolean =>
  isHash(field(value, 'ledger')) && isPlace(field(value, 'index')) && isStep(value)
const isDescriptor = (value: unknown): boolean => {
  const epochs = field(value, 'epochs')
  return (
    isHash(field(value, 'id')) &&
    Array.isArray(field(value, 'registerIds')) &&
    Array.isArray(epochs) &&
    epochs.length > 0 &&
    epochs.every(epoch => Array.isArray(field(epoch, 'servers')))
  )
}
const isStep = (value: unknown): boolean =>
  isLeaf(field(value, 'leaf')) && isPath(field(value, 'path')) && isCheckpoint(field(value, 'checkpoint'))

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
  fits: value => isReceipt(value) || isPlace(value),
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
/** A leaf of a log. */
export const leafGiven: Rule = { must: 'the bytes of a signed transaction', fits: isLeaf }
/** The place of a leaf, or a number of leaves. */
export const placeGiven: Rule = { must: `a whole number from 0 to ${LEAVES_MAX}`, fits: value => isPlace(value) }
/** A hash, and hashes that lead from one to another. */
export const hashGiven: Rule = { must: 'a hash of 32 bytes', fits: isHash }
export const pathGiven: Rule = { must: 'a list of hashes', fits: isPath }
/** Bytes, by what they are. */
export const bytesGiven = (must: string): Rule => ({ must, fits: isBytes })

/** Refuses what is no receipt, or no descriptor. */
export function checkShown(receipt: unknown, descriptor: unknown): void {
  checkValue('receipt', receiptGiven, receipt)
  checkValue('descriptor', descriptorGiven, descriptor)
}
