// The log by itself: what it refuses, what it repairs, who may have it, and what it says when the disk fails.

import { execFileSync } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createDisk, type Disk, diskWith } from '../../../test/storage/disk.ts'
import { type History, newHistory, prefixOf, saveAwaited, saveOne, unexpected } from '../../../test/storage/history.ts'
import { FileError, seededRandom } from '../../core/index.ts'
import { BATCH_BYTES_MAX, createLogStorage } from './log.ts'
import { encodeFileHead, MARK_BYTES } from './records.ts'
import { RECORD_BYTES_MAX } from './storage.ts'

const FOLDER = '/store'
const PATH = '/store/store.log'
const BATCHES = 6
/** Every byte of the log is tried: it has to be short. */
const SMALL_BYTES = 20

/** A log of a few batches, as it is while the store is open and as it is after a close. */
async function smallLog(): Promise<{ history: History; open: Uint8Array; closed: Uint8Array; lastBatch: number }> {
  const disk = createDisk()
  const storage = await createLogStorage({ folder: FOLDER, files: disk }).open(unexpected)
  const history = newHistory()
  const random = seededRandom(4)
  let lastBatch = 0
  for (let batch = 0; batch < BATCHES; batch++) {
    lastBatch = history.saves.length
    for (let i = 0; i < 2; i++) saveAwaited(storage, history, random, SMALL_BYTES)
    while (history.durable < history.saves.length) await Promise.resolve()
  }
  const open = Uint8Array.from(disk.bytes(PATH))
  await storage.close()
  return { history, open, closed: Uint8Array.from(disk.bytes(PATH)), lastBatch }
}

/** How many saves are there again, or the sentence of the refusal. */
async function reopen(history: History, disk: Disk): Promise<number | string> {
  try {
    const storage = await createLogStorage({ folder: FOLDER, files: disk }).open(unexpected)
    const prefix = prefixOf(history, await storage.read())
    await storage.close()
    return prefix ?? 'a state that never was'
  } catch (error) {
    expect(error).toBeInstanceOf(FileError)
    return (error as Error).message
  }
}

describe('a cut or damaged file', () => {
  let small: Awaited<ReturnType<typeof smallLog>>
  beforeAll(async () => {
    small = await smallLog()
  })

  it('cut at any byte: all batches before the cut are there, and nothing else', async () => {
    const { history, open } = small
    const seen = new Set<number>()
    let before = 0
    for (let length = 24; length <= open.length; length++) {
      const found = await reopen(history, diskWith(PATH, open.slice(0, length)))
      expect(found).toBeTypeOf('number')
      expect(found as number).toBeGreaterThanOrEqual(before)
      before = found as number
      seen.add(before)
    }
    expect([...seen]).toEqual([0, 2, 4, 6, 8, 10, 12])
  })

  it('cut within its head: refused, with the file, the byte and what to do', async () => {
    for (let length = 8; length < 24; length++) {
      const found = await reopen(small.history, diskWith(PATH, small.open.slice(0, length)))
      expect(found).toMatch(/^the store \/store\/store\.log is damaged at byte 0: .*move the folder \/store aside/)
    }
  })

  it.each([
    ['open', 0x01],
    ['open', 0xff],
    ['closed', 0x01],
    ['closed', 0x80],
  ] as const)('%s, with any byte changed by %i: refused, or nothing promised is lost', async (state, mask) => {
    const { history, lastBatch } = small
    let refused = 0
    for (let at = 0; at < small[state].length; at++) {
      const bytes = Uint8Array.from(small[state])
      bytes[at]! ^= mask
      const found = await reopen(history, diskWith(PATH, bytes))
      if (typeof found === 'string') {
        expect(found).toMatch(/store\.log/)
        refused++
        // Without the close, damage to the last batch cannot be told from a tear: the one gap, and it is documented.
      } else if (found !== history.saves.length) expect([state, found]).toEqual(['open', lastBatch])
    }
    expect(refused).toBeGreaterThan(small.open.length / 2)
  })

  it('tells, when it cuts, how much and where', async () => {
    const told: string[] = []
    const files = diskWith(PATH, small.open.slice(0, -1))
    const storage = await createLogStorage({ folder: FOLDER, files, log: s => told.push(s) }).open(unexpected)
    await storage.close()
    expect(told).toHaveLength(1)
    expect(told[0]).toMatch(
      /^the store \/store\/store\.log ends in a write that a crash cut short: \d+ bytes from byte \d+/,
    )
    await (await createLogStorage({ folder: FOLDER, files, log: s => told.push(s) }).open(unexpected)).close()
    // Only a crash cuts what was not promised: the sentence claims no more.
    expect(told[0]).toMatch(/a file that was cut by a disk, a copy or a hand may have lost promises: .* let it rejoin/)
    expect(told[0]).not.toMatch(/nothing .* lost/)
    expect(told, 'it is cut once').toHaveLength(1)
    expect(await reopen(small.history, files)).toBe(small.lastBatch)
  })

  it('a record that holds a copy of the log does not pass for a batch', async () => {
    const disk = createDisk()
    const storage = await createLogStorage({ folder: FOLDER, files: disk }).open(unexpected)
    for (let i = 0; i < 2; i++) {
      await new Promise<void>(durable => storage.save('a', disk.bytes(PATH), 'append', durable))
    }
    const cut = diskWith(PATH, disk.bytes(PATH).slice(0, -1))
    const again = await createLogStorage({ folder: FOLDER, files: cut }).open(unexpected)
    expect((await again.read()).get('a')).toHaveLength(1)
  })

  it('refuses a foreign file and a newer format', async () => {
    expect(await reopen(newHistory(), diskWith(PATH, Buffer.from('{"not": "ours"}')))).toMatch(
      /store\.log is not a store of coterie\. Move it aside/,
    )
    const newer = Buffer.from(encodeFileHead(new Uint8Array(MARK_BYTES)))
    newer.writeUInt32BE(7, 8)
    newer.writeUInt32BE(crc32(newer.subarray(0, 20)), 20)
    expect(await reopen(newHistory(), diskWith(PATH, newer))).toMatch(/has format 7, which this version .* not know/)
  })
})

