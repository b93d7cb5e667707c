// Who may say what: the signatures of owners, operators and servers, and the certificates of linked ledgers. What it does
// then is execute.ts.

import { fromHex, toHex } from '../core/index.ts'
import { framed } from '../crypto/framing.ts'
import type { Book } from './book.ts'
import { type Checkpoint, whyNotCertified } from './checkpoint.ts'
import { registerId, shownBurn } from './evidence.ts'
import { type Descriptor, type LedgerCrypto, newestEpoch, votesNeeded } from './genesis.ts'
import { whyNoStep } from './light.ts'
import { whyNoContradiction } from './link.ts'
import type { KnownLeaf } from './memory.ts'
import { leafHash, verifyInclusion } from './merkle.ts'
import { type Execution, type Refusal, refuse } from './refusal.ts'
import { type Evidence, type SpendingTransaction, signingBytes, type Transaction } from './transactions.ts'

// Dear, and for what an owner signs the answer depends on the leaf alone: asked once. All else is held against keys that
// may have changed meanwhile, by an epoch or by following a linked ledger's, or against whose burn has an index: each time.
export function whyUnsigned(
  book: Book,
  transaction: Transaction,
  how: Execution,
  known: KnownLeaf | undefined,
): Refusal | undefined {
  if (how.trusted || known?.signed) return undefined
  const refused = whyNotSigned(book, transaction, how)
  const { kind } = transaction
  const lasts = kind === 'transfer' || kind === 'burn' || kind === 'move'
  if (known !== undefined) known.signed = refused === undefined && lasts
  return refused
}

function whyNotSigned(book: Book, transaction: Transaction, how: Execution): Refusal | undefined {
  switch (transaction.kind) {
    case 'transfer':
    case 'burn':
    case 'move':
      return whySpendingUnsigned(book, transaction, how)
    case 'mint':
    case 'refund':
      return whyNoEvidence(book, transaction.evidence, how)
    case 'void':
      return whyNoEvidence(book, transaction.evidence, how) ?? whyVoidUnsigned(book, transaction, how)
    case 'link':
      return whyNotByOperators(book, transaction, how)
    case 'freeze':
      return whyNoFork(book, transaction, how)
    case 'tick':
      return whyTickUnsigned(book, transaction, how)
    case 'epoch':
      return whyEpochUnsigned(book, transaction, how)
    case 'follow':
      return whyNotFollowing(book, transaction, how)
  }
}

function whySpendingUnsigned(
  book: Book,
  spending: SpendingTransaction,
  { suite, rules }: Execution,
): Refusal | undefined {
  const id = registerId(book, spending.register)
  if (id === undefined) return refuse('register', `there is no register ${spending.register}.`)
  if (!rules.takesKey(suite.isKey(spending.from)) || !rules.takesKey(suite.isKey(spending.to)))
    return refuse('key', 'a key that is not canonical, or of small order, owns nothing.')
  if (!rules.checksSignatures()) return undefined
  const message = signingBytes(rules.signedFor(id), spending)
  return suite.verify(spending.from, message, spending.signature)
    ? undefined
    : refuse('unsigned', 'its signature does not hold for this ledger.')
}

function whyNoEvidence(book: Book, evidence: Evidence, { suite, rules }: Execution): Refusal | undefined {
  if (evidence.kind === 'own') return undefined
  const link = book.links.get(toHex(evidence.ledger))
  if (link === undefined) return refuse('no link', `ledger ${toHex(evidence.ledger).slice(0, 8)} is not linked here.`)
  const wrong =
    whyNotCertified(link.descriptor, evidence.checkpoint, suite, rules) ??
    whyNotIncluded(evidence, evidence.checkpoint, suite)
  return wrong === undefined ? undefined : refuse('evidence', `its proof does not hold: ${wrong}.`)
}

function whyNotIncluded(
  { leaf, index, path }: Evidence & { kind: 'proof' },
  { size, root }: Checkpoint,
  { hash }: LedgerCrypto,
): string | undefined {
  const included = verifyInclusion({ leaf: leafHash(leaf, hash), index, size, root }, path, hash)
  return included ? undefined : `the leaf is not at ${index} of ${size}`
}

