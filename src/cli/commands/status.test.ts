// What a user is told when servers do not answer.

import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it, vi } from 'vitest'
import { runCommand } from '../../../test/support/command.ts'
import { freePorts } from '../../../test/support/processes.ts'
import { connect } from '../../client/connect.ts'
import { Refused, SettingsError } from '../../core/index.ts'
import { issueCertificate, validFor } from '../../runtime/certificates/authority.ts'
import { loadNodeConfig, type ServerConfig } from '../../runtime/config/config.ts'
import { silence } from '../../runtime/log.ts'
import { startServer } from '../../runtime/server.ts'
import { initGroup, readAuthority } from '../../runtime/setup/group.ts'
import { lockCommand } from './lock.ts'
import { statusCommand } from './status.ts'

const folder = await mkdtemp(join(tmpdir(), 'coterie-status-'))
const group = await initGroup({ dir: join(folder, 'shop'), liars: 0, basePort: await freePorts(3) })
const admin = group.clientFolders[0]!
afterAll(() => rm(folder, { recursive: true, force: true }))

const expired = { validity: validFor(30, new Date('2020-01-01')) }
const failed = (error: Error) => {
  throw error
}

async function loadServer(place: number): Promise<ServerConfig> {
  return (await loadNodeConfig(group.serverFolders[place]!)) as ServerConfig
}

it('status says of each server why it does not answer', async () => {
  const [first, second, third] = await Promise.all([0, 1, 2].map(loadServer))
  const old = await issueCertificate(await readAuthority(group.dir), second!.identity, expired)
  const running = await startServer({ config: { ...second!, ...old }, log: silence, failed })
  // Takes connections, and says nothing.
  const mute = createServer(socket => socket.on('error', () => {})).listen(third!.address.port, '127.0.0.1')
  const seen = await runCommand([statusCommand()], ['status', '--config', admin])
  mute.close()
  await running.stop()
  expect(seen.code).toBe(1)
  expect(seen.out).toContain(`server-1  does not answer: ECONNREFUSED (127.0.0.1:${first!.address.port})`)
  expect(seen.out).toContain(`server-2  does not answer: certificate refused: CERT_HAS_EXPIRED (127.0.0.1:`)
  expect(seen.out).toContain(`server-3  does not answer: not connected yet (127.0.0.1:`)
})

it.each([
  ['--timeout', '300ms', 300],
  ['--timeout', '1m', 10_000],
  ['--try', '--timeout=0ms', 2_000],
])('lock %s %s connects within %i ms or not at all', async (option, value, limit) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const running = runCommand([lockCommand()], ['lock', 'invoices', '--config', admin, option, value, 'true'])
  const ended = running.finally(() => vi.useRealTimers())
  while (vi.isFakeTimers()) await vi.advanceTimersByTimeAsync(50)
  const seen = await ended
  expect(seen.code).toBe(69)
  expect(seen.err).toContain(`0 of 3 servers connected within ${limit} ms`)
})

it('connect waits for thirty days where that is its timeout, and no longer than its signal', async () => {
  const timeout = 30 * 24 * 3_600_000
  const cancelled = /connecting was cancelled/
  await expect(connect({ config: admin, timeout, signal: AbortSignal.timeout(200) })).rejects.toThrow(cancelled)
  await expect(connect({ config: admin, timeout, signal: AbortSignal.abort() })).rejects.toThrow(cancelled)
  await expect(connect({ config: admin, timeout: -1 })).rejects.toBeInstanceOf(SettingsError)
})

it('a client with an expired certificate hears that, and not that nobody is there', async () => {
  const client = join(folder, 'late')
  await cp(admin, client, { recursive: true })
  const { identity } = await loadNodeConfig(admin)
  const old = await issueCertificate(await readAuthority(group.dir), identity, expired)
  await writeFile(join(client, 'client.crt'), old.certificate)
  await writeFile(join(client, 'client.key'), old.key)
  await expect(connect({ config: client })).rejects.toBeInstanceOf(Refused)
  for (const line of [['status'], ['lock', 'invoices', 'true']]) {
    const seen = await runCommand([statusCommand(), lockCommand()], [...line, '--config', client])
    expect(seen).toMatchObject({ code: line[0] === 'lock' ? 69 : 1, out: '' })
    expect(seen.err).toMatch(/client\.crt expired on 2020-01-31\. .*coterie renew DIR/)
  }
})
