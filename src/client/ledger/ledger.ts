// A ledger as its user sees it. What is promised is certified: a receipt verifies without any server, for ever.

import { because, isText, SettingsError } from '../../core/index.ts'
import {
  type Audit,
  auditLedger,
  type Checkpoint,
  type Descriptor,
  epochAt,
  fromHex,
  type LedgerReceipt,
  MEMO_BYTES_MAX,
  NotProven,
  signedNote,
  signingBytes,
  type Transaction,
  toHex,
  writeTransaction,
} from '../../ledger/index.ts'
import { ledgerCryptoOf } from '../../runtime/ledger.ts'
import { checkWaiting, leftOf, type WaitOptions } from '../waiting.ts'
import { type Account, keyBytes, signedBy } from './accounts.ts'
import type { LedgerCalls } from './calls.ts'
import { checkAmount, evidenceOf, idOf, type LedgerEntry, pause } from './checks.ts'
import { LedgerRefused, LedgerUnanswered } from './errors.ts'
import { followingLeaves, pledgedEpoch, signedLink } from './governing.ts'
import { entriesUpTo, leavesOf, lotOf } from './logs.ts'
import {
  type Burning,
  checkAudit,
  checkBalance,
  checkBurning,
  checkCheckpoint,
  checkEpoch,
  checkFollowing,
  checkFork,
  checkFrom,
  checkIndex,
  checkLeaf,
  checkLink,
  checkOwner,
  checkPayment,
  checkPeer,
  checkReceipt,
  checkRegister,
  checkShown,
  checkSpending,
  type EpochOptions,
  type Fork,
  type LinkOptions,
  type Payment,
  type RegisterOptions,
  type Spending,
} from './options.ts'
import { Sequences } from './sequences.ts'
import { burning, type Making } from './spending.ts'

/** What an account holds, at a certified size or later. */
export interface AccountInfo {
  readonly key: string
  /** The sequence of its next transaction. */
  readonly next: number
  /** The ledger's own coins. */
  readonly amount: bigint
  /** Coins of each kind, by the id of the ledger (or register) whose they are. */
  readonly balances: ReadonlyMap<string, bigint>
  readonly size: number
  readonly checkpoint: Checkpoint
}

/** A burn that is signed; nobody has seen it. One of `send` and `drop` ends it. */
interface PreparedBurn {
  readonly leaf: Uint8Array
  send(): Promise<LedgerReceipt>
  drop(): void
}

const UNTIL_AHEAD = 10_000
const RETRIES = 8
const POLL_MS = 200

/** A ledger that the servers of a group keep. */
export class Ledger {
  private readonly first: Descriptor
  private readonly calls: LedgerCalls
  private readonly sequences = new Sequences()
  private size = 0

  /** @internal Made by `group.createLedger` and `group.ledger`. */
  constructor(calls: LedgerCalls, descriptor: Descriptor) {
    this.calls = calls
    this.first = descriptor
  }

  /** Its genesis, its id and who keeps it: what others need to check receipts. As far as is known: it grows when keepers change. */
  get descriptor(): Descriptor {
    return this.calls.newest(this.first)
  }

  get name(): string {
    return this.descriptor.genesis.name
  }

  /** Its id in hexadecimal. */
  get id(): string {
    return this.descriptor.hex
  }

  /** Pays. Resolves when it is final: certified by n - f servers. */
  async transfer(payment: Payment, options: WaitOptions = {}): Promise<LedgerReceipt> {
    checkPayment('ledger.transfer', payment)
    checkWaiting('ledger.transfer', options)
    const memo = payment.memo ?? ''
    if (!isText(memo, MEMO_BYTES_MAX))
      throw new SettingsError(`a memo has at most ${MEMO_BYTES_MAX} bytes of UTF-8, and no half of a letter.`)
    return this.spend(payment, fields => ({ kind: 'transfer', ...fields, memo }), options)
  }

