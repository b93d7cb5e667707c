// What callers of a ledger may say, by name and kind: what is not meant so is refused before anything is signed.

import {
  checkValue,
  listOf,
  objectWith,
  optionsSchema,
  type Rule,
  required,
  SERVERS_MAX,
  textOf,
  whole,
} from '../../core/index.ts'
import {
  accountGiven,
  checkpointGiven,
  hashGiven,
  leafGiven,
  ledgerGiven,
  pathGiven,
  placeGiven,
  receiptGiven,
  shownGiven,
} from '../../ledger/given.ts'
import type { Checkpoint, Descriptor } from '../../ledger/index.ts'
import { WINDOW_MAX } from '../../ledger/limits.ts'
import { type WaitOptions, waitRules } from '../waiting.ts'
import type { Account } from './accounts.ts'

/** What every spending says. */
export interface Spending {
  readonly from: Account
  /** The other's key. To oneself is allowed: it uses a sequence, and changes nothing else. */
  readonly to: string
  readonly amount: bigint
  /** Of a ledger with two registers: which. Default the first. */
  readonly register?: string
  /** Whose coins: the id of a linked ledger for coins that came from there. Default the ledger's own. */
  readonly asset?: string
  /** The size of the ledger from which it is refused. Default 10,000 leaves from now. */
  readonly until?: number
}

/** A payment within a ledger. */
export interface Payment extends Spending {
  /** At most 256 bytes, for everybody to read. */
  readonly memo?: string
}

/** Coins that go to a linked ledger. */
export interface Burning extends Spending {
  /** The ledger, its descriptor, or the id of one of its registers. */
  readonly into: { readonly descriptor: Descriptor } | Descriptor | string
  /** The size of the other ledger from which it is not minted. */
  readonly expires?: number
}

/** Of a ledger with two registers: which. */
export interface RegisterOptions extends WaitOptions {
  readonly register?: string
}

/** Two certificates of another ledger that contradict each other. */
export interface Fork {
  readonly one: Checkpoint
  readonly other: Checkpoint
  /** Where they are of different sizes: the other root of the smaller, and how the larger tree grew out of it. */
  readonly root?: Uint8Array
  readonly path?: readonly Uint8Array[]
}

/** How to link another ledger. */
export interface LinkOptions {
  /** Operators that the genesis names, as many as it asks for. */
  readonly operators: readonly Account[]
  /** Coins of the other ledger that may be here at once: what a group that goes bad can cost. */
  readonly cap: bigint
  /** Coins that may come within `window` hours: one is not given without the other. */
  readonly rate?: bigint
  readonly window?: number
}

/** Who is to keep a ledger. */
export interface EpochOptions {
  /** Operators that the genesis names, as many as it asks for. */
  readonly operators: readonly Account[]
  /** Servers of the group, by name. Default those of now, each with the key that it offers now. */
  readonly servers?: readonly string[]
  /** How many of them may be gone, and how many of those may lie. Default as before. */
  readonly crashes?: number
  readonly liars?: number
}

const coins: Rule = { must: 'a bigint', fits: value => typeof value === 'bigint' }
const anything = (must: string): Rule => ({ must, fits: value => value !== undefined && value !== null })
const register = textOf('the name of a register')
const receipt: Rule = { ...receiptGiven, must: 'the receipt of a burn' }
const operators: Rule = listOf(accountGiven, 'accounts')

/** A ledger that calls can be made to, not only its descriptor. */
export const ledger: Rule = objectWith(['submit', 'mint', 'void', 'refund'], 'a ledger (group.ledger, createLedger)')
export const account: Rule = accountGiven

/** Refuses what shows no burn, and no void. */
export const checkShown = (name: string, value: unknown): void => checkValue(name, shownGiven, value)
export const checkReceipt = (name: string, value: unknown): void => checkValue(name, receipt, value)
export const checkCheckpoint = (name: string, value: unknown): void => checkValue(name, checkpointGiven, value)
export const checkPeer = (value: unknown): void => checkValue('peer', ledgerGiven, value)
export const checkOwner = (value: unknown): void => checkValue('owner', accountGiven, value)
export const checkFrom = (value: unknown): void => checkValue('from', placeGiven, value)
export const checkIndex = (value: unknown): void => checkValue('index', placeGiven, value)
export const checkLeaf = (value: unknown): void => checkValue('leaf', leafGiven, value)
const spendingRules = {
  from: required(accountGiven),
  to: required(textOf('the key of an account')),
  amount: required(anything('a bigint')),
  register,
  asset: textOf('the id of a ledger'),
  until: placeGiven,
}

export const checkPayment = optionsSchema<Payment>({
  ...spendingRules,
  memo: { must: 'a text', fits: value => typeof value === 'string' },
})
export const checkBurning = optionsSchema<Burning>({
  ...spendingRules,
  into: required({
    must: 'a ledger, its descriptor or its id',
    fits: value => typeof value === 'string' || ledgerGiven.fits(value),
  }),
  expires: placeGiven,
})
export const checkSpending = optionsSchema<Spending>(spendingRules)
export const checkLink = optionsSchema<LinkOptions>({
  operators: required(operators),
  cap: required(coins),
  rate: coins,
  window: whole(0, WINDOW_MAX),
})
export const checkEpoch = optionsSchema<EpochOptions>({
  operators: required(operators),
  servers: {
    must: 'a list of names of servers',
    fits: value => Array.isArray(value) && value.length > 0 && value.every(one => typeof one === 'string'),
  },
  crashes: whole(0, SERVERS_MAX),
  liars: whole(0, SERVERS_MAX),
})
export const checkRegister = optionsSchema<RegisterOptions>({ ...waitRules, register })
export const checkBalance = optionsSchema<RegisterOptions & { readonly asset?: string }>({
  ...waitRules,
  register,
  asset: textOf('the id of a ledger'),
})
export const checkFollowing = optionsSchema<WaitOptions & { readonly from?: number }>({
  ...waitRules,
  from: placeGiven,
})
export const checkAudit = optionsSchema<WaitOptions & { readonly seen?: Checkpoint }>({
  ...waitRules,
  seen: checkpointGiven,
})
export const checkFork = optionsSchema<Fork>({
  one: required(checkpointGiven),
  other: required(checkpointGiven),
  root: hashGiven,
  path: pathGiven,
})
