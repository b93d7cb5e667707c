// What a client process of the benchmark can be asked for. Times are of the system's monotonic clock in milliseconds,
// which all processes of a machine share.

import { setTimeout as sleep } from 'node:timers/promises'
import { openClient } from './clients.ts'
import type { Address, LockClient } from './service.ts'

export type Job =
  | { readonly kind: 'open'; readonly address: Address; readonly leaseMs: number; readonly count: number }
  | { readonly kind: 'close' }
  /** One client, one name, again and again. */
  | { readonly kind: 'alone'; readonly ms: number }
  /** One client, several names at once. */
  | { readonly kind: 'keys'; readonly count: number; readonly ms: number }
  /** The first `count` clients want one name at `at`; each enters once. */
  | { readonly kind: 'once'; readonly count: number; readonly name: string; readonly at: number }
  /** The first `count` clients want one name again and again. */
  | { readonly kind: 'again'; readonly count: number; readonly name: string; readonly at: number; readonly ms: number }
  /** Takes the lock and keeps it. */
  | { readonly kind: 'hold'; readonly name: string }
  /** Takes many names and keeps them. */
  | { readonly kind: 'holdMany'; readonly count: number }

export interface Span {
  readonly from: number
  readonly to: number
}

/** Pairs that were done, and when. */
export interface Done {
  readonly spans: readonly Span[]
}

const HELD_AT_ONCE = 64
/** A service that just lost a server refuses for a while; asking more often would only load the machine. */
const RETRY_MS = 5

export function clock(): number {
  return Number(process.hrtime.bigint() / 1000n) / 1000
}

export class Clients {
  private clients: LockClient[] = []

  async do(job: Job): Promise<Done> {
    switch (job.kind) {
      case 'open':
        for (let i = 0; i < job.count; i++) this.clients.push(await openClient(job.address, job.leaseMs))
        return NOTHING
      case 'close':
        await Promise.all(this.clients.splice(0).map(client => client.close()))
        return NOTHING
      case 'alone':
        return { spans: await this.loop(this.clients[0]!, 'alone', clock() + job.ms) }
      case 'keys':
        return together(job.count, place => this.loop(this.clients[0]!, `key-${place}`, clock() + job.ms))
      case 'once':
        await until(job.at)
        return together(job.count, async place => [await pair(this.clients[place]!, job.name)])
      case 'again':
        await until(job.at)
        return together(job.count, place => this.loop(this.clients[place]!, job.name, job.at + job.ms))
      case 'hold': {
        const from = clock()
        await this.clients[0]!.lock(job.name)
        return { spans: [{ from, to: clock() }] }
      }
      case 'holdMany':
        return this.holdMany(job.count)
    }
  }

  private async loop(client: LockClient, name: string, end: number): Promise<Span[]> {
    const spans: Span[] = []
    while (clock() < end) spans.push(await pair(client, name))
    return spans
  }

  private async holdMany(count: number): Promise<Done> {
    let next = 0
    await together(HELD_AT_ONCE, async () => {
      while (next < count) await this.clients[0]!.lock(`held-${next++}-${'x'.repeat(20)}`)
      return []
    })
    return NOTHING
  }
}

const NOTHING: Done = { spans: [] }

async function together(count: number, work: (place: number) => Promise<readonly Span[]>): Promise<Done> {
  const spans = await Promise.all(Array.from({ length: count }, (_, place) => work(place)))
  return { spans: spans.flat() }
}

/** Takes and releases once, however often the service must be asked. */
async function pair(client: LockClient, name: string): Promise<Span> {
  const from = clock()
  for (;;) {
    try {
      const holding = await client.lock(name)
      await holding.release()
      return { from, to: clock() }
    } catch {
      await sleep(RETRY_MS)
    }
  }
}

async function until(at: number): Promise<void> {
  await sleep(Math.max(0, at - clock()))
}
