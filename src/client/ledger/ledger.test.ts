// Ledgers as their users see them, in a whole group of this process.

import { spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  accountFrom,
  auditLedger,
  decodeReceipt,
  encodeDescriptor,
  encodeReceipt,
  type Ledger,
  LedgerRefused,
  LedgerUnanswered,
  MoveInFlight,
  move,
  newAccount,
  refundMove,
  resume,
  SettingsError,
  verifyReceipt,
} from '../../index.ts'
import { embedded } from '../embedded.ts'
import type { Group } from '../group.ts'
import type { WaitOptions } from '../waiting.ts'

let group: Group
const [alice, bob, carol, operator] = [newAccount(), newAccount(), newAccount(), newAccount()]

beforeAll(async () => {
  group = await embedded({ liars: 1 })
})
afterAll(() => group.close())

const make = (name: string) =>
  group.createLedger(name, {
    asset: 'EUR-cent',
    balances: { [alice.key]: 1_000n, [bob.key]: 10n },
    operators: [operator],
  })

describe('a ledger of an embedded group', () => {
  it('pays, finally; the receipt holds without the group, for this ledger only', async () => {
    const coins = await make('coins')
    const receipt = await coins.transfer({ from: alice, to: bob.key, amount: 250n, memo: 'rent' })
    expect(receipt.index).toBe(0)
    expect((await coins.balance(bob.key)).amount).toBe(260n)
    expect(verifyReceipt(decodeReceipt(encodeReceipt(receipt)), coins.descriptor)).toMatchObject({
      kind: 'transfer',
      memo: 'rent',
    })
    const others = await make('others')
    expect(() => verifyReceipt(receipt, others.descriptor)).toThrow('it is of ledger')
    const turned = encodeReceipt(receipt)
    turned[40]! ^= 1
    expect(() => verifyReceipt(decodeReceipt(turned), coins.descriptor)).toThrow('does not hold')
  })

  it('refuses what is not meant, by name, before anything is signed', async () => {
    const coins = await make('strict')
    const pay = { from: alice, to: bob.key, amount: 1n }
    const wrong = { tiemout: 5 } as WaitOptions
    const calls: readonly (() => unknown)[] = [
      () => coins.transfer({ ...pay, memoo: 'rent' } as typeof pay),
      () => coins.transfer(pay, { timeout: '5s' as never }),
      () => coins.burn({ ...pay, into: coins.id, expire: 5 } as Parameters<typeof coins.burn>[0]),
      () => coins.burn({ ...pay, into: coins.id }, wrong),
      () => coins.moveWithin({ ...pay, too: 'b' } as typeof pay),
      () => coins.mint(1, wrong),
      () => coins.void(1, alice, wrong),
      () => coins.refund(1, wrong),
      () => coins.submit(new Uint8Array(3), wrong),
      () => coins.balance(bob.key, { regster: 'a' } as WaitOptions),
      () => coins.account(bob.key, wrong),
      () => coins.checkpoint(wrong),
      () => coins.proof(0, wrong),
      () => coins.consistency({} as never, wrong),
      () => coins.log(0, wrong),
      () => coins.watch({ form: 1 } as WaitOptions),
      () => coins.audit(wrong),
      () => coins.link(coins, { operators: [], cap: 1n }, wrong),
      () => coins.linkTo(coins, wrong),
      () => coins.freeze(coins, {} as never, wrong),
      () => coins.epoch({ operators: [operator] }, wrong),
      () => coins.follow(coins, wrong),
      () => coins.totals(wrong),
      () => coins.fate({} as never, wrong),
    ]
    for (const call of calls) await expect((async () => call())(), String(call)).rejects.toBeInstanceOf(SettingsError)
    expect((await coins.checkpoint()).size).toBe(0)
  })

  it('a receipt is checked by a script that has nothing of ours', async () => {
    const coins = await make('foreign')
    const receipts = []
    for (let i = 0; i < 3; i++) receipts.push(await coins.transfer({ from: alice, to: bob.key, amount: 1n }))
    const dir = await mkdtemp(join(tmpdir(), 'coterie-receipt-'))
    const check = async (encoded: Uint8Array) => {
      await writeFile(join(dir, 'receipt'), encoded)
      await writeFile(join(dir, 'descriptor'), encodeDescriptor(coins.descriptor))
      const script = join(import.meta.dirname, '../../../test/e2e/verify-receipt.mjs')
      expect((await readFile(script, 'utf8')).split('\n').length - 1).toBeLessThanOrEqual(60)
      const files = [join(dir, 'receipt'), join(dir, 'descriptor')]
      const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...files], { encoding: 'utf8' })
      return status === 0 ? stdout : stderr
    }
    const encoded = encodeReceipt(receipts[1]!)
    const turned = (place: number) => encoded.map((byte, at) => (at === place ? byte ^ 1 : byte))
    expect(await check(encoded)).toMatch(/^holds: leaf 1 of \d, [67] signatures/)
    expect(await check(turned(0))).toContain('another ledger')
    expect(await check(turned(60))).toContain('the leaf is not in the tree')
    // Within the hash of the proposal, which every vote names.
    const votes = 1 + receipts[1]!.checkpoint.votes.length * 65
    expect(await check(turned(encoded.length - votes - 10))).toContain('0 of 6 signatures hold')
    expect(await check(encoded.subarray(0, 50))).toContain('AssertionError')
    await rm(dir, { recursive: true })
  })

  it('is found again by name, and made again is the same', async () => {
    const coins = await make('again')
    await coins.transfer({ from: alice, to: bob.key, amount: 1n })
    expect((await group.ledger('again')).id).toBe(coins.id)
    expect((await make('again')).id).toBe(coins.id)
    await expect(group.ledger('nothing')).rejects.toThrow("there is no ledger 'nothing'")
    await expect(group.createLedger('again', { balances: { [bob.key]: 5n } })).rejects.toThrow('another ledger')
  })

  it('many at once from one account and from two processes of one owner: each once', async () => {
    const coins = await make('busy')
    const twin = accountFrom(alice.secret)
    const all = Array.from({ length: 20 }, (_, i) =>
      coins.transfer({ from: i % 2 === 0 ? alice : twin, to: bob.key, amount: 1n }),
    )
    const indexes = (await Promise.all(all)).map(receipt => receipt.index)
    expect(new Set(indexes).size).toBe(20)
    expect((await coins.account(alice.key)).next).toBe(20)
  })

  it('refuses with a reason, and says whether it may still happen', async () => {
    const coins = await make('strict')
    await expect(coins.transfer({ from: bob, to: alice.key, amount: 11n })).rejects.toMatchObject({
      code: 'balance',
      outcome: 'may have happened',
    })
    await expect(coins.transfer({ from: carol, to: alice.key, amount: 1n })).rejects.toBeInstanceOf(LedgerRefused)
    for (const amount of [0n, -1n, 2n ** 63n, 5 as never]) {
      await expect(coins.transfer({ from: alice, to: bob.key, amount })).rejects.toBeInstanceOf(SettingsError)
    }
    await expect(coins.transfer({ from: alice, to: '00'.repeat(32), amount: 1n })).rejects.toThrow('small order')
    await expect(coins.transfer({ from: alice, to: bob.key, amount: 1n, memo: 'x'.repeat(257) })).rejects.toThrow(
      '256 bytes',
    )
    const cancelled = { signal: AbortSignal.abort(new Error('mine')) }
    const before = coins.transfer({ from: alice, to: bob.key, amount: 1n }, cancelled)
    await expect(before).rejects.toBeInstanceOf(LedgerUnanswered)
    await expect(before).rejects.toMatchObject({ outcome: 'did not happen', cause: { message: 'mine' } })
    await expect(coins.balance(alice.key, cancelled)).rejects.toMatchObject({ cause: { message: 'mine' } })
    await expect(coins.transfer({ from: alice, to: bob.key, amount: 1n, until: 0 })).rejects.toMatchObject({
      code: 'until',
      outcome: 'did not happen',
    })
  })

  it('is audited, followed, and consistent with what was held before', async () => {
    const coins = await make('open')
    for (let i = 0; i < 5; i++) await coins.transfer({ from: alice, to: bob.key, amount: 1n })
    const held = await coins.checkpoint()
    expect(held.size).toBe(5)
    const leaves: Uint8Array[] = []
    for await (const entry of coins.log()) leaves.push(entry.leaf)
    expect(leaves.length).toBe(5)
    expect((await coins.audit()).size).toBe(5)
    await coins.transfer({ from: alice, to: bob.key, amount: 1n })
    expect((await coins.consistency(held)).checkpoint.size).toBe(6)
    expect((await coins.audit({ seen: held })).size).toBe(6)
    await expect(auditLedger(leaves.slice(1), { descriptor: coins.descriptor, checkpoint: held })).rejects.toThrow(
      'leaf 0 is wrong',
    )
    expect(coins.note(held)).toContain(`coterie.ledger/${coins.id}\n5\n`)
    const stop = new AbortController()
    const seen: number[] = []
    const watching = (async () => {
      for await (const { index } of coins.watch({ from: 4, signal: stop.signal })) {
        seen.push(index)
        if (seen.length === 3) stop.abort()
      }
    })()
    await coins.transfer({ from: alice, to: bob.key, amount: 1n })
    await watching
    expect(seen).toEqual([4, 5, 6])
  })
})

