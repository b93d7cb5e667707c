// Rounds of slots at each level: n members in processes of their own on this machine, over mutual TLS, who want a
// seat all the time and let it go at once. A round is everything from one to the next, the pause between them included;
// at `verified` the lap with its proofs, everybody's check of it, seals, shares, opening, votes and their opening.
// Targets with n = 16, m = 8: `verified` 4 s, `curious` 0.5 s. Processor time is over all processes and threads: divided by the cores, it is what an idle machine would need at least.
// Messages of a round are counted in the simulator, against n.
// With --browser, a tab plays all members of a group by itself: 0.5 s a round with n = 5, m = 3 on WebAssembly, 5 s in
// pure TypeScript are the targets.
// Options: --members N (16), --slots M (8), --rounds R (5), --level L (only this one), --browser, --count (only the
// messages).

import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { type AnyProtocol, seededRandom } from '../src/core/index.ts'
import { idealSignatures, insecureBareGroup } from '../src/crypto/index.ts'
import { initGroup } from '../src/runtime/setup.ts'
import { calm, World } from '../src/simulator/index.ts'
import {
  type MemberState,
  performShuffleWork,
  type SlotsEvent,
  type SlotsLevel,
  slotsDefaults,
  slotsLevels,
  slotsMember,
  slotsVocabulary,
  trustingMember,
  trustingVocabulary,
} from '../src/slots/index.ts'
import type { Game, Played, play } from '../test/browser/slots-entry.ts'
import { withPage } from '../test/support/browser.ts'
import { type Print, printTable, show } from './support/figures.ts'
import { benchProgram, freePorts, makeFolder, type Running, start, stopAll, until } from './support/processes.ts'

interface RoundTimes {
  readonly level: SlotsLevel
  readonly members: number
  readonly slots: number
  readonly rounds: number
  readonly roundMs: number
  readonly roundCpuMs: number
  readonly seats: number
}

interface RoundMessages {
  readonly members: number
  readonly messages: Readonly<Record<SlotsLevel, number>>
}

const TARGETS_MS: Readonly<Partial<Record<SlotsLevel, number>>> = { verified: 4_000, curious: 500 }
const TAB_TARGETS_MS = { WebAssembly: 500, TypeScript: 5_000 }
const START_MS = 240_000
/** The ports of members lie this far above those of servers, of which there are none here. */
const MEMBERS_ABOVE = 200
const SIZES = [3, 4, 6, 8, 12, 16, 24]

export async function run(print: Print = console.log, args: readonly string[] = []) {
  const option = (name: string, otherwise: number) => {
    const place = args.indexOf(name)
    return place < 0 ? otherwise : Number(args[place + 1])
  }
  if (args.includes('--browser')) return { tab: await playInTab(print, option('--rounds', 5)) }
  const messages = SIZES.map(countAll)
  const rows = messages.map(row => [
    String(row.members),
    ...slotsLevels.flatMap(level => [show(row.messages[level]), show(row.messages[level] / row.members ** 2)]),
  ])
  printTable(print, ['members', ...slotsLevels.flatMap(level => [`${level}, messages a round`, 'over n²'])], rows)
  if (args.includes('--count')) return { messages }
  print('')
  const only = args.indexOf('--level')
  const times: RoundTimes[] = []
  for (const level of only < 0 ? slotsLevels : [args[only + 1] as SlotsLevel]) {
    times.push(await measure(level, option('--members', 16), option('--slots', 8), option('--rounds', 5)))
  }
  printTable(
    print,
    ['level', 'members', 'slots', 'rounds', 'a round, ms', 'target', 'processor time of a round, ms', 'seats given'],
    times.map(({ level, members, slots, rounds, roundMs, roundCpuMs, seats }) => [
      level,
      ...[members, slots, rounds].map(String),
      show(roundMs),
      TARGETS_MS[level] === undefined ? '' : show(TARGETS_MS[level]),
      show(roundCpuMs),
      show(seats),
    ]),
  )
  return { messages, times }
}

async function playInTab(print: Print, rounds: number): Promise<readonly (Played & Pick<Game, 'arithmetic'>)[]> {
  const root = import.meta.url.slice(0, import.meta.url.lastIndexOf('/dist/bench/') + 1)
  const entry = fileURLToPath(new URL('test/browser/slots-entry.ts', root))
  const games = (['WebAssembly', 'TypeScript'] as const).map(arithmetic => ({
    arithmetic,
    members: 5,
    slots: 3,
    rounds,
  }))
  const played = await withPage(entry, page =>
    page.evaluate(async given => {
      const { module } = globalThis as unknown as { module: { play: typeof play } }
      const all: Played[] = []
      for (const game of given) all.push(await module.play(game))
      return all
    }, games),
  )
  const rows = games.map((game, place) => [
    game.arithmetic,
    show(played[place]!.roundMs),
    show(TAB_TARGETS_MS[game.arithmetic]),
  ])
  printTable(print, ['a browser tab, n = 5, m = 3', 'a round, ms', 'target'], rows)
  return games.map(({ arithmetic }, place) => ({ arithmetic, ...played[place]! }))
}

