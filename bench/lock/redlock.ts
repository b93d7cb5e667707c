// redlock on five Redis servers with Debian's defaults: snapshots now and then, no append-only file.

import { missing } from '../../lab/debian.ts'
import { freePorts, listens, makeFolder, start, stop, untilReady } from '../support/processes.ts'
import type { Cluster, LockClient, LockService } from './service.ts'

const SERVERS = 5

export const redlockService: LockService = {
  name: 'redlock',
  ours: false,
  mayLoseOne: true,
  missing: () => missing('redis-server', 'redis-server'),
  start: startRedis,
}

async function startRedis(): Promise<Cluster> {
  const base = await freePorts(SERVERS)
  const ports = Array.from({ length: SERVERS }, (_, place) => base + place)
  const servers = await Promise.all(
    ports.map(async port => {
      const folder = await makeFolder('redis')
      return start('redis-server', ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder])
    }),
  )
  await Promise.all(servers.map((server, place) => untilReady('redis', server, () => listens(ports[place]!))))
  return {
    address: { kind: 'redlock', ports },
    pids: () => servers.map(({ pid }) => pid),
    killOne: () => stop(servers[0]!, 'SIGKILL'),
    stop: async () => {
      await Promise.all(servers.map(server => stop(server)))
    },
  }
}

export async function redlockClient(ports: readonly number[], leaseMs: number): Promise<LockClient> {
  const { Redis } = await import('ioredis')
  const { default: Redlock } = await import('redlock')
  // A server that is gone answers with an error at once: otherwise redlock waits for it with every call.
  const options = { enableOfflineQueue: false, maxRetriesPerRequest: 0, lazyConnect: true }
  const servers = ports.map(port => new Redis(port, '127.0.0.1', options))
  for (const server of servers) server.on('error', () => {})
  await Promise.all(servers.map(server => server.connect()))
  // Its own defaults for delay and jitter; as many tries as it takes.
  // Its types are of an older ioredis; the calls are the same.
  const redlock = new Redlock(servers as unknown as ConstructorParameters<typeof Redlock>[0], { retryCount: -1 })
  redlock.on('clientError', () => {})
  return {
    async lock(name) {
      const lock = await redlock.lock(name, leaseMs)
      // A server that is gone fails the release; the lock is free on the others.
      return { release: () => Promise.resolve(lock.unlock()).catch(() => {}) }
    },
    close: async () => {
      for (const server of servers) server.disconnect()
    },
  }
}
