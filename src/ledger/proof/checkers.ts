// What must hold of ledgers, seen from outside: one history among everything that was certified; every leaf valid when it
// is replayed from the genesis by the rules as they must be; receipts that hold for ever; reads and refusals that are not
// stale; and, once all is healed, progress.

import { type NodeId, sameBytes, toHex } from '../../core/index.ts'
import type { Checker, Micros, Violation } from '../../simulator/index.ts'
import { openBook, whyUnbalanced } from '../book.ts'
import { type Checkpoint, noteText, whyNotCertified } from '../checkpoint.ts'
import { execute } from '../execute.ts'
import { type Descriptor, type Epoch, epochHash, type LedgerCrypto, newestEpoch } from '../genesis.ts'
import { withEpoch } from '../light.ts'
import { outcomeOf } from '../proposal.ts'
import { type LedgerReceipt, whyNoReceipt } from '../receipt.ts'
import { isFinal, type RefusalCode } from '../refusal.ts'
import { ledgerRules } from '../rules.ts'
import { readTransaction } from '../transactions.ts'

class Watching implements Checker {
  readonly name: string
  private readonly found: Violation[] = []

  constructor(name: string) {
    this.name = name
  }

  violations(): readonly Violation[] {
    return this.found
  }

  protected blame(what: string, at: Micros): void {
    this.found.push({ what, at })
  }
}

/** Two certificates of one height, or of one size, are for one history. */
export class OneHistoryChecker extends Watching {
  private readonly heights = new Map<string, string>()
  private readonly sizes = new Map<string, string>()
  private readonly checked = new Set<string>()
  private readonly suite: LedgerCrypto

  constructor(suite: LedgerCrypto) {
    super('one history')
    this.suite = suite
  }

  certified(descriptor: Descriptor, checkpoint: Checkpoint, at: Micros): void {
    const { height, size } = checkpoint
    if (height === 0) return
    const value = outcomeOf(checkpoint)
    const name = descriptor.genesis.name
    this.same(this.heights, `height ${height} of ${name}`, value, at)
    this.same(this.sizes, `size ${size} of ${name}`, value, at)
    const note = noteText(descriptor, checkpoint)
    if (this.checked.has(note)) return
    this.checked.add(note)
    const wrong = whyNotCertified(descriptor, checkpoint, this.suite, ledgerRules)
    if (wrong !== undefined) this.blame(`a certificate of ${name} that does not hold: ${wrong}`, at)
  }

  private same(seen: Map<string, string>, name: string, value: string, at: Micros): void {
    const known = seen.get(name)
    if (known !== undefined && known !== value) this.blame(`two histories: ${name} was certified twice`, at)
    seen.set(name, value)
  }
}

/** What an honest server has in its log is replayed by the rules as they must be. */
export class ReplayChecker extends Watching {
  private readonly seen = new Set<string>()
  private readonly suite: LedgerCrypto

  constructor(suite: LedgerCrypto) {
    super('replay')
    this.suite = suite
  }

  /** Once for each root that servers hold. */
  replay(descriptor: Descriptor, root: Uint8Array, leaves: readonly Uint8Array[], at: Micros): void {
    const name = `${descriptor.hex} ${toHex(root)}`
    if (this.seen.has(name)) return
    this.seen.add(name)
    const book = openBook(descriptor)
    for (const [index, leaf] of leaves.entries()) {
      const refused = execute(book, leaf, { suite: this.suite, rules: ledgerRules })
      if (refused !== undefined)
        return this.blame(`leaf ${index} of ${descriptor.genesis.name} is wrong: ${refused.code}`, at)
    }
    const wrong = whyUnbalanced(book)
    if (wrong !== undefined) this.blame(`${descriptor.genesis.name}: ${wrong}`, at)
  }
}

/** A receipt once given holds, and its leaf is where it says in every honest log that reaches so far. */
export class ReceiptChecker extends Watching {
  private readonly given: { readonly descriptor: Descriptor; readonly receipt: LedgerReceipt }[] = []
  private readonly suite: LedgerCrypto
  /** The largest index that was final, by ledger. */
  private readonly final = new Map<string, number>()
  private readonly begun = new Map<string, number>()
  /** What was refused for ever. */
  private readonly never: { readonly leaf: Uint8Array; readonly code: RefusalCode }[] = []

  constructor(suite: LedgerCrypto) {
    super('receipts')
    this.suite = suite
  }

  receipt(descriptor: Descriptor, receipt: LedgerReceipt, at: Micros): void {
    const wrong = whyNoReceipt(receipt, descriptor, this.suite)
    if (wrong !== undefined) this.blame(`a receipt that does not hold: ${wrong}`, at)
    this.given.push({ descriptor, receipt })
    this.final.set(descriptor.hex, Math.max(this.final.get(descriptor.hex) ?? -1, receipt.index))
  }

  /** By the keepers of the end, too. */
  forEver(descriptor: Descriptor, at: Micros): void {
    for (const { descriptor: of, receipt } of this.given) {
      const wrong = of.hex === descriptor.hex ? whyNoReceipt(receipt, descriptor, this.suite) : undefined
      if (wrong !== undefined) this.blame(`a receipt that no longer holds: ${wrong}`, at)
    }
  }

  /** A read, or something handed in. */
  begins(call: string, { hex }: Descriptor): void {
    this.begun.set(call, this.final.get(hex) ?? -1)
  }

