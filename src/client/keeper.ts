// Renewal from a worker thread: the main thread's side of it.
//
// The thread starts with the first lease that is to be renewed, before its holder can go on: a holder that blocks at
// once is kept as well. From then on the two threads share memory and need no messages. If the thread cannot be
// started, or ends, the main thread renews by itself, as it does where there is no keeper.

import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'
import type { Millis } from '../core/index.ts'
import type { ClientNodeCommand } from '../node/index.ts'
import type { Clock } from '../runtime/clock.ts'
import { openBoard } from '../runtime/keeper/board.ts'
import { type HeldLease, HolderSide } from '../runtime/keeper/holder-side.ts'
import type { KeeperStart, KeeperWord } from '../runtime/keeper/worker.ts'
import type { Log } from '../runtime/transport/index.ts'

/** Renews leases for a group. */
export interface Keeper {
  hold(lease: HeldLease): void
  /** Let go, lost, or seen to be over. */
  drop(id: number): void
  /** The servers have agreed with the main thread. */
  extended(id: number, deadline: Millis): void
  setTtl(id: number, ttl: Millis): void
  /** Until when it is held, as far as the keeper knows. */
  deadline(id: number): Millis
}

/** Signs of life in the time after which a thread without them counts as gone. */
const SIGNS_PER_BLOCKED_MAX = 8
const SIGN_EVERY_MAX: Millis = 1_000
const WORKER_FILE = 'runtime/keeper/worker.js'
const NO_NEWS: readonly ClientNodeCommand[] = []

/**
 * The program of the thread. It lies beside this file in the package; in a bundle it does not, and is looked for in the
 * installed package. Nothing: the main thread would have to renew.
 */
export function findWorkerFile(): URL | undefined {
  // In a bundle of CommonJS there is no address of this file, only that of the program.
  const here = import.meta.url || pathToFileURL(process.argv[1] ?? '.').href
  const beside = import.meta.url ? new URL(`../${WORKER_FILE}`, import.meta.url) : undefined
  if (beside !== undefined && existsSync(beside)) return beside
  try {
    const manifest = pathToFileURL(createRequire(here).resolve('coterie/package.json'))
    const installed = new URL(`./dist/src/${WORKER_FILE}`, manifest)
    return existsSync(installed) ? installed : undefined
  } catch {
    return undefined
  }
}

/** Said at once where leases could not be renewed as promised: later it would be said by a lost lease. */
export function warnWithoutWorker(): void {
  // From its sources, as tests run it, there is no thread, and that is known.
  if (findWorkerFile() !== undefined || import.meta.url?.endsWith('.ts')) return
  process.emitWarning(
    'the thread that renews leases cannot be started: coterie was bundled, and dist/src/runtime/keeper/worker.js of its package is not installed beside the bundle. ' +
      'The main thread renews: a program that blocks for longer than a lease loses it. Leave coterie out of the bundle (external), or say blockedMax: 0 to accept it.',
    { code: 'COTERIE_NO_KEEPER' },
  )
}

export class WorkerKeeper implements Keeper {
  private readonly start: Omit<KeeperStart, 'board'>
  private readonly clock: Clock
  private readonly log: Log
  private side: HolderSide | undefined
  private worker: Worker | undefined
  private signs: NodeJS.Timeout | undefined
  private over = false

  constructor(start: Omit<KeeperStart, 'board'>, clock: Clock, log: Log) {
    this.start = start
    this.clock = clock
    this.log = log
  }

  hold(lease: HeldLease): void {
    if (this.over) return
    this.side ??= this.begin()
    this.side.offer(lease)
  }

  drop(id: number): void {
    this.side?.drop(id)
  }

  extended(id: number, deadline: Millis): void {
    this.side?.extended(id, deadline)
  }

  setTtl(id: number, ttl: Millis): void {
    this.side?.setTtl(id, ttl)
  }

  deadline(id: number): Millis {
    return this.side?.deadline(id) ?? Number.NEGATIVE_INFINITY
  }

  /** For the driver: what the client node must know before it decides anything. */
  news(): readonly ClientNodeCommand[] {
    const news = this.side?.news() ?? []
    if (news.length === 0) return NO_NEWS
    return news.map(kept => ({ part: 'lock', body: { kind: 'sustain', ...kept } }))
  }

  async close(): Promise<void> {
    this.end()
    await this.worker?.terminate()
  }

  private begin(): HolderSide {
    const board = openBoard()
    const side = new HolderSide(board, this.clock)
    const start: KeeperStart = { ...this.start, board: board.buffer }
    const worker = new Worker(findWorkerFile() ?? WORKER_FILE, {
      workerData: start,
      name: 'coterie keeper',
    })
    worker.unref()
    worker.on('message', ({ log }: KeeperWord) => this.log(...log))
    worker.on('error', error => this.lost(error.message))
    worker.on('exit', code => this.lost(`exit code ${code}`))
    const every = Math.min(SIGN_EVERY_MAX, Math.ceil(start.blockedMax / SIGNS_PER_BLOCKED_MAX))
    this.signs = setInterval(() => side.alive(), every).unref()
    this.worker = worker
    return side
  }

  // What it has proved stays true. New leases are renewed by the main thread alone.
  private lost(why: string): void {
    if (this.over) return
    this.end()
    this.log('warn', 'the thread that renews leases has ended; the main thread renews now', { why })
  }

  private end(): void {
    this.over = true
    clearInterval(this.signs)
  }
}
