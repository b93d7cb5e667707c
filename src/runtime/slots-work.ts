// Where a member's heavy work is done: in a thread of its own, so that a proof of tens of milliseconds does not keep
// the main thread from answering its peers. Where no thread is available, it is done in the main thread, between two inputs.

import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Piscina } from 'piscina'
import type { Group } from '../crypto/index.ts'
import type { ManySlotsCommand } from '../node/many-slots.ts'
import type { MemberEvent } from '../node/member.ts'
import { performShuffleWork } from '../slots/index.ts'
import type { Log } from './transport/index.ts'

export interface SlotsWorkshop {
  /** There will be work: a thread that starts only when it is needed would keep a whole lap waiting. */
  prepare(): void
  /** Rejects only after `close`. */
  work(request: Uint8Array): Promise<Uint8Array>
  close(): Promise<void>
}

/** It lives in dist: run from its sources, as some tests do, the main thread works. */
const WORKER = new URL('./slots-worker.js', import.meta.url)
/** A lap is one piece of work; with concurrent rounds there may be two. */
const THREADS_MAX = 2
/** How long the second thread may have nothing to do before it ends. */
const IDLE_MS = 60_000

export function openWorkshop(group: Group, log: Log): SlotsWorkshop {
  let pool: Piscina<Uint8Array, Uint8Array> | undefined
  let closed = false
  const inline = async (request: Uint8Array) => {
    await new Promise(resolve => setImmediate(resolve))
    return performShuffleWork(group, request, length => new Uint8Array(randomBytes(length)))
  }
  const begin = () => {
    if (!existsSync(fileURLToPath(WORKER))) return undefined
    pool ??= new Piscina({
      filename: WORKER.href,
      minThreads: 1,
      maxThreads: THREADS_MAX,
      idleTimeout: IDLE_MS,
      // A worker needs no more than its own work: it must not see the secrets of the environment.
      env: {},
    })
    return pool
  }
  return {
    prepare: () => void begin(),
    async work(request) {
      try {
        const threads = begin()
        if (threads !== undefined) return await threads.run(request)
      } catch (error) {
        if (closed) throw error
        log('warn', 'a thread for slots failed; the main thread works', { why: (error as Error).name })
      }
      return inline(request)
    },
    async close() {
      closed = true
      await pool?.destroy()
    },
  }
}

/** Work is for no user: it goes to the workshop, and its answer back to the machine that asked. True where it was work. */
export function takeWork(
  event: MemberEvent,
  workshop: SlotsWorkshop,
  tell: (command: ManySlotsCommand) => void,
): boolean {
  if (event.part !== 'slots') return false
  const said = event.body
  if (said.kind === 'opened' && said.settings.level === 'verified') workshop.prepare()
  if (said.kind !== 'said' || said.body.kind !== 'work') return false
  const { name, body } = said
  workshop.work(body.request).then(
    answer => tell({ kind: 'tell', name, body: { kind: 'worked', id: body.id, answer } }),
    // The node has stopped.
    () => {},
  )
  return true
}
