// Objects in real processes and under real faults: servers and clients killed or standing still, wires cut, slow or
// stopped in one direction, a server that lies (BACKOFF §6, §7; protocols/ordering). Clients record what they ask and hear;
// afterwards the checker says whether one copy could have answered so. `npm run e2e:long` goes on for ten minutes.

import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect } from 'coterie'
import { afterEach, describe, expect, it } from 'vitest'
import { sized } from '../support/long.ts'
import { expectProgress, judge, millis, ObjectsGroup, type ObjectsShape } from '../support/objects.ts'
import { coterie, endAll, type Running, waitFor } from '../support/processes.ts'

/** How long faults go on in each group. */
const FAULTS_MS = Number(process.env.COTERIE_FAULTS_SECONDS ?? sized(3, 15)) * 1_000
/** For the judgement of a long history, besides. */
const LIMIT_MS = FAULTS_MS * 2 + 120_000
const THREE: ObjectsShape = { servers: 3, liars: 0, crashes: 1 }
const SEVEN_AND_A_LIAR: ObjectsShape = { servers: 7, liars: 1, crashes: 1, lying: true }
const one = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)]!

let whole: ObjectsGroup | undefined

afterEach(async () => {
  await endAll()
  await whole?.close()
  whole = undefined
})

type Fault = (group: ObjectsGroup) => Promise<() => Promise<void> | void>

/** Each does its harm and returns what ends it. */
const FAULTS: readonly Fault[] = [
  async function killServer(group) {
    const place = one(group.honest)
    await group.killServer(place)
    return () => group.startServer(place)
  },
  async function stopServer(group) {
    const server = group.servers.get(one(group.honest))!
    server.child.kill('SIGSTOP')
    return () => void server.child.kill('SIGCONT')
  },
  async function killMany(group) {
    // More than may be gone: nothing goes on, and nothing is lost.
    const places = group.honest.slice(0, 2)
    for (const place of places) await group.killServer(place)
    return () => Promise.all(places.map(place => group.startServer(place))).then(() => {})
  },
  async function killClient(group) {
    const victim = one(living(group))
    victim.child.kill('SIGKILL')
    await victim.ended
    return () => group.startSharer(one(['left', 'right'])).then(() => {})
  },
  async function stopClient(group) {
    const victim = one(living(group))
    victim.child.kill('SIGSTOP')
    return () => void victim.child.kill('SIGCONT')
  },
  async function cutSide(group) {
    for (const wire of group.wires.get(one(['left', 'right']))!) if (Math.random() < 0.6) wire.cut()
    return () => group.heal()
  },
  async function halfOpen(group) {
    for (const wire of group.allWires) if (Math.random() < 0.3) wire.halt(one(['to server', 'to user']))
    return () => group.heal()
  },
  async function slow(group) {
    for (const wire of group.allWires) wire.delay(Math.random() * 80)
    return () => group.heal()
  },
]

function living(group: ObjectsGroup): Running[] {
  return [...group.sharers].filter(({ child }) => child.exitCode === null && child.signalCode === null)
}

/** Two at a time, in an order that changes; all of them come round. */
async function harm(group: ObjectsGroup, lasts: number): Promise<void> {
  const end = millis() + lasts
  for (let round = 0; millis() < end; round++) {
    const first = FAULTS[round % FAULTS.length]!
    const ends = [await first(group)]
    await sleep(300)
    if (Math.random() < 0.5) {
      const wires = FAULTS.slice(-3)
      ends.push(await one(wires)(group))
    }
    await sleep(400 + Math.random() * 1_000)
    // The wires first: a process that starts has to reach somebody.
    for (const over of ends.reverse()) await over()
    await sleep(200)
  }
}

async function sumOf(group: ObjectsGroup): Promise<number> {
  await using admin = await connect({ config: group.admin, blockedMax: 0 })
  const sum = admin.object('sum', { initial: () => 0, apply: (state: number) => ({ state, result: state }) })
  return (await sum.read({ timeout: 20_000 })).state
}

async function makeEntries(group: ObjectsGroup): Promise<void> {
  await using admin = await connect({ config: group.admin, blockedMax: 0 })
  for (const path of ['/c', '/d']) await admin.tree().create(path)
}