interface Mark {
  readonly round: number
  readonly phase: string
  readonly seats: number
  readonly cpuMs: number
}

async function measure(level: SlotsLevel, members: number, slots: number, rounds: number): Promise<RoundTimes> {
  try {
    const folder = await makeFolder('slots')
    const basePort = (await freePorts(members)) - MEMBERS_ABOVE
    const group = await initGroup({ dir: join(folder, 'group'), basePort, members })
    const names = Array.from({ length: slots }, (_, place) => `slot-${place + 1}`).join(',')
    const program = benchProgram('slots-member')
    const started = group.memberFolders.map(member => {
      const running = start(process.execPath, [program, member, names, level], { stdio: ['pipe', 'pipe', 'pipe'] })
      return new Member(running)
    })
    const roundNow = async () => (await started[0]!.mark()).round
    await until('the second round', async () => (await roundNow()) >= 2, START_MS)
    const first = await nextRound(roundNow)
    const before = await Promise.all(started.map(member => member.mark()))
    const began = performance.now()
    await until('the last round', async () => (await roundNow()) >= first + rounds, START_MS)
    const elapsed = performance.now() - began
    const after = await Promise.all(started.map(member => member.mark()))
    const sum = (value: (mark: Mark) => number) =>
      after.reduce((total, mark, place) => total + value(mark) - value(before[place]!), 0)
    return {
      level,
      members,
      slots,
      rounds,
      roundMs: elapsed / rounds,
      roundCpuMs: sum(mark => mark.cpuMs) / rounds,
      seats: sum(mark => mark.seats),
    }
  } finally {
    await stopAll()
  }
}

/** Waits for the moment at which a round begins. */
async function nextRound(roundNow: () => Promise<number>): Promise<number> {
  const now = await roundNow()
  await until('the next round', async () => (await roundNow()) > now, START_MS)
  return roundNow()
}

class Member {
  private readonly running: Running
  private readonly answers: ((mark: Mark) => void)[] = []

  constructor(running: Running) {
    this.running = running
    createInterface(running.child.stdout!).on('line', line => {
      const said = JSON.parse(line)
      if (said.round !== undefined) this.answers.shift()?.(said)
    })
  }

  async mark(): Promise<Mark> {
    if (this.running.child.exitCode !== null) throw new Error(`a member ended: ${this.running.output()}`)
    return new Promise(resolve => {
      this.answers.push(resolve)
      this.running.child.stdin!.write('mark\n')
    })
  }
}

const SECOND = 1_000_000

function countAll(members: number): RoundMessages {
  const [curious, strong, verified] = slotsLevels.map(level => countMessages(level, members)) as [
    number,
    number,
    number,
  ]
  return { members, messages: { curious, strong, verified } }
}

/** From one round to the next, over a network that loses nothing; everybody wants a seat and lets go at once. */
function countMessages(level: SlotsLevel, size: number): number {
  const group = insecureBareGroup()
  const signatures = idealSignatures()
  const names = Array.from({ length: size }, (_, place) => `member-${place + 1}`)
  const members = names.map(name => ({ name, identity: signatures.signer(name).publicKey }))
  const slots = Array.from({ length: Math.ceil(size / 2) }, (_, place) => `slot-${place + 1}`)
  const settings = { ...slotsDefaults, name: 'bench', slots, level }
  const world = new World({ seed: 1, network: calm })
  const random = seededRandom(1)
  let messages = 0
  for (const id of names) {
    const options = { settings, members, group, signer: signatures.signer(id), signatures }
    const protocol: AnyProtocol = level === 'verified' ? slotsMember(options) : trustingMember(options)
    const counted: AnyProtocol = {
      ...protocol,
      step(state, input, turn) {
        const count = (effect: Parameters<typeof turn.do>[0]) => {
          if (effect.kind === 'send') messages++
          turn.do(effect)
        }
        const { now } = turn
        protocol.step(state, input, { now, below: turn.below.bind(turn), bytes: turn.bytes.bind(turn), do: count })
      },
    }
    const vocabulary = level === 'verified' ? slotsVocabulary : trustingVocabulary
    world.add({ id, protocol: counted, peers: names, vocabulary })
  }
  let requests = 0
  world.listen((node, emitted) => {
    const event = emitted as SlotsEvent
    const tell = (body: unknown) => world.command(node.spec.id, body)
    if (event.kind === 'work') {
      tell({
        kind: 'worked',
        id: event.id,
        answer: performShuffleWork(group, event.request, length => random.bytes(length)),
      })
    } else if (event.kind === 'seat') {
      tell({ kind: 'release', id: event.id })
      tell({ kind: 'request', id: ++requests })
    }
  })
  for (const id of names) world.start(id)
  for (const id of names) world.command(id, { kind: 'request', id: ++requests })
  const begun = () => (world.node(names[0]!).host!.state as MemberState).epoch.next
  const runTo = (round: number) => {
    for (let at = 0; begun() < round && at < 10_000; at++) world.run(world.now + SECOND / 100)
  }
  runTo(3)
  const before = messages
  runTo(5)
  return (messages - before) / 2
}
