// Ours: six servers over mutual TLS, one of which lies. Five are honest, so that one half of them is three.

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect } from '../../src/client/connect.ts'
import type { Group } from '../../src/client/group.ts'
import type { Lease } from '../../src/client/lease.ts'
import { NotAcquired } from '../../src/core/index.ts'
import { loadNodeConfig } from '../../src/runtime/config/config.ts'
import { silence } from '../../src/runtime/log.ts'
import { startServer } from '../../src/runtime/server.ts'
import { initGroup, type NewGroup } from '../../src/runtime/setup/group.ts'
import type { Believer, Stage } from './believers.ts'
import { type Gate, openGate } from './gate.ts'
import { startLyingServer } from './lying-server.ts'

const SERVERS = 6
const HONEST = 5
const NAME = 'one-liar'
const LOOK_MS = 20
/** Ports below those that systems draw for outgoing connections; the metrics are a hundred above. */
const FIRST_PORT = 23_000
const PORTS = 8_000
const TRIES = 20

export async function coterieStage(ttl: number): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), 'coterie-lab-'))
  const { made, stops } = await startGroup(folder)
  const gates: Gate[][] = []
  const users: CoterieUser[] = []
  for (const client of made.clientFolders) {
    const own = await Promise.all(made.group.servers.map(server => openGate(server.port)))
    gates.push(own)
    users.push(new CoterieUser(await connectThrough(client, made, own), ttl))
  }
  return {
    believers: users,
    want() {
      for (const user of users) user.want()
    },
    // The holder gets the smaller half: it must notice in time that the lock is gone, and the other must get in.
    part() {
      const holder = users[0]!.holds() ? 0 : 1
      for (const gate of gates[holder]!.slice(0, 3)) gate.shut()
      for (const gate of gates[1 - holder]!.slice(3, HONEST)) gate.shut()
    },
    async stop() {
      await Promise.all(users.map(user => user.stop()))
      for (const stop of stops) await stop()
      await Promise.all(gates.flat().map(gate => gate.close()))
      await rm(folder, { recursive: true, force: true })
    },
  }
}

interface StartedGroup {
  readonly made: NewGroup
  readonly stops: readonly (() => Promise<void>)[]
}

// Nobody can reserve a row of ports: where one is taken, another row is tried.
async function startGroup(folder: string): Promise<StartedGroup> {
  for (let tried = 1; ; tried++) {
    const stops: (() => Promise<void>)[] = []
    try {
      const basePort = FIRST_PORT + Math.floor(Math.random() * PORTS)
      const settings = { servers: SERVERS, liars: 1, crashes: 1, basePort, clients: ['first', 'second'] }
      const made = await initGroup({ dir: join(folder, `group-${tried}`), ...settings })
      for (const [place, server] of made.serverFolders.entries()) {
        stops.push(place < HONEST ? await startHonest(server) : (await startLyingServer(server)).stop)
      }
      return { made, stops }
    } catch (error) {
      for (const stop of stops) await stop()
      if (tried === TRIES) throw error
    }
  }
}

async function startHonest(folder: string): Promise<() => Promise<void>> {
  const config = await loadNodeConfig(folder)
  if (config.role !== 'server') throw new Error(`${folder} is not a server's`)
  const server = await startServer({
    config,
    log: silence,
    failed: error => {
      throw error
    },
  })
  return () => server.stop()
}

/** A client whose config names its gates instead of the servers. */
async function connectThrough(folder: string, { group }: NewGroup, gates: readonly Gate[]): Promise<Group> {
  const file = join(folder, 'coterie.toml')
  let text = await readFile(file, 'utf8')
  for (const [place, { port }] of group.servers.entries()) {
    text = text.replace(`port = ${port}\n`, `port = ${gates[place]!.port}\n`)
  }
  await writeFile(file, text)
  return connect({ config: folder })
}

class CoterieUser implements Believer {
  private readonly group: Group
  private readonly ttl: number
  private lease: Lease | undefined
  private readonly stopped = new AbortController()
  private wanting: Promise<void> | undefined

  constructor(group: Group, ttl: number) {
    this.group = group
    this.ttl = ttl
  }

  holds(): boolean {
    return this.lease?.held() === true
  }

  want(): void {
    this.wanting = this.loop()
  }

  async stop(): Promise<void> {
    this.stopped.abort()
    await this.wanting
    await this.group.close()
  }

  private async loop(): Promise<void> {
    const { signal } = this.stopped
    while (!signal.aborted) {
      try {
        this.lease = await this.group.lock(NAME, { ttl: this.ttl, signal })
        while (this.lease.held() && !signal.aborted) await sleep(LOOK_MS)
      } catch (error) {
        if (!(error instanceof NotAcquired)) throw error
      }
    }
  }
}
