// Who keeps a ledger is changed by its operators (protocols/ledger J-12, J-21), as users see it: old receipts hold, links
// follow, a move under way arrives, and an audit replays all of it.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  auditLedger,
  encodeDescriptor,
  type Ledger,
  move,
  newAccount,
  readDescriptor,
  refundMove,
  verifyReceipt,
} from '../../index.ts'
import { embedded } from '../embedded.ts'
import type { Group } from '../group.ts'

let group: Group
let names: readonly string[]
const [alice, bob, operator] = [newAccount(), newAccount(), newAccount()]

beforeAll(async () => {
  group = await embedded({ servers: 7, liars: 1 })
})
afterAll(() => group.close())

async function make(name: string): Promise<Ledger> {
  const ledger = await group.createLedger(name, { balances: { [alice.key]: 1_000n }, operators: [operator] })
  names = ledger.descriptor.genesis.servers.map(server => server.name)
  return ledger
}
const pay = (ledger: Ledger) => ledger.transfer({ from: alice, to: bob.key, amount: 1n })
const keptBy = (ledger: Ledger) => ledger.descriptor.epochs.at(-1)!.servers.map(server => server.name)

describe('epochs', () => {
  it('others keep the ledger; receipts of before and after hold, and the file says who keeps it', async () => {
    const coins = await make('coins')
    const first = coins.descriptor
    const before = await pay(coins)
    const held = await coins.checkpoint()
    const changed = await coins.epoch({ operators: [operator], servers: names.slice(0, 6) })
    expect([changed.index, coins.descriptor.epochs.length, keptBy(coins)]).toEqual([1, 2, names.slice(0, 6)])
    const after = await pay(coins)
    expect(after.index).toBe(2)
    expect((await coins.balance(bob.key)).amount).toBe(2n)
    for (const receipt of [before, changed, after]) verifyReceipt(receipt, coins.descriptor)
    expect(() => verifyReceipt(after, first)).toThrow('does not hold')
    const file = encodeDescriptor(coins.descriptor)
    expect(readDescriptor(file)).toEqual(coins.descriptor)
    file[file.length - 30]! ^= 1
    expect(readDescriptor(file)).toMatch(/does not hold|no genesis/)
    expect((await coins.consistency(held)).checkpoint.size).toBe(3)
    expect((await coins.audit({ seen: held })).size).toBe(3)
    // And back again: the one that was left out has to learn what it missed.
    await coins.epoch({ operators: [operator], servers: names })
    await pay(coins)
    expect([coins.descriptor.epochs.length, (await coins.audit()).size]).toEqual([3, 5])
  })

  it('an audit of the leaves alone finds a leaf that was turned, on either side of the change', async () => {
    const coins = await make('audited')
    await pay(coins)
    await coins.epoch({ operators: [operator] })
    await pay(coins)
    const leaves: Uint8Array[] = []
    for await (const { leaf } of coins.log()) leaves.push(leaf)
    const checkpoint = await coins.checkpoint()
    const options = { descriptor: coins.descriptor, checkpoint }
    expect((await auditLedger(leaves, options)).size).toBe(3)
    for (const [index, leaf] of leaves.entries()) {
      const turned = leaf.slice()
      turned[turned.length - 40]! ^= 1
      await expect(auditLedger(leaves.with(index, turned), options)).rejects.toThrow(`leaf ${index} is wrong`)
    }
  })

  it('is refused to whoever is no operator, with too few servers, twice the same, or nobody of that name', async () => {
    const coins = await make('strict')
    const six = names.slice(0, 6)
    await expect(coins.epoch({ operators: [alice] })).rejects.toThrow('no operator')
    await expect(coins.epoch({ operators: [] })).rejects.toMatchObject({ code: 'epoch' })
    await expect(coins.epoch({ operators: [operator], servers: names.slice(0, 5) })).rejects.toThrow('that takes 6')
    await expect(coins.epoch({ operators: [operator], servers: [...six, names[0]!] })).rejects.toThrow('named twice')
    await expect(coins.epoch({ operators: [operator], servers: [...six, 'nobody'] })).rejects.toThrow(
      "server 'nobody' offered no voting key",
    )
    expect((await coins.checkpoint()).size).toBe(0)
  })

  it('a link follows; moves arrive whichever side changed, and are taken back', async () => {
    const [a, b] = [await make('from'), await make('into')]
    await a.link(b, { operators: [operator], cap: 500n })
    await b.link(a, { operators: [operator], cap: 500n })
    const burn = await a.burn({ from: alice, to: bob.key, amount: 5n, into: b })
    await a.epoch({ operators: [operator], servers: names.slice(1) })
    const late = await a.burn({ from: alice, to: bob.key, amount: 6n, into: b })
    // B knows the old keepers only, then the new ones only.
    await expect(b.mint(late)).rejects.toMatchObject({ code: 'evidence' })
    expect((await b.follow(a)).length).toBe(1)
    expect(await b.follow(a)).toEqual([])
    expect(await b.linkTo(a)).toMatchObject({ epoch: 1 })
    await expect(b.mint(burn)).rejects.toMatchObject({ code: 'epoch' })
    await b.mint(await a.proof(burn.index))
    await b.epoch({ operators: [operator], servers: names.slice(0, 6) })
    await a.epoch({ operators: [operator], servers: names })
    await move({ out: a, into: b, from: alice, to: bob.key, amount: 7n })
    await refundMove(late, { out: a, into: b, from: alice })
    expect((await b.account(bob.key)).balances.get(a.id)).toBe(12n)
    expect(await a.totals()).toMatchObject({ held: 988n, outstanding: 12n })
    expect((await b.audit()).size).toBeGreaterThan(4)
  })

  it('a refund goes on where it was stopped: made void before, under another proof', async () => {
    const [a, b] = [await make('stopped'), await make('other')]
    await a.link(b, { operators: [operator], cap: 500n })
    await b.link(a, { operators: [operator], cap: 500n })
    const burn = await a.burn({ from: alice, to: bob.key, amount: 5n, into: b })
    await b.void(burn, alice)
    await pay(a)
    await refundMove(await a.proof(burn.index), { out: a, into: b, from: alice })
    expect((await a.balance(alice.key)).amount).toBe(999n)
  })
})
