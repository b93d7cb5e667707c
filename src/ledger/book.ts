// What the leaves of a ledger add up to: balances, sequences, what is out there, what is spent. A function of the leaves
// and nothing else: servers that hold the same leaves hold the same book.

import { assert, toHex } from '../core/index.ts'
import { AMOUNT_MAX, type Descriptor } from './genesis.ts'
import type { Fate } from './rules.ts'

/** What one key owns in one register. */
export interface AccountBook {
  /** The sequence of its next transaction. */
  next: number
  /** The leaf of the sequence before it. */
  last: number
  /** By the id of the register whose coins they are. */
  readonly balances: Map<string, bigint>
}

/** A burn that this register made. */
export interface BurnBook {
  readonly from: string
  readonly peer: string
  readonly asset: string
  readonly to: Uint8Array
  readonly amount: bigint
  readonly expires: number
  refunded: boolean
}

/** Accounts, burns and sums of one register. */
export interface RegisterBook {
  /** Its own coins are named by it. */
  readonly id: string
  readonly accounts: Map<string, AccountBook>
  /** Own coins by peer: burned to it, less minted back, less refunded. */
  readonly outstanding: Map<string, bigint>
  /** Coins of peers that are here, by peer. */
  readonly foreign: Map<string, bigint>
  /** Own burns by the index of their leaf. */
  readonly burns: Map<number, BurnBook>
  /** What became of others' burns. */
  readonly spent: Map<string, Fate>
}

/** What is known of a linked ledger. */
export interface LinkBook {
  readonly descriptor: Descriptor
  readonly cap: bigint
  readonly rate: bigint
  readonly window: number
  /** The number of the next link to this peer. */
  readonly next: number
  readonly frozen: boolean
  /** What was minted of late, by tick, oldest first. */
  readonly minted: readonly { readonly tick: number; readonly amount: bigint }[]
}

/** What the leaves of a ledger add up to. */
export interface Book {
  /** With the epochs that its leaves name. */
  descriptor: Descriptor
  size: number
  readonly registers: readonly RegisterBook[]
  /** By the peer's ledger id. */
  readonly links: Map<string, LinkBook>
  /** Whose register it is: the ledger id, by the register's. */
  readonly peers: Map<string, string>
  ticks: number
}

/** The book of a ledger without leaves. */
export function openBook(descriptor: Descriptor): Book {
  const registers = descriptor.registerIds.map(
    (id): RegisterBook => ({
      id,
      accounts: new Map(),
      outstanding: new Map(),
      foreign: new Map(),
      burns: new Map(),
      spent: new Map(),
    }),
  )
  for (const { register, key, amount } of descriptor.genesis.balances) {
    const { id, accounts } = registers[register]!
    accounts.set(toHex(key), { next: 0, last: 0, balances: new Map([[id, amount]]) })
  }
  return { descriptor: atFirst(descriptor), size: 0, registers, links: new Map(), peers: new Map(), ticks: 0 }
}

/** Who kept it at first: later keepers are what leaves say. */
function atFirst(descriptor: Descriptor): Descriptor {
  return descriptor.epochs.length === 1 ? descriptor : { ...descriptor, epochs: descriptor.epochs.slice(0, 1) }
}

/** What was in one register at first. */
export function genesisSupply({ genesis }: Descriptor, register: number): bigint {
  return genesis.balances.reduce((sum, one) => (one.register === register ? sum + one.amount : sum), 0n)
}

/** Own coins of a register: with its accounts, and out there. Together they are the genesis, always. */
export function supplyOf(book: RegisterBook): { readonly held: bigint; readonly outstanding: bigint } {
  let held = 0n
  for (const { balances } of book.accounts.values()) held += balances.get(book.id) ?? 0n
  let outstanding = 0n
  for (const amount of book.outstanding.values()) outstanding += amount
  return { held, outstanding }
}

/** What is wrong with the sums of a book; nothing where they hold. */
export function whyUnbalanced(book: Book): string | undefined {
  for (const [place, register] of book.registers.entries()) {
    const { held, outstanding } = supplyOf(register)
    const genesis = genesisSupply(book.descriptor, place)
    if (held + outstanding !== genesis) return `supply ${held} + out there ${outstanding} is not the genesis ${genesis}`
    for (const [peer, amount] of register.foreign) {
      let sum = 0n
      for (const { balances } of register.accounts.values()) sum += balances.get(peer) ?? 0n
      if (sum !== amount) return `coins of ${peer.slice(0, 8)} are ${sum} in accounts and ${amount} in the book`
    }
    for (const { balances } of register.accounts.values()) {
      for (const amount of balances.values()) if (amount < 0n || amount > AMOUNT_MAX) return `a balance of ${amount}`
    }
  }
  return undefined
}

const names = new WeakMap<Uint8Array, string>()

/** A key or an id of a transaction in hex. A transaction is executed several times: written once. */
export function hexOf(value: Uint8Array): string {
  const known = names.get(value)
  if (known !== undefined) return known
  const hex = toHex(value)
  names.set(value, hex)
  return hex
}

/** How to undo changes of a book, newest last. */
export type Undo = (() => void)[]

/** Sets an entry of a map, or drops it; `undo` puts back what was there. */
export function put<K, V>(map: Map<K, V>, key: K, value: V | undefined, undo: Undo | undefined): void {
  if (undo !== undefined) {
    const before = map.get(key)
    undo.push(() => (before === undefined ? map.delete(key) : map.set(key, before)))
  }
  if (value === undefined) map.delete(key)
  else map.set(key, value)
}

/** Takes back the changes, newest first. */
export function undoAll(undo: Undo): void {
  while (undo.length > 0) undo.pop()!()
}

/** The account, made if it is not there. */
export function accountOf(register: RegisterBook, key: string, undo: Undo | undefined): AccountBook {
  const known = register.accounts.get(key)
  if (known !== undefined) return known
  const made: AccountBook = { next: 0, last: 0, balances: new Map() }
  put(register.accounts, key, made, undo)
  return made
}

/** Adds to a sum by peer; sums that come to nothing are dropped. */
export function add(sums: Map<string, bigint>, key: string, amount: bigint, undo: Undo | undefined): void {
  const sum = (sums.get(key) ?? 0n) + amount
  assert(sum <= 2n * AMOUNT_MAX, 'a sum beyond all limits')
  put(sums, key, sum === 0n ? undefined : sum, undo)
}
