// etcd, three servers with their defaults (every write synced). The lock is the recipe of etcd's own Go client: one
// lease a client, one transaction to get in line, a watch on the one before, one delete to leave. The `lock()` of the
// Node library takes a new lease for each lock and fails where the lock is held.

import type { Etcd3, Lease } from 'etcd3'
import { missing } from '../../lab/debian.ts'
import { freePorts, makeFolder, type Running, start, stop, until, untilReady } from '../support/processes.ts'
import type { Cluster, Holding, LockClient, LockService } from './service.ts'

const SERVERS = 3

export const etcdService: LockService = {
  name: 'etcd',
  ours: false,
  mayLoseOne: true,
  missing: () => missing('etcd', 'etcd-server'),
  start: startEtcd,
}

async function startEtcd(): Promise<Cluster> {
  const base = await freePorts(2 * SERVERS)
  const ports = Array.from({ length: SERVERS }, (_, place) => base + place)
  const cluster = ports.map((port, place) => `node${place}=http://127.0.0.1:${port + SERVERS}`).join(',')
  const servers = await Promise.all(ports.map((port, place) => startOne(`node${place}`, port, cluster)))
  await Promise.all(
    servers.map((server, place) =>
      untilReady('etcd', server, async () => (await statusOf(ports[place]!))?.leader !== undefined),
    ),
  )
  return {
    address: { kind: 'etcd', ports },
    pids: () => servers.map(({ pid }) => pid),
    killOne: () => killLeader(servers, ports),
    stop: async () => {
      await Promise.all(servers.map(server => stop(server)))
    },
  }
}

async function startOne(name: string, port: number, cluster: string): Promise<Running> {
  const client = `http://127.0.0.1:${port}`
  const peer = `http://127.0.0.1:${port + SERVERS}`
  const folder = await makeFolder('etcd')
  const flags = { 'listen-client-urls': client, 'advertise-client-urls': client, 'listen-peer-urls': peer }
  const all = { name, 'data-dir': folder, ...flags, 'initial-advertise-peer-urls': peer, 'initial-cluster': cluster }
  return start(
    'etcd',
    Object.entries(all).flatMap(([flag, value]) => [`--${flag}`, value]),
  )
}

interface Status {
  readonly header?: { readonly member_id?: string }
  readonly leader?: string
}

async function statusOf(port: number): Promise<Status | undefined> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/v3/maintenance/status`, { method: 'POST', body: '{}' })
    return (await response.json()) as Status
  } catch {
    return undefined
  }
}

async function killLeader(servers: readonly Running[], ports: readonly number[]): Promise<void> {
  let leader = -1
  await until('etcd has a leader', async () => {
    const all = await Promise.all(ports.map(statusOf))
    leader = all.findIndex(status => status?.leader !== undefined && status.leader === status.header?.member_id)
    return leader >= 0
  })
  await stop(servers[leader]!, 'SIGKILL')
}

export async function etcdClient(ports: readonly number[], leaseMs: number): Promise<LockClient> {
  const { Etcd3 } = await import('etcd3')
  const client = new Etcd3({ hosts: ports.map(port => `http://127.0.0.1:${port}`) })
  const lease = client.lease(Math.ceil(leaseMs / 1000))
  lease.on('lost', () => {})
  const id = await lease.grant()
  return {
    lock: name => acquire(client, lease, name, id),
    async close() {
      await lease.revoke()
      client.close()
    },
  }
}

async function acquire(client: Etcd3, lease: Lease, name: string, id: string): Promise<Holding> {
  const prefix = `${name}/`
  const key = prefix + id
  const first = client.getAll().prefix(prefix).sort('Create', 'Ascend').limit(1)
  const entered = await client.if(key, 'Create', '==', 0).then(lease.put(key).value(''), first).commit()
  const release = async () => {
    await client.delete().key(key)
  }
  const [, found] = entered.responses
  const owner = found?.response_range?.kvs[0]
  // Not entered: a try that was thought lost has left its key; the line stands as it is.
  if (!entered.succeeded || owner === undefined) {
    await release()
    return acquire(client, lease, name, id)
  }
  if (owner.key.toString() !== key) await waitForTurn(client, prefix, Number(entered.header.revision))
  return { release }
}

async function waitForTurn(client: Etcd3, prefix: string, mine: number): Promise<void> {
  for (;;) {
    const request = client
      .getAll()
      .prefix(prefix)
      .maxCreateRevision(mine - 1)
      .sort('Create', 'Descend')
      .limit(1)
    const { kvs, header } = await request.exec()
    const before = kvs[0]
    if (before === undefined) return
    const watcher = client.watch().key(before.key.toString()).startRevision(header.revision).watcher()
    await new Promise<void>(resolve => {
      watcher.on('delete', () => resolve())
      watcher.on('error', () => resolve())
    })
    void watcher.cancel().catch(() => {})
  }
}
