// Who keeps a ledger, learned without replaying it: a chain from the genesis, one step an epoch. A step is the leaf that names
// the next keepers, last in a certificate of those before it. Anyone who holds the genesis and the steps can check any checkpoint
// alone, also one of long ago; and refuses one that replaced keepers sign for a later size.

import { type Codec, checkValue, decode, encode, list, sameBytes } from '../core/index.ts'
import { type Checkpoint, whyNotCertified } from './checkpoint.ts'
import { ledgerCrypto } from './crypto.ts'
import {
  type Descriptor,
  describedOr,
  type Epoch,
  epochAt,
  epochHash,
  type Genesis,
  genesisCodec,
  type LedgerCrypto,
  newestEpoch,
  whyNoServers,
} from './genesis.ts'
import { bytesGiven, describedGiven, descriptorGiven, stepsGiven } from './given.ts'
import { leafHash, verifyInclusion } from './merkle.ts'
import { NotProven } from './receipt.ts'
import { type LedgerRules, ledgerRules } from './rules.ts'
import { EPOCHS_MAX, type EpochStep, epochStepCodec, readTransaction, type Transaction } from './transactions.ts'

type EpochTransaction = Transaction & { readonly kind: 'epoch' }

/** Why these cannot be the next keepers; who says so is not looked at here. */
export function whyNotNext(
  descriptor: Descriptor,
  next: EpochTransaction,
  suite: LedgerCrypto,
  rules: Pick<LedgerRules, 'isNextEpoch'> = ledgerRules,
): string | undefined {
  const now = newestEpoch(descriptor)
  const follows = sameBytes(next.previous, epochHash(descriptor, now, suite))
  if (!rules.isNextEpoch(next.number, now.number, follows)) {
    return next.number === now.number + 1
      ? `it does not follow epoch ${now.number}`
      : `the next epoch is ${now.number + 1}, not ${next.number}`
  }
  return whyNoServers(next, suite)?.replace(/\.$/, '')
}

/** The descriptor with the next keepers, from `size` leaves on. */
export function withEpoch(descriptor: Descriptor, next: EpochTransaction, size: number): Descriptor {
  const { servers, crashes, liars } = next
  const epoch: Epoch = { number: newestEpoch(descriptor).number + 1, from: size, servers, crashes, liars }
  return { ...descriptor, epochs: [...descriptor.epochs, epoch] }
}

/** Why a step does not lead on from what is known. */
export function whyNoStep(
  descriptor: Descriptor,
  { leaf, path, checkpoint }: EpochStep,
  suite: LedgerCrypto,
  rules: Pick<LedgerRules, 'votesNeeded' | 'isNextEpoch'> = ledgerRules,
): string | undefined {
  const read = readTransaction(leaf)
  if (!read.ok || read.value.kind !== 'epoch') return 'the leaf shown names no keepers'
  const { size, root } = checkpoint
  if (epochAt(descriptor, size).number !== newestEpoch(descriptor).number)
    return 'its checkpoint is of an epoch that was replaced'
  const { hash } = suite
  const included = verifyInclusion({ leaf: leafHash(leaf, hash), index: size - 1, size, root }, path, hash)
  if (!included) return 'the leaf is not the last of its checkpoint'
  return whyNotNext(descriptor, read.value, suite, rules) ?? whyNotCertified(descriptor, checkpoint, suite, rules)
}

/** Goes one step on. The step was found good; it is kept, so that the descriptor can be written. */
export function takeStep(descriptor: Descriptor, step: EpochStep): Descriptor {
  const read = readTransaction(step.leaf)
  const next = withEpoch(descriptor, (read as { readonly value: EpochTransaction }).value, step.checkpoint.size)
  const epochs = next.epochs.with(-1, { ...newestEpoch(next), step: encode(epochStepCodec, step) })
  return { ...next, epochs }
}

/** The steps that led to a descriptor, from one epoch on; those that were learned from leaves alone are not among them. */
export function stepsOf({ epochs }: Pick<Descriptor, 'epochs'>, from = 0): EpochStep[] {
  const steps: EpochStep[] = []
  for (const { step } of epochs.slice(from + 1)) {
    const decoded = step && decode(epochStepCodec, step)
    if (!decoded?.ok) break
    steps.push(decoded.value)
  }
  return steps
}

/** Whether the last of the steps rests on this very history: later keepers were named at that size, with that root. */
export function isClosing(descriptor: Descriptor, { size, root }: Checkpoint): boolean {
  const { from, number } = newestEpoch(descriptor)
  if (number === 0 || size !== from) return false
  const [last] = stepsOf(descriptor, number - 1)
  return last !== undefined && sameBytes(last.checkpoint.root, root)
}

/** The descriptor that the steps lead to; throws `NotProven` with the first that does not hold. */
export function followEpochs(
  descriptor: Descriptor,
  steps: readonly EpochStep[],
  suite: LedgerCrypto = ledgerCrypto(),
): Descriptor {
  checkValue('descriptor', descriptorGiven, descriptor)
  checkValue('steps', stepsGiven, steps)
  let known = descriptor
  for (const step of steps) {
    const wrong = whyNoStep(known, step, suite)
    if (wrong !== undefined)
      throw new NotProven(`the step to epoch ${newestEpoch(known).number + 1} does not hold: ${wrong}.`)
    known = takeStep(known, step)
  }
  return known
}

/** A genesis, and the steps that lead from it. */
interface Described {
  readonly genesis: Genesis
  readonly steps: readonly EpochStep[]
}

const stepsCodec: Codec<readonly EpochStep[]> = list(epochStepCodec, EPOCHS_MAX)

/** Of a ledger that was never kept by others: the genesis alone. */
const describedCodec: Codec<Described> = {
  write(writer, { genesis, steps }) {
    genesisCodec.write(writer, genesis)
    if (steps.length > 0) stepsCodec.write(writer, steps)
  },
  read(reader) {
    const genesis = genesisCodec.read(reader)
    if (reader.left === 0) return { genesis, steps: [] }
    const steps = stepsCodec.read(reader)
    return steps.length > 0 ? { genesis, steps } : reader.refuse('a chain without steps')
  },
}

/** The descriptor that these bytes hold, every step checked, or why they hold none. */
export function readDescriptor(encoded: Uint8Array, suite: LedgerCrypto = ledgerCrypto()): Descriptor | string {
  checkValue('encoded', bytesGiven('the bytes of a descriptor (encodeDescriptor)'), encoded)
  const decoded = decode(describedCodec, encoded)
  if (!decoded.ok) return `no genesis of a ledger: ${decoded.refusal}`
  const { genesis, steps } = decoded.value
  const first = describedOr(genesis, suite)
  if (typeof first === 'string' || steps.length === 0) return first
  try {
    return followEpochs(first, steps, suite)
  } catch (error) {
    if (error instanceof NotProven) return error.message
    throw error
  }
}

/**
 * A descriptor as bytes, to be kept in a file or put into a link: its genesis, and the steps to the keepers of now; as many
 * of them as there is room for.
 */
export function encodeDescriptor(
  descriptor: Pick<Descriptor, 'genesis' | 'epochs'>,
  bytesMax = Number.POSITIVE_INFINITY,
): Uint8Array {
  checkValue('descriptor', describedGiven, descriptor)
  const { genesis, epochs } = descriptor
  const steps = stepsOf({ epochs })
  let encoded = encode(describedCodec, { genesis, steps })
  while (encoded.length > bytesMax && steps.length > 0) {
    steps.pop()
    encoded = encode(describedCodec, { genesis, steps })
  }
  return encoded
}
