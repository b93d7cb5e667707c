// Servers under siege: the last of them lies. Clients stand behind wires that fail.

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect, newAccount } from 'coterie'
import type { LyingPart } from '../../lab/lying-node.ts'
import { order } from '../../src/events/client/members.ts'
import type { ClientScene } from '../../src/events/client/state.ts'
import { nodeText } from '../../src/runtime/config/template.ts'
import { sha256 } from '../../src/runtime/hash.ts'
import { initGroup, type NewGroup } from '../../src/runtime/setup/group.ts'
import { freePorts } from '../support/processes.ts'
import { FaultyWire } from '../support/proxy.ts'
import { type EventLine, judgeEvents } from './events-journal.ts'
import { judgeLocks, judgeObjects } from './journals.ts'
import { finalLedger, judgeLedger } from './ledger-journal.ts'
import { Child, coterie, type Line, program } from './processes.ts'
import { LEDGER } from './programs/paying.ts'
import { CHANNEL } from './programs/publishing.ts'
import { type Fault, one, Stage } from './stage.ts'

export interface ServersShape {
  readonly name: string
  readonly servers: number
  readonly crashes: number
  readonly clients: number
  /** Objects, events and a ledger besides locks: it is large enough for them. */
  readonly all: boolean
}

export const SEVEN: ServersShape = { name: 'seven', servers: 7, crashes: 1, clients: 3, all: true }
export const FOUR: ServersShape = { name: 'four', servers: 4, crashes: 1, clients: 2, all: false }

const TTL_MAX_MS = 1_500
const ATTEMPT_MAX_MS = 2_000
const SIDES = ['left', 'right']
const ADMIN = 'admin'
const SUM_MS = 20_000
/** More than all clients pay in a day. */
const COINS = 1_000_000n

export class Servers extends Stage {
  readonly name: string
  readonly role = 'server'
  readonly kinds: number
  /** `status` keeps the last words of each accuser, and these are clients that say each thing once. */
  readonly saidEveryMs = Number.POSITIVE_INFINITY
  readonly liar: string
  readonly parts: readonly LyingPart[]
  private readonly shape: ServersShape
  private dir = ''
  private group: NewGroup | undefined
  private readonly servers = new Map<number, Child>()
  private clients: Child[] = []
  private readonly wires = new Map<string, readonly FaultyWire[]>()
  private admin: Awaited<ReturnType<typeof connect>> | undefined
  private readonly accusedOf = new Set<string>()
  /** Of each client's place. */
  private readonly accounts

  constructor(shape: ServersShape) {
    super()
    this.shape = shape
    this.name = shape.name
    this.liar = `server-${shape.servers}`
    this.parts = shape.all ? ['lock', 'ordering', 'events', 'ledger', 'lives', 'node'] : ['lock', 'node']
    this.kinds = shape.all ? 5 : 2
    this.accounts = Array.from({ length: shape.clients }, newAccount)
  }

  async start(): Promise<void> {
    this.dir = await mkdtemp(join(tmpdir(), `coterie-siege-${this.name}-`))
    const { servers, crashes } = this.shape
    const settings = { servers, crashes, liars: 1, clients: [...SIDES, ADMIN], basePort: await freePorts(servers) }
    const times = { ttlMax: TTL_MAX_MS, attemptMax: ATTEMPT_MAX_MS }
    this.group = await initGroup({ dir: join(this.dir, 'group'), ...settings, ...times })
    for (let place = 0; place < servers; place++) await this.startServer(place)
    for (const side of SIDES) this.wires.set(side, await this.openWires(side))
    this.admin = await connect({ config: this.folderOf(ADMIN), blockedMax: 0, timeout: 60_000 })
    if (this.shape.all) {
      for (const path of ['/c', '/d']) await this.admin.tree().create(path)
      const balances = Object.fromEntries(this.accounts.map(({ key }) => [key, COINS]))
      await this.admin.createLedger(LEDGER, { balances })
      const everywhere = this.group.group.servers.map(({ name }) => name)
      const name = nameAt(this.liar, everywhere, ADMIN)
      await this.admin.events<string>(CHANNEL).subscribe({}, { name, from: 'start' }, () => {}).ready
    }
    for (let count = 0; count < this.shape.clients; count++) await this.startClient(count)
  }

  /** About its life a server asks when it starts: one of them is killed, and starts while it is lied to. */
  override async prepare(part: LyingPart): Promise<void> {
    if (part !== 'lives') return
    const place = Math.floor(Math.random() * (this.shape.servers - 1))
    await this.servers.get(place)?.kill()
    await this.startServer(place)
    // It grants nothing until old leases are over, whatever the others say: that is no cost of the lie.
    await sleep(TTL_MAX_MS)
  }

  async ask(): Promise<void> {
    const status = await this.admin?.status().catch(() => undefined)
    for (const { server, what } of status?.accusations ?? []) this.newlyAccused(server, what)
    for (const { server, what } of status?.lies ?? []) this.newlyAccused(server, what)
  }

  get faults(): readonly Fault[] {
    const honest = () => one(Array.from({ length: this.shape.servers - 1 }, (_, place) => place))
    return [
      {
        name: 'kill -9 a server',
        harm: async () => {
          const place = honest()
          await this.servers.get(place)?.kill()
          return () => this.startServer(place)
        },
      },
      { name: 'SIGSTOP a server', harm: async () => standStill(this.servers.get(honest())!) },
      {
        name: 'cut one side',
        harm: async () => {
          for (const wire of this.wires.get(one(SIDES))!) if (Math.random() < 0.6) wire.cut()
          return () => this.heal()
        },
      },
      {
        name: 'kill -9 a client',
        harm: async () => {
          const place = Math.floor(Math.random() * this.clients.length)
          await this.clients[place]!.kill()
          return () => this.startClient(place)
        },
      },
      { name: 'SIGSTOP a client', harm: async () => standStill(one(this.clients)) },
      {
        name: 'half-open wires',
        harm: async () => {
          for (const wire of this.allWires) if (Math.random() < 0.3) wire.halt(one(['to server', 'to user'] as const))
          return () => this.heal()
        },
      },
    ]
  }

