// A receipt made in Node is checked in a browser tab, alone, and a whole log with it (issue: ledgers).

import { fileURLToPath } from 'node:url'
import { embedded, encodeDescriptor, encodeReceipt, newAccount } from 'coterie'
import { describe, expect, it } from 'vitest'
import { hasBrowser, withPage } from '../support/browser.ts'
import type { check, Shown } from './ledger-entry.ts'

const ENTRY = fileURLToPath(new URL('./ledger-entry.ts', import.meta.url))

describe.skipIf(!hasBrowser)('a ledger in Chromium', () => {
  it('a receipt and a log hold, and with a bit turned they do not', async () => {
    await using group = await embedded({ servers: 4 })
    const [alice, bob] = [newAccount(), newAccount()]
    const coins = await group.createLedger('coins', { balances: { [alice.key]: 100n } })
    await coins.transfer({ from: alice, to: bob.key, amount: 1n })
    const receipt = await coins.transfer({ from: alice, to: bob.key, amount: 2n })
    const leaves: number[][] = []
    for await (const { leaf } of coins.log()) leaves.push([...leaf])
    const shown: Shown = {
      receipt: [...encodeReceipt(receipt)],
      descriptor: [...encodeDescriptor(coins.descriptor)],
      leaves,
    }
    const turned: Shown = { ...shown, receipt: shown.receipt.map((byte, at) => (at === 60 ? byte ^ 1 : byte)) }
    const missing: Shown = { ...shown, leaves: leaves.slice(1) }
    const said = await withPage(ENTRY, page =>
      page.evaluate(
        async all => {
          const { module } = globalThis as unknown as { module: { check: typeof check } }
          const answers: string[] = []
          for (const one of all) answers.push(await module.check(one))
          return answers
        },
        [shown, turned, missing],
      ),
    )
    expect(said[0]).toBe('transfer 2')
    expect(said[1]).toContain('does not hold')
    expect(said[2]).toContain('leaf 0 is wrong')
  })
})
