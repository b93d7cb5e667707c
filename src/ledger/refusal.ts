// Why a transaction is refused: a code for machines, a sentence for people. And what execution is given besides the book.

import type { Undo } from './book.ts'
import type { LedgerCrypto } from './genesis.ts'
import { LeafMemory } from './memory.ts'
import { type LedgerRules, ledgerRules } from './rules.ts'

/** Why a transaction is refused. Append only: the codes are on the wire. */
export const refusalCodes = [
  'malformed',
  'unsigned',
  'register',
  'sequence used',
  'sequence ahead',
  'balance',
  'until',
  'no link',
  'frozen',
  'evidence',
  'elsewhere',
  'spent',
  'expired',
  'cap',
  'outstanding',
  'not void',
  'refunded',
  'number',
  'asset',
  'sum',
  'key',
  'epoch',
] as const

/** The code of a refusal. */
export type RefusalCode = (typeof refusalCodes)[number]

/** A refusal, with a sentence for people. */
export interface Refusal {
  readonly code: RefusalCode
  readonly why: string
}

/** Whether it is refused for ever: at any later size too. Evidence is not: keepers who are unknown now may be followed later. */
export function isFinal({ code }: Refusal): boolean {
  return ![
    'sequence ahead',
    'balance',
    'no link',
    'frozen',
    'evidence',
    'cap',
    'outstanding',
    'number',
    'not void',
    'sum',
    'epoch',
  ].includes(code)
}

/** What execution is given besides book and leaf. */
export interface Execution {
  readonly suite: LedgerCrypto
  readonly rules: LedgerRules
  /** How to take the changes back; left out where they stand. */
  readonly undo?: Undo
  /** What is known of leaves: each is looked at once. */
  readonly memory?: LeafMemory
  /** The leaf was certified, or is our own: its signatures are not looked at again. */
  readonly trusted?: boolean
}

/** How leaves are executed, with signatures looked at once. */
export function execution(suite: LedgerCrypto, rules: LedgerRules = ledgerRules): Execution {
  return { suite, rules, memory: new LeafMemory(suite.hash) }
}

export function refuse(code: RefusalCode, why: string): Refusal {
  return { code, why }
}
