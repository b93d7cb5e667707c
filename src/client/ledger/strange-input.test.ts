// What is of the wrong size or shape, handed to a ledger: refused in a sentence before anything is sent. What cannot be written on a
// wire would end the client's node, and every lock and watch of the process with it.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  auditLedger,
  encodeReceipt,
  type Ledger,
  type LedgerReceipt,
  LedgerUnanswered,
  MoveInFlight,
  move,
  newAccount,
  refundMove,
  resume,
  SettingsError,
  verifyReceipt,
} from '../../index.ts'
import { fromHex, NotProven } from '../../ledger/index.ts'
import { signingBytes, type Transaction, writeTransaction } from '../../ledger/transactions.ts'
import { embedded } from '../embedded.ts'
import type { Group } from '../group.ts'

const [alice, bob, operator] = [newAccount(), newAccount(), newAccount()]
const SOON = { timeout: 1_000 }
let group: Group
let coins: Ledger
let shares: Ledger
let receipt: LedgerReceipt

beforeAll(async () => {
  group = await embedded({ servers: 4, crashes: 1 })
  const made = { balances: { [alice.key]: 1_000n }, operators: [operator] }
  coins = await group.createLedger('coins', made)
  shares = await group.createLedger('shares', made)
  await coins.link(shares, { operators: [operator], cap: 100n })
  await shares.link(coins, { operators: [operator], cap: 100n })
  receipt = await coins.transfer({ from: alice, to: bob.key, amount: 10n })
})
afterAll(() => group.close())

describe('numbers and shapes', () => {
  it('that no message can carry are refused before they are sent', async () => {
    const held = receipt.checkpoint
    const pay = { from: alice, to: bob.key, amount: 1n }
    const calls: (() => unknown)[] = [
      () => coins.proof(2 ** 31, SOON),
      () => coins.log(2 ** 40, SOON),
      () => coins.watch({ from: 2 ** 31 }),
      () => coins.consistency({ ...held, size: 2 ** 31 }, SOON),
      () => coins.consistency({ ...held, size: -1 }, SOON),
      () => coins.consistency({ ...held, root: new Uint8Array(3) }, SOON),
      () => coins.submit(new Uint8Array(81_921), SOON),
      () => coins.transfer({ ...pay, until: 2 ** 31 }, SOON),
      () => coins.transfer({ ...pay, memo: '\ud800' }, SOON),
      () => coins.burn({ ...pay, into: shares, expires: 2 ** 31 }, SOON),
      () => coins.mint(2 ** 31, SOON),
      () => coins.mint({ ...receipt, index: Number.NaN }, SOON),
      () => coins.mint({ ...receipt, ledger: new Uint8Array(3) }, SOON),
      () => coins.mint({ ...receipt, path: [1] as never }, SOON),
      () => coins.mint({ ...receipt, path: Array(65).fill(new Uint8Array(32)) }, SOON),
      () => coins.mint({ ...receipt, checkpoint: { ...held, votes: [null] as never } }, SOON),
      () => coins.fate({ ...receipt, index: -5 }, SOON),
      () => coins.freeze(shares, { one: { ...held, height: -1 }, other: held }, SOON),
      () => coins.freeze(shares, { one: held, other: held, root: new Uint8Array(2) }, SOON),
      () => coins.freeze(shares, { one: held, other: held, path: [new Uint8Array(2)] }, SOON),
      () => coins.note({ ...held, votes: [{ server: 99, signature: new Uint8Array(64) }] }),
      () => coins.epoch({ operators: [operator], crashes: 1_000 }, SOON),
      () => coins.transfer({ ...pay, from: { key: alice.key, sign: () => new Uint8Array(300) } }, SOON),
      () => verifyReceipt({ ...receipt, checkpoint: { ...held, votes: [null] as never } }, coins.descriptor),
      () => verifyReceipt({ ...receipt, checkpoint: { ...held, previous: undefined as never } }, coins.descriptor),
      () => verifyReceipt(receipt, { ...coins.descriptor, epochs: [] }),
      () => encodeReceipt({ ...receipt, index: -1 }),
      () => auditLedger([1, 2] as never, { descriptor: coins.descriptor }),
    ]
    for (const call of calls) await expect((async () => call())(), String(call)).rejects.toBeInstanceOf(SettingsError)
    expect((await coins.balance(bob.key)).amount).toBe(10n)
  })

  it('of a leaf that is not there: says how many there are, and waits for nobody', async () => {
    const { size } = await coins.checkpoint()
    await expect(coins.proof(size)).rejects.toThrow(`index is ${size}, and ledger 'coins' has ${size} leaves`)
    await expect(coins.log(size + 1).next()).rejects.toThrow(
      `from is ${size + 1}, and ledger 'coins' has ${size} leaves`,
    )
    expect(await coins.log(size).next()).toMatchObject({ done: true })
    const ahead = coins.consistency({ ...receipt.checkpoint, size: size + 5 })
    await expect(ahead).rejects.toBeInstanceOf(NotProven)
    await expect(ahead).rejects.toThrow(`shows ${size} leaves, and you hold a checkpoint of ${size + 5}`)
  })
})

