// A guard for a file. `write` puts new content and its token in place as one step, or refuses a stale token.
//
// Guarantees, for any number of processes on one machine that write through a guard: what is accepted has growing
// tokens; a process that is killed or stopped at any moment leaves the old content with the old token or the new with
// the new; it holds nobody up for longer than PATIENCE_MS; when it wakes it can do no harm.
//
// Why not a lock file: a holder that is stopped for long must be replaced, or everyone waits for ever; once replaced, it
// wakes and writes. That is the trouble fencing was to end. So here **the lock carries the write**. Beside `path`:
//
//   path.guard/try-N/     N.record and N.data, whole and synced, made by writer N (N is drawn at random)
//   path.guard/lock/      the one try that has the turn: renamed here, which works only onto an empty folder
//   path.guard/record     token and N of the last accepted write
//
// 1. Take the turn: rename try-N to lock. 2. Read record, decide. 3. Accept: rename lock/N.record to record. From
// here the write has happened. 4. Rename lock/N.data to path; now lock is empty, and the turn is free.
//
// Every step moves a file of N's own name out of `lock`, so anybody may do it for N: delete lock/N.record (then N was
// never accepted, and its own step 3 finds nothing to rename), or do step 4 (then N's own finds nothing to do).
// Between two looks at `record`, N's turn cannot have been lost and won back: a try is renamed there once.

import { randomBytes } from 'node:crypto'
import { mkdir, open, readdir, readFile, realpath, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  abortSignal,
  because,
  checkValue,
  FileError,
  kindOf,
  optionsSchema,
  SettingsError,
  textOf,
  Unavailable,
  waitTime,
} from '../core/index.ts'
import { checkToken, decide, type Token } from './decision.ts'
import { demandPass, WriteUncertain } from './errors.ts'
import { formatRecord, parseRecord, RECORD_BYTES_MAX, type TokenRecord } from './record.ts'

/** What a guarded file holds, and under which token. */
export interface FileState {
  /** Undefined where nothing was written through a guard yet. */
  readonly token: bigint | undefined
  /** Undefined where there is no file. */
  readonly data: Buffer | undefined
}

/** How long a write waits for others. */
export interface FileWriteOptions {
  /** How long to wait for other writers, in milliseconds. Default 30 s. 0: now, or not. */
  readonly timeout?: number
  /** Gives up waiting when it fires. */
  readonly signal?: AbortSignal
}

/** Writes a file only with a token that no larger one has overtaken. */
export interface FileGuard {
  /** Replaces the file's content. Rejects with StaleToken where a larger token has passed, and changes nothing. */
  write(token: Token, data: string | Uint8Array, options?: FileWriteOptions): Promise<void>
  /** The content and the token it was written with, from one moment. */
  read(): Promise<FileState>
}

/** Longer than a turn takes on a busy disk: a turn is two renames and their syncs. Breaking one too early costs a retry, never safety. */
const PATIENCE_MS = 1_000
const TIMEOUT_DEFAULT_MS = 30_000
const POLL_MAX_MS = 20
const NAME_BYTES = 12
const OWN_FILE = /^([0-9a-f]+)\.(?:record|data)$/
/** A try that its writer has left behind: killed before its turn. Removing a living one makes it start over. */
const LEFT_BEHIND_MS = 3_600_000
const READS_MAX = 1_000

/** One write, under way. */
interface Attempt {
  readonly at: Places
  readonly token: bigint
  readonly data: string | Uint8Array
  readonly signal: AbortSignal | undefined
  readonly deadline: number
}

/** Waits behind a writer that may be dead. */
interface Watch {
  /** Whose turn it was when we looked last, and since when. */
  name: string
  since: number
}

