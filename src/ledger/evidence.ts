// What evidence is about: the burn that is shown, of a linked ledger or of the other register; the void of a burn of ours.

import { fromHex, sameBytes, toHex } from '../core/index.ts'
import type { Book, BurnBook, RegisterBook } from './book.ts'
import { type Execution, type Refusal, refuse } from './refusal.ts'
import { type Evidence, readTransaction, type Transaction } from './transactions.ts'

export function registerId(book: Book, register: number): Uint8Array | undefined {
  const found = book.registers[register]
  return found && fromHex(found.id)
}

export function otherRegister(book: Book, register: number): RegisterBook | undefined {
  return book.registers.length === 2 ? book.registers[1 - register] : undefined
}

export interface ShownBurn {
  readonly burn: BurnBook
  /** The ledger and the register that burned. */
  readonly ledger: string
  readonly register: string
  readonly index: number
}

/** The burn that evidence is about. */
export function shownBurn(book: Book, register: number, evidence: Evidence): ShownBurn | Refusal {
  const { index } = evidence
  if (evidence.kind === 'own') {
    const other = otherRegister(book, register)
    const burn = other?.burns.get(index)
    if (burn === undefined) return refuse('evidence', `leaf ${index} is no burn of the other register.`)
    return { burn, ledger: book.descriptor.hex, register: other!.id, index }
  }
  const ledger = toHex(evidence.ledger)
  const link = book.links.get(ledger)
  if (link === undefined) return refuse('no link', `ledger ${ledger.slice(0, 8)} is not linked here.`)
  const read = readTransaction(evidence.leaf)
  if (!read.ok || read.value.kind !== 'burn')
    return refuse('evidence', `leaf ${index} of ${ledger.slice(0, 8)} is no burn.`)
  const { from, peer, asset, to, amount, expires } = read.value
  const burned = link.descriptor.registerIds[read.value.register]
  if (burned === undefined) return refuse('evidence', 'a burn of a register that is not there.')
  const burn = { from: toHex(from), peer: toHex(peer), asset: toHex(asset), to, amount, expires, refunded: false }
  return { burn, ledger, register: burned, index }
}

export interface Voided {
  /** Of our burn. */
  readonly index: number
  /** The register where it was made void. */
  readonly at: string
}

export function voidedHere(
  book: Book,
  { register, evidence }: Transaction & { kind: 'refund' },
  { rules }: Execution,
): Voided | Refusal {
  const other = otherRegister(book, register)
  const burn = book.registers[register]!.burns.get(evidence.index)
  if (other === undefined || burn === undefined)
    return refuse('evidence', `leaf ${evidence.index} is no burn of this register.`)
  const fate = other.spent.get(rules.burnName(book.descriptor.hex, evidence.index, burn.from, burn.amount))
  return fate === 'void' ? { index: evidence.index, at: other.id } : refuse('not void', 'the burn was not made void.')
}

export function voidedThere(book: Book, evidence: Evidence & { kind: 'proof' }): Voided | Refusal {
  const link = book.links.get(toHex(evidence.ledger))
  const read = readTransaction(evidence.leaf)
  if (link === undefined || !read.ok || read.value.kind !== 'void')
    return refuse('not void', 'the leaf shown is no void.')
  const shown = read.value.evidence
  const at = link.descriptor.registerIds[read.value.register]
  if (shown.kind !== 'proof' || at === undefined || !sameBytes(shown.ledger, book.descriptor.id))
    return refuse('not void', 'the void shown is not about a burn of this ledger.')
  return { index: shown.index, at }
}
