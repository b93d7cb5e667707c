// The ledgers of a group: made once by anybody, then found by name.

import { optionsSchema, type Rule, required, SettingsError, type Trust, textOf, whole } from '../../core/index.ts'
import {
  AMOUNT_MAX,
  type Genesis,
  LEDGER_NAME_BYTES_MAX,
  type LedgerCommand,
  type LedgerEvent,
} from '../../ledger/index.ts'
import { checkName } from '../names.ts'
import { checkWaiting, type WaitOptions, waitRules } from '../waiting.ts'
import { type Account, keyBytes } from './accounts.ts'
import { LedgerCalls, votersOf } from './calls.ts'
import { Ledger } from './ledger.ts'

/** What a new ledger is. It can never be changed. */
export interface LedgerOptions {
  /** What is counted: 'EUR-cent'. */
  readonly asset?: string
  /** Who owns what at first, by key; with two registers, for each register by its name. */
  readonly balances: Readonly<Record<string, bigint>> | Readonly<Record<string, Readonly<Record<string, bigint>>>>
  /** Two names for a ledger of two registers. */
  readonly registers?: readonly string[]
  /** Who may link other ledgers, and how many of them must sign. Default nobody, and all. */
  readonly operators?: readonly (string | Account)[]
  readonly operatorsNeeded?: number
}

const list: Rule = { must: 'a list', fits: Array.isArray }
const object: Rule = { must: 'an object', fits: value => typeof value === 'object' && value !== null }

const checkLedger = optionsSchema<LedgerOptions & WaitOptions>({
  asset: textOf('what is counted'),
  balances: required(object),
  registers: list,
  operators: list,
  operatorsNeeded: whole(0),
  ...waitRules,
})

export class Ledgers {
  private readonly calls: LedgerCalls
  private readonly trust: Trust
  private readonly open = new Map<string, Ledger>()

  constructor(command: (body: LedgerCommand) => void, newId: () => number, trust: Trust) {
    this.calls = new LedgerCalls(command, newId, trust)
    this.trust = trust
  }

  /** All servers must answer: each brings its voting key. The same ledger may be made again: it stays as it is. */
  async create(name: string, options: LedgerOptions & WaitOptions): Promise<Ledger> {
    checkName('ledger', name, LEDGER_NAME_BYTES_MAX)
    checkLedger('createLedger', options)
    this.calls.check()
    const registers = options.registers ?? ['']
    const operators = (options.operators ?? []).map(one =>
      keyBytes(typeof one === 'string' ? one : one.key, 'an operator'),
    )
    const drawn = {
      name,
      asset: options.asset ?? '',
      registers,
      balances: firstBalances(options.balances, registers),
      operators,
      operatorsNeeded: options.operatorsNeeded ?? operators.length,
      crashes: this.trust.crashes,
      liars: this.trust.liars,
    }
    const known = await this.calls.find(name, options)
    const servers = known?.genesis.servers ?? votersOf(await this.calls.offers(name, options))
    const genesis: Genesis = { ...drawn, servers }
    return this.keep(new Ledger(this.calls, await this.calls.create(genesis, options)))
  }

  async find(name: string, options: WaitOptions): Promise<Ledger> {
    checkName('ledger', name, LEDGER_NAME_BYTES_MAX)
    checkWaiting('ledger', options)
    this.calls.check()
    const known = this.open.get(name)
    if (known !== undefined) return known
    const descriptor = await this.calls.find(name, options)
    if (descriptor === undefined)
      throw new SettingsError(`there is no ledger '${name}' in this group; createLedger makes one.`)
    return this.keep(new Ledger(this.calls, descriptor))
  }

  event(event: LedgerEvent): void {
    this.calls.event(event)
  }

  ended(error: Error): void {
    this.calls.ended(error)
  }

  /** One for each ledger, so that its accounts spend in one line. */
  private keep(ledger: Ledger): Ledger {
    const known = this.open.get(ledger.name)
    if (known?.id === ledger.id) return known
    this.open.set(ledger.name, ledger)
    return ledger
  }
}

function firstBalances(balances: LedgerOptions['balances'], registers: readonly string[]): Genesis['balances'] {
  if (registers.length === 1) return balancesOf(balances as Readonly<Record<string, bigint>>, 0)
  return registers.flatMap((name, register) => {
    const own = (balances as Readonly<Record<string, Readonly<Record<string, bigint>>>>)[name]
    if (own !== undefined && typeof own !== 'object')
      throw new SettingsError(`with two registers, balances are given for each: { ${registers.join(': {…}, ')}: {…} }.`)
    return balancesOf(own ?? {}, register)
  })
}

function balancesOf(balances: Readonly<Record<string, bigint>>, register: number): Genesis['balances'][number][] {
  return Object.entries(balances).map(([key, amount]) => {
    if (typeof amount !== 'bigint' || amount < 1n || amount > AMOUNT_MAX)
      throw new SettingsError(`the balance of ${key} is ${String(amount)}; it must be a bigint from 1 to 2^63 - 1.`)
    return { register, key: keyBytes(key), amount }
  })
}
