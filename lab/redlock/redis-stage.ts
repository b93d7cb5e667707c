// redlock, as its package is, on four real Redis servers and one that lies.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Lock } from 'redlock'
import type { Believer, Stage } from './believers.ts'
import { type Gate, openGate } from './gate.ts'
import { startLyingRedis } from './lying-redis.ts'

const HONEST = 4
const NAME = 'one-liar'
/** An answer later than this is none: otherwise redlock waits for a server behind a partition without end. */
const ANSWER_MAX_MS = 200
const START_MAX_MS = 10_000
const PAUSE_MS = 50

export async function redisStage(ttl: number): Promise<Stage> {
  const libraries = { ioredis: await import('ioredis'), redlock: (await import('redlock')).default }
  const folder = await mkdtemp(join(tmpdir(), 'coterie-lab-'))
  const servers = await Promise.all(Array.from({ length: HONEST }, () => startRedis(folder)))
  const liar = await startLyingRedis()
  const ports = [...servers.map(server => server.port), liar.port]
  const users: RedlockUser[] = []
  const gates: Gate[][] = []
  for (let i = 0; i < 2; i++) {
    const own = await Promise.all(ports.map(openGate))
    gates.push(own)
    users.push(await RedlockUser.open(libraries, own, ttl))
  }
  return {
    believers: users,
    want() {
      const [first, second] = users
      first!.want()
      // Both at once would each get two honest servers now and then, and with the lie a majority, without a partition.
      const beginning = setInterval(() => {
        if (!first!.holds()) return
        clearInterval(beginning)
        second!.want()
      }, PAUSE_MS)
      beginning.unref()
    },
    part() {
      for (const gate of gates[0]!.slice(HONEST / 2, HONEST)) gate.shut()
      for (const gate of gates[1]!.slice(0, HONEST / 2)) gate.shut()
    },
    async stop() {
      await Promise.all(users.map(user => user.stop()))
      await Promise.all(gates.flat().map(gate => gate.close()))
      await liar.close()
      await Promise.all(servers.map(server => server.stop()))
      await rm(folder, { recursive: true, force: true })
    },
  }
}

interface Libraries {
  readonly ioredis: Pick<typeof import('ioredis'), 'Redis'>
  readonly redlock: typeof import('redlock')
}

class RedlockUser implements Believer {
  private readonly servers: import('ioredis').Redis[]
  private readonly redlock: import('redlock')
  private readonly ttl: number
  private lock: Lock | undefined
  private stopped = false
  private wanting: Promise<void> | undefined

  static async open(libraries: Libraries, gates: readonly Gate[], ttl: number): Promise<RedlockUser> {
    const user = new RedlockUser(libraries, gates, ttl)
    await Promise.all(user.servers.map(server => server.connect()))
    return user
  }

  private constructor(libraries: Libraries, gates: readonly Gate[], ttl: number) {
    const options = {
      commandTimeout: ANSWER_MAX_MS,
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      lazyConnect: true,
    }
    this.servers = gates.map(gate => new libraries.ioredis.Redis(gate.port, '127.0.0.1', options))
    for (const server of this.servers) server.on('error', () => {})
    // Its types are of an older ioredis; the calls are the same.
    const clients = this.servers as unknown as ConstructorParameters<typeof import('redlock')>[0]
    this.redlock = new libraries.redlock(clients)
    this.redlock.on('clientError', () => {})
    this.ttl = ttl
  }

  holds(): boolean {
    return this.lock !== undefined && this.lock.expiration > Date.now()
  }

  want(): void {
    this.wanting = this.loop()
  }

  async stop(): Promise<void> {
    this.stopped = true
    await this.wanting
    for (const server of this.servers) server.disconnect()
  }

  // Takes the lock, and extends it as its documentation advises.
  private async loop(): Promise<void> {
    while (!this.stopped) {
      try {
        this.lock = this.holds() ? await this.lock!.extend(this.ttl) : await this.redlock.lock(NAME, this.ttl)
        await sleep(this.ttl / 3)
      } catch {
        if (!this.holds()) this.lock = undefined
        await sleep(PAUSE_MS)
      }
    }
  }
}

async function startRedis(folder: string): Promise<{ port: number; stop(): Promise<void> }> {
  const port = await freePort()
  const settings = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', '']
  const child = spawn('redis-server', settings, { stdio: 'ignore' })
  // Also when this process ends in a way that nobody planned.
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  const stop = async () => {
    process.off('exit', kill)
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    kill()
    await ended
  }
  await untilListening(child, port)
  return { port, stop }
}

async function untilListening(child: ChildProcess, port: number): Promise<void> {
  const end = performance.now() + START_MAX_MS
  while (!(await listens(port))) {
    if (child.exitCode !== null) throw new Error(`redis-server ended with code ${child.exitCode}`)
    if (performance.now() > end) throw new Error(`redis-server does not listen after ${START_MAX_MS} ms`)
    await sleep(PAUSE_MS)
  }
}

function listens(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect(port, '127.0.0.1')
    const done = (answer: boolean) => {
      socket.destroy()
      resolve(answer)
    }
    socket.once('connect', () => done(true))
    socket.once('error', () => done(false))
  })
}

/** Free at the moment; a server that finds it taken ends, and says so. */
async function freePort(): Promise<number> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
