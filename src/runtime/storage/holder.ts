// One store, one process. Two that append to one log would each destroy what the other promised.
//
// Node cannot lock a file, so a process says by a file's name that it holds the store: first it creates its own file,
// then it looks for others. Of two that come at once, at least one sees the other; both may give way, never may both
// go on. A file is removed by its own process, or when that process is certainly dead; "remove the old one, then
// create mine" would let a slow second comer remove the file of a quick first one.
//
// A process number is used again after a while, and after a boot at once, so the name also says when the process
// started and in which boot of the machine. Not covered: one folder shared by several machines, or by containers
// that do not see each other's processes.

import { randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { FileError } from '../../core/index.ts'
import type { Files } from './files.ts'

const PREFIX = 'held-by-'
const NAME = /^held-by-(\d+)-([0-9a-z]+)-[0-9a-f]+$/
/** In /proc/PID/stat, counted from behind the program's name (which may contain anything, blanks too). */
const STATE_FIELD = 0
const START_FIELD = 19
/** Enough of the boot's identity to tell two boots apart. */
const BOOT_DIGITS = 8
/** Two openings in one process, or in its worker threads, must not choose one name. */
const NONCE_BYTES = 4

/** Takes the store for this process; returns the way to let go of it. */
export async function holdStore(files: Files, folder: string): Promise<() => Promise<void>> {
  const nonce = randomBytes(NONCE_BYTES).toString('hex')
  const mine = `${PREFIX}${process.pid}-${await lifeOf(process.pid)}-${nonce}`
  const release = () => files.remove(join(folder, mine))
  await (await files.create(join(folder, mine))).close()
  try {
    for (const name of await files.list(folder)) {
      if (name !== mine) await giveWayToOrRemove(files, folder, name)
    }
  } catch (error) {
    await release().catch(() => {})
    throw error
  }
  return release
}

/** The living process that holds the store in this folder, if there is one. */
export async function holderOf(folder: string): Promise<number | undefined> {
  for (const name of await readdir(folder).catch(() => [])) {
    const [, pid, life] = NAME.exec(name) ?? []
    if (pid !== undefined && (await lifeOf(Number(pid))) === life) return Number(pid)
  }
  return undefined
}

async function giveWayToOrRemove(files: Files, folder: string, name: string): Promise<void> {
  const [, pid, life] = NAME.exec(name) ?? []
  if (pid === undefined) return
  if ((await lifeOf(Number(pid))) === life) {
    const who = Number(pid) === process.pid ? `this process (${pid})` : `process ${pid}`
    throw new FileError(`the store ${folder} is in use by ${who}. Stop it, or choose another folder for this server.`)
  }
  await files.remove(join(folder, name)).catch(ignoreMissing)
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error
}

/** What tells this process from an earlier or later one of the same number; undefined where none is alive. */
async function lifeOf(pid: number): Promise<string | undefined> {
  try {
    const boot = await readFile('/proc/sys/kernel/random/boot_id', 'latin1')
    const stat = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    // A zombie has let go of all its files.
    if (stat === '' || fields[STATE_FIELD] === 'Z' || fields[STATE_FIELD] === 'X') return undefined
    return `${fields[START_FIELD]}x${boot.slice(0, BOOT_DIGITS)}`
  } catch {
    return answersSignal(pid) ? 'unknown' : undefined
  }
}

/** Where there is no /proc (macOS, Windows) the number alone has to do. */
function answersSignal(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
