// Renewal behind a blocked main thread, with real processes (protocols/lock 7; issue: the lock).

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, type Group } from 'coterie'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { initGroup } from '../../src/runtime/setup/group.ts'
import { endAll, freePorts, type Running, root, run, serve, waitFor } from '../support/processes.ts'

const SERVERS = 3
const TTL = 2_000

describe('a holder whose main thread is blocked', () => {
  let dir: string
  let config: string
  let other: Group

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'coterie-keeper-'))
    const basePort = await freePorts(SERVERS)
    const group = await initGroup({ dir: join(dir, 'group'), servers: SERVERS, liars: 0, basePort, ttlMax: TTL })
    config = group.clientFolders[0]!
    await Promise.all(group.serverFolders.map(folder => serve(folder)))
    other = await connect({ config, blockedMax: 0 })
  })

  afterAll(async () => {
    await other?.close()
    await endAll()
    await rm(dir, { recursive: true, force: true })
  })

  const block = async (name: string, blockMs: number, blockedMax: number): Promise<Running> => {
    const args = [config, name, TTL, blockMs, blockedMax].map(String)
    const holder = run(process.execPath, [join(root, 'test/e2e/blocker.mjs'), ...args])
    await waitFor('it holds', () => {
      if (holder.child.exitCode !== null) throw new Error(holder.errors())
      return holder.output().includes('held')
    })
    return holder
  }
  const report = async (holder: Running) => {
    expect(await holder.ended, holder.errors()).toBe(0)
    return JSON.parse(holder.output().split('\n')[1]!)
  }
  const token = (holder: Running) => BigInt(/held (\d+)/.exec(holder.output())![1]!)

  it('for three times its lease keeps it, and finds it held', async () => {
    const holder = await block('kept', 3 * TTL, 60_000)
    // Released by the main thread, although the worker renewed it: or this would wait for longer.
    const next = await other.lock('kept', { timeout: 4 * TTL })
    const nextAt = Number(process.hrtime.bigint()) / 1e6
    const found = await report(holder)
    expect(found).toMatchObject({ held: true, heldLater: true, signalled: false })
    expect(nextAt, 'nobody else held it meanwhile').toBeGreaterThan(found.at)
    expect(next.token).toBeGreaterThan(token(holder))
  })

  it('for longer than blockedMax loses it, and knows at its first look', async () => {
    const holder = await block('lost', 3 * TTL, 1_000)
    const next = await other.lock('lost', { timeout: 3 * TTL })
    expect(next.token).toBeGreaterThan(token(holder))
    expect(await report(holder)).toMatchObject({ held: false, remaining: 0, heldLater: false, signalled: true })
  })

  it('and that is killed is followed when its lease is over: the worker dies with it', async () => {
    const holder = await block('killed', 60_000, 60_000)
    expect(await other.tryLock('killed')).toBeUndefined()
    holder.child.kill('SIGKILL')
    await holder.ended
    const next = await other.lock('killed', { timeout: 2 * TTL })
    expect(next.token).toBeGreaterThan(token(holder))
  })

  it('renews by itself where there is no worker', async () => {
    const lease = await other.lock('alone', { ttl: 500 })
    await new Promise(resolve => setTimeout(resolve, 1_500))
    expect(lease.held()).toBe(true)
    await lease.release()
  })
})
