// A group of real server processes, clients behind wires that fail, and the judgement of what the clients recorded.

import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { nodeText } from '../../src/runtime/config/template.ts'
import { initGroup, type NewGroup } from '../../src/runtime/setup/group.ts'
import { readHistory, type Value } from '../../src/simulator/index.ts'
import { problemsOf, type SharedCall, type SharedHistory } from './history.ts'
import { freePorts, type Running, root, run, serve, waitFor } from './processes.ts'
import { FaultyWire } from './proxy.ts'

export interface ObjectsShape {
  readonly servers: number
  readonly liars: number
  readonly crashes: number
  /** The last server lies. */
  readonly lying?: boolean
  /** How; default: in all ways that there are. */
  readonly lies?: readonly string[]
}

const ATTEMPT_MAX = 2_000
const SIDES = ['left', 'right']
export const millis = () => Number(process.hrtime.bigint() / 1000n) / 1000

export class ObjectsGroup {
  readonly group: NewGroup
  readonly dir: string
  readonly servers = new Map<number, Running>()
  readonly wires = new Map<string, readonly FaultyWire[]>()
  readonly sharers = new Set<Running>()
  private readonly shape: ObjectsShape
  private started = 0

  private constructor(dir: string, group: NewGroup, shape: ObjectsShape) {
    this.dir = dir
    this.group = group
    this.shape = shape
  }

  static async start(shape: ObjectsShape): Promise<ObjectsGroup> {
    const dir = await mkdtemp(join(tmpdir(), 'coterie-objects-'))
    const { servers, liars, crashes } = shape
    const basePort = await freePorts(servers)
    const clients = [...SIDES, 'admin']
    const settings = { servers, liars, crashes, basePort, clients, ttlMax: 1_500, attemptMax: ATTEMPT_MAX }
    const made = await initGroup({ dir: join(dir, 'group'), ...settings })
    const whole = new ObjectsGroup(dir, made, shape)
    await Promise.all(Array.from({ length: servers }, (_, place) => whole.startServer(place)))
    for (const side of SIDES) whole.wires.set(side, await whole.openWires(side))
    return whole
  }

  /** Of a client with no wires in between. */
  get admin(): string {
    return join(this.dir, 'group', 'clients', 'admin')
  }

  get allWires(): FaultyWire[] {
    return [...this.wires.values()].flat()
  }

  /** Places of the servers that do not lie. */
  get honest(): number[] {
    const { servers, lying } = this.shape
    return Array.from({ length: lying ? servers - 1 : servers }, (_, place) => place)
  }

  async startServer(place: number, options: readonly string[] = []): Promise<void> {
    const folder = this.group.serverFolders[place]!
    const lies = this.shape.lying === true && place === this.shape.servers - 1
    this.servers.set(place, lies ? await this.startLiar(folder) : await serve(folder, options))
  }

  /** As by a power cut of its machine, but for the disk. */
  async killServer(place: number): Promise<void> {
    const server = this.servers.get(place)!
    server.child.kill('SIGKILL')
    await server.ended
  }

  async startSharer(side: string): Promise<Running> {
    const file = join(this.dir, `history-${++this.started}.jsonl`)
    await writeFile(file, '')
    const script = join(root, 'test/e2e/sharer.mjs')
    const config = join(this.dir, 'group', 'clients', side)
    const sharer = run(process.execPath, [script, config, file])
    this.sharers.add(sharer)
    await waitFor('a sharer starts', () => {
      if (sharer.child.exitCode !== null) throw new Error(`a sharer ended: ${sharer.errors()}`)
      return sharer.output().includes('started')
    })
    return sharer
  }

  heal(): void {
    for (const wire of this.allWires) wire.heal()
  }

  async history(): Promise<readonly SharedHistory[]> {
    const files = (await readdir(this.dir)).filter(name => name.startsWith('history-'))
    const texts = await Promise.all(files.map(name => readFile(join(this.dir, name), 'utf8')))
    const { operations, problems } = readHistory<SharedCall, Value | boolean>(texts)
    expect(problems).toEqual([])
    return operations
  }

  /** Ends the sharers that live, and returns the lies that they were told. */
  async finishSharers(): Promise<{ server: string; what: string }[]> {
    const living = [...this.sharers].filter(({ child }) => child.exitCode === null && child.signalCode === null)
    for (const { child } of living) child.kill('SIGTERM')
    const ends = await Promise.all(living.map(({ ended }) => ended))
    for (const sharer of living) expect(sharer.errors()).toBe('')
    expect(ends).toEqual(living.map(() => 0))
    return living.flatMap(sharer => JSON.parse(sharer.output().trim().split('\n').at(-1)!).lies)
  }

  async close(): Promise<void> {
    await Promise.all(this.allWires.map(wire => wire.close()))
    await rm(this.dir, { recursive: true, force: true })
  }

  /** The client's folder says that the servers are where the wires are. */
  private async openWires(side: string): Promise<readonly FaultyWire[]> {
    const { group } = this.group
    const wires = await Promise.all(group.servers.map(server => FaultyWire.open(server.port)))
    const behind = group.servers.map((server, place) => ({ ...server, port: wires[place]!.port }))
    const text = nodeText('client', side, { ...group, servers: behind })
    await writeFile(join(this.dir, 'group', 'clients', side, 'coterie.toml'), text)
    return wires
  }

  private async startLiar(folder: string): Promise<Running> {
    const liar = run(process.execPath, [join(root, 'test/e2e/liar.mjs'), folder, ...(this.shape.lies ?? [])])
    await waitFor('the liar listens', () => {
      if (liar.child.exitCode !== null) throw new Error(`the liar ended: ${liar.errors()}`)
      return liar.output().includes('listening')
    })
    return liar
  }
}

/** Linearizable, with nothing acknowledged lost and everything applied once; `sum` is what the counter says at last. */
export function judge(history: readonly SharedHistory[], sum: number): void {
  expect(problemsOf(history, sum)).toEqual([])
}

/** Waits until every sharer that lives has had an answer that it asked for after now. */
export async function expectProgress(whole: ObjectsGroup): Promise<void> {
  const since = millis()
  const living = [...whole.sharers].filter(({ child }) => child.exitCode === null && child.signalCode === null)
  await waitFor('everybody is answered after healing', async () => {
    const history = await whole.history()
    const served = new Set(
      history.filter(one => one.calledAt > since && one.outcome.kind === 'returned').map(one => one.client),
    )
    return living.every(({ child }) => served.has(`sharer-${child.pid}`))
  })
  await sleep(500)
}
