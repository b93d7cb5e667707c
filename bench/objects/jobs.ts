// What a client process of the objects benchmark can be asked for. Times are of the system's monotonic clock in
// milliseconds, which all processes of a machine share.

import { setTimeout as sleep } from 'node:timers/promises'
import { clock, type Span } from '../lock/jobs.ts'
import type { Address } from '../lock/service.ts'
import { openPutClient, type PutClient } from './clients.ts'

export type Job =
  | { readonly kind: 'open'; readonly address: Address; readonly key: string }
  | { readonly kind: 'close' }
  /** One put after the other. */
  | { readonly kind: 'one by one'; readonly ms: number }
  /** Several puts in flight, each on a key of its own. */
  | { readonly kind: 'in flight'; readonly count: number; readonly ms: number }
  | { readonly kind: 'once' }
  /** Hears of every value of a key from now on. */
  | { readonly kind: 'watch'; readonly key: string }
  /** A number of values, `pauseMs` apart; each carries the time at which it was put. */
  | { readonly kind: 'put times'; readonly count: number; readonly pauseMs: number }
  /** When the values came that were put by `put times`. `from` is 0 where the value did not say it. */
  | { readonly kind: 'heard' }
  /** Entries of their own, in batches. */
  | { readonly kind: 'fill'; readonly count: number }

export interface Done {
  readonly spans: readonly Span[]
}

const VALUE_BYTES = 100
/** A service that just lost a server refuses for a while; asking more often would only load the machine. */
const RETRY_MS = 2
const FILL_AT_ONCE = 256
const NOTHING: Done = { spans: [] }

export class Putters {
  private client: PutClient | undefined
  private key = ''
  private heard: Span[] = []
  private watched = ''

  async do(job: Job): Promise<Done> {
    switch (job.kind) {
      case 'open':
        this.key = job.key
        this.client = await openPutClient(job.address)
        await this.client.prepare(job.key)
        return NOTHING
      case 'close':
        await this.client?.close()
        this.client = undefined
        return NOTHING
      case 'one by one':
        return { spans: await this.loop(this.key, clock() + job.ms) }
      case 'in flight':
        return this.inFlight(job.count, job.ms)
      case 'once':
        return { spans: [await this.put(this.key, value(0))] }
      case 'watch':
        // In place since the round before: a second one would tell everything twice.
        if (this.watched !== job.key) await this.client!.watch(job.key, bytes => this.hear(bytes))
        this.watched = job.key
        return NOTHING
      case 'put times':
        return this.putTimes(job.count, job.pauseMs)
      case 'heard':
        return { spans: this.heard.splice(0) }
      case 'fill':
        return this.fill(job.count)
    }
  }

  private async inFlight(count: number, ms: number): Promise<Done> {
    const keys = Array.from({ length: count }, (_, place) => `${this.key}-${place}`)
    await Promise.all(keys.map(key => this.client!.prepare(key)))
    const end = clock() + ms
    return { spans: (await Promise.all(keys.map(key => this.loop(key, end)))).flat() }
  }

  private async loop(key: string, end: number): Promise<Span[]> {
    const spans: Span[] = []
    while (clock() < end) spans.push(await this.put(key, value(spans.length)))
    return spans
  }

  /** However often the service must be asked. */
  private async put(key: string, bytes: Uint8Array): Promise<Span> {
    const from = clock()
    for (;;) {
      try {
        await this.client!.put(key, bytes)
        return { from, to: clock() }
      } catch {
        await sleep(RETRY_MS)
      }
    }
  }

  private async putTimes(count: number, pauseMs: number): Promise<Done> {
    const spans: Span[] = []
    for (let i = 0; i < count; i++) {
      spans.push(await this.put(this.key, value(clock())))
      await sleep(pauseMs)
    }
    return { spans }
  }

  private hear(bytes: Uint8Array | undefined): void {
    if (bytes === undefined) return void this.heard.push({ from: 0, to: clock() })
    const from = Number(Buffer.from(bytes).toString('latin1').trim())
    if (from > 0) this.heard.push({ from, to: clock() })
  }

  private async fill(count: number): Promise<Done> {
    const from = clock()
    let next = 0
    const one = async () => {
      while (next < count) {
        const key = `${this.key}-fill-${next++}`
        await this.client!.prepare(key)
      }
    }
    await Promise.all(Array.from({ length: FILL_AT_ONCE }, one))
    return { spans: [{ from, to: clock() }] }
  }
}

function value(number: number): Uint8Array {
  return Buffer.from(String(number).padEnd(VALUE_BYTES), 'latin1')
}