describe('a new ledger', () => {
  const make = (options: Record<string, unknown>) =>
    group.createLedger('new', { balances: {}, ...SOON, ...options } as Parameters<Group['createLedger']>[1])

  it('has no balances that are in no register: they would be lost', async () => {
    const own = { [alice.key]: 1n }
    const two = { registers: ['a', 'b'] }
    await expect(make({ ...two, balances: { c: own } })).rejects.toThrow(
      "balances names register 'c', and the registers are a and b.",
    )
    await expect(make({ ...two, balances: own })).rejects.toThrow('with two registers, balances are given for each')
    await expect(make({ registers: ['a'], balances: { a: own } })).rejects.toThrow('with one, they are given by key')
  })

  it('of too many, of no names, of nobody', async () => {
    const many = (count: number) => Array.from({ length: count }, () => alice.key)
    for (const options of [
      { operators: [null] },
      { operators: many(33) },
      { registers: [1, 2] },
      { registers: ['\ud800', 'b'] },
      { registers: [] },
      { balances: [1n] },
      { balances: Object.fromEntries(Array.from({ length: 1_001 }, (_, i) => [`account ${i}`, 1n])) },
    ])
      await expect(make(options), Object.keys(options)[0]).rejects.toBeInstanceOf(SettingsError)
    await expect(group.ledger('new', SOON)).rejects.toThrow('there is no ledger')
  })
})

describe('operators', () => {
  it('a rate takes a window, and no hours are counted without a rate', async () => {
    const link = (more: object) => coins.link(shares, { operators: [operator], cap: 100n, ...more })
    await expect(link({ rate: 5n })).rejects.toThrow('rate is 5 and window is 0')
    await expect(link({ window: 5 })).rejects.toThrow('rate is 0 and window is 5')
    await expect(link({ rate: 5n, window: 10_001 })).rejects.toThrow('from 0 to 10000')
    await expect(coins.link(shares, { operators: [operator, operator], cap: 1n })).rejects.toThrow('is named twice')
  })

  it('too few keepers: the sentence says how many it takes, and nothing was signed', async () => {
    const few = coins.epoch({ operators: [operator], servers: ['server-1', 'server-2'] })
    await expect(few).rejects.toBeInstanceOf(SettingsError)
    await expect(few).rejects.toThrow('2 servers cannot keep a ledger with liars: 0 and crashes: 1; that takes 4')
    await expect(coins.epoch({ operators: [operator], liars: 2 })).rejects.toThrow('crashes counts the liars too')
  })
})

describe('one account in many hands', () => {
  it('a payment that waits for another of this process gives up in time, and those behind it do not overtake', async () => {
    let go = () => {}
    const save = () => new Promise<void>(resolve => (go = resolve))
    const first = move({ out: coins, into: shares, from: alice, to: bob.key, amount: 1n, save })
    const pay = (options = {}) => coins.transfer({ from: alice, to: bob.key, amount: 1n }, options)
    const given = pay({ timeout: 100 })
    const patient = pay()
    await expect(given).rejects.toBeInstanceOf(LedgerUnanswered)
    await expect(given).rejects.toMatchObject({ outcome: 'did not happen' })
    await expect(given).rejects.toThrow('Another payment of the account is under way')
    await expect(pay({ signal: AbortSignal.timeout(10) })).rejects.toThrow('the signal fired. Another payment')
    go()
    const { burn } = await first
    expect((await patient).index).toBeGreaterThan(burn.index)
  }, 10_000)

  /** What another process of the same owner would sign now. */
  async function overtake(): Promise<void> {
    const { id } = coins.descriptor
    const { next } = await coins.account(bob.key)
    const [from, to] = [fromHex(bob.key)!, fromHex(alice.key)!]
    const fields = { register: 0, from, sequence: next, asset: id, to, amount: 1n, until: 10_000, memo: '' }
    const unsigned: Transaction = { kind: 'transfer', ...fields, signature: new Uint8Array(0) }
    await coins.submit(writeTransaction({ ...unsigned, signature: bob.sign(signingBytes(id, unsigned)) }))
  }

  it('a move that is overtaken signs another burn, saves that, and arrives once', async () => {
    const saved: Uint8Array[] = []
    const save = async (burn: Uint8Array) => {
      saved.push(burn)
      if (saved.length === 1) await overtake()
    }
    const before = (await shares.account(bob.key)).balances.get(coins.id) ?? 0n
    const moved = await move({ out: coins, into: shares, from: bob, to: bob.key, amount: 2n, save })
    expect(saved.length).toBe(2)
    expect(moved.burn.leaf).toEqual(saved[1])
    expect((await shares.account(bob.key)).balances.get(coins.id)).toBe(before + 2n)
    await expect(resume(saved[0]!, { out: coins, into: shares, from: bob })).rejects.toMatchObject({
      code: 'sequence used',
      outcome: 'did not happen',
    })
  })
})

describe('a move', () => {
  const between = () => ({ out: coins, into: shares, from: alice })

  it('into the ledger that it leaves is refused before anything is burned', async () => {
    const { size } = await coins.checkpoint()
    const itself = move({ out: coins, into: coins, from: alice, to: bob.key, amount: 1n })
    await expect(itself).rejects.toThrow('a move is between two ledgers')
    expect((await coins.checkpoint()).size).toBe(size)
  })

  it('that was taken back is taken back once, as often as it is asked; and it is in flight no more', async () => {
    const failed = await move({ ...between(), to: bob.key, amount: 500n }).catch(error => error)
    expect(failed).toBeInstanceOf(MoveInFlight)
    const first = await refundMove(failed.burn, between())
    const { amount } = await coins.balance(alice.key)
    // By another proof, as one that comes later has it: the same bytes would be the same leaf.
    await shares.transfer({ from: alice, to: bob.key, amount: 1n })
    const again = await refundMove(await coins.proof(failed.burn.index), between())
    expect(again.index).toBe(first.index)
    expect((await coins.balance(alice.key)).amount).toBe(amount)
    const resumed = await resume(failed.burn.leaf, between()).catch(error => error)
    expect(resumed).not.toBeInstanceOf(MoveInFlight)
    expect(resumed).toMatchObject({ code: 'spent', outcome: 'did not happen' })
  })
})