  /** Takes coins out of this ledger, to be minted at a linked one. `move` does both. */
  async burn(payment: Burning, options: WaitOptions = {}): Promise<LedgerReceipt> {
    checkBurning('ledger.burn', payment)
    checkWaiting('ledger.burn', options)
    return this.spend(payment, burning(payment), options)
  }

  /** Of a ledger with two registers: from one into the other, in one leaf. */
  async moveWithin(payment: Spending, options: WaitOptions = {}): Promise<LedgerReceipt> {
    checkSpending('ledger.moveWithin', payment)
    checkWaiting('ledger.moveWithin', options)
    return this.spend(payment, fields => ({ kind: 'move', ...fields }), options)
  }

  /** @internal A burn, signed, before anybody has seen it; `send` hands it in. */
  async prepareBurn(payment: Burning, options: WaitOptions): Promise<PreparedBurn> {
    const make = burning(payment)
    const account = this.accountName(payment)
    const left = leftOf(options)
    const release = await this.turn(account, left())
    try {
      const leaf = await this.sign(payment, make, left())
      return { leaf, drop: release, send: () => this.send(account, leaf, left()).finally(release) }
    } catch (error) {
      release()
      throw error
    }
  }

  /** Mints what was burned for this ledger at a linked one: by its receipt, or by its index in the other register. */
  async mint(burn: LedgerReceipt | number, options: RegisterOptions = {}): Promise<LedgerReceipt> {
    checkShown('burn', burn)
    checkRegister('ledger.mint', options)
    const register = this.registerOf(options.register)
    return this.append(writeTransaction({ kind: 'mint', register, evidence: evidenceOf(burn) }), options)
  }

  /** Makes sure that a burn is never minted here; by the one who burned. Then it can be refunded where it was burned. */
  async void(burn: LedgerReceipt | number, owner: Account, options: RegisterOptions = {}): Promise<LedgerReceipt> {
    checkShown('burn', burn)
    checkOwner(owner)
    checkRegister('ledger.void', options)
    const register = this.registerOf(options.register)
    const unsigned: Transaction = { kind: 'void', register, evidence: evidenceOf(burn), signature: new Uint8Array(0) }
    const signature = signedBy(owner, signingBytes(this.registerId(register), unsigned))
    return this.append(writeTransaction({ ...unsigned, signature }), options)
  }

  /** Gives back what was burned here, by proof that it was made void where it could have been minted. */
  async refund(voided: LedgerReceipt | number, options: RegisterOptions = {}): Promise<LedgerReceipt> {
    checkShown('voided', voided)
    checkRegister('ledger.refund', options)
    const register = this.registerOf(options.register)
    return this.append(writeTransaction({ kind: 'refund', register, evidence: evidenceOf(voided) }), options)
  }

  /** Hands in a signed transaction. The same bytes are appended at most once. */
  async submit(leaf: Uint8Array, options: WaitOptions = {}): Promise<LedgerReceipt> {
    checkLeaf(leaf)
    checkWaiting('ledger.submit', options)
    return this.append(leaf, options)
  }

  private async append(leaf: Uint8Array, options: WaitOptions): Promise<LedgerReceipt> {
    const receipt = await this.calls.submit(this.descriptor, leaf, options)
    this.size = Math.max(this.size, receipt.checkpoint.size)
    return receipt
  }

  /** The ledger's own coins of an account. */
  async balance(
    key: string,
    options: WaitOptions & { readonly register?: string; readonly asset?: string } = {},
  ): Promise<{ readonly amount: bigint; readonly size: number }> {
    checkBalance('ledger.balance', options)
    const asset = options.asset === undefined ? undefined : toHex(idOf(options.asset))
    const { amount, balances, size } = await this.holding(key, options)
    return { amount: asset === undefined ? amount : (balances.get(asset) ?? 0n), size }
  }

  /** What an account holds and which sequence is next. */
  async account(key: string, options: RegisterOptions = {}): Promise<AccountInfo> {
    checkRegister('ledger.account', options)
    return this.holding(key, options)
  }

