// What a transaction does to the book: one switch. It is taken whole or refused with a reason; nothing is done by halves.
//
// Pure, and the only place where money moves: servers, auditors and clients that follow a log all run this. Each change
// can be undone, so that a proposal is tried before anybody votes for it.

import { fromHex, toHex } from '../core/index.ts'
import { whyUnsigned } from './authority.ts'
import { accountOf, add, type Book, type BurnBook, hexOf, put, type RegisterBook, type Undo } from './book.ts'
import type { Checkpoint } from './checkpoint.ts'
import { otherRegister, type ShownBurn, shownBurn, voidedHere, voidedThere } from './evidence.ts'
import { AMOUNT_MAX, type Descriptor, epochAt, newestEpoch } from './genesis.ts'
import { isClosing, readDescriptor, takeStep, whyNoStep, whyNotNext, withEpoch } from './light.ts'
import { whyNotWithinLink } from './link.ts'
import { type Execution, type Refusal, refuse } from './refusal.ts'
import { type Evidence, readTransaction, type SpendingTransaction, type Transaction } from './transactions.ts'

/** Appends a leaf's effect to the book, or refuses it and changes nothing. */
export function execute(book: Book, leaf: Uint8Array, how: Execution): Refusal | undefined {
  const known = how.memory?.of(leaf)
  const read = known?.read ?? readTransaction(leaf)
  if (!read.ok) return refuse('malformed', `no transaction: ${read.refusal}.`)
  const refused = whyUnsigned(book, read.value, how, known) ?? apply(book, read.value, how)
  if (refused === undefined) {
    how.undo?.push(() => book.size--)
    book.size++
  }
  return refused
}

/** Whether it could be appended now; nothing is changed. */
export function whyNotNow(book: Book, leaf: Uint8Array, how: Execution): Refusal | undefined {
  const undo: Undo = []
  const refused = execute(book, leaf, { ...how, undo })
  while (undo.length > 0) undo.pop()!()
  return refused
}

function apply(book: Book, transaction: Transaction, how: Execution): Refusal | undefined {
  switch (transaction.kind) {
    case 'transfer':
      return applyTransfer(book, transaction, how)
    case 'burn':
      return applyBurn(book, transaction, how)
    case 'move':
      return applyMove(book, transaction, how)
    case 'mint':
      return applyMint(book, transaction, how)
    case 'void':
      return applyVoid(book, transaction, how)
    case 'refund':
      return applyRefund(book, transaction, how)
    case 'link':
      return applyLink(book, transaction, how)
    case 'freeze':
      return applyFreeze(book, transaction, how)
    case 'tick':
      return applyTick(book, transaction, how)
    case 'epoch':
      return applyEpoch(book, transaction, how)
    case 'follow':
      return applyFollow(book, transaction, how)
  }
}

/** Why the sender cannot spend this now. */
function whyNotSpendable(book: Book, spending: SpendingTransaction, { rules }: Execution): Refusal | undefined {
  const register = book.registers[spending.register]
  if (register === undefined) return refuse('register', `there is no register ${spending.register}.`)
  const account = register.accounts.get(hexOf(spending.from))
  const next = account?.next ?? 0
  if (!rules.isNext(spending.sequence, next)) {
    return spending.sequence < next
      ? refuse('sequence used', sequenceUsed(spending.sequence, next, account!.last))
      : refuse('sequence ahead', `the account's next sequence is ${next}, and this is ${spending.sequence}.`)
  }
  if (book.size >= spending.until)
    return refuse('until', `it was good until size ${spending.until}, and the ledger has ${book.size} leaves.`)
  const balance = account?.balances.get(hexOf(spending.asset)) ?? 0n
  return rules.covers(balance, spending.amount)
    ? undefined
    : refuse('balance', `the account holds ${balance}, and this takes ${spending.amount}.`)
}

/** Of a sequence long ago, the account's newest leaf: to look up every leaf would need an index of all of them. */
function sequenceUsed(sequence: number, next: number, last: number): string {
  return sequence === next - 1
    ? `the account's sequence ${sequence} is used, by leaf ${last}; the next is ${next}.`
    : `the account's sequence ${sequence} is used; the next is ${next}, and leaf ${last} used the one before that.`
}

function spend(book: Book, register: RegisterBook, spending: SpendingTransaction, undo: Undo | undefined): void {
  const account = accountOf(register, hexOf(spending.from), undo)
  const { next, last } = account
  undo?.push(() => {
    account.next = next
    account.last = last
  })
  account.next = Math.max(next, spending.sequence + 1)
  account.last = book.size
  add(account.balances, hexOf(spending.asset), -spending.amount, undo)
}

