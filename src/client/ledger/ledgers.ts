// The ledgers of a group: made once by anybody, then found by name.

import {
  isText,
  type NodeId,
  optionsSchema,
  type Rule,
  required,
  SettingsError,
  type Trust,
  textOf,
  whole,
} from '../../core/index.ts'
import {
  AMOUNT_MAX,
  FIRST_BALANCES_MAX,
  type Genesis,
  LEDGER_NAME_BYTES_MAX,
  type LedgerCommand,
  type LedgerEvent,
  ledgerServersNeeded,
  OPERATORS_MAX,
  REGISTERS_MAX,
} from '../../ledger/index.ts'
import type { ServerLies } from '../../ledger/wire.ts'
import { type Accusation, tallyLedgerLies } from '../inspect-objects.ts'
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

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value)
const object: Rule = { must: 'an object', fits: isObject }
const names: Rule = {
  must: 'a list of two names of registers, or of one',
  fits: value =>
    Array.isArray(value) &&
    value.length > 0 &&
    value.length <= REGISTERS_MAX &&
    value.every(one => typeof one === 'string' && isText(one, LEDGER_NAME_BYTES_MAX)),
}
const keys: Rule = {
  must: `a list of accounts or of their keys, at most ${OPERATORS_MAX}`,
  fits: value =>
    Array.isArray(value) &&
    value.length <= OPERATORS_MAX &&
    value.every(one => typeof one === 'string' || (isObject(one) && typeof one.key === 'string')),
}

const checkLedger = optionsSchema<LedgerOptions & WaitOptions>({
  asset: textOf('what is counted'),
  balances: required(object),
  registers: names,
  operators: keys,
  operatorsNeeded: whole(0),
  ...waitRules,
})

/** Servers of an older version do not answer. */
const CAUGHT_MS = 2_000

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
      throw new SettingsError(
        `there is no ledger '${name}' in this group; createLedger (coterie ledger create) makes one.`,
      )
    return this.keep(new Ledger(this.calls, descriptor))
  }

  /** Servers that were caught at what no honest one says of a ledger, by those who caught them. */
  async accusations(names: readonly NodeId[]): Promise<readonly Accusation[]> {
    const { servers, liars, crashes } = this.trust
    if (servers < ledgerServersNeeded(liars, crashes)) return []
    const told = await this.calls.caught({ timeout: CAUGHT_MS }).catch(() => new Map<NodeId, readonly ServerLies[]>())
    return tallyLedgerLies(told, names, liars)
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
  const first = registers.length === 1 ? balancesOf(balances, 0) : byRegister(balances, registers)
  if (first.length > FIRST_BALANCES_MAX)
    throw new SettingsError(
      `balances names ${first.length} accounts; it may be ${FIRST_BALANCES_MAX}. Pay the others from one of them.`,
    )
  return first.map(({ register, key, amount }) => ({ register, key: keyBytes(key), amount }))
}

/** What is given under another name would be in no register: nobody could ever spend it. */
function byRegister(balances: LedgerOptions['balances'], registers: readonly string[]): NamedBalance[] {
  for (const [name, own] of Object.entries(balances)) {
    if (!isObject(own))
      throw new SettingsError(`with two registers, balances are given for each: { ${registers.join(': {…}, ')}: {…} }.`)
    if (!registers.includes(name))
      throw new SettingsError(`balances names register '${name}', and the registers are ${registers.join(' and ')}.`)
  }
  return registers.flatMap((name, register) => balancesOf((balances as Balances)[name] ?? {}, register))
}

type Balances = Readonly<Record<string, Readonly<Record<string, bigint>>>>
type NamedBalance = { readonly register: number; readonly key: string; readonly amount: bigint }

function balancesOf(balances: LedgerOptions['balances'], register: number): NamedBalance[] {
  return Object.entries(balances).map(([key, amount]) => {
    if (isObject(amount))
      throw new SettingsError('balances of each register are for a ledger of two: with one, they are given by key.')
    if (typeof amount !== 'bigint' || amount < 1n || amount > AMOUNT_MAX)
      throw new SettingsError(`the balance of ${key} is ${String(amount)}; it must be a bigint from 1 to 2^63 - 1.`)
    return { register, key, amount }
  })
}
