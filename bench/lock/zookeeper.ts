// ZooKeeper, three servers with their defaults (every write synced). The lock is its documented recipe: an ephemeral
// sequential node, and a watch on the one before.

import { randomUUID } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import type { Client } from 'node-zookeeper-client'
import { missing } from '../../lab/debian.ts'
import { freePorts, makeFolder, type Running, start, stop, until, untilReady } from '../support/processes.ts'
import type { Cluster, Holding, LockClient, LockService } from './service.ts'

const SERVERS = 3
const CLASSES = '/usr/share/java/zookeeper.jar'
const MAIN = 'org.apache.zookeeper.server.quorum.QuorumPeerMain'

export const zookeeperService: LockService = {
  name: 'zookeeper',
  ours: false,
  mayLoseOne: true,
  missing: () =>
    missing('java', 'default-jre-headless') ?? missing('/usr/share/zookeeper/bin/zkServer.sh', 'zookeeper'),
  start: startZookeeper,
}

async function startZookeeper(): Promise<Cluster> {
  const base = await freePorts(3 * SERVERS)
  const ports = Array.from({ length: SERVERS }, (_, place) => base + place)
  const members = ports.map((port, place) => `server.${place + 1}=127.0.0.1:${port + SERVERS}:${port + 2 * SERVERS}`)
  const servers = await Promise.all(ports.map((port, place) => startOne(place + 1, port, members)))
  await Promise.all(
    servers.map((server, place) => untilReady('zookeeper', server, async () => (await modeOf(ports[place]!)) !== '')),
  )
  return {
    address: { kind: 'zookeeper', ports },
    pids: () => servers.map(({ pid }) => pid),
    killOne: () => killLeader(servers, ports),
    stop: async () => {
      await Promise.all(servers.map(server => stop(server)))
    },
  }
}

async function startOne(id: number, port: number, members: readonly string[]): Promise<Running> {
  const folder = await makeFolder('zookeeper')
  const data = join(folder, 'data')
  await mkdir(data)
  await writeFile(join(data, 'myid'), `${id}\n`)
  const settings = ['tickTime=2000', 'initLimit=10', 'syncLimit=5', `dataDir=${data}`, `clientPort=${port}`]
  const local = ['clientPortAddress=127.0.0.1', 'admin.enableServer=false']
  const file = join(folder, 'zoo.cfg')
  await writeFile(file, `${[...settings, ...local, ...members].join('\n')}\n`)
  return start('java', ['-cp', CLASSES, MAIN, file])
}

/** leader, follower, or '' while it serves nobody. */
function modeOf(port: number): Promise<string> {
  return new Promise(resolve => {
    let said = ''
    const socket = connect(port, '127.0.0.1', () => socket.write('srvr'))
    socket.on('data', data => {
      said += data
    })
    socket.on('error', () => resolve(''))
    socket.on('close', () => resolve(/Mode: (\w+)/.exec(said)?.[1] ?? ''))
  })
}

async function killLeader(servers: readonly Running[], ports: readonly number[]): Promise<void> {
  let leader = -1
  await until('zookeeper has a leader', async () => {
    leader = (await Promise.all(ports.map(modeOf))).indexOf('leader')
    return leader >= 0
  })
  await stop(servers[leader]!, 'SIGKILL')
}

interface Who {
  readonly name: string
  readonly mode: number
  /** Rooms in which a node of a failed try may stand. */
  readonly leftBehind: Set<string>
}

export async function zookeeperClient(ports: readonly number[], leaseMs: number): Promise<LockClient> {
  const { default: library } = await import('node-zookeeper-client')
  const client = library.createClient(ports.map(port => `127.0.0.1:${port}`).join(','), { sessionTimeout: leaseMs })
  await new Promise<void>(resolve => {
    client.once('connected', resolve)
    client.connect()
  })
  const { PERSISTENT, EPHEMERAL_SEQUENTIAL } = library.CreateMode
  const rooms = new Map<string, Promise<string>>()
  const room = (name: string) => {
    const made = rooms.get(name) ?? create(client, `/${name}`, PERSISTENT).catch(() => `/${name}`)
    rooms.set(name, made)
    return made
  }
  const who = { name: `${randomUUID()}-`, mode: EPHEMERAL_SEQUENTIAL, leftBehind: new Set<string>() }
  return {
    lock: async name => acquire(client, await room(name), who),
    close: async () => client.close(),
  }
}

// A node whose creation was answered by nobody may be there all the same, and would be waited for without end. Hence
// the client's own name in it, as the recipe advises: after an error, what it left behind is removed first.
async function acquire(client: Client, room: string, who: Who): Promise<Holding> {
  if (who.leftBehind.has(room)) {
    const left = (await children(client, room)).filter(node => node.startsWith(who.name))
    for (const node of left) await remove(client, `${room}/${node}`)
    who.leftBehind.delete(room)
  }
  try {
    const mine = await create(client, `${room}/${who.name}`, who.mode)
    await waitForTurn(client, room, mine.slice(room.length + 1))
    return { release: () => remove(client, mine).catch(() => void who.leftBehind.add(room)) }
  } catch (error) {
    who.leftBehind.add(room)
    throw error
  }
}

async function waitForTurn(client: Client, room: string, mine: string): Promise<void> {
  for (;;) {
    const line = (await children(client, room)).sort((a, b) => ticket(a) - ticket(b))
    const place = line.indexOf(mine)
    if (place < 0) throw new Error('the session is over')
    if (place === 0) return
    await gone(client, `${room}/${line[place - 1]}`)
  }
}

/** The ten digits that ZooKeeper appends. */
function ticket(node: string): number {
  return Number(node.slice(-10))
}

function create(client: Client, path: string, mode: number): Promise<string> {
  return new Promise((resolve, reject) => {
    client.create(path, null, mode, (error, made) => (error ? reject(error) : resolve(made)))
  })
}

function children(client: Client, path: string): Promise<string[]> {
  return new Promise((resolve, reject) => {
    client.getChildren(path, (error, found) => (error ? reject(error) : resolve(found)))
  })
}

function remove(client: Client, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    client.remove(path, error => (error ? reject(error) : resolve()))
  })
}

/** Resolves when the node is not there, at once or as soon as it is removed. */
function gone(client: Client, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    client.exists(
      path,
      () => resolve(),
      (error, stat) => {
        if (error) reject(error)
        else if (!stat) resolve()
      },
    )
  })
}