function credit(register: RegisterBook, key: Uint8Array, asset: string, amount: bigint, undo: Undo | undefined): void {
  add(accountOf(register, hexOf(key), undo).balances, asset, amount, undo)
}

function applyTransfer(book: Book, tx: Transaction & { kind: 'transfer' }, how: Execution): Refusal | undefined {
  const refused = whyNotSpendable(book, tx, how)
  if (refused !== undefined) return refused
  const register = book.registers[tx.register]!
  spend(book, register, tx, how.undo)
  credit(register, tx.to, hexOf(tx.asset), tx.amount, how.undo)
  return undefined
}

function applyBurn(book: Book, tx: Transaction & { kind: 'burn' }, how: Execution): Refusal | undefined {
  const register = book.registers[tx.register]
  const peer = hexOf(tx.peer)
  const refused = whyNotSpendable(book, tx, how) ?? whyNotLinked(book, tx.register, peer, how)
  if (refused !== undefined) return refused
  if (!how.rules.burnsTo(hexOf(tx.asset), register!.id, peer))
    return refuse('asset', 'coins of another ledger are burned to that ledger only.')
  spend(book, register!, tx, how.undo)
  noteBurn(book, register!, tx, { peer, expires: tx.expires }, how)
  return undefined
}

function noteBurn(
  book: Book,
  register: RegisterBook,
  tx: SpendingTransaction,
  { peer, expires }: { readonly peer: string; readonly expires: number },
  { undo }: Execution,
): BurnBook {
  const asset = hexOf(tx.asset)
  const burn = { from: hexOf(tx.from), peer, asset, to: tx.to, amount: tx.amount, expires, refunded: false }
  put(register.burns, book.size, burn, undo)
  if (asset === register.id) add(register.outstanding, peer, tx.amount, undo)
  else add(register.foreign, asset, -tx.amount, undo)
  return burn
}

/** Burns and mints go where something is linked: the other register always is. */
function whyNotLinked(book: Book, register: number, peer: string, { rules }: Execution): Refusal | undefined {
  if (otherRegister(book, register)?.id === peer) return undefined
  const ledger = book.peers.get(peer)
  const link = ledger === undefined ? undefined : book.links.get(ledger)
  if (link === undefined) return refuse('no link', `register ${peer.slice(0, 8)} is not linked here.`)
  return rules.isOpen(link.frozen)
    ? undefined
    : refuse('frozen', 'the link is frozen: its ledger showed two histories.')
}

/** Why a burn's fate cannot be decided here. */
function whyNotDecidable(book: Book, place: number, shown: ShownBurn, { rules }: Execution): Refusal | undefined {
  const register = book.registers[place]!
  const { burn, ledger, index } = shown
  if (!rules.mintsHere(burn.peer, register.id))
    return refuse('elsewhere', `the burn is addressed to ${burn.peer.slice(0, 8)}, not to this ledger.`)
  const fate = register.spent.get(rules.burnName(ledger, index, burn.from, burn.amount))
  if (!rules.isSpent(fate)) return undefined
  return refuse('spent', fate === 'minted' ? 'the burn was minted.' : 'the burn was made void.')
}

function applyMint(book: Book, tx: Transaction & { kind: 'mint' }, how: Execution): Refusal | undefined {
  const register = book.registers[tx.register]
  if (register === undefined) return refuse('register', `there is no register ${tx.register}.`)
  const shown = shownBurn(book, tx.register, tx.evidence)
  if ('code' in shown) return shown
  const { burn } = shown
  const refused =
    whyOldEpoch(book, tx.evidence, how) ??
    whyNotDecidable(book, tx.register, shown, how) ??
    whyNotLinked(book, tx.register, shown.register, how)
  if (refused !== undefined) return refused
  if (burn.expires > 0 && book.size >= burn.expires)
    return refuse(
      'expired',
      `the burn could be minted before size ${burn.expires}, and the ledger has ${book.size} leaves.`,
    )
  return mint(book, register, shown, how)
}

function mint(book: Book, register: RegisterBook, shown: ShownBurn, how: Execution): Refusal | undefined {
  const { rules, undo } = how
  const { burn, ledger, index } = shown
  const coins = rules.coinsOf(burn.asset, register.id)
  const refused =
    burn.asset === register.id
      ? whyNotReleased(register, shown.register, burn.amount, how)
      : whyNotTaken(book, register, shown, how)
  if (refused !== undefined) return refused
  if (burn.asset === register.id) add(register.outstanding, shown.register, -burn.amount, undo)
  else if (coins !== register.id) add(register.foreign, burn.asset, burn.amount, undo)
  put(register.spent, rules.burnName(ledger, index, burn.from, burn.amount), 'minted', undo)
  credit(register, burn.to, coins, burn.amount, undo)
  return undefined
}

