// Durable commits: how many a second, and how long one takes, for the log beside lmdb and beside a bare fdatasync.
// Every figure counts records that would survive a power cut when they were counted.

import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLogStorage } from '../src/runtime/storage/log.ts'

export interface StorageRow {
  readonly store: string
  readonly writers: number
  readonly commitsPerSecond: number
  /** Of one save, as its writer waits for it. */
  readonly p50Ms: number
  readonly p99Ms: number
}

interface Measured {
  commit(key: number): Promise<void>
  close(): Promise<void>
}

const RECORD = new Uint8Array(100).fill(7)
const WRITERS = [1, 64]
const WARM_UP_MS = 200
const MEASURE_MS = 1500

type Opener = (folder: string) => Promise<Measured>

async function openCoterie(folder: string): Promise<Measured> {
  const storage = await createLogStorage({ folder }).open(error => {
    throw error
  })
  return {
    commit: () => new Promise(durable => storage.save('lock', RECORD, 'append', durable)),
    close: () => storage.close(),
  }
}

/** What the disk itself takes: no format, no queue. With several writers it does one fdatasync for each. */
async function openBare(folder: string): Promise<Measured> {
  const file = await open(join(folder, 'bare'), 'w')
  let end = 0
  return {
    async commit() {
      end += RECORD.length
      await file.write(RECORD, 0, RECORD.length, end - RECORD.length)
      await file.datasync()
    },
    close: () => file.close(),
  }
}

async function openLmdb(folder: string): Promise<Measured> {
  // Not a dependency of ours: named in a variable, so that neither compiler nor bundler looks for it.
  const name = 'lmdb'
  const lmdb = await import(name)
  // Without overlappingSync a put is answered when it is durable, not before.
  const db = lmdb.open({
    path: join(folder, 'lmdb'),
    overlappingSync: false,
    encoding: 'binary',
    keyEncoding: 'uint32',
  })
  return {
    commit: async key => {
      await db.put(key, RECORD)
    },
    close: () => db.close(),
  }
}

async function measure(store: string, opener: Opener, writers: number): Promise<StorageRow> {
  const folder = await mkdtemp(join(tmpdir(), 'coterie-bench-'))
  try {
    const opened = await opener(folder)
    const began = performance.now() + WARM_UP_MS
    const until = began + MEASURE_MS
    const times: number[] = []
    let key = 0
    const writer = async () => {
      for (let start = performance.now(); start < until; ) {
        await opened.commit(key++)
        const now = performance.now()
        if (start >= began) times.push(now - start)
        start = now
      }
    }
    await Promise.all(Array.from({ length: writers }, writer))
    await opened.close()
    times.sort((a, b) => a - b)
    const at = (share: number) => times[Math.floor(times.length * share)] ?? Number.NaN
    return { store, writers, commitsPerSecond: (times.length / MEASURE_MS) * 1000, p50Ms: at(0.5), p99Ms: at(0.99) }
  } finally {
    await rm(folder, { recursive: true })
  }
}

export async function run(print: (line: string) => void = console.log): Promise<StorageRow[]> {
  const rows: StorageRow[] = []
  print('durable commits of 100 bytes      writers   commits/s    p50 ms    p99 ms')
  const stores: [string, Opener][] = [
    ['coterie log', openCoterie],
    ['lmdb', openLmdb],
    ['bare write + fdatasync', openBare],
  ]
  for (const [store, opener] of stores) {
    try {
      for (const writers of WRITERS) {
        const row = await measure(store, opener, writers)
        rows.push(row)
        const figures = [row.commitsPerSecond.toFixed(0), row.p50Ms.toFixed(3), row.p99Ms.toFixed(3)]
        print(`${store.padEnd(30)}${String(writers).padStart(11)}${figures.map(f => f.padStart(10)).join('  ')}`)
      }
    } catch (error) {
      print(`${store.padEnd(30)} not measured: ${(error as Error).message.split('\n')[0]}`)
    }
  }
  return rows
}
