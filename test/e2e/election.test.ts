// Members as processes that elect (protocols/election): the coordinator is killed, half of the members are killed, and sides are
// parted while both live. First safety under faults, then progress after healing.
//
// Eight processes, for about a minute; test/long/members.sh does the same with sixteen, for two (COTERIE_MEMBERS,
// COTERIE_ROUNDS), which is more than a small machine carries beside other tests.

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { initGroup, type NewGroup } from '../../src/runtime/setup/group.ts'
import { Crossroads, type Place } from '../support/crossroads.ts'
import { endAll, freePorts, type Running, root, run, waitFor } from '../support/processes.ts'
import { checkTerms, figuresOf, type Reign, readTerms, type TermLine } from './terms.ts'

const MEMBERS = Number(process.env.COTERIE_MEMBERS ?? 8)
const ROUNDS = Number(process.env.COTERIE_ROUNDS ?? 1)
const QUORUM = Math.floor(MEMBERS / 2) + 1
/** Long enough on a machine that has much else to do: an election takes a promise and a quarter of a second. */
const PATIENCE_MS = 60_000
const TEST_MS_MAX = (2 + 3 * ROUNDS) * PATIENCE_MS

describe(`${MEMBERS} members as processes`, () => {
  let dir: string
  let group: NewGroup
  let journal: string
  let roads: Crossroads
  let places: readonly Place[]
  const running = new Map<string, Running>()

  const millis = () => Number(process.hrtime.bigint() / 1000n) / 1000
  const read = async () => readTerms(await readFile(journal, 'utf8'))
  const names = () => places.map(({ name }) => name)

  function start(name: string): void {
    const at = names().indexOf(name)
    const args = [join(root, 'test/e2e/elector.mjs'), group.memberFolders[at]!, journal, String(at), places[at]!.dials]
    running.set(name, run(process.execPath, args))
  }

  async function kill(name: string): Promise<void> {
    const member = running.get(name)!
    running.delete(name)
    member.child.kill('SIGKILL')
    await member.ended
  }

  /** Somebody of these leads, in a term that began after that moment. */
  async function waitForLeader(what: string, since: number, among = names()): Promise<TermLine & { from: number }> {
    let found: TermLine | undefined
    let from = 0
    const search = async () => {
      const lines = await read()
      const old = new Set(lines.filter(({ at }) => at < since).map(({ term }) => term))
      const fits = (line: TermLine) => line.what === 'leads' && among.includes(line.who) && !old.has(line.term)
      found = lines.findLast(fits)
      from = lines.find(fits)?.at ?? 0
      return found !== undefined
    }
    await waitFor(what, search, PATIENCE_MS)
    return { ...found!, from }
  }

  /** What each of these saw last. */
  async function sights(among: readonly string[]): Promise<(string | null | undefined)[]> {
    const lines = await read()
    return among.map(name => lines.findLast(({ what, who }) => what === 'sees' && who === name)?.coordinator)
  }

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'coterie-election-'))
    journal = join(dir, 'journal')
    await writeFile(journal, '')
    // Members listen two hundred above.
    const basePort = (await freePorts(MEMBERS)) - 200
    group = await initGroup({ dir: join(dir, 'group'), members: MEMBERS, servers: 1, crashes: 0, basePort })
    places = group.group.membership.members.map(({ name, port }, at) => {
      return { name, port, listens: '127.0.0.2', dials: `127.1.0.${at + 1}` }
    })
    for (const folder of group.memberFolders) {
      const file = join(folder, 'coterie.toml')
      const text = await readFile(file, 'utf8')
      await writeFile(file, text.replace('listen = "127.0.0.1"', 'listen = "127.0.0.2"'))
    }
    roads = await Crossroads.open(places)
    for (const name of names()) start(name)
  })

  afterAll(async () => {
    await endAll()
    await roads.close()
    await rm(dir, { recursive: true, force: true })
  })

  /** From a kill or a partition until somebody else leads. */
  const handovers: number[] = []

  /** The figures of a long run, for people. */
  async function report(reigns: readonly Reign[]): Promise<void> {
    if (ROUNDS === 1) return
    const { firstMs, firstTerm, seconds, reigns: count } = figuresOf(await read(), reigns, QUORUM)
    const sorted = [...handovers].sort((one, other) => one - other).map(Math.round)
    console.log(`${MEMBERS} members, ${seconds} s, ${count} reigns, the last in term ${reigns.at(-1)!.term}`)
    console.log(`first coordinator ${firstMs} ms after a quorum had joined, in term ${firstTerm}`)
    console.log(`from a kill or a partition until another leads, ms: ${sorted.join(', ')}`)
  }

  async function killTheCoordinator(): Promise<void> {
    const { who } = await waitForLeader('somebody leads', 0)
    await kill(who)
    const killed = millis()
    const next = await waitForLeader('another leads after the coordinator was killed', killed)
    expect(next.who).not.toBe(who)
    handovers.push(next.from - killed)
    start(who)
  }

  async function killHalf(): Promise<void> {
    const { who } = await waitForLeader('somebody leads', 0)
    // The coordinator among them, and enough that the others are too few.
    const victims = [who, ...names().filter(name => name !== who)].slice(0, MEMBERS - QUORUM + 1)
    await Promise.all(victims.map(kill))
    const left = names().filter(name => !victims.includes(name))
    await waitFor('a minority sees none', async () => (await sights(left)).every(seen => seen === null), PATIENCE_MS)
    const alone = millis()
    await sleep(3_000)
    expect((await read()).filter(({ what, at }) => what === 'leads' && at > alone)).toEqual([])
    const back = millis()
    for (const name of victims) start(name)
    await waitForLeader('somebody leads when all are back', back)
  }

  async function part(): Promise<void> {
    const { who } = await waitForLeader('somebody leads', 0)
    const others = names().filter(name => name !== who)
    // The coordinator is on the smaller side; both sides live.
    const few = [who, ...others.slice(0, MEMBERS - QUORUM - 1)]
    const many = names().filter(name => !few.includes(name))
    const parted = millis()
    roads.part(few, many)
    const next = await waitForLeader('the larger side elects', parted, many)
    handovers.push(next.from - parted)
    await waitFor(
      'the smaller side sees none',
      async () => (await sights(few)).every(seen => seen === null),
      PATIENCE_MS,
    )
    roads.heal()
    await waitFor(
      'all see the same',
      async () => {
        const seen = await sights(names())
        return seen[0] !== null && new Set(seen).size === 1
      },
      PATIENCE_MS,
    )
  }

  it(
    'never have two coordinators, a minority has none, and after healing there is one',
    async () => {
      for (let round = 0; round < ROUNDS; round++) {
        await killTheCoordinator()
        await part()
        await killHalf()
      }
      const healed = millis()
      const { who } = await waitForLeader('somebody leads', 0)
      running.get(who)!.child.kill('SIGTERM')
      expect(await running.get(who)!.ended).toBe(0)
      await waitForLeader('another follows one that says goodbye', healed)
      const { reigns, problems } = checkTerms(await read())
      await report(reigns)
      expect(problems).toEqual([])
      expect(reigns.length).toBeGreaterThanOrEqual(1 + 3 * ROUNDS)
      for (const member of running.values()) expect(member.errors()).toBe('')
    },
    TEST_MS_MAX,
  )
})