/** Ours that come back: the firewall. */
function whyNotReleased(
  register: RegisterBook,
  peer: string,
  amount: bigint,
  { rules }: Execution,
): Refusal | undefined {
  const outstanding = register.outstanding.get(peer) ?? 0n
  return rules.withinOutstanding(outstanding, amount)
    ? undefined
    : refuse('outstanding', `${outstanding} went there and may come back, and this is ${amount}.`)
}

/** Theirs that arrive. Coins of a third ledger are not theirs to send. */
function whyNotTaken(book: Book, register: RegisterBook, shown: ShownBurn, how: Execution): Refusal | undefined {
  const { burn } = shown
  if (burn.asset !== shown.register) return refuse('asset', 'a ledger sends its own coins, or ours back.')
  const held = register.foreign.get(burn.asset) ?? 0n
  if (held + burn.amount > AMOUNT_MAX) return refuse('sum', 'the coins of that ledger would be more than 2^63 - 1.')
  const link = book.links.get(shown.ledger)
  if (link === undefined) return undefined
  const wrong = whyNotWithinLink(link, { held, amount: burn.amount, tick: book.ticks }, how.rules)
  if (wrong !== undefined) return refuse('cap', wrong)
  if (link.rate > 0n) {
    const minted = [
      ...link.minted.filter(one => one.tick > book.ticks - link.window),
      { tick: book.ticks, amount: burn.amount },
    ]
    put(book.links, shown.ledger, { ...link, minted }, how.undo)
  }
  return undefined
}

// Allowed on a frozen link too: what is under way must not hang for ever.
function applyVoid(book: Book, tx: Transaction & { kind: 'void' }, how: Execution): Refusal | undefined {
  const register = book.registers[tx.register]
  if (register === undefined) return refuse('register', `there is no register ${tx.register}.`)
  const shown = shownBurn(book, tx.register, tx.evidence)
  if ('code' in shown) return shown
  const refused = whyOldEpoch(book, tx.evidence, how) ?? whyNotDecidable(book, tx.register, shown, how)
  if (refused !== undefined) return refused
  const { ledger, index, burn } = shown
  put(register.spent, how.rules.burnName(ledger, index, burn.from, burn.amount), 'void', how.undo)
  return undefined
}

function applyRefund(book: Book, tx: Transaction & { kind: 'refund' }, how: Execution): Refusal | undefined {
  const register = book.registers[tx.register]
  if (register === undefined) return refuse('register', `there is no register ${tx.register}.`)
  const old = whyOldEpoch(book, tx.evidence, how)
  if (old !== undefined) return old
  const shown = tx.evidence.kind === 'own' ? voidedHere(book, tx, how) : voidedThere(book, tx.evidence)
  if ('code' in shown) return shown
  const burn = register.burns.get(shown.index)
  if (burn === undefined) return refuse('evidence', `leaf ${shown.index} is no burn of this register.`)
  const { rules, undo } = how
  if (!rules.refundsFor(shown.at, burn.peer))
    return refuse('elsewhere', 'it was made void where it could not have been minted.')
  if (!rules.mayRefund(burn.refunded)) return refuse('refunded', 'the burn was refunded.')
  const own = burn.asset === register.id
  const refused = own ? whyNotReleased(register, burn.peer, burn.amount, how) : undefined
  if (refused !== undefined) return refused
  if (own) add(register.outstanding, burn.peer, -burn.amount, undo)
  else add(register.foreign, burn.asset, burn.amount, undo)
  put(register.burns, shown.index, { ...burn, refunded: true }, undo)
  credit(register, fromHex(burn.from)!, burn.asset, burn.amount, undo)
  return undefined
}

function applyMove(book: Book, tx: Transaction & { kind: 'move' }, how: Execution): Refusal | undefined {
  const register = book.registers[tx.register]
  const other = otherRegister(book, tx.register)
  const refused = whyNotSpendable(book, tx, how)
  if (refused !== undefined) return refused
  if (other === undefined) return refuse('register', 'only a ledger of two registers moves between them.')
  if (!how.rules.burnsTo(hexOf(tx.asset), register!.id, other.id))
    return refuse('asset', 'coins of another ledger stay in their register.')
  const undo: Undo = []
  const within = { ...how, undo }
  spend(book, register!, tx, undo)
  const burn = noteBurn(book, register!, tx, { peer: other.id, expires: 0 }, within)
  const shown = { burn, ledger: book.descriptor.hex, register: register!.id, index: book.size }
  const failed = mint(book, other, shown, within)
  if (failed !== undefined) while (undo.length > 0) undo.pop()!()
  else how.undo?.push(...undo)
  return failed
}