/** The guard of one file; processes that guard the same path see each other's tokens. */
export function fileGuard(path: string): FileGuard {
  checkValue('path', textOf('the path of a file'), path)
  let last: Promise<unknown> = Promise.resolve()
  let swept = false
  return {
    async write(given, data, options = {}) {
      const token = checkToken(given)
      checkData(data)
      checkWrite('guard.write', options)
      const { timeout = TIMEOUT_DEFAULT_MS, signal } = options
      const write = async () => {
        const at = await places(path)
        if (!swept) await sweep(at)
        swept = true
        await attempt({ at, token, data, signal, deadline: performance.now() + timeout })
      }
      // In one process writes go in line: they would only wake each other up.
      const mine = last.then(write)
      last = mine.catch(() => {})
      return mine
    },
    async read() {
      return read(await places(path))
    },
  }
}

const checkWrite = optionsSchema<FileWriteOptions>({ timeout: waitTime, signal: abortSignal })

function checkData(data: unknown): void {
  if (typeof data === 'string' || data instanceof Uint8Array) return
  throw new SettingsError(`data must be text or bytes, not ${kindOf(data)}.`)
}

class Places {
  readonly path: string
  readonly folder: string
  readonly lock: string
  readonly record: string

  constructor(path: string) {
    this.path = path
    this.folder = `${path}.guard`
    this.lock = join(this.folder, 'lock')
    this.record = join(this.folder, 'record')
  }

  try(name: string): string {
    return join(this.folder, `try-${name}`)
  }
}

/** Two names of one file (a symbolic link) must lead to one record. */
async function places(path: string): Promise<Places> {
  const whole = resolve(path)
  const real = await realpath(whole).catch(() => undefined)
  if (real !== undefined) return new Places(real)
  const parent = await realpath(dirname(whole)).catch(error => {
    throw cannot('find', dirname(whole), error)
  })
  return new Places(join(parent, basename(whole)))
}

async function attempt(write: Attempt): Promise<void> {
  for (let first = true; ; first = false) {
    // Also without any time to wait, one try is had.
    if (!first) demandTime(write)
    demandCalm(write)
    const name = randomBytes(NAME_BYTES).toString('hex')
    try {
      await prepare(write, name)
      await takeTurn(write, name)
    } catch (error) {
      await rm(write.at.try(name), { recursive: true, force: true }).catch(() => {})
      if (code(error) === 'ENOENT') continue // swept away as if left behind
      throw cannot('write', write.at.path, error)
    }
    if (await useTurn(write, name)) return
  }
}

async function prepare({ at, token, data }: Attempt, name: string): Promise<void> {
  const folder = at.try(name)
  await mkdir(at.folder, { recursive: true })
  await mkdir(folder)
  // A file that only its owner could read stays so.
  const mode = await stat(at.path).then(
    state => state.mode & 0o777,
    () => undefined,
  )
  await writeSynced(join(folder, `${name}.data`), data, mode)
  await writeSynced(join(folder, `${name}.record`), formatRecord({ token, name }))
  await syncFolder(folder)
}

async function takeTurn(write: Attempt, name: string): Promise<void> {
  const { at } = write
  const watch: Watch = { name: '', since: 0 }
  for (;;) {
    try {
      return await rename(at.try(name), at.lock)
    } catch (error) {
      if (code(error) !== 'ENOTEMPTY' && code(error) !== 'EEXIST') throw error
    }
    demandTime(write)
    if (!(await help(at, watch))) await sleep(1 + Math.random() * POLL_MAX_MS)
  }
}

function demandCalm({ at, signal }: Attempt): void {
  if (!signal?.aborted) return
  throw because(new Unavailable(`the write of ${at.path} was cancelled; nothing was written.`), signal.reason)
}

function demandTime(write: Attempt): void {
  demandCalm(write)
  const { at, deadline } = write
  if (performance.now() < deadline) return
  throw new Unavailable(
    `other writers of ${at.path} kept it busy until the time was up; nothing was written. If nobody writes, look into ${at.lock}.`,
  )
}

