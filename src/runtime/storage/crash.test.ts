// Crashes at every moment: a power cut at each operation on a disk in memory, and kill -9 of a real process.
// What must hold afterwards: the store opens, and holds the outcome of a prefix of the saves that is not shorter than
// what was called durable.

import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createDisk, type Disk } from '../../../test/storage/disk.ts'
import {
  closed,
  type History,
  newHistory,
  prefixOf,
  reopened,
  saveOne,
  unexpected,
} from '../../../test/storage/history.ts'
import { seededRandom } from '../../core/index.ts'
import { createLogStorage } from './log.ts'

const FOLDER = '/store'
/** So small that every run compacts several times. */
const DEAD_BYTES_MIN = 400
const SAVES = 40
const SEEDS = 6

/** Opens, checks what the history allows, saves more, closes; ends where the power is cut. */
async function live(disk: Disk, history: History, seed: number): Promise<void> {
  const random = seededRandom(seed)
  const settings = { folder: FOLDER, files: disk, deadBytesMin: DEAD_BYTES_MIN }
  const storage = await createLogStorage(settings).open(unexpected)
  const prefix = prefixOf(history, await storage.read())
  expect(prefix, `seed ${seed}: a state that never was`).toBeDefined()
  expect(prefix, `seed ${seed}: a promise forgotten`).toBeGreaterThanOrEqual(history.durable)
  // What was saved and is gone never was; the next saves go on from what is there.
  reopened(history, prefix!)
  for (let i = 0; i < SAVES; i++) {
    saveOne(storage, history, random)
    if (random.below(3) === 0) await new Promise(setImmediate)
    if (disk.isCut) return disk.cut
  }
  await storage.close()
  expect(closed(history)).toEqual([])
}

/** Resolves to false where the power was cut before the life came to its end. */
function untilCut(disk: Disk, life: Promise<void>): Promise<boolean> {
  return Promise.race([life, disk.cut]).then(() => !disk.isCut)
}

describe('a power cut or a kill', () => {
  it('at every operation, then a power cut somewhere in the next life, then a life without faults', async () => {
    let cuts = 0
    for (let seed = 1; seed <= SEEDS; seed++) {
      for (let cutAt = 1; ; cutAt++) {
        const history = newHistory()
        const chance = seededRandom(seed, cutAt)
        const first = createDisk({ cutAt, delays: chance.fork(1) })
        if (await untilCut(first, live(first, history, seed))) break
        cuts++
        const faults = { cutAt: 1 + chance.below(60), delays: chance.fork(2) }
        const second = chance.below(2) === 0 ? first.afterKill(faults) : first.afterCut(chance, faults)
        if (await untilCut(second, live(second, history, seed + 100))) continue
        await live(second.afterCut(chance), history, seed + 200)
      }
    }
    // Sometimes: the loop did cut inside saves and compactions, and not only while the store was opened.
    expect(cuts).toBeGreaterThan(SEEDS * SAVES)
  })
})

const SAVER = fileURLToPath(new URL('../../../test/storage/saver.ts', import.meta.url))
const ROUNDS = 12
const LIFE_MS_MAX = 150

describe('kill -9', () => {
  let folder: string
  let saver: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'coterie-kill-'))
    saver = join(folder, 'saver.mjs')
    await build({
      entryPoints: [SAVER],
      outfile: saver,
      bundle: true,
      platform: 'node',
      format: 'esm',
      logLevel: 'error',
    })
  })
  afterAll(() => rm(folder, { recursive: true }))

  it('at a random moment, again and again: everything called durable is there', async () => {
    const store = join(folder, 'store')
    const random = seededRandom(Number(process.env.COTERIE_SEED ?? 9))
    let promised = new Map<string, number>()
    for (let round = 0; round < ROUNDS; round++) {
      const child = spawn(process.execPath, [saver, store], { stdio: ['ignore', 'pipe', 'inherit'] })
      const answered = await killAfter(child, random.below(LIFE_MS_MAX))
      promised = new Map([...promised, ...answered])
      await check(store, promised)
    }
    expect([...promised.values()].reduce((sum, last) => sum + last, 0)).toBeGreaterThan(ROUNDS)
  })

  /** Lets the child live that long after its first promise; returns the last number it called durable, by lane. */
  async function killAfter(child: ChildProcess, lifeMs: number): Promise<Map<string, number>> {
    const promised = new Map<string, number>()
    const exited = new Promise<void>(resolve => child.once('exit', () => resolve()))
    for await (const line of createInterface({ input: child.stdout! })) {
      if (promised.size === 0) setTimeout(() => child.kill('SIGKILL'), lifeMs)
      const [, lane, last] = /^(\w+) (\d+) \.$/.exec(line) ?? []
      if (lane !== undefined) promised.set(lane, Number(last))
    }
    await exited
    expect(child.signalCode).toBe('SIGKILL')
    return promised
  }

  /** The saver writes to each lane 1, 2, 3, …, and now and then replaces the lane by the next number. */
  async function check(store: string, promised: Map<string, number>): Promise<void> {
    const storage = await createLogStorage({ folder: store }).open(unexpected)
    const saved = await storage.read()
    for (const [lane, last] of promised) {
      const numbers = (saved.get(lane) ?? []).map(record => Number.parseInt(Buffer.from(record).toString(), 10))
      expect(numbers.at(-1), `lane ${lane}`).toBeGreaterThanOrEqual(last)
      expect(numbers).toEqual(numbers.map((_, index) => numbers[0]! + index))
    }
    await storage.close()
  }
})
