// Accounts and lazy records in the log by itself: what they cost, what becomes of the file, and logs of an older format.

import { crc32 } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { createDisk, type Disk, diskWith } from '../../../test/storage/disk.ts'
import { unexpected } from '../../../test/storage/history.ts'
import { seededRandom } from '../../core/index.ts'
import { BATCH_BYTES_MAX, createLogStorage, type LogSettings } from './log.ts'
import { FORMAT_VERSION } from './records.ts'
import type { Storage } from './storage.ts'

const FOLDER = '/store'
const PATH = '/store/store.log'
/** Longer than any test: nothing goes out because time has passed. */
const NEVER_MS = 1_000_000

/** A disk that counts how often the log was flushed. */
function counting(disk: Disk = createDisk()) {
  const counts = { syncs: 0 }
  const files = {
    ...disk,
    open: async (path: string) => {
      const file = await disk.open(path)
      const sync = () => {
        counts.syncs++
        return file.sync()
      }
      return { ...file, sync }
    },
  }
  return { disk, files, counts }
}

const open = (settings: Omit<LogSettings, 'folder'>) =>
  createLogStorage({ folder: FOLDER, ...settings }).open(unexpected)
const turn = () => new Promise(setImmediate)
const save = (storage: Storage, text: string, kind: 'append' | 'begin' | 'replace' = 'append') =>
  new Promise<void>(durable => storage.save('a', Buffer.from(text), kind, durable))

/** As found by a process that starts after this one was killed. */
async function content(disk: Disk): Promise<string[]> {
  const storage = await open({ files: diskWith(PATH, disk.bytes(PATH)) })
  const records = (await storage.read()).get('a') ?? []
  await storage.close()
  return records.map(one => Buffer.from(one).toString())
}

describe('a lazy record', () => {
  it('costs no flush, and goes out with the next one that somebody waits for', async () => {
    const { disk, files, counts } = counting()
    const storage = await open({ files, lazyMs: NEVER_MS })
    counts.syncs = 0
    for (const text of ['1', '2']) {
      storage.save('a', Buffer.from(text), 'append')
      await turn()
    }
    expect(counts.syncs).toBe(0)
    expect(await content(disk)).toEqual([])
    await save(storage, '3')
    expect(counts.syncs).toBe(1)
    expect(await content(disk)).toEqual(['1', '2', '3'])
  })

  it('that comes while the disk is busy causes no second flush', async () => {
    const { files, counts } = counting()
    const storage = await open({ files, lazyMs: NEVER_MS })
    counts.syncs = 0
    const first = save(storage, 'awaited')
    await Promise.resolve()
    storage.save('a', Buffer.from('lazy'), 'append')
    await first
    for (let i = 0; i < 5; i++) await turn()
    expect(counts.syncs).toBe(1)
  })

  it('goes out by itself after a while', async () => {
    const { disk, files } = counting()
    const storage = await open({ files, lazyMs: 1 })
    storage.save('a', Buffer.from('1'), 'append')
    while ((await content(disk)).length === 0) await new Promise(resolve => setTimeout(resolve, 1))
    expect(await content(disk)).toEqual(['1'])
    await storage.close()
  })

  it('waits no longer when there are many: a store that nobody waits for does not fail for it', async () => {
    const { disk, files } = counting()
    const storage = await open({ files, lazyMs: NEVER_MS })
    // More, in all, than a batch holds.
    for (let i = 0; i < 12; i++) {
      storage.save('a', new Uint8Array(BATCH_BYTES_MAX / 8), 'append')
      for (let turns = 0; turns < 4; turns++) await turn()
    }
    expect((await content(disk)).length).toBeGreaterThan(8)
  })
})

describe('an account', () => {
  it('that is whole costs no flush', async () => {
    const { files, counts } = counting()
    const storage = await open({ files, lazyMs: NEVER_MS })
    await save(storage, 'all', 'begin')
    counts.syncs = 0
    storage.forget('a')
    for (let turns = 0; turns < 4; turns++) await turn()
    expect(counts.syncs).toBe(0)
    await storage.close()
  })

  it('that is whole shrinks the file', async () => {
    const disk = createDisk()
    const storage = await open({ files: disk, deadBytesMin: 1_000, lazyMs: NEVER_MS })
    const random = seededRandom(3)
    let largest = 0
    for (let cycle = 0; cycle < 30; cycle++) {
      for (let page = 0; page < 10; page++) {
        await save(storage, `${cycle}.${page} ${'x'.repeat(random.below(200))}`, page === 0 ? 'begin' : 'append')
      }
      storage.forget('a')
      largest = Math.max(largest, disk.bytes(PATH).length)
    }
    await storage.close()
    expect((await content(disk)).map(text => text.split(' ')[0])).toEqual(
      Array.from({ length: 10 }, (_, page) => `29.${page}`),
    )
    // Some 1,500 bytes an account: the living one, the dead of one more, and the one that is being written.
    expect(largest).toBeLessThan(10_000)
  })

  it('costs the file no more when it is read again: what was forgotten stays dead', async () => {
    const disk = createDisk()
    const first = await open({ files: disk, deadBytesMin: 1_000_000 })
    for (let i = 0; i < 20; i++) await save(first, 'x'.repeat(100))
    await save(first, 'all', 'begin')
    first.forget('a')
    await first.close()
    const before = disk.bytes(PATH).length
    const second = await open({ files: disk, deadBytesMin: 1_000 })
    expect((await second.read()).get('a')).toHaveLength(1)
    await save(second, 'more')
    await second.close()
    expect(disk.bytes(PATH).length).toBeLessThan(before / 5)
    expect(await content(disk)).toEqual(['all', 'more'])
  })
})

describe('a log of format 1', () => {
  const versionOf = (bytes: Uint8Array) => Buffer.from(bytes).readUInt32BE(8)

  /** As the first format had it: the same, without accounts. */
  async function oldLog(): Promise<Uint8Array> {
    const disk = createDisk()
    const storage = await open({ files: disk })
    for (const text of ['gone', 'gone too']) await save(storage, text)
    await save(storage, '1', 'replace')
    await save(storage, '2')
    await storage.close()
    const bytes = Buffer.from(disk.bytes(PATH))
    bytes.writeUInt32BE(1, 8)
    bytes.writeUInt32BE(crc32(bytes.subarray(0, 20)), 20)
    return bytes
  }

  it('is opened, and is one of ours from then on', async () => {
    const disk = diskWith(PATH, await oldLog())
    expect(versionOf(disk.bytes(PATH))).toBe(1)
    const storage = await open({ files: disk })
    expect((await storage.read()).get('a')).toHaveLength(2)
    await save(storage, '3', 'begin')
    storage.forget('a')
    await storage.close()
    expect(versionOf(disk.bytes(PATH))).toBe(FORMAT_VERSION)
    expect(await content(disk)).toEqual(['3'])
  })

  it('loses nothing if the power is cut while it is rewritten, at whichever operation', async () => {
    const bytes = await oldLog()
    let cuts = 0
    for (let cutAt = 1; ; cutAt++, cuts++) {
      const disk = diskWith(PATH, bytes, { cutAt })
      const opened = open({ files: disk }).then(storage => storage.close())
      if (await Promise.race([opened.then(() => true), disk.cut.then(() => false)])) break
      const after = disk.afterCut(seededRandom(cutAt))
      expect(await content(after)).toEqual(['1', '2'])
    }
    expect(cuts).toBeGreaterThan(10)
  })
})