  private async holding(key: string, options: RegisterOptions): Promise<AccountInfo> {
    const register = this.registerOf(options.register)
    const question = { kind: 'account' as const, register, key: keyBytes(key) }
    const { answer, checkpoint } = await this.calls.question(this.descriptor, question, options)
    const balances = new Map(answer.balances.map(({ asset, amount }) => [toHex(asset), amount]))
    const { size } = checkpoint
    this.size = Math.max(this.size, size)
    const amount = balances.get(this.descriptor.registerIds[register]!) ?? 0n
    return { key, next: answer.next, amount, balances, size, checkpoint }
  }

  /** The newest certificate that every finished transfer had reached when this was called. */
  async checkpoint(options: WaitOptions = {}): Promise<Checkpoint> {
    checkWaiting('ledger.checkpoint', options)
    return this.head(options)
  }

  private async head(options: WaitOptions): Promise<Checkpoint> {
    const { checkpoint } = await this.calls.question(this.descriptor, { kind: 'head' }, options)
    return checkpoint
  }

  /** A certificate as a signed note, the form of transparency logs. */
  note(checkpoint: Checkpoint): string {
    checkCheckpoint('checkpoint', checkpoint)
    const { servers } = epochAt(this.descriptor, checkpoint.size)
    if (checkpoint.votes.some(vote => vote.server >= servers.length))
      throw new SettingsError(`the checkpoint is not of ledger '${this.name}': it names servers that do not keep it.`)
    return signedNote(this.descriptor, checkpoint, ledgerCryptoOf())
  }

  /** A receipt for any leaf. */
  async proof(index: number, options: WaitOptions = {}): Promise<LedgerReceipt> {
    checkWaiting('ledger.proof', options)
    checkIndex(index)
    const left = leftOf(options)
    // Servers say nothing of a leaf that is not there: some may be behind.
    const { size } = await this.head(left())
    if (index >= size)
      throw new SettingsError(`index is ${index}, and ledger '${this.name}' has ${size} leaves, from 0 on.`)
    return this.calls.prove(this.descriptor, index, left())
  }

  /** Shows that what is certified now goes on from a checkpoint held before; throws `NotProven` where it does not. */
  async consistency(
    held: Checkpoint,
    options: WaitOptions = {},
  ): Promise<{ readonly path: readonly Uint8Array[]; readonly checkpoint: Checkpoint }> {
    checkCheckpoint('held', held)
    checkWaiting('ledger.consistency', options)
    const left = leftOf(options)
    const { size } = await this.head(left())
    if (size < held.size)
      throw new NotProven(
        `ledger '${this.name}' shows ${size} leaves, and you hold a checkpoint of ${held.size}: keep it, it is evidence.`,
      )
    const { path, checkpoint } = await this.calls.compare(this.descriptor, held.size, held.root, left())
    return { path, checkpoint }
  }

  /** All leaves from one on, up to a certificate of now. Each lot is checked against it before it is given. */
  log(from = 0, options: WaitOptions = {}): AsyncGenerator<LedgerEntry, void, undefined> {
    checkFrom(from)
    checkWaiting('ledger.log', options)
    return this.entries(from, options)
  }

  private async *entries(from: number, options: WaitOptions): AsyncGenerator<LedgerEntry, void, undefined> {
    const { size } = await this.head(options)
    if (from > size) throw new SettingsError(`from is ${from}, and ledger '${this.name}' has ${size} leaves.`)
    yield* entriesUpTo(this.calls, this.descriptor, { from, size }, options)
  }

  /** Every leaf from one on, also those to come, until the signal fires. */
  watch(options: WaitOptions & { readonly from?: number } = {}): AsyncGenerator<LedgerEntry, void, undefined> {
    checkFollowing('ledger.watch', options)
    return this.following(options)
  }

  private async *following(
    options: WaitOptions & { readonly from?: number },
  ): AsyncGenerator<LedgerEntry, void, undefined> {
    let next = options.from ?? (await this.head(options)).size
    while (!options.signal?.aborted) {
      const lot = await this.lot(next, options).catch(error => {
        if (options.signal?.aborted) return []
        throw error
      })
      yield* lot
      next += lot.length
      if (lot.length === 0) await pause(POLL_MS, options.signal)
    }
  }