  /** A read answers from a size that all transfers had reached which were final when it began. */
  readEnds(call: string, { size }: Checkpoint, at: Micros): void {
    const index = this.begun.get(call)
    if (index !== undefined && size <= index)
      this.blame(`a stale read: size ${size}, and leaf ${index} was final before`, at)
  }

  /** What is refused for now is judged by all that was final when it was handed in; what is refused for ever never happens. */
  refused(call: string, leaf: Uint8Array, by: { readonly code: RefusalCode; readonly size: number }, at: Micros): void {
    if (isFinal({ ...by, why: '' })) return void this.never.push({ leaf, code: by.code })
    const index = this.begun.get(call)
    if (index !== undefined && by.size <= index)
      this.blame(`a stale refusal: ${by.code} at size ${by.size}, and leaf ${index} was final before`, at)
  }

  logs(descriptor: Descriptor, leaves: readonly Uint8Array[], at: Micros): void {
    for (const { descriptor: of, receipt } of this.given) {
      if (of.hex !== descriptor.hex || receipt.index >= leaves.length) continue
      if (!sameBytes(leaves[receipt.index]!, receipt.leaf)) {
        this.blame(`leaf ${receipt.index} of ${descriptor.genesis.name} was promised, and another is there`, at)
      }
    }
    const wrong = this.never.find(refused => leaves.some(leaf => sameBytes(leaf, refused.leaf)))
    if (wrong !== undefined)
      this.blame(`a leaf of ${descriptor.genesis.name} was refused for ever (${wrong.code}), and is there`, at)
  }
}

/** A server that lost its store, or has an old copy of it, votes in no height in which it may have voted before. */
export class VotesChecker extends Watching {
  /** The largest height of a vote that somebody heard, by server and ledger; and of these, what was forgotten. */
  private readonly told = new Map<string, number>()
  private readonly forgotten = new Map<string, number>()

  constructor() {
    super('votes')
  }

  heard(server: NodeId, ledger: Uint8Array, height: number): void {
    const name = `${server} ${toHex(ledger)}`
    this.told.set(name, Math.max(this.told.get(name) ?? 0, height))
  }

  forgot(server: NodeId): void {
    for (const [name, height] of this.told) if (name.startsWith(`${server} `)) this.forgotten.set(name, height)
  }

  votes(server: NodeId, ledger: Uint8Array, height: number, at: Micros): void {
    const least = this.forgotten.get(`${server} ${toHex(ledger)}`) ?? 0
    if (height <= least) this.blame(`${server} votes in height ${height}, and has forgotten its vote in ${least}`, at)
  }
}

/**
 * Who keeps each ledger, by what honest servers have certified; clients are led to nobody else. A liar may have gathered a
 * good certificate before any honest server has, and show it: so what a client followed is judged when an honest one has
 * certified keepers of that number, and at the end whatever is left.
 */
export class KeepersChecker extends Watching {
  private readonly known = new Map<string, Descriptor>()
  /** What clients were led to beyond what honest servers had certified then, the newest of each ledger and end. */
  private readonly early = new Map<string, Descriptor>()
  private readonly suite: LedgerCrypto

  constructor(suite: LedgerCrypto) {
    super('keepers')
    this.suite = suite
  }

  now(descriptor: Descriptor): Descriptor {
    return this.known.get(descriptor.hex) ?? descriptor
  }

  /** The last leaf of a certificate. */
  certified(descriptor: Descriptor, leaf: Uint8Array, { size }: Checkpoint, at: Micros): void {
    const known = this.now(descriptor)
    const read = readTransaction(leaf)
    if (!read.ok || read.value.kind !== 'epoch' || newestEpoch(known).from >= size) return
    this.known.set(descriptor.hex, withEpoch(known, read.value, size))
    for (const followed of this.early.values()) if (followed.hex === descriptor.hex) this.judge(followed, at)
  }

  followed(descriptor: Descriptor, at: Micros): void {
    this.early.set(this.nameOf(descriptor), descriptor)
    this.judge(descriptor, at)
  }

  /** All is healed: who keeps a ledger has been certified by honest servers, or by nobody. */
  finish(at: Micros): void {
    for (const followed of this.early.values()) this.uncertified(newestEpoch(followed), at)
  }

  private judge(descriptor: Descriptor, at: Micros): void {
    const { epochs } = this.now(descriptor)
    const wrong = descriptor.epochs.find(({ number }, place) => {
      const certified = epochs[number]
      return (
        certified !== undefined && this.hash(descriptor, certified) !== this.hash(descriptor, descriptor.epochs[place]!)
      )
    })
    if (wrong !== undefined) this.uncertified(wrong, at)
    if (wrong !== undefined || epochs.length >= descriptor.epochs.length) this.early.delete(this.nameOf(descriptor))
  }

  private nameOf(descriptor: Descriptor): string {
    return `${descriptor.hex} ${this.hash(descriptor, newestEpoch(descriptor))}`
  }

  private hash(descriptor: Descriptor, epoch: Epoch): string {
    return toHex(epochHash(descriptor, epoch, this.suite))
  }

  private uncertified({ number }: Epoch, at: Micros): void {
    this.blame(`a client was led to keepers of epoch ${number} whom nobody certified`, at)
  }
}

/** What was demanded after healing has come by the end. */
export class EndsChecker extends Watching {
  private readonly waiting = new Map<string, string>()

  constructor() {
    super('ends')
  }

  demand(call: string, what: string): void {
    this.waiting.set(call, what)
  }

  served(call: string): void {
    this.waiting.delete(call)
  }

  finish(at: Micros): void {
    for (const what of this.waiting.values()) this.blame(`${what} did not end`, at)
  }
}