describe('a disk that fails', () => {
  it.each(['ENOSPC', 'EIO'])('%s at any operation: one sentence, and nothing durable after it', async code => {
    for (let failAt = 1, whole = false; !whole; failAt++) {
      const disk = createDisk({ failAt, code })
      const history = newHistory()
      const failures: string[] = []
      let durableAtFailure = 0
      const opening = createLogStorage({ folder: FOLDER, files: disk, deadBytesMin: 400 }).open(error => {
        failures.push(error.message)
        durableAtFailure = history.durable
      })
      const storage = await opening.catch((error: Error) => {
        expect(error.message).toMatch(/^the store \/store could not be opened \(/)
        return undefined
      })
      if (storage === undefined) continue
      const random = seededRandom(failAt)
      for (let i = 0; i < 40; i++) {
        saveOne(storage, history, random)
        if (i % 3 === 0) await new Promise(setImmediate)
      }
      await storage.close()
      whole = disk.failures === 0
      expect(failures.length).toBe(whole ? 0 : 1)
      if (whole) break
      expect(failures[0]).toMatch(code === 'ENOSPC' ? /The disk is full: make room/ : /Check the disk before/)
      expect(history).toMatchObject({ durable: durableAtFailure, complaints: [] })
      const left = prefixOf(history, await (await readAgain(disk)).read())
      expect(left).toBeGreaterThanOrEqual(history.durable)
    }
  })

  it('while a compaction copies: what is being saved at that moment is not called durable', async () => {
    const disk = createDisk()
    const noSpace = Object.assign(new Error('ENOSPC: planted'), { code: 'ENOSPC' })
    const turn = () => new Promise(setImmediate)
    let created = 0
    const files = {
      ...disk,
      create: async (path: string) => {
        if (path.endsWith('.new') && ++created > 1) throw noSpace
        return disk.create(path)
      },
      open: async (path: string) => {
        const file = await disk.open(path)
        return { ...file, sync: () => turn().then(file.sync) }
      },
    }
    const history = newHistory()
    let durableAtFailure: number | undefined
    const storage = await createLogStorage({ folder: FOLDER, files, deadBytesMin: 400 }).open(() => {
      durableAtFailure = history.durable
    })
    const random = seededRandom(2)
    for (let i = 0; i < 100; i++) {
      saveOne(storage, history, random)
      saveOne(storage, history, random)
      await turn()
    }
    await storage.close()
    expect(history.durable).toBe(durableAtFailure)
    expect(history.durable).toBeLessThan(100)
  })

  // After the failure the disk works again, as after room was made.
  function readAgain(disk: Disk) {
    const names = diskWith(PATH, disk.bytes(PATH))
    return createLogStorage({ folder: FOLDER, files: names }).open(unexpected)
  }

  it('that never answers: the queue is bounded', async () => {
    const disk = createDisk()
    const failures: string[] = []
    const queuedBytesMax = 2 * BATCH_BYTES_MAX
    const store = createLogStorage({ folder: FOLDER, files: { ...disk, open: stuck }, queuedBytesMax })
    const storage = await store.open(error => failures.push(error.message))
    async function stuck(path: string) {
      return { ...(await disk.open(path)), write: () => new Promise<void>(() => {}) }
    }
    const record = new Uint8Array(RECORD_BYTES_MAX)
    for (let i = 0; i < 13; i++) {
      storage.save('a', record, 'append', expect.unreachable)
      await Promise.resolve()
      await Promise.resolve()
    }
    expect(failures).toEqual([expect.stringMatching(`more than ${queuedBytesMax >> 20} MB wait to be written`)])
  })

  // A copy of a large object is saved in one step.
  it('takes more in one step than a batch holds, in its order', async () => {
    const disk = createDisk()
    const storage = await createLogStorage({ folder: FOLDER, files: disk }).open(unexpected)
    const sizes = [8, 7, 9, 8, 7, 9, 1].map(mega => mega << 20)
    const durable = new Promise<void>(resolve => {
      for (const size of sizes) storage.save('a', new Uint8Array(size), 'append')
      storage.save('a', Buffer.from('last'), 'append', resolve)
    })
    await durable
    await storage.close()
    const again = await createLogStorage({ folder: FOLDER, files: disk }).open(unexpected)
    const found = (await again.read()).get('a')!
    expect(found.map(record => record.length)).toEqual([...sizes, 4])
    await again.close()
  })
})

describe('one store, one process', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'coterie-holder-'))
  })
  afterAll(() => rm(folder, { recursive: true }))

  it('refuses a second opening and says who has it; after the close it may be opened', async () => {
    const store = createLogStorage({ folder })
    const first = await store.open(unexpected)
    await expect(store.open(unexpected)).rejects.toThrow(`is in use by this process (${process.pid})`)
    await first.close()
    await (await store.open(unexpected)).close()
    expect(await readdir(folder)).toEqual(['store.log'])
  })

  it('of many that come at once, at most one gets it', async () => {
    const all = await Promise.allSettled(Array.from({ length: 8 }, () => createLogStorage({ folder }).open(unexpected)))
    const got = all.flatMap(one => (one.status === 'fulfilled' ? [one.value] : []))
    expect(got.length).toBeLessThanOrEqual(1)
    for (const storage of got) await storage.close()
    await (await createLogStorage({ folder }).open(unexpected)).close()
  })

  it('takes over from a dead process, and from one whose number is used again', async () => {
    const dead = execFileSync(process.execPath, ['-p', 'process.pid'], { encoding: 'utf8' }).trim()
    await writeFile(join(folder, `held-by-${dead}-12345xabcdef01-00`), '')
    await writeFile(join(folder, `held-by-${process.pid}-1xabcdef01-00`), '')
    await (await createLogStorage({ folder }).open(unexpected)).close()
    expect(await readdir(folder)).toEqual(['store.log'])
  })

  it('says what to do where the folder cannot be made', async () => {
    await writeFile(join(folder, 'file'), '')
    const inside = createLogStorage({ folder: join(folder, 'file', 'store') })
    await expect(inside.open(unexpected)).rejects.toThrow(/could not be opened \(ENOTDIR/)
    await rm(join(folder, 'file'))
  })

  // Of ten megabytes; a rewrite runs beside the writer, and how far it gets is the disk’s affair.
  it('keeps the file small: a lane that is replaced for ever takes a few megabytes at most', async () => {
    const storage = await createLogStorage({ folder }).open(unexpected)
    const record = Buffer.alloc(100_000, 1)
    for (let i = 0; i < 100; i++) await new Promise<void>(durable => storage.save('a', record, 'replace', durable))
    await storage.close()
    expect((await readFile(join(folder, 'store.log'))).length).toBeLessThan(6_000_000)
    expect(await readdir(folder)).toEqual(['store.log'])
  })
})
