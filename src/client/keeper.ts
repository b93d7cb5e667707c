// Renewal from a worker thread: the main thread's side of it.
//
// The thread starts with the first lease that is to be renewed, before its holder can go on: a holder that blocks at
// once is kept as well. From then on the two threads share memory and need no messages. If the thread cannot be
// started, or ends, the main thread renews by itself, as it does where there is no keeper.

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
const NO_NEWS: readonly ClientNodeCommand[] = []

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
    // It lives in dist: run from its sources, as some tests do, the main thread renews.
    const worker = new Worker(new URL('../runtime/keeper/worker.js', import.meta.url), {
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
