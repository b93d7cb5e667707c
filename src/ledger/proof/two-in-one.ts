// Theorem 5.5.1, by machine: the pair of two ledgers, each seeing the other at once, and one ledger with two registers are
// equivalent under φ(t) = (which ledger, t). The product of both is explored: in every state that can be reached, every
// transaction of a small universe is valid in both or in neither, and leads to equal balances.
//
// It is the machine of execute.ts that is compared, without signatures and certificates: those are about who may say what,
// not about what it does. With certificates the pair sees a certified prefix of each other: the same steps, some of them late.

import { copy, fromHex, toHex } from '../../core/index.ts'
import { type Book, openBook, type RegisterBook, whyUnbalanced } from '../book.ts'
import { firstHead } from '../checkpoint.ts'
import { execute } from '../execute.ts'
import { encodeDescriptor } from '../light.ts'
import { type LedgerRules, ledgerRules } from '../rules.ts'
import { type Evidence, type SpendingTransaction, type Transaction, writeTransaction } from '../transactions.ts'
import { type Actors, ideals, makeLedger } from './actors.ts'

/** One step of the universe; ledgers are 0 and 1, accounts by place, burns by the order in which a ledger made them. */
export type Step =
  | {
      readonly kind: 'transfer' | 'burn'
      readonly at: number
      readonly from: number
      readonly to: number
      readonly amount: bigint
      readonly foreign: boolean
    }
  | BurnStep

interface BurnStep {
  readonly kind: 'mint' | 'void' | 'refund'
  readonly at: number
  readonly burn: number
}

const OWNERS = ['anna', 'bela']
const UNTIL = 2 ** 30

interface MadeBurn {
  readonly index: number
  readonly leaf: Uint8Array
}

/** Either machine: books (two, or one with two registers), and the burns of each side. */
interface Machine {
  readonly books: readonly Book[]
  readonly burns: readonly MadeBurn[][]
}

/** The product of both machines. */
export class TwoInOne {
  private readonly actors: Actors = ideals()
  private readonly rules: LedgerRules
  readonly pair: Machine
  readonly both: Machine

  constructor(supply: bigint, rules: LedgerRules = ledgerRules) {
    this.rules = rules
    const servers = ['s1', 's2', 's3', 's4']
    const balances = { [OWNERS[0]!]: supply }
    const made = { servers, crashes: 1, liars: 0, balances }
    const books = ['a', 'b'].map(name => openBook(makeLedger(this.actors, { ...made, name })))
    for (const [place, book] of books.entries()) {
      const peer = encodeDescriptor(books[1 - place]!.descriptor)
      this.run(book, { kind: 'link', number: 0, peer, cap: 1_000n, rate: 0n, window: 0, signatures: [] })
    }
    this.pair = { books, burns: [[], []] }
    const both = makeLedger(this.actors, { ...made, name: 'both', registers: ['a', 'b'] })
    this.both = { books: [openBook(both)], burns: [[], []] }
  }

  private run(book: Book, transaction: Transaction) {
    return execute(book, writeTransaction(transaction), {
      suite: this.actors.suite,
      rules: this.rules,
      trusted: true,
    })
  }

  /** Whether the step is taken. The machine is changed. */
  take(machine: Machine, step: Step): boolean {
    const joined = machine.books.length === 1
    const book = machine.books[joined ? 0 : step.at]!
    const register = joined ? step.at : 0
    const transaction = this.transactionOf(machine, step, book, register)
    if (transaction === undefined) return false
    const { size } = book
    if (this.run(book, transaction) !== undefined) return false
    if (step.kind === 'burn') machine.burns[step.at]!.push({ index: size, leaf: writeTransaction(transaction) })
    return true
  }

  private transactionOf(machine: Machine, step: Step, book: Book, register: number): Transaction | undefined {
    if (!('burn' in step)) return this.spendingOf(machine, step, book, register)
    const made = machine.burns[step.kind === 'refund' ? step.at : 1 - step.at]![step.burn]
    if (made === undefined) return undefined
    const evidence = this.evidenceOf(machine, step, made)
    if (step.kind === 'void') return { kind: 'void', register, evidence, signature: new Uint8Array(0) }
    return evidence === undefined ? undefined : { kind: step.kind, register, evidence }
  }

