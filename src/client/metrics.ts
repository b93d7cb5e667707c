// The numbers of a process that uses a group, in a registry that its program hands in: what it asked for, how long it
// took, what it lost. Seen in the commands, messages and events that pass; nothing below knows of it.

import { type NodeId, optionsSchema, type Rule, required } from '../core/index.ts'
import type { ClientNodeCommand, ClientNodeEvent } from '../node/index.ts'
import type { MemberEvent } from '../node/member.ts'
import type { OrderingMessage } from '../ordering/index.ts'
import { Book, type MetricsRegistry } from '../runtime/metrics/book.ts'
import { clientMetrics, memberMetrics } from '../runtime/metrics/names.ts'
import { type Sample, Stopwatches } from '../runtime/metrics/tally.ts'

/** Where a process puts its numbers. */
export interface MetricsOptions {
  /** A `Registry` of prom-client, which the program shows as it shows its own. */
  readonly registry: MetricsRegistry
}

/** prom-client is not loaded for this: what can register metrics is taken. */
const registryRule: Rule = {
  must: 'a Registry of prom-client',
  fits: value => typeof (value as { registerMetric?: unknown } | null)?.registerMetric === 'function',
}

const checkMetrics = optionsSchema<MetricsOptions>({ registry: required(registryRule) })

export type ClientBook = Book<typeof clientMetrics>
export type MemberBook = Book<typeof memberMetrics>

interface Message {
  readonly part: string
  readonly body: { readonly kind: string }
}

/** A question with one of these is answered by every server that is well. */
const ANSWERED = ['attempt', 'ping', 'query'] as const
const NEWEST_WEIGHS = 0.1

/** Measures one connection to a group. */
export class ClientMeter {
  readonly book: ClientBook
  private readonly acquiring: Stopwatches
  private readonly submitted: Stopwatches
  private readonly reading: Stopwatches
  private readonly announced: Stopwatches
  private readonly held = new Set<number>()
  /** By server: since when it owes an answer, and how long its answers took. */
  private readonly asked = new Map<NodeId, number>()
  private readonly took = new Map<NodeId, number>()
  private readonly now: () => number

  constructor(options: MetricsOptions, node: string, now: () => number) {
    checkMetrics('metrics', options)
    const { registry } = options
    this.now = now
    this.book = new Book(registry, clientMetrics, { node })
    this.acquiring = new Stopwatches(now)
    this.submitted = new Stopwatches(now)
    this.reading = new Stopwatches(now)
    this.announced = new Stopwatches(now)
    this.book.reads('client_lock_waiters', () => this.acquiring.size)
    this.book.reads('client_locks_held', () => this.held.size)
    this.book.readsOf('client_server_answer_seconds', () => this.answerTimes())
  }

  command({ part, body }: ClientNodeCommand): void {
    if (part === 'lock') {
      if (body.kind === 'acquire') this.acquiring.start(`${body.id}`)
      else if (body.kind === 'release') {
        this.acquiring.stop(`${body.id}`)
        this.held.delete(body.id)
      }
    } else if (body.kind === 'submit') this.submitted.start(`${body.id}`)
    else if (body.kind === 'copy' || (body.kind === 'read' && !body.stale)) this.reading.start(`${body.id}`)
  }

  sent(to: NodeId, { body }: Message): void {
    if (!this.asked.has(to) && ANSWERED.some(field => field in body)) this.asked.set(to, this.now())
  }

  /** Of one that owes an answer for longer than its answers took: so long. */
  private answerTimes(): Sample[] {
    const servers = new Set([...this.took.keys(), ...this.asked.keys()])
    return [...servers].map(server => {
      const owed = this.now() - (this.asked.get(server) ?? this.now())
      return { labels: { server }, value: Math.max(owed, this.took.get(server) ?? 0) / 1_000 }
    })
  }

  /** It said something: what it owed is answered. Its times are smoothed, so that one late answer is not a slow server. */
  private heard(from: NodeId): void {
    const since = this.asked.get(from)
    if (since === undefined) return
    this.asked.delete(from)
    const took = Math.max(0, this.now() - since)
    const before = this.took.get(from)
    this.took.set(from, before === undefined ? took : before + (took - before) * NEWEST_WEIGHS)
  }

  received(from: NodeId, { part, body }: Message): void {
    this.heard(from)
    if (part !== 'ordering' || body.kind !== 'committed') return
    const { object, head } = body as OrderingMessage & { kind: 'committed' }
    this.announced.start(`${head.version} ${object}`)
  }

  event({ part, body }: ClientNodeEvent): void {
    if (part === 'lock') this.lockEvent(body)
    else if (part === 'ordering') this.objectEvent(body)
  }

  close(): void {
    this.book.close()
  }

  private lockEvent(event: (ClientNodeEvent & { part: 'lock' })['body']): void {
    switch (event.kind) {
      case 'acquired':
        this.held.add(event.id)
        this.book.add('client_lock_grants_total')
        return this.book.observe('client_lock_grant_seconds', this.acquiring.stop(`${event.id}`))
      case 'failed':
        this.acquiring.stop(`${event.id}`)
        return this.book.add('client_lock_refusals_total')
      case 'extended':
        return this.book.add('client_lock_renewals_total')
      case 'lost':
        this.held.delete(event.id)
        return this.book.add('client_locks_lost_total')
      case 'lied':
        return this.book.addOf('client_lies_total', { server: event.server })
      default:
        return
    }
  }

  private objectEvent(event: (ClientNodeEvent & { part: 'ordering' })['body']): void {
    switch (event.kind) {
      case 'answered':
        return this.book.observe('client_object_commit_seconds', this.submitted.stop(`${event.id}`))
      case 'value':
      case 'copied':
        return this.book.observe('client_object_read_seconds', this.reading.stop(`${event.id}`))
      case 'failed':
        this.submitted.stop(`${event.id}`)
        this.reading.stop(`${event.id}`)
        return this.book.add('client_object_failures_total')
      case 'changed':
        return this.book.observe('client_watch_delay_seconds', this.announced.stop(`${event.version} ${event.object}`))
      case 'lost':
        return this.book.add('client_sessions_lost_total')
      case 'lied':
        return this.book.addOf('client_lies_total', { server: event.server })
      default:
        return
    }
  }
}

/** Measures one member of a group. */
export class MemberMeter {
  readonly book: MemberBook

  constructor(options: MetricsOptions, node: string) {
    checkMetrics('metrics', options)
    this.book = new Book(options.registry, memberMetrics, { node })
  }

  event({ part, body }: MemberEvent): void {
    if (part === 'election' && body.kind === 'elected') this.book.add('member_terms_won_total')
    else if (part === 'election' && body.kind === 'lost') this.book.add('member_terms_lost_total')
    else if (part === 'slots' && body.kind === 'said') this.seatEvent(body.body.kind)
    if ((part === 'election' || part === 'membership') && body.kind === 'misbehaved') this.caught(body.member, body.how)
    if (part === 'election' && body.kind === 'evidence') this.caught(body.member, 'voted-twice')
  }

  private caught(member: NodeId, how: string): void {
    this.book.addOf('member_caught_total', { member, how })
  }

  private seatEvent(kind: string): void {
    if (kind === 'seat') this.book.add('member_seats_total')
    else if (kind === 'lost') this.book.add('member_seats_lost_total')
  }
}