describe('moving between ledgers', () => {
  async function pair(): Promise<[Ledger, Ledger]> {
    const [a, b] = [await make(`a${++pairs}`), await make(`b${pairs}`)]
    await a.link(b, { operators: [operator], cap: 500n })
    await b.link(a, { operators: [operator], cap: 500n })
    return [a, b]
  }
  let pairs = 0

  it('arrives once, and comes back', async () => {
    const [a, b] = await pair()
    const steps: string[] = []
    const moved = await move({
      out: a,
      into: b,
      from: alice,
      to: carol.key,
      amount: 100n,
      progress: ({ step }) => steps.push(step),
    })
    expect(steps).toEqual(['signed', 'burned', 'minted'])
    expect((await b.account(carol.key)).balances.get(a.id)).toBe(100n)
    await expect(moved.refund()).rejects.toThrow('the burn was minted')
    await expect(b.mint(moved.burn)).resolves.toMatchObject({ index: moved.mint!.index })
    await move({ out: b, into: a, from: carol, to: alice.key, amount: 40n, asset: a.id })
    expect(await a.totals()).toMatchObject({ held: 950n, outstanding: 60n })
    expect(await b.linkTo(a)).toMatchObject({ held: 60n, cap: 500n, frozen: false })
  })

  it('what is refused for now says how it may still happen: a mint has no sequence', async () => {
    const [a, b] = await pair()
    const other = await make(`other${pairs}`)
    const burn = await a.burn({ from: alice, to: carol.key, amount: 600n, into: b })
    await expect(b.mint(burn)).rejects.toThrow('may mint it later: make the burn void')
    await expect(b.mint(burn)).rejects.not.toThrow('sequence')
    await expect(other.refund(burn)).rejects.toThrow('whoever shows the void may refund it later')
    await expect(a.transfer({ from: bob, to: alice.key, amount: 11n })).rejects.toThrow('while its sequence is free')
  })

  it('is resumed from its saved burn, as often as one likes', async () => {
    const [a, b] = await pair()
    let saved: Uint8Array | undefined
    const dies = (burn: Uint8Array) => {
      saved = burn
      throw new Error('the process ends here')
    }
    await expect(move({ out: a, into: b, from: alice, to: carol.key, amount: 7n, save: dies })).rejects.toThrow(
      'ends here',
    )
    const first = await resume(saved!, { out: a, into: b, from: alice })
    const second = await resume(saved!, { out: a, into: b, from: alice })
    expect(second.burn.index).toBe(first.burn.index)
    expect((await b.account(carol.key)).balances.get(a.id)).toBe(7n)
    // The account is not held by the move that died.
    await a.transfer({ from: alice, to: bob.key, amount: 1n })
  })

  it.each(['signed', 'burned', 'minted'] as const)('ended when it was %s, and resumed, it arrives once', async step => {
    const [a, b] = await pair()
    let saved: Uint8Array | undefined
    const save = (burn: Uint8Array) => {
      saved = burn
    }
    const progress = (one: { readonly step: string }) => {
      if (one.step === step) throw new Error('the process ends here')
    }
    const between = { out: a, into: b, from: alice }
    await expect(move({ ...between, to: carol.key, amount: 7n, save, progress })).rejects.toThrow('ends here')
    await resume(saved!, between)
    expect((await b.account(carol.key)).balances.get(a.id)).toBe(7n)
    expect((await a.balance(alice.key)).amount).toBe(993n)
  })

  it('beyond the cap it is in flight, and taken back', async () => {
    const [a, b] = await pair()
    const failed = await move({ out: a, into: b, from: alice, to: carol.key, amount: 501n }).catch(error => error)
    expect(failed).toBeInstanceOf(MoveInFlight)
    expect(failed.message).toMatch(/^in flight: burn \d+\. .*the cap is 500/)
    await refundMove(failed.burn, { out: a, into: b, from: alice })
    expect((await a.balance(alice.key)).amount).toBe(1_000n)
    await expect(b.mint(failed.burn)).rejects.toMatchObject({ code: 'spent' })
  })

  it('not without a link', async () => {
    const [a, b] = [await make('lonely'), await make('far')]
    await expect(a.burn({ from: alice, to: bob.key, amount: 1n, into: b })).rejects.toMatchObject({ code: 'no link' })
    await expect(a.link(a, { operators: [operator], cap: 1n })).rejects.toThrow('itself')
    await expect(a.link(b, { operators: [alice], cap: 1n })).rejects.toThrow('no operator')
  })

  it('two registers of one ledger: moved in one leaf', async () => {
    const both = await group.createLedger('both', {
      registers: ['a', 'b'],
      balances: { a: { [alice.key]: 50n }, b: { [bob.key]: 5n } },
    })
    await both.moveWithin({ from: alice, to: bob.key, amount: 20n, register: 'a' })
    const inB = await both.account(bob.key, { register: 'b' })
    expect(inB.amount).toBe(5n)
    expect(inB.balances.get(both.descriptor.registerIds[0]!)).toBe(20n)
    expect(await both.totals({ register: 'a' })).toMatchObject({ held: 30n, outstanding: 20n })
    const burn = await both.burn({
      from: alice,
      to: bob.key,
      amount: 3n,
      register: 'a',
      into: both.descriptor.registerIds[1]!,
    })
    await both.void(burn.index, alice, { register: 'b' })
    await expect(both.mint(burn.index, { register: 'b' })).rejects.toMatchObject({ code: 'spent' })
    await both.refund(burn.index, { register: 'a' })
    expect((await both.balance(alice.key, { register: 'a' })).amount).toBe(30n)
  })
})

describe('too small a group', () => {
  it('says how many servers a ledger takes', async () => {
    const small = await embedded({ servers: 3 })
    await expect(small.createLedger('coins', { balances: {} })).rejects.toThrow(
      'a ledger takes 4 with liars: 0 and crashes: 1',
    )
    await small.close()
  })
})
