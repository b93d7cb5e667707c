// A real PostgreSQL server for tests: Debian's package, a cluster of its own in a temporary folder, on a free port.

import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chown, mkdtemp, readdir, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const execute = promisify(execFile)
const VERSIONS = '/usr/lib/postgresql'
const START_MS_MAX = 60_000
const INSTALL_MS_MAX = 300_000

export interface Postgres {
  /** The environment that clients read: PGHOST, PGPORT, PGUSER, PGDATABASE. */
  readonly environment: Record<string, string>
  readonly config: { readonly host: string; readonly port: number; readonly user: string; readonly database: string }
  stop(): Promise<void>
}

/** The folder of the server's programs, or why there is none. */
export async function findPostgres(): Promise<{ programs: string } | { missing: string }> {
  const found = await programs()
  if (found !== undefined) return { programs: found }
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) {
    return { missing: 'no PostgreSQL server is installed (apt-get install postgresql)' }
  }
  try {
    const options = { timeout: INSTALL_MS_MAX, env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } }
    await execute('apt-get', ['update', '-qq'], options)
    await execute('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'postgresql'], options)
  } catch (error) {
    return { missing: `PostgreSQL could not be installed: ${String(error).split('\n')[0]}` }
  }
  const installed = await programs()
  return installed === undefined ? { missing: `nothing in ${VERSIONS} after installing it` } : { programs: installed }
}

async function programs(): Promise<string | undefined> {
  const versions = await readdir(VERSIONS).catch((): string[] => [])
  const newest = versions.map(Number).sort((a, b) => b - a)
  return newest.map(version => join(VERSIONS, String(version), 'bin')).find(bin => existsSync(join(bin, 'initdb')))
}

/** The server refuses to run as root; Debian's package brings a user for it. */
async function serverUser(): Promise<{ uid: number; gid: number } | undefined> {
  if (process.getuid?.() !== 0) return undefined
  const number = async (flag: string) => Number((await execute('id', [flag, 'postgres'])).stdout)
  return { uid: await number('-u'), gid: await number('-g') }
}

export async function startPostgres(bin: string): Promise<Postgres> {
  const folder = await mkdtemp(join(tmpdir(), 'coterie-postgres-'))
  const user = await serverUser()
  if (user) await chown(folder, user.uid, user.gid)
  const data = join(folder, 'data')
  const options = { cwd: folder, ...user }
  const first = ['-D', data, '-U', 'postgres', '-A', 'trust', '--no-sync', '-E', 'UTF8', '--locale=C.UTF-8']
  await execute(join(bin, 'initdb'), first, options)
  const port = await freePort()
  const settings = { listen_addresses: '127.0.0.1', port, unix_socket_directories: folder, max_connections: 40 }
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const server = spawn(join(bin, 'postgres'), ['-D', data, ...flags], options)
  await listening(server)
  const config = { host: '127.0.0.1', port, user: 'postgres', database: 'postgres' }
  return {
    config,
    environment: { PGHOST: config.host, PGPORT: String(port), PGUSER: config.user, PGDATABASE: config.database },
    async stop() {
      const ended = once(server, 'close')
      // Fast shutdown: open sessions are ended.
      if (server.exitCode === null && server.kill('SIGINT')) await ended
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function listening(server: ChildProcess): Promise<void> {
  let log = ''
  const ready = new Promise<void>((resolve, reject) => {
    server.stderr!.on('data', data => {
      log += data
      if (log.includes('ready to accept connections')) resolve()
    })
    server.once('close', () => reject(new Error(`PostgreSQL did not start: ${log}`)))
    setTimeout(() => reject(new Error(`PostgreSQL did not start in time: ${log}`)), START_MS_MAX).unref()
  })
  await ready.catch(error => {
    server.kill('SIGKILL')
    throw error
  })
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  await new Promise(resolve => server.close(resolve))
  return port
}