function applyLink(book: Book, tx: Transaction & { kind: 'link' }, how: Execution): Refusal | undefined {
  const peer = readDescriptor(tx.peer, how.suite)
  if (typeof peer === 'string') return refuse('evidence', peer)
  if (peer.hex === book.descriptor.hex) return refuse('elsewhere', 'a ledger is not linked to itself.')
  const known = book.links.get(peer.hex)
  const next = known?.next ?? 0
  if (!how.rules.isNextLink(tx.number, next))
    return refuse('number', `the next link to that ledger has number ${next}, not ${tx.number}.`)
  const { cap, rate, window } = tx
  // What is known of the peer's keepers is never taken back.
  const descriptor =
    known !== undefined && known.descriptor.epochs.length > peer.epochs.length ? known.descriptor : peer
  const link = { descriptor, cap, rate, window, next: tx.number + 1, frozen: false, minted: known?.minted ?? [] }
  put(book.links, peer.hex, link, how.undo)
  for (const id of peer.registerIds) put(book.peers, id, peer.hex, how.undo)
  return undefined
}

function applyEpoch(book: Book, tx: Transaction & { kind: 'epoch' }, how: Execution): Refusal | undefined {
  const wrong = whyNotNext(book.descriptor, tx, how.suite, how.rules)
  if (wrong !== undefined) return refuse('epoch', `${wrong}.`)
  setDescriptor(book, withEpoch(book.descriptor, tx, book.size + 1), how.undo)
  return undefined
}

function setDescriptor(book: Book, descriptor: Descriptor, undo: Undo | undefined): void {
  const before = book.descriptor
  undo?.push(() => {
    book.descriptor = before
  })
  book.descriptor = descriptor
}

/** The signatures of the step were looked at; what it leads on from may have changed since. */
function applyFollow(book: Book, tx: Transaction & { kind: 'follow' }, how: Execution): Refusal | undefined {
  const ledger = toHex(tx.ledger)
  const link = book.links.get(ledger)
  if (link === undefined) return refuse('no link', `ledger ${ledger.slice(0, 8)} is not linked here.`)
  const trusting = { ...how.suite, verify: () => true }
  const wrong = whyNoStep(link.descriptor, tx, trusting, how.rules)
  if (wrong !== undefined) return refuse('epoch', `it is no step on: ${wrong}.`)
  put(book.links, ledger, { ...link, descriptor: takeStep(link.descriptor, tx) }, how.undo)
  return undefined
}

function whyOldEpoch(book: Book, evidence: Evidence, how: Execution): Refusal | undefined {
  return evidence.kind === 'own' ? undefined : whyOldCheckpoint(book, evidence.ledger, evidence.checkpoint, how)
}

/** Why a certificate of a linked ledger does not count: those who kept it then keep it no more. */
function whyOldCheckpoint(
  book: Book,
  ledger: Uint8Array,
  checkpoint: Checkpoint,
  { rules }: Execution,
): Refusal | undefined {
  const link = book.links.get(toHex(ledger))
  // What the chain of keepers itself shows needs nobody's word: the certificate with which the epoch before ended.
  if (link === undefined || isClosing(link.descriptor, checkpoint)) return undefined
  const shown = epochAt(link.descriptor, checkpoint.size).number
  const newest = newestEpoch(link.descriptor).number
  return rules.takesEpoch(shown, newest)
    ? undefined
    : refuse('epoch', `its proof is of epoch ${shown}, and ${newest} is known here: show it by a checkpoint of now.`)
}

function applyFreeze(book: Book, tx: Transaction & { kind: 'freeze' }, how: Execution): Refusal | undefined {
  const ledger = toHex(tx.ledger)
  const link = book.links.get(ledger)
  if (link === undefined) return refuse('no link', `ledger ${ledger.slice(0, 8)} is not linked here.`)
  if (link.frozen) return refuse('spent', 'the link is frozen already.')
  const old = whyOldCheckpoint(book, tx.ledger, tx.one, how) ?? whyOldCheckpoint(book, tx.ledger, tx.other, how)
  if (old !== undefined) return old
  put(book.links, ledger, { ...link, frozen: true }, how.undo)
  return undefined
}

function applyTick(book: Book, { number }: Transaction & { kind: 'tick' }, { undo }: Execution): Refusal | undefined {
  if (number !== book.ticks + 1) return refuse('number', `the next tick is ${book.ticks + 1}, not ${number}.`)
  undo?.push(() => book.ticks--)
  book.ticks++
  return undefined
}