  async judge(): Promise<string[]> {
    this.heal()
    await this.ask()
    const wrongs = this.wrongs()
    await Promise.all(this.clients.map(client => client.finish()))
    const problems = await judgeLocks(this.dir)
    if (this.shape.all) problems.push(...(await this.judgeAll()))
    return [...wrongs, ...problems].map(problem => `${this.name}: ${problem}`)
  }

  private async judgeAll(): Promise<string[]> {
    const { dir, accounts } = this
    const final = await finalLedger(await this.admin!.ledger(LEDGER))
    return [
      ...(await judgeObjects(dir, await this.sum())),
      ...(await judgeEvents(dir, await this.heldEvents())),
      ...(await judgeLedger(dir, final, COINS * BigInt(accounts.length))),
    ]
  }

  /** All that the servers hold, as a newcomer gets it. */
  private async heldEvents(): Promise<(EventLine & { what: 'handed' })[]> {
    const held: (EventLine & { what: 'handed' })[] = []
    const channel = this.admin!.events<string>(CHANNEL)
    const subscription = channel.subscribe({}, { from: 'start' }, ({ id, payload }) => {
      held.push({ what: 'handed', who: ADMIN, id, text: payload })
    })
    await subscription.ready
    await channel.drain({ timeout: SUM_MS })
    await subscription.close()
    return held
  }

  async close(): Promise<void> {
    await this.admin?.close()
    await Promise.all(this.everybody.filter(({ child }) => child.isRunning).map(({ child }) => child.kill()))
    await Promise.all(this.allWires.map(wire => wire.close()))
    await rm(this.dir, { recursive: true, force: true })
  }

  private get allWires(): FaultyWire[] {
    return [...this.wires.values()].flat()
  }

  private heal(): void {
    for (const wire of this.allWires) wire.heal()
  }

  private folderOf(client: string): string {
    return join(this.dir, 'group', 'clients', client)
  }

  private async startServer(place: number): Promise<void> {
    const folder = this.group!.serverFolders[place]!
    const lies = place === this.shape.servers - 1
    const args = lies ? [program('liar'), 'server', folder] : [coterie, 'serve', folder]
    const child = new Child(`server-${place + 1}`, args, line => this.logged(line))
    if (lies) this.lyingNode = child
    this.servers.set(place, child)
    this.everybody.push({ role: 'server', child })
    await child.started('listening')
  }

  private async startClient(place: number): Promise<void> {
    const side = SIDES[place % SIDES.length]!
    const number = this.everybody.length
    const kinds = this.shape.all ? ['journal', 'history', 'events', 'ledger'] : ['journal']
    const files = kinds.map(name => join(this.dir, `${name}-${number}.jsonl`))
    for (const file of files) await writeFile(file, '')
    const secrets = this.accounts.map(({ secret }) => secret).join(',')
    const args = [program('client'), this.folderOf(side), ...files, ...(this.shape.all ? [String(place), secrets] : [])]
    const child = new Child(`client-${place + 1}`, args, line => this.heard(line))
    this.clients[place] = child
    this.everybody.push({ role: 'client', child })
    await child.started('started')
  }

  /** A server's log names liars, in whatever words. */
  private logged(line: Line): void {
    this.heard(line)
    if (line.level !== 'warn' && line.level !== 40) return
    if (typeof line.server === 'string') this.newlyAccused(line.server, String(line.what ?? line.msg))
  }

  private newlyAccused(whom: string, what: string): void {
    const matter = `${whom} ${what}`
    if (this.accusedOf.has(matter)) return
    this.accusedOf.add(matter)
    this.accused(whom, what)
  }

  /** The client's folder says that the servers are where the wires are. */
  private async openWires(side: string): Promise<readonly FaultyWire[]> {
    const { group } = this.group!
    const wires = await Promise.all(group.servers.map(server => FaultyWire.open(server.port)))
    const behind = group.servers.map((server, place) => ({ ...server, port: wires[place]!.port }))
    await writeFile(join(this.folderOf(side), 'coterie.toml'), nodeText('client', side, { ...group, servers: behind }))
    return wires
  }

  private async sum(): Promise<number> {
    const sum = this.admin!.object('sum', { initial: () => 0, apply: (state: number) => ({ state, result: state }) })
    return (await sum.read({ timeout: SUM_MS })).state
  }
}

/**
 * The name of a subscription that gets its events from this server. Only the first of its servers shows it any, and which that
 * is a hash says: where none of the clients comes to the liar, it lies about events to nobody, and nobody can name it.
 */
export function nameAt(server: string, servers: readonly string[], owner: string): string {
  const scene = { state: { self: owner, servers }, settings: { hash: sha256 } } as unknown as ClientScene
  for (let number = 1; ; number++) {
    const name = `listener-${number}`
    if (order(scene, { channel: CHANNEL, name, id: 0 })[0] === server) return name
  }
}

export async function standStill(child: Child): Promise<() => void> {
  child.signal('SIGSTOP')
  return () => child.signal('SIGCONT')
}
