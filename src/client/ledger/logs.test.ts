// A log is read to the end that more servers vouch for than can lie: one that shows less does not cut it.

import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { ledgerRules, NotProven } from '../../ledger/index.ts'
import { ideals } from '../../ledger/proof/actors.ts'
import { Stage } from '../../ledger/proof/stories.ts'
import { opensslSigner } from '../../runtime/certificates/signatures.ts'
import { ledgerCryptoOf } from '../../runtime/ledger.ts'
import type { LedgerCalls, Page } from './calls.ts'
import { entriesUpTo, leavesOf } from './logs.ts'

const LEAVES = 5
const signer = (name: string) => opensslSigner(new Uint8Array(createHash('sha256').update(name).digest()))
const voter = (server: string) => (salt: Uint8Array) => signer(`${server} ${String(salt)}`)
const stage = new Stage(ledgerRules, { ...ideals(), suite: ledgerCryptoOf(), signer, voter })
while (stage.a.leaves.length < LEAVES) stage.a.must(stage.pay(stage.a, 'alice', 1n))
const checkpoint = stage.a.certify()

/** Servers of which the first to be asked show nothing. */
function servers(behind: number): LedgerCalls {
  let asked = 0
  const page = async (_: unknown, from: number): Promise<Page> => {
    const leaves = asked++ < behind ? [] : stage.a.leaves.slice(from)
    return { kind: 'page', id: 1, from, frontier: [], leaves, checkpoint, server: 'server-1' }
  }
  return { page } as unknown as LedgerCalls
}

const read = async (behind: number) => {
  const found: Uint8Array[] = []
  const log = entriesUpTo(servers(behind), stage.a.descriptor, { from: 0, size: LEAVES }, {})
  for await (const leaf of leavesOf(log)) found.push(leaf)
  return found
}

describe('a log', () => {
  it('is whole, also where the first servers that are asked show nothing', async () => {
    expect(await read(0)).toEqual(stage.a.leaves)
    expect(await read(3)).toEqual(stage.a.leaves)
  })
  it('that nobody shows is no log that ended', async () => {
    await expect(read(1_000)).rejects.toBeInstanceOf(NotProven)
    await expect(read(1_000)).rejects.toThrow('has 5 leaves, and its servers show 0 of them')
  })
})