/** Does what is left to do for the writer whose turn it is, or ends its turn where it has had it for too long. */
async function help(at: Places, watch: Watch): Promise<boolean> {
  const entries = await readdir(at.lock).catch((): string[] => [])
  if (entries.length === 0) return true
  const name = entries.map(entry => OWN_FILE.exec(entry)?.[1]).find(each => each !== undefined)
  if (name === undefined) return false // something that is not ours: it must go by hand
  if (watch.name !== name) Object.assign(watch, { name, since: performance.now() })
  if (entries.includes(`${name}.record`)) {
    if (performance.now() - watch.since < PATIENCE_MS) return false
    await rm(join(at.lock, `${name}.record`), { force: true })
    return true
  }
  // Its record has left the lock: accepted, or deleted. That is settled, and `record` says which.
  const record = await readRecord(at)
  if (record?.name === name) await placeData(at, name)
  else await rm(join(at.lock, `${name}.data`), { force: true })
  return true
}

/** Decides under the turn. False: somebody ended our turn before we had decided, and nothing has happened. */
async function useTurn({ at, token }: Attempt, name: string): Promise<boolean> {
  const own = join(at.lock, `${name}.record`)
  try {
    const decision = decide((await readRecord(at))?.token, token)
    demandPass(at.path, token, decision)
    await rename(own, at.record)
  } catch (error) {
    // In this order: data without a record is what helpers clear away.
    await rm(own, { force: true }).catch(() => {})
    await rm(join(at.lock, `${name}.data`), { force: true }).catch(() => {})
    if (code(error) === 'ENOENT') return false
    throw cannot('write', at.path, error)
  }
  try {
    await syncFolder(at.folder)
    await placeData(at, name)
  } catch (error) {
    throw new WriteUncertain(at.path, `its token is recorded, and then the system said ${code(error)}`, error)
  }
  return true
}

/** Nothing there: somebody else has placed it, and did not necessarily sync. */
async function placeData(at: Places, name: string): Promise<void> {
  await rename(join(at.lock, `${name}.data`), at.path).catch(error => {
    if (code(error) !== 'ENOENT') throw error
  })
  await syncFolder(dirname(at.path))
}

async function read(at: Places): Promise<FileState> {
  for (let round = 0; round < READS_MAX; round++) {
    const before = await readRecord(at)
    // An accepted write whose data is still in the lock has happened.
    const waiting = before && (await readIfThere(join(at.lock, `${before.name}.data`)))
    const data = waiting ?? (await readIfThere(at.path))
    const after = await readRecord(at)
    if (before?.name === after?.name) return { token: before?.token, data }
  }
  throw new Unavailable(`${at.path} changed during each of ${READS_MAX} reads.`)
}

async function readRecord(at: Places): Promise<TokenRecord | undefined> {
  const bytes = await readIfThere(at.record)
  if (bytes === undefined) return undefined
  const record = bytes.length <= RECORD_BYTES_MAX ? parseRecord(bytes.toString('latin1')) : undefined
  // To take a damaged record for none would let every stale token pass.
  if (record === undefined) {
    throw new FileError(
      `${at.record} is damaged. Restore it from a copy, or write '1 TOKEN 00' with the largest token.`,
    )
  }
  return record
}

async function readIfThere(file: string): Promise<Buffer | undefined> {
  return readFile(file).catch(error => {
    if (code(error) === 'ENOENT') return undefined
    throw cannot('read', file, error)
  })
}

async function sweep(at: Places): Promise<void> {
  const entries = await readdir(at.folder).catch((): string[] => [])
  for (const entry of entries.filter(each => each.startsWith('try-'))) {
    const folder = join(at.folder, entry)
    const state = await stat(folder).catch(() => undefined)
    if (state && Date.now() - state.mtimeMs > LEFT_BEHIND_MS) await rm(folder, { recursive: true, force: true })
  }
}

async function writeSynced(file: string, data: string | Uint8Array, mode?: number): Promise<void> {
  const handle = await open(file, 'wx', mode)
  try {
    if (mode !== undefined) await handle.chmod(mode) // what the umask took away
    await handle.writeFile(data)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

function code(error: unknown): string {
  return (error as NodeJS.ErrnoException)?.code ?? String(error)
}

/** A file system's error as a sentence; everything else as it is. */
function cannot(verb: string, path: string, error: unknown): unknown {
  const known = (error as NodeJS.ErrnoException)?.syscall !== undefined
  return known ? new FileError(`cannot ${verb} ${path}: the system says ${code(error)}. Nothing was changed.`) : error
}
