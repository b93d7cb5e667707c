// A restart: how long a store of 150 MB takes to open, and what memory, when it holds a thousand records, a million, or
// a million that were each flushed alone. Each opening is a process of its own, for the sake of its peak.

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { type Files, realFiles } from '../src/runtime/storage/files.ts'
import { createLogStorage } from '../src/runtime/storage/log.ts'
import { median, type Print, printTable, show } from './support/figures.ts'
import { benchProgram, makeFolder, stopAll } from './support/processes.ts'

interface ReopenRow {
  readonly layout: string
  readonly openMs: number
  readonly peakMb: number
}

const TOTAL_BYTES = 150_000_000
const ROUNDS = 3
/** How large a record is, and how many go out together. */
const LAYOUTS: readonly (readonly [layout: string, recordBytes: number, together: number])[] = [
  ['1,000 records', 150_000, 100],
  ['1,000,000 records, 2,000 to a batch', 150, 2_000],
  ['1,000,000 records, one to a batch', 150, 1],
]

/** The stores are only written to be read: a million flushes would take minutes and change nothing in the file. */
const unflushed: Files = {
  ...realFiles,
  open: async path => ({ ...(await realFiles.open(path)), sync: async () => {} }),
}

async function write(folder: string, recordBytes: number, together: number): Promise<void> {
  const storage = await createLogStorage({ folder, files: unflushed }).open(error => {
    throw error
  })
  const record = new Uint8Array(recordBytes).fill(7)
  for (let left = TOTAL_BYTES / recordBytes; left > 0; left -= together) {
    const saves = Array.from({ length: together }, () => {
      return new Promise<void>(durable => storage.save('objects', record, 'append', durable))
    })
    await Promise.all(saves)
  }
  await storage.close()
}

async function reopen(folder: string): Promise<Omit<ReopenRow, 'layout'>> {
  const { stdout } = await promisify(execFile)(process.execPath, [benchProgram('reopen'), folder])
  return JSON.parse(stdout)
}

export async function run(print: Print = console.log): Promise<ReopenRow[]> {
  const rows: ReopenRow[] = []
  try {
    for (const [layout, recordBytes, together] of LAYOUTS) {
      const folder = await makeFolder('reopen')
      await write(folder, recordBytes, together)
      const rounds: Omit<ReopenRow, 'layout'>[] = []
      for (let round = 0; round < ROUNDS; round++) rounds.push(await reopen(folder))
      const of = (value: (round: Omit<ReopenRow, 'layout'>) => number) => median(rounds.map(value))
      rows.push({ layout, openMs: of(round => round.openMs), peakMb: of(round => round.peakMb) })
    }
  } finally {
    await stopAll()
  }
  printTable(
    print,
    [`150 MB, median of ${ROUNDS}`, 'opened in, ms', 'peak, MB'],
    rows.map(({ layout, openMs, peakMb }) => [layout, show(openMs), show(peakMb)]),
  )
  return rows
}