  /** In the pair what the other shows, at once; in the one ledger what everybody has seen. */
  private evidenceOf(machine: Machine, { kind, at }: Step, { index, leaf }: MadeBurn): Evidence {
    if (machine.books.length === 1) return { kind: 'own', index }
    const checkpoint = firstHead(this.actors.suite)
    const [own, other] = [machine.books[at]!, machine.books[1 - at]!]
    const shown: Evidence = { kind: 'proof', ledger: other.descriptor.id, leaf, index, path: [], checkpoint }
    if (kind !== 'refund') return shown
    // The void that the other ledger has, where it has one.
    const about: Evidence = { ...shown, ledger: own.descriptor.id }
    const isVoid = other.registers[0]!.spent.get(`${own.descriptor.hex} ${index}`) === 'void'
    const voided = writeTransaction({ kind: 'void', register: 0, evidence: about, signature: new Uint8Array(0) })
    return { kind: 'proof', ledger: other.descriptor.id, leaf: isVoid ? voided : leaf, index: 0, path: [], checkpoint }
  }

  private spendingOf(machine: Machine, step: Exclude<Step, BurnStep>, book: Book, register: number): Transaction {
    const ids = this.idsOf(machine)
    const from = this.actors.signer(OWNERS[step.from]!).publicKey
    const sequence = book.registers[register]!.accounts.get(toHex(from))?.next ?? 0
    const fields = {
      register,
      from,
      sequence,
      asset: fromHex(ids[step.foreign ? 1 - step.at : step.at]!)!,
      to: this.actors.signer(OWNERS[step.to]!).publicKey,
      amount: step.amount,
      until: UNTIL,
      signature: new Uint8Array(0),
    }
    if (step.kind === 'transfer') return { kind: 'transfer', ...fields, memo: '' }
    return { kind: 'burn', ...fields, peer: fromHex(ids[1 - step.at]!)!, expires: 0 } as SpendingTransaction
  }

  private idsOf({ books }: Machine): readonly string[] {
    return books.length === 1 ? books[0]!.descriptor.registerIds : books.map(book => book.descriptor.hex)
  }

  /** What a machine holds, without sizes, sequences and ids. */
  describe(machine: Machine): string {
    const registers =
      machine.books.length === 1 ? machine.books[0]!.registers : machine.books.map(book => book.registers[0]!)
    const ids = this.idsOf(machine)
    return registers.map((register, at) => this.describeRegister(machine, register, ids, at)).join(' | ')
  }

  private describeRegister(machine: Machine, register: RegisterBook, ids: readonly string[], at: number): string {
    const held = OWNERS.map(owner => {
      const account = register.accounts.get(toHex(this.actors.signer(owner).publicKey))
      return ids.map(id => account?.balances.get(id) ?? 0n).join('+')
    })
    const ledgers = machine.books.map(book => book.descriptor.hex)
    const theirs = ledgers[machine.books.length === 1 ? 0 : 1 - at]!
    const fates = machine.burns[1 - at]!.map(({ index }) => register.spent.get(`${theirs} ${index}`) ?? 'open')
    const own = machine.burns[at]!.map(({ index }) => {
      const { amount, refunded, asset, to } = register.burns.get(index)!
      return `${amount}${asset === ids[at] ? 'own' : 'back'}${toHex(to).slice(0, 4)}${refunded ? 'refunded' : ''}`
    })
    return `${held.join(' ')} out ${register.outstanding.get(ids[1 - at]!) ?? 0n} burns ${own} fates ${fates}`
  }

  /** Each side's sums, and that what went out is there, or under way. */
  unbalanced(machine: Machine): string | undefined {
    return machine.books.map(whyUnbalanced).find(wrong => wrong !== undefined) ?? this.lostOnTheWay(machine)
  }

