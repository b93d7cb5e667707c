// Members under siege: the last of them lies. Gossip, election, slots and events in one process each.

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { LyingPart } from '../../lab/lying-node.ts'
import { initGroup } from '../../src/runtime/setup/group.ts'
import { freePorts } from '../support/processes.ts'
import { FaultyWire } from '../support/proxy.ts'
import { judgeMembers } from './journals.ts'
import { Child, type Line, program, until } from './processes.ts'
import { standStill } from './servers.ts'
import { type Fault, millis, one, Stage } from './stage.ts'
import { judgeTold } from './told-journal.ts'

const MEMBERS = 4
/** Members listen so far above the servers, of which none run here. */
const MEMBERS_ABOVE = 200
/** Where a member itself listens; the wire in front of it has the port on the address that the others dial. */
const LISTENS_ON = '127.0.0.2'
const LEADER_LEASE_MS = 2_000
const SEAT_LEASE_MS = 2_000
const SLOTS = 'oak,elm'

export class Members extends Stage {
  readonly name: string
  readonly role = 'member'
  readonly kinds = 5
  /** A member's log says the same thing once a minute. */
  readonly saidEveryMs = 60_000
  readonly liar = `member-${MEMBERS}`
  readonly parts: readonly LyingPart[]
  readonly ballots: 'sealed' | 'secret'
  private dir = ''
  private folders: readonly string[] = []
  private readonly members = new Map<number, Child>()
  private slotsNumber = 1
  /** One in front of each member: the others reach it through that only. */
  private wires: readonly FaultyWire[] = []

  /** Where ballots are secret, only what is different there is lied about. */
  constructor(ballots: 'sealed' | 'secret' = 'sealed') {
    super()
    this.ballots = ballots
    this.name = ballots === 'secret' ? 'secret' : 'members'
    this.parts =
      ballots === 'secret' ? ['election'] : ['membership', 'election', 'slots', 'routing', 'interest', 'node']
  }

  /** Whoever was caught cheating is out of these slots: the next lie about slots is told in others. */
  override async prepare(part: LyingPart, patienceMs: number): Promise<void> {
    if (part !== 'slots') return
    this.slotsNumber++
    const line = JSON.stringify({ slots: this.slotsName })
    for (const member of this.members.values()) member.send(line)
    const since = millis()
    const isServed = () => this.operations.figures('seat', [{ from: since, until: millis() }]).count > 0
    await until('somebody has a seat', patienceMs, isServed).catch(() => {})
  }

  async start(): Promise<void> {
    this.dir = await mkdtemp(join(tmpdir(), 'coterie-siege-members-'))
    const basePort = (await freePorts(MEMBERS)) - MEMBERS_ABOVE
    const settings = {
      basePort,
      members: MEMBERS,
      memberLiars: 1,
      servers: 1,
      liars: 0,
      crashes: 0,
      ballots: this.ballots,
    }
    const made = await initGroup({ dir: join(this.dir, 'group'), ...settings })
    this.folders = made.memberFolders
    for (const folder of this.folders) await rewrite(join(folder, 'coterie.toml'))
    const { members } = made.group.membership
    this.wires = await Promise.all(members.map(({ port }) => FaultyWire.open(port, { port, targetHost: LISTENS_ON })))
    for (let place = 0; place < MEMBERS; place++) await this.startMember(place)
  }

  /** What members have against each other, they say by themselves. */
  async ask(): Promise<void> {}

  get faults(): readonly Fault[] {
    const honest = () => Math.floor(Math.random() * (MEMBERS - 1))
    return [
      {
        name: 'kill -9 a member',
        harm: async () => {
          const place = honest()
          await this.members.get(place)?.kill()
          return () => this.startMember(place)
        },
      },
      { name: 'SIGSTOP a member', harm: async () => standStill(one(this.honest)) },
      { name: 'cut the way to a member', harm: async () => this.afterwardsHealed(wire => wire.cut()) },
      { name: 'stop the way from a member', harm: async () => this.afterwardsHealed(wire => wire.halt('to user')) },
    ]
  }

  async judge(): Promise<string[]> {
    const wrongs = this.wrongs()
    await Promise.all(this.honest.map(member => member.finish()))
    const problems = [...(await judgeMembers(this.dir)), ...(await judgeTold(this.dir, this.liar))]
    return [...wrongs, ...problems].map(problem => `${this.name}: ${problem}`)
  }

  async close(): Promise<void> {
    await Promise.all(this.everybody.filter(({ child }) => child.isRunning).map(({ child }) => child.kill()))
    await Promise.all(this.wires.map(wire => wire.close()))
    await rm(this.dir, { recursive: true, force: true })
  }

  private afterwardsHealed(fail: (wire: FaultyWire) => void): () => void {
    const wire = one(this.wires.slice(0, -1))
    fail(wire)
    return () => wire.heal()
  }

  private get slotsName(): string {
    return `channels-${this.slotsNumber}`
  }

  private get honest(): Child[] {
    return [...this.members.values()].filter(child => child !== this.lyingNode)
  }

  private async startMember(place: number): Promise<void> {
    const folder = this.folders[place]!
    const name = `member-${place + 1}`
    const lies = place === MEMBERS - 1
    const number = this.everybody.length
    const files = ['terms', 'seats', 'told'].map(kind => join(this.dir, `${kind}-${number}.jsonl`))
    for (const file of files) await writeFile(file, '')
    const asked = [this.slotsName, SLOTS, String(SEAT_LEASE_MS)]
    const args = lies ? [program('liar'), 'member', folder, ...asked] : [program('member'), folder, ...files, ...asked]
    // What a liar has against others is no accusation: it provokes their answers itself.
    const child = new Child(name, args, line => (lies ? this.heard(line) : this.told(line)))
    if (lies) this.lyingNode = child
    this.members.set(place, child)
    this.everybody.push({ role: lies ? 'server' : 'client', child })
    await child.started(lies ? 'listening' : 'started')
  }

  private told(line: Line): void {
    this.heard(line)
    const incident = line.incident as { kind: string; member?: string; what?: string } | undefined
    if (incident?.kind === 'cheat' || incident?.kind === 'forged')
      this.accused(incident.member!, incident.what ?? 'cheated')
    const { level, member, msg, how } = line
    // In the words of src/client/peers/caught.ts: `lies`, or `asks too much`.
    const isLie = / lies /.test(String(msg))
    if (level === 'warn' && typeof member === 'string') this.accused(member, `${String(msg)}: ${String(how)}`, isLie)
  }
}

/** A leader that is gone should be followed within the ten seconds that all is to be well in; and where it listens. */
async function rewrite(file: string): Promise<void> {
  const text = (await readFile(file, 'utf8')).replace('listen = "127.0.0.1"', `listen = "${LISTENS_ON}"`)
  const [before, membership] = text.split('[membership]')
  if (membership === undefined) throw new Error(`${file} has no [membership]`)
  await writeFile(file, `${before}[membership]${membership.replace(/lease = .*/, `lease = ${LEADER_LEASE_MS}`)}`)
}