  /** Replays everything from the genesis: signatures, sequences, sums, and the root against a certificate. */
  async audit(
    options: WaitOptions & { readonly seen?: Checkpoint } = {},
  ): Promise<Audit & { readonly checkpoint: Checkpoint }> {
    checkAudit('ledger.audit', options)
    const checkpoint = await this.head(options)
    const log = leavesOf(entriesUpTo(this.calls, this.descriptor, { from: 0, size: checkpoint.size }, options))
    const audit = await auditLedger(log, {
      descriptor: this.descriptor,
      checkpoint,
      ...(options.seen && { seen: options.seen }),
      suite: ledgerCryptoOf(),
    })
    return { ...audit, checkpoint }
  }

  /** Lets coins of another ledger come here, up to a cap, and ours go there. Numbered: an old link cannot come again. */
  async link(peer: Ledger | Descriptor, link: LinkOptions, options: WaitOptions = {}): Promise<LedgerReceipt> {
    checkPeer(peer)
    checkLink('ledger.link', link)
    checkWaiting('ledger.link', options)
    const leaf = await signedLink(this.calls, this.descriptor, described(peer), link, options)
    return this.append(leaf, options)
  }

  /**
   * Lets others keep the ledger from here on: those servers of the group, each with the voting key that it offers now. For
   * operators. Also for a server that lost its voting key, or must be trusted no more.
   */
  async epoch(next: EpochOptions, options: WaitOptions = {}): Promise<LedgerReceipt> {
    checkEpoch('ledger.epoch', next)
    checkWaiting('ledger.epoch', options)
    // What is known of its keepers may be old.
    await this.head(options)
    const leaf = await pledgedEpoch(this.calls, this.descriptor, next, options)
    const receipt = await this.append(leaf, options)
    await this.head(options)
    return receipt
  }

  /** Shows this ledger that a linked one is kept by others: by anybody. The receipts of what was appended, none where nothing is new. */
  async follow(peer: Ledger | Descriptor, options: WaitOptions = {}): Promise<LedgerReceipt[]> {
    checkPeer(peer)
    checkWaiting('ledger.follow', options)
    if (peer instanceof Ledger) await peer.head(options)
    const receipts: LedgerReceipt[] = []
    for (const leaf of await followingLeaves(this.calls, this.descriptor, described(peer), options))
      receipts.push(await this.append(leaf, options))
    return receipts
  }

  /** How the link to another ledger is: its cap, how much of the other's coins is here, whether it is frozen, which epoch of it is known. */
  async linkTo(peer: Ledger | Descriptor, options: WaitOptions = {}) {
    checkPeer(peer)
    checkWaiting('ledger.linkTo', options)
    const { id } = described(peer)
    const { answer } = await this.calls.question(this.descriptor, { kind: 'link', ledger: id }, options)
    const { next, cap, held, frozen, epoch } = answer
    return { linked: next > 0, cap, held, frozen, epoch }
  }

  /** Stops a link by two certificates of the other ledger that contradict each other; by anybody. */
  async freeze(peer: Ledger | Descriptor, fork: Fork, options: WaitOptions = {}): Promise<LedgerReceipt> {
    checkPeer(peer)
    checkFork('ledger.freeze', fork)
    checkWaiting('ledger.freeze', options)
    const { id } = described(peer)
    const { one, other, root = other.root, path = [] } = fork
    return this.append(writeTransaction({ kind: 'freeze', ledger: id, one, other, root, path }), options)
  }

  /** How many accounts there are, what they hold, and what is out at linked ledgers. */
  async totals(options: RegisterOptions = {}) {
    checkRegister('ledger.totals', options)
    const register = this.registerOf(options.register)
    const { answer, checkpoint } = await this.calls.question(this.descriptor, { kind: 'totals', register }, options)
    const { accounts, held, outstanding } = answer
    return { accounts, held, outstanding, size: checkpoint.size }
  }

