// What a ledger is given and cannot take, sentence by sentence: nothing of it happens, and each says what is wrong. Genesis, receipts,
// checkpoints and logs that do not hold are in src/ledger/receipt.test.ts, evidence of other ledgers in src/ledger/execute.test.ts.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Ledger, newAccount, SettingsError } from '../../index.ts'
import { fromHex } from '../../ledger/index.ts'
import { signingBytes, type Transaction, writeTransaction } from '../../ledger/transactions.ts'
import { embedded } from '../embedded.ts'
import type { Group } from '../group.ts'

const [alice, bob, carol, operator] = [newAccount(), newAccount(), newAccount(), newAccount()]
let group: Group
let coins: Ledger

beforeAll(async () => {
  group = await embedded({ servers: 4, crashes: 1 })
  const balances = { [alice.key]: 1_000n }
  coins = await group.createLedger('coins', { balances, operators: [operator] })
})
afterAll(() => group.close())

const pay = (changed: Record<string, unknown>) =>
  coins.transfer({ from: alice, to: bob.key, amount: 1n, ...changed } as Parameters<Ledger['transfer']>[0])

/** Bytes as alice signs them, with a sequence of her choice. */
function leafWith(sequence: number): Uint8Array {
  const { id } = coins.descriptor
  const [from, to] = [fromHex(alice.key)!, fromHex(carol.key)!]
  const fields = { register: 0, from, sequence, asset: id, to, amount: 2n, until: 10_000, memo: '' }
  const unsigned: Transaction = { kind: 'transfer', ...fields, signature: new Uint8Array(0) }
  return writeTransaction({ ...unsigned, signature: alice.sign(signingBytes(id, unsigned)) })
}

describe('a payment', () => {
  it.each([
    [0n, 'amount is 0; it must be from 1 to 2^63 - 1'],
    [-1n, 'amount is -1; it must be from 1 to 2^63 - 1'],
    [2n ** 63n, 'amount is 9223372036854775808; it must be from 1 to 2^63 - 1'],
    [2.5, 'amount is 2.5; it must be a bigint: 250n'],
  ])('of %s', async (amount, says) => {
    await expect(pay({ amount })).rejects.toBeInstanceOf(SettingsError)
    await expect(pay({ amount })).rejects.toThrow(says)
  })

  it.each([
    ['of small order', '00'.repeat(32)],
    ['the identity', `01${'00'.repeat(31)}`],
    ['not in its one encoding', `ee${'ff'.repeat(30)}7f`],
    ['not on the curve', `02${'00'.repeat(31)}`],
    ['too short', alice.key.slice(2)],
  ])('to a key that is %s', async (_what, to) => {
    await expect(pay({ to })).rejects.toThrow(
      'it must be an Ed25519 key of 64 digits of hexadecimal, not of small order',
    )
  })

  it('with a memo of 257 bytes, counted as bytes', async () => {
    await expect(pay({ memo: 'x'.repeat(257) })).rejects.toThrow('256 bytes')
    await expect(pay({ memo: 'é'.repeat(129) })).rejects.toThrow('256 bytes')
  })

  it('from an account that nobody has paid, and of more than there is', async () => {
    await expect(pay({ from: carol })).rejects.toThrow('the account holds 0, and this takes 1.')
    await expect(pay({ amount: 1_001n })).rejects.toThrow('the account holds 1000, and this takes 1001.')
  })

  it('to oneself is allowed: it uses a sequence, and changes nothing else', async () => {
    const before = await coins.account(alice.key)
    await pay({ to: alice.key, amount: 1_000n, memo: 'é'.repeat(128) })
    const after = await coins.account(alice.key)
    expect(after).toMatchObject({ next: before.next + 1, balances: before.balances })
  })

  it('with a sequence that is used: the leaf is shown; one too far ahead is refused', async () => {
    const { index } = await pay({})
    const { next } = await coins.account(alice.key)
    await expect(coins.submit(leafWith(next - 1))).rejects.toThrow(
      `the account's sequence ${next - 1} is used, by leaf ${index}; the next is ${next}.`,
    )
    await expect(coins.submit(leafWith(0))).rejects.toMatchObject({ code: 'sequence used', outcome: 'did not happen' })
    await expect(coins.submit(leafWith(0))).rejects.toThrow(`and leaf ${index} used the one before that.`)
    await expect(coins.submit(leafWith(next + 65))).rejects.toThrow(
      `the account's next sequence is ${next}, and this is ${next + 65}.`,
    )
  })
})

describe('a link', () => {
  it('to oneself, without a cap, and a burn into a ledger that nobody linked', async () => {
    const link = (options: unknown) => coins.link(coins, options as Parameters<Ledger['link']>[1])
    await expect(link({ operators: [operator], cap: 1n })).rejects.toThrow('a ledger is not linked to itself.')
    await expect(link({ operators: [operator] })).rejects.toThrow('ledger.link needs cap')
    const burn = (into: string) => coins.burn({ from: alice, to: bob.key, amount: 1n, into })
    await expect(burn('ab'.repeat(32))).rejects.toMatchObject({ code: 'no link' })
    await expect(burn('shares')).rejects.toThrow('"shares" is no id of a ledger: 64 digits of hexadecimal.')
  })
})