  private lostOnTheWay(machine: Machine): string | undefined {
    const registers =
      machine.books.length === 1 ? machine.books[0]!.registers : machine.books.map(book => book.registers[0]!)
    for (const at of [0, 1]) {
      const [own, other] = [registers[at]!, registers[1 - at]!]
      const out = own.outstanding.get(other.id) ?? 0n
      const there = other.foreign.get(own.id) ?? 0n
      const underWay = this.underWay(machine, registers, at, own.id) + this.underWay(machine, registers, 1 - at, own.id)
      if (out !== there + underWay) return `${out} went out, ${there} are there and ${underWay} under way`
    }
    return undefined
  }

  /** Burns of one side, of coins of that id, that were neither minted nor refunded. */
  private underWay(machine: Machine, registers: readonly RegisterBook[], at: number, asset: string): bigint {
    const ledger = machine.books[machine.books.length === 1 ? 0 : at]!.descriptor.hex
    return machine.burns[at]!.reduce((sum, { index }) => {
      const burn = registers[at]!.burns.get(index)!
      const minted = registers[1 - at]!.spent.get(`${ledger} ${index}`) === 'minted'
      return burn.asset !== asset || minted || burn.refunded ? sum : sum + burn.amount
    }, 0n)
  }
}

/** Every step of the universe. */
export function universe(amounts: readonly bigint[], burns: number): Step[] {
  const steps: Step[] = []
  for (const at of [0, 1]) {
    for (const kind of ['transfer', 'burn'] as const) {
      for (const from of [0, 1]) {
        for (const to of [0, 1]) {
          for (const amount of amounts)
            for (const foreign of [false, true]) steps.push({ kind, at, from, to, amount, foreign })
        }
      }
    }
    for (const kind of ['mint', 'void', 'refund'] as const) {
      for (let burn = 0; burn < burns; burn++) steps.push({ kind, at, burn })
    }
  }
  return steps
}

/** What an exploration found. */
export interface Equivalence {
  readonly states: number
  readonly steps: number
  /** Where the two differ, or a sum does not hold: the steps that lead there. */
  readonly difference: { readonly why: string; readonly path: readonly Step[] } | undefined
}

interface Node {
  readonly pair: Machine
  readonly both: Machine
  readonly path: readonly Step[]
}

/** Explores the product of the pair and the 2-in-1, with at most `burns` burns in all. */
export function exploreTwoInOne(options: {
  readonly supply: bigint
  readonly burns: number
  readonly rules?: LedgerRules
}): Equivalence {
  const product = new TwoInOne(options.supply, options.rules)
  const steps = universe([1n, 2n], options.burns)
  const seen = new Set([product.describe(product.both)])
  const waiting: Node[] = [{ pair: product.pair, both: product.both, path: [] }]
  let taken = 0
  // In breadth: the first difference that is found is one of the shortest.
  for (let at = 0; at < waiting.length; at++) {
    const node = waiting[at]!
    delete waiting[at]
    const made = node.both.burns.flat().length
    for (const step of steps) {
      if (step.kind === 'burn' && made >= options.burns) continue
      const [pair, both] = [copy(node.pair), copy(node.both)]
      const path = [...node.path, step]
      const verdicts = [product.take(pair, step), product.take(both, step)]
      const why = differs(product, pair, both, verdicts)
      if (why !== undefined) return { states: seen.size, steps: taken, difference: { why, path } }
      if (!verdicts[0]) continue
      taken++
      const name = product.describe(both)
      if (seen.has(name)) continue
      seen.add(name)
      waiting.push({ pair, both, path })
    }
  }
  return { states: seen.size, steps: taken, difference: undefined }
}

/** What is different after a step that both were given. */
export function differs(
  product: TwoInOne,
  pair: Machine,
  both: Machine,
  verdicts: readonly boolean[],
): string | undefined {
  if (verdicts[0] !== verdicts[1])
    return `the pair ${verdicts[0] ? 'takes' : 'refuses'} it, the 2-in-1 does not do the same`
  if (product.describe(pair) !== product.describe(both)) return 'the balances differ'
  return product.unbalanced(pair) ?? product.unbalanced(both)
}