  /** What became here of a burn of another ledger: open, minted, void; of our own, whether it was refunded. */
  async fate(burn: LedgerReceipt, options: RegisterOptions = {}): Promise<'open' | 'minted' | 'void' | 'refunded'> {
    checkReceipt('burn', burn)
    checkRegister('ledger.fate', options)
    const question = {
      kind: 'fate' as const,
      register: this.registerOf(options.register),
      ledger: burn.ledger,
      index: burn.index,
    }
    return (await this.calls.question(this.descriptor, question, options)).answer.fate
  }

  private lot(from: number, options: WaitOptions): Promise<LedgerEntry[]> {
    return lotOf(this.calls, this.descriptor, from, options)
  }

  private async spend(payment: Spending, make: Making, options: WaitOptions): Promise<LedgerReceipt> {
    const account = this.accountName(payment)
    const left = leftOf(options)
    const release = await this.turn(account, left())
    try {
      for (let tries = 0; ; tries++) {
        const leaf = await this.sign(payment, make, left())
        try {
          return await this.send(account, leaf, left())
        } catch (error) {
          // Another process of the same owner was quicker: this one is refused for ever, and can be signed anew.
          const overtaken = error instanceof LedgerRefused && error.code === 'sequence used'
          if (!overtaken || tries >= RETRIES) throw error
        }
      }
    } finally {
      release()
    }
  }

  /** One spending of an account after the other. */
  private turn(account: string, options: WaitOptions): Promise<() => void> {
    const busy = 'Another payment of the account is under way in this process.'
    return this.sequences.hold(account, options, (why, cause) =>
      because(
        new LedgerUnanswered(this.name, `the ${why === 'timeout' ? 'time is up' : 'signal fired'}. ${busy}`),
        cause,
      ),
    )
  }

  private async send(account: string, leaf: Uint8Array, options: WaitOptions): Promise<LedgerReceipt> {
    try {
      const receipt = await this.append(leaf, options)
      this.sequences.used(account)
      return receipt
    } catch (error) {
      this.sequences.forget(account)
      throw error
    }
  }

  private async sign(payment: Spending, make: Making, options: WaitOptions): Promise<Uint8Array> {
    const { from, amount } = payment
    checkAmount('amount', amount, 1n)
    const to = keyBytes(payment.to, 'to')
    const register = this.registerOf(payment.register)
    const id = this.registerId(register)
    const account = this.accountName(payment)
    const sequence = this.sequences.next(account) ?? (await this.firstSequence(account, payment, options))
    const until = payment.until ?? this.size + UNTIL_AHEAD
    const asset = payment.asset === undefined ? id : idOf(payment.asset)
    const key = keyBytes(from.key, 'from')
    const fields = {
      register,
      from: key,
      sequence,
      asset,
      to,
      amount,
      until,
      signature: new Uint8Array(0),
    }
    const unsigned = make(fields)
    return writeTransaction({ ...unsigned, signature: signedBy(from, signingBytes(id, unsigned)) } as Transaction)
  }

  private async firstSequence(account: string, { from, register }: Spending, options: WaitOptions): Promise<number> {
    const { next } = await this.holding(from.key, { ...options, ...(register !== undefined && { register }) })
    this.sequences.known(account, next)
    return next
  }

  private accountName({ from, register = '' }: Spending): string {
    return `${this.registerOf(register === '' ? undefined : register)} ${from.key}`
  }

  private registerOf(name: string | undefined): number {
    const { registers } = this.descriptor.genesis
    const place = name === undefined ? 0 : registers.indexOf(name)
    if (place >= 0) return place
    const has = registers.length === 1 ? 'it has one, and it is not named' : `it has ${registers.join(' and ')}`
    throw new SettingsError(`ledger '${this.name}' has no register '${name}'; ${has}.`)
  }

  private registerId(register: number): Uint8Array {
    return fromHex(this.descriptor.registerIds[register]!)!
  }
}

function described(peer: Ledger | Descriptor): Descriptor {
  return 'descriptor' in peer ? peer.descriptor : peer
}
