// A ledger kept by real processes over mutual TLS (protocols/ledger): servers are killed in the middle, one loses its store
// and rejoins, and everything that was promised is there.

import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, newAccount, verifyReceipt } from 'coterie'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { initGroup, type NewGroup } from '../../src/runtime/setup/group.ts'
import { endAll, freePorts, type Running, serve, waitFor } from '../support/processes.ts'

const SERVERS = 4
const TIMEOUT = { timeout: 60_000 }

describe('four servers as processes, one of which may be gone', () => {
  let dir: string
  let group: NewGroup
  const servers = new Map<string, Running>()
  const start = async (folder: string, ...options: string[]) => servers.set(folder, await serve(folder, options))
  const kill = async (folder: string) => {
    servers.get(folder)!.child.kill('SIGKILL')
    await servers.get(folder)!.ended
  }

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'coterie-ledger-'))
    const basePort = await freePorts(SERVERS)
    group = await initGroup({
      dir: join(dir, 'group'),
      servers: SERVERS,
      liars: 0,
      basePort,
      ttlMax: 2_000,
      clients: ['admin'],
    })
    await Promise.all(group.serverFolders.map(folder => start(folder)))
  }, 120_000)

  afterAll(async () => {
    await endAll()
    await rm(dir, { recursive: true, force: true })
  })

  it('pays while servers are killed, and one without its store votes again', async () => {
    const [alice, bob] = [newAccount(), newAccount()]
    await using client = await connect({ config: group.clientFolders[0]!, timeout: 60_000 })
    const coins = await client.createLedger('coins', { balances: { [alice.key]: 1_000n }, ...TIMEOUT })
    const pay = () => coins.transfer({ from: alice, to: bob.key, amount: 1n }, TIMEOUT)
    const receipts = [await pay(), await pay()]
    expect((await stat(join(group.serverFolders[0]!, 'voting.key'))).mode & 0o777).toBe(0o600)
    // The one that leads the first heights.
    const [, leader, third] = group.serverFolders as [string, string, string, string]
    await kill(leader)
    receipts.push(await pay())
    await start(leader)
    receipts.push(await pay())
    await kill(third)
    await rm(join(third, 'store'), { recursive: true, force: true })
    await start(third, '--rejoin')
    await waitFor(
      'the server without its store votes again',
      async () => {
        receipts.push(await pay())
        return servers.get(third)!.output().includes('are behind: voting again')
      },
      60_000,
    )
    // With another one gone its vote is needed.
    await kill(leader)
    receipts.push(await pay())
    for (const [index, receipt] of receipts.entries()) {
      expect(receipt.index).toBe(index)
      verifyReceipt(receipt, coins.descriptor)
    }
    expect((await coins.audit(TIMEOUT)).size).toBe(receipts.length)
    expect((await coins.balance(bob.key, TIMEOUT)).amount).toBe(BigInt(receipts.length))
  }, 240_000)
})