describe.each([
  ['three servers', THREE],
  ['seven servers, of which one lies', SEVEN_AND_A_LIAR],
])('objects of %s, as processes', (_, shape) => {
  it('are linearizable under all faults, lose nothing, and go on after healing', { timeout: LIMIT_MS }, async () => {
    whole = await ObjectsGroup.start(shape)
    await makeEntries(whole)
    await Promise.all(['left', 'right', 'left', 'right'].map(side => whole!.startSharer(side)))
    await sleep(1_000)
    await harm(whole, FAULTS_MS)
    whole.heal()
    await expectProgress(whole)
    const lies = await whole.finishSharers()
    const history = await whole.history()
    expect(history.filter(({ outcome }) => outcome.kind === 'returned').length).toBeGreaterThan(100)
    judge(history, await sumOf(whole))
    // Only liars are blamed.
    const liar = shape.lying ? `server-${shape.servers}` : undefined
    expect(lies.filter(({ server }) => server !== liar)).toEqual([])
  })
})

describe('a server that forges content', () => {
  it('is named by status, with what it did and who says so', async () => {
    whole = await ObjectsGroup.start({ ...SEVEN_AND_A_LIAR, lies: ['content-forger'] })
    const settings = { config: whole.admin, blockedMax: 0 }
    await using one = await connect(settings)
    await using other = await connect(settings)
    const definition = {
      initial: () => 0,
      apply: (state: number, by: number) => ({ state: state + by, result: state }),
    }
    const writer = one.object('sum', definition)
    const reader = other.object('sum', definition)
    let sum = 0
    // A reader that is behind asks now this server for the changes, now that one.
    await waitFor(
      'the liar is found out',
      async () => {
        for (let count = 0; count < 10; count++) {
          expect(await writer.submit(1, { timeout: 20_000 })).toBe(sum++)
          expect((await reader.read({ timeout: 20_000 })).state).toBe(sum)
        }
        return (await other.status()).lies.length > 0
      },
      90_000,
    )
    const status = coterie(['status', '--config', whole.admin])
    expect(await status.ended).toBe(0)
    // One certificate alone accuses: that it lied takes more accusers than servers can lie.
    expect(status.output()).toMatch(/server-7 is accused of .* \(object 'sum', version \d+\), says admin#/)
    expect(status.output()).not.toMatch(/server-[1-6] (lied|is accused)/)
  })
})

describe('three servers as processes', () => {
  it('lose nothing that was acknowledged when all are killed at once, and get back one whose store is gone', async () => {
    whole = await ObjectsGroup.start(THREE)
    await makeEntries(whole)
    await Promise.all(['left', 'right'].map(side => whole!.startSharer(side)))
    for (let round = 0; round < sized(1, 2); round++) {
      const answered = (await whole.history()).length
      await waitFor('they work', async () => (await whole!.history()).length > answered + 60)
      await Promise.all(whole.honest.map(place => whole!.killServer(place)))
      await Promise.all(whole.honest.map(place => whole!.startServer(place)))
    }
    await expectProgress(whole)
    judge(await settled(whole), await sumOf(whole))
    await whole.killServer(0)
    await rm(join(whole.group.serverFolders[0]!, 'store'), { recursive: true })
    // Started as if nothing had happened, it would vote with an empty memory.
    const refused = coterie(['serve', whole.group.serverFolders[0]!])
    expect(await refused.ended).toBe(1)
    expect(refused.errors()).toContain('coterie serve --rejoin')
    await whole.startServer(0, ['--rejoin'])
    await waitFor('it has rejoined', () => rejoined(whole!))
    // Now it is needed: another one is gone.
    await whole.startSharer('left')
    await whole.killServer(1)
    await expectProgress(whole)
    judge(await settled(whole), await sumOf(whole))
  })
})

/** What was asked and answered, when nobody asks any more. */
async function settled(group: ObjectsGroup): ReturnType<ObjectsGroup['history']> {
  await group.finishSharers()
  return group.history()
}

/** The first server says that it takes part, and has what the others have. */
async function rejoined(group: ObjectsGroup): Promise<boolean> {
  await using admin = await connect({ config: group.admin, blockedMax: 0 })
  const { objects } = await admin.status()
  const first = objects.find(({ server }) => server === 'server-1')
  return first !== undefined && first.rejoining === 0 && first.objects.length === 3
}
