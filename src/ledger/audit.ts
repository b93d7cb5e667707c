// An audit by anybody: every leaf is replayed from the genesis, every signature, sequence and sum is checked again, and the
// root must be the certified one. It needs the descriptor and one checkpoint, and trusts nobody.

import { optionsSchema, type Rule, required } from '../core/index.ts'
import { type Book, openBook, whyUnbalanced } from './book.ts'
import { type Checkpoint, signersOfBoth, whyNotCertified } from './checkpoint.ts'
import { ledgerCrypto } from './crypto.ts'
import { execute } from './execute.ts'
import type { Descriptor, LedgerCrypto } from './genesis.ts'
import { extend, type Frontier, frontierRoot, leafHash } from './merkle.ts'
import { outcomeOf } from './proposal.ts'
import { NotProven } from './receipt.ts'
import { execution } from './refusal.ts'
import { ledgerRules } from './rules.ts'

/** What an audit is given besides the log. */
export interface AuditOptions {
  readonly descriptor: Descriptor
  /** The log must lead to it. */
  readonly checkpoint?: Checkpoint
  /** One that was seen before: the log must lead to it on the way. */
  readonly seen?: Checkpoint
  readonly suite?: LedgerCrypto
}

const thing = (must: string): Rule => ({ must, fits: value => typeof value === 'object' && value !== null })
const checkAudit = optionsSchema<AuditOptions>({
  descriptor: required(thing('the description of a ledger')),
  checkpoint: thing('a checkpoint'),
  seen: thing('a checkpoint'),
  suite: thing('signatures and a hash'),
})

/** What an audit found, where nothing was wrong. */
export interface Audit {
  readonly size: number
  readonly root: Uint8Array
  /** Own coins with accounts and out there, by register. */
  readonly book: Book
}

/** Replays a log. Throws `NotProven` with the first leaf that is wrong, or with the servers that signed two histories. */
export async function auditLedger(
  log: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  options: AuditOptions,
): Promise<Audit> {
  checkAudit('auditLedger', options)
  const { descriptor, checkpoint, seen, suite = ledgerCrypto() } = options
  checkCertificates(descriptor, [checkpoint, seen], suite)
  const book = openBook(descriptor)
  const tree: Frontier = { size: 0, roots: [] }
  const how = { ...execution(suite, ledgerRules), verified: undefined } as unknown as ReturnType<typeof execution>
  if (seen?.size === 0) compare(tree, seen, descriptor, checkpoint)
  for await (const leaf of log) {
    const refused = execute(book, leaf, { suite: how.suite, rules: how.rules })
    if (refused !== undefined) throw new NotProven(`leaf ${tree.size} is wrong: ${refused.why}`)
    extend(tree, leafHash(leaf, suite.hash), suite.hash)
    if (tree.size === seen?.size) compare(tree, seen, descriptor, checkpoint)
    if (tree.size === checkpoint?.size) break
  }
  const unbalanced = whyUnbalanced(book)
  if (unbalanced !== undefined) throw new NotProven(`after ${tree.size} leaves ${unbalanced}.`)
  if (checkpoint !== undefined) finish(tree, checkpoint)
  if (seen !== undefined && seen.size > tree.size)
    throw new NotProven(`the log ends at ${tree.size} leaves, and a checkpoint of ${seen.size} was seen before.`)
  return { size: tree.size, root: frontierRoot(tree, suite.hash), book }
}

function checkCertificates(
  descriptor: Descriptor,
  shown: readonly (Checkpoint | undefined)[],
  suite: LedgerCrypto,
): void {
  for (const checkpoint of shown) {
    const wrong = checkpoint && whyNotCertified(descriptor, checkpoint, suite, ledgerRules)
    if (wrong !== undefined) throw new NotProven(`the checkpoint does not hold: ${wrong}.`)
  }
}

function finish(tree: Frontier, checkpoint: Checkpoint): void {
  if (tree.size < checkpoint.size)
    throw new NotProven(`the log ends at ${tree.size} leaves, and the checkpoint has ${checkpoint.size}.`)
  const root = frontierRoot(tree)
  if (outcomeOf({ size: tree.size, root }) !== outcomeOf(checkpoint))
    throw new NotProven(
      `the log's root at ${tree.size} leaves is not the certified one: a leaf is missing, turned or moved.`,
    )
}

function compare(tree: Frontier, seen: Checkpoint, descriptor: Descriptor, newest: Checkpoint | undefined): void {
  const root = frontierRoot(tree)
  if (outcomeOf({ size: tree.size, root }) === outcomeOf(seen)) return
  const both = newest === undefined ? [] : signersOfBoth(descriptor, seen, newest)
  const who = both.length > 0 ? ` ${both.join(', ')} signed both.` : ''
  throw new NotProven(`at ${tree.size} leaves this log is not the one that was certified before: two histories.${who}`)
}
