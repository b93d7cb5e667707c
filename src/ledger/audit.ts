// An audit by anybody: every leaf is replayed from the genesis, every signature, sequence and sum is checked again, and the
// root must be the certified one. It needs the descriptor and one checkpoint, and trusts nobody.

import { checkValue, objectWith, optionsSchema, required } from '../core/index.ts'
import { type Book, openBook, whyUnbalanced } from './book.ts'
import { type Checkpoint, signersOfBoth, whyNotCertified } from './checkpoint.ts'
import { ledgerCrypto } from './crypto.ts'
import { execute } from './execute.ts'
import type { Descriptor, LedgerCrypto } from './genesis.ts'
import { checkpointGiven, descriptorGiven, leafGiven, logGiven } from './given.ts'
import { extend, type Frontier, frontierRoot, leafHash } from './merkle.ts'
import { outcomeOf } from './proposal.ts'
import { NotProven } from './receipt.ts'
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

const checkAudit = optionsSchema<AuditOptions>({
  descriptor: required(descriptorGiven),
  checkpoint: checkpointGiven,
  seen: checkpointGiven,
  suite: objectWith(['hash', 'verify', 'isKey'], 'signatures and a hash'),
})

/** What an audit found, where nothing was wrong. */
export interface Audit {
  readonly size: number
  readonly root: Uint8Array
  /** Own coins with accounts and out there, by register. */
  readonly book: Book
}

/** A replay under way: what a log says so far. A leaf that is refused leaves it as it was. */
export class Replay {
  readonly book: Book
  readonly tree: Frontier = { size: 0, roots: [] }
  private readonly suite: LedgerCrypto

  constructor(descriptor: Descriptor, suite: LedgerCrypto) {
    this.book = openBook(descriptor)
    this.suite = suite
  }

  /** Takes the next leaf; throws `NotProven` where it cannot stand there. */
  take(leaf: Uint8Array): void {
    const { book, tree, suite } = this
    // Without what a server remembers of signatures: an audit looks at each itself.
    const refused = execute(book, leaf, { suite, rules: ledgerRules })
    if (refused !== undefined) throw new NotProven(`leaf ${tree.size} is wrong: ${refused.why}`)
    extend(tree, leafHash(leaf, suite.hash), suite.hash)
  }

  get root(): Uint8Array {
    return frontierRoot(this.tree, this.suite.hash)
  }
}

/** Replays a log. Throws `NotProven` with the first leaf that is wrong, or with the servers that signed two histories. */
export async function auditLedger(
  log: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  options: AuditOptions,
): Promise<Audit> {
  checkValue('log', logGiven, log)
  checkAudit('auditLedger', options)
  const { descriptor, checkpoint, seen, suite = ledgerCrypto() } = options
  checkCertificates(descriptor, [checkpoint, seen], suite)
  const replay = new Replay(descriptor, suite)
  const { book, tree } = replay
  if (seen !== undefined && checkpoint !== undefined) checkTwo(descriptor, seen, checkpoint)
  if (seen?.size === 0) compare(replay, seen)
  for await (const leaf of log) {
    if (tree.size === checkpoint?.size) break
    checkValue(`leaf ${tree.size} of the log`, leafGiven, leaf)
    replay.take(leaf)
    if (tree.size === seen?.size) compare(replay, seen)
  }
  const unbalanced = whyUnbalanced(book)
  if (unbalanced !== undefined) throw new NotProven(`after ${tree.size} leaves ${unbalanced}.`)
  if (checkpoint !== undefined) finish(replay, checkpoint)
  if (seen !== undefined && seen.size > tree.size)
    throw new NotProven(`the log ends at ${tree.size} leaves, and a checkpoint of ${seen.size} was seen before.`)
  return { size: tree.size, root: replay.root, book }
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

function finish({ tree, root }: Replay, checkpoint: Checkpoint): void {
  if (tree.size < checkpoint.size)
    throw new NotProven(`the log ends at ${tree.size} leaves, and the checkpoint has ${checkpoint.size}.`)
  if (outcomeOf({ size: tree.size, root }) !== outcomeOf(checkpoint))
    throw new NotProven(
      `the log's root at ${tree.size} leaves is not the certified one: a leaf is missing, turned or moved.`,
    )
}

/** Two certificates of one height with two histories need no log: they name who signed both. */
function checkTwo(descriptor: Descriptor, seen: Checkpoint, newest: Checkpoint): void {
  if (seen.height !== newest.height || outcomeOf(seen) === outcomeOf(newest)) return
  const both = signersOfBoth(descriptor, seen, newest)
  const who =
    both.length > 0
      ? `${both.join(', ')} signed both.`
      : `They are of attempts ${seen.attempt} and ${newest.attempt}: more servers lied than this ledger counts with.`
  throw new NotProven(`two histories of ${seen.height} heights were certified. ${who}`)
}

function compare({ tree, root }: Replay, seen: Checkpoint): void {
  if (outcomeOf({ size: tree.size, root }) === outcomeOf(seen)) return
  throw new NotProven(
    `at ${tree.size} leaves this log is not the one that was certified before: two histories. Keep both: they are evidence.`,
  )
}