function whyVoidUnsigned(book: Book, tx: Transaction & { kind: 'void' }, how: Execution): Refusal | undefined {
  const id = registerId(book, tx.register)
  if (id === undefined) return refuse('register', `there is no register ${tx.register}.`)
  const shown = shownBurn(book, tx.register, tx.evidence)
  if ('code' in shown) return shown
  const owner = fromHex(shown.burn.from)!
  return how.suite.verify(owner, signingBytes(how.rules.signedFor(id), tx), tx.signature)
    ? undefined
    : refuse('unsigned', 'only the one who burned makes a burn void, and the signature is not theirs.')
}

/** Links and epochs are the operators': as many as the genesis asks for. */
export function whyNotByOperators(
  book: Book,
  tx: Transaction & { kind: 'link' | 'epoch' },
  { suite }: Execution,
): Refusal | undefined {
  const { genesis, id } = book.descriptor
  const message = signingBytes(id, tx)
  const signers = new Set<number>()
  for (const { server: operator, signature } of tx.signatures) {
    const key = genesis.operators[operator]
    if (key === undefined || signers.has(operator) || !suite.verify(key, message, signature))
      return refuse('unsigned', 'a signature is not of an operator, or comes twice.')
    signers.add(operator)
  }
  if (genesis.operators.length === 0)
    return refuse('unsigned', 'the genesis names no operators: nothing can be linked, and nobody replaced.')
  return signers.size >= genesis.operatorsNeeded
    ? undefined
    : refuse('unsigned', `${signers.size} operators signed, and it takes ${genesis.operatorsNeeded}.`)
}

/** By the operators, and pledged by as many of the new keepers as it takes to certify: the ledger must not end with it. */
function whyEpochUnsigned(book: Book, tx: Transaction & { kind: 'epoch' }, how: Execution): Refusal | undefined {
  const refused = whyNotByOperators(book, tx, how)
  if (refused !== undefined) return refused
  const message = signingBytes(book.descriptor.id, tx)
  const pledged = new Set<number>()
  for (const { server, signature } of tx.pledges) {
    const voter = tx.servers[server]
    if (voter !== undefined && how.suite.verify(voter.key, message, signature)) pledged.add(server)
  }
  return how.rules.isPledged(pledged.size, tx)
    ? undefined
    : refuse('unsigned', `${pledged.size} of the new keepers pledged, and it takes ${votesNeeded(tx)}.`)
}

function whyNotFollowing(
  book: Book,
  tx: Transaction & { kind: 'follow' },
  { suite, rules }: Execution,
): Refusal | undefined {
  const link = book.links.get(toHex(tx.ledger))
  if (link === undefined) return refuse('no link', `ledger ${toHex(tx.ledger).slice(0, 8)} is not linked here.`)
  const wrong = whyNoStep(link.descriptor, tx, suite, rules)
  return wrong === undefined ? undefined : refuse('epoch', `it is no step on: ${wrong}.`)
}

function whyNoFork(book: Book, tx: Transaction & { kind: 'freeze' }, { suite, rules }: Execution): Refusal | undefined {
  const link = book.links.get(toHex(tx.ledger))
  if (link === undefined) return refuse('no link', `ledger ${toHex(tx.ledger).slice(0, 8)} is not linked here.`)
  const wrong =
    whyNotCertified(link.descriptor, tx.one, suite, rules) ??
    whyNotCertified(link.descriptor, tx.other, suite, rules) ??
    whyNoContradiction(tx, suite)
  return wrong === undefined ? undefined : refuse('evidence', `no fork is shown: ${wrong}.`)
}

/** What servers sign when an hour has passed. */
export function tickBytes({ id }: Descriptor, number: number): Uint8Array {
  return framed('coterie ledger tick', id, number)
}

function whyTickUnsigned(book: Book, tx: Transaction & { kind: 'tick' }, { suite }: Execution): Refusal | undefined {
  const { servers, liars } = newestEpoch(book.descriptor)
  const message = tickBytes(book.descriptor, tx.number)
  const signers = new Set<number>()
  for (const { server, signature } of tx.signatures) {
    const voter = servers[server]
    if (voter !== undefined && suite.verify(voter.key, message, signature)) signers.add(server)
  }
  return signers.size > liars
    ? undefined
    : refuse('unsigned', `${signers.size} servers signed, and it takes ${liars + 1}.`)
}
