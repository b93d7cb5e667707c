// A server's numbers. Most are read from its state when somebody looks; what passes is seen in its messages, so that the
// machines need not count for anybody.

import { type AnyComplaint, accuserOf, type Complaints, type NodeId } from '../../core/index.ts'
import { isOut, type LockMessage, type ServerState as LockServerState } from '../../lock/index.ts'
import type { OrderingMessage, OrderingServerState } from '../../ordering/index.ts'
import type { Book } from './book.ts'
import type { serverMetrics } from './names.ts'
import { type Sample, Stopwatches } from './tally.ts'

export type ServerBook = Book<typeof serverMetrics>

interface ServerParts {
  readonly lock: LockServerState
  readonly ordering?: OrderingServerState | undefined
  readonly ledger?: { readonly blamed: ReadonlyMap<NodeId, readonly string[]> } | undefined
  readonly events?: { readonly complaints: Complaints<AnyComplaint> } | undefined
}

/** What is read from the state. */
export function measureServer(book: ServerBook, parts: ServerParts, now: () => number): void {
  const { lock, ordering, ledger, events } = parts
  book.reads('lock_names', () => lock.locks.size)
  book.reads('lock_leases_out', () => sum(lock.locks.values(), entry => (isOut(entry, now()) ? 1 : 0)))
  book.reads('lock_waiters', () => sum(lock.locks.values(), entry => entry.waiters?.length ?? 0))
  book.reads('lock_highest_token', () => lock.highest)
  book.reads('lock_complaints_total', () => lock.complaints.count)
  const complaints = [lock, ordering, events].flatMap(part => (part === undefined ? [] : [part.complaints]))
  book.reads('event_complaints_total', () => events?.complaints.count ?? 0)
  book.reads('ledger_lies_total', () => sum(ledger?.blamed.values() ?? [], what => what.length))
  book.readsOf('ledger_servers_caught', () =>
    [...(ledger?.blamed ?? [])].map(([server, what]) => ({ labels: { server }, value: what.length })),
  )
  book.readsOf('servers_accused', () => accusersOf(complaints))
  if (ordering === undefined) return
  const { objects } = ordering
  book.reads('objects', () => objects.size)
  book.reads('object_entries', () => sum(objects.values(), ({ content }) => content.table.size))
  book.reads('object_sessions', () => sum(objects.values(), ({ content }) => content.sessions.size))
  book.reads('object_sessions_silent', () => sum(objects.values(), ({ silent }) => silent.length))
  book.reads('object_operations_pending', () => sum(objects.values(), ({ pending }) => pending.size))
  book.reads('object_versions_behind', () =>
    sum(objects.values(), ({ committed, content }) => committed.version - content.version),
  )
  book.reads('object_complaints_total', () => ordering.complaints.count)
  book.reads('object_rejoining', () => (ordering.rejoin === undefined ? 0 : 1))
}

/** By accused server: how many clients complain, about locks, objects or events; about events servers, too. */
function accusersOf(all: readonly Complaints<AnyComplaint>[]): Sample[] {
  const accusers = new Map<NodeId, Set<string>>()
  for (const { lines } of all) {
    for (const { client, server } of lines.values()) {
      accusers.set(server, (accusers.get(server) ?? new Set()).add(accuserOf(client)))
    }
  }
  return [...accusers].map(([server, clients]) => ({ labels: { server }, value: clients.size }))
}

function sum<T>(items: Iterable<T>, of: (item: T) => number): number {
  let total = 0
  for (const item of items) total += of(item)
  return total
}

type Parted =
  | { readonly part: 'lock'; readonly body: LockMessage }
  | { readonly part: 'ordering'; readonly body: OrderingMessage }

interface LockRequest {
  readonly attempt: number
  readonly name: string
}

interface Request extends LockRequest {
  readonly client: NodeId
  readonly at: number
}

function keyOf({ client, attempt, name }: Omit<Request, 'at'>): string {
  return `${client} ${attempt} ${name}`
}

/** What is seen in the messages. */
export class ServerMeter {
  private readonly book: ServerBook
  private readonly now: () => number
  private readonly requests: Stopwatches
  /** The request that came last: nearly always it is answered before the next comes, and needs no key. */
  private last: Request | undefined
  private readonly proposals: Stopwatches

  constructor(book: ServerBook, now: () => number) {
    this.book = book
    this.now = now
    this.requests = new Stopwatches(now)
    this.proposals = new Stopwatches(now)
  }

  received(from: NodeId, { part, body }: Parted): void {
    if (part === 'lock') {
      if (body.kind === 'try' || body.kind === 'wait') this.asked(from, body)
    } else if (body.kind === 'propose') {
      // Who proposes v + 1 says that v is decided.
      this.decided(body.object, body.version - 1)
      this.proposals.start(`${body.version} ${body.object}`)
    } else if (body.kind === 'commit') this.decided(body.object, body.version)
  }

  sent(to: NodeId, { part, body }: Parted): void {
    if (part === 'lock') return this.sentOfLock(to, body)
    if (body.kind === 'accepted') this.book.add('object_versions_total')
  }

  private sentOfLock(to: NodeId, body: LockMessage): void {
    switch (body.kind) {
      case 'granted':
      case 'given':
        this.book.add('lock_grants_total')
        this.book.observe('lock_grant_seconds', this.answered(to, body))
        return
      case 'locked':
      case 'tooLow':
      case 'tooHigh':
      case 'full':
        this.book.add('lock_refusals_total')
        this.answered(to, body)
        return
      case 'renewed':
        return this.book.add('lock_renewals_total')
      case 'notRenewed':
        return this.book.add('lock_renewals_refused_total')
      default:
        return
    }
  }

  private asked(from: NodeId, { attempt, name }: LockRequest): void {
    const { last } = this
    if (last !== undefined) this.requests.start(keyOf(last), last.at)
    this.last = { client: from, attempt, name, at: this.now() }
  }

  /** Seconds since it was asked. */
  private answered(client: NodeId, { attempt, name }: LockRequest): number | undefined {
    const { last } = this
    const key = { client, attempt, name }
    if (last === undefined || last.name !== name || last.attempt !== attempt || last.client !== client) {
      return this.requests.stop(keyOf(key))
    }
    this.last = undefined
    // It may be a repetition: then the first time counts.
    const first = this.requests.size === 0 ? undefined : this.requests.stop(keyOf(key))
    return first ?? Math.max(0, this.now() - last.at) / 1000
  }

  private decided(object: string, version: number): void {
    this.book.observe('object_commit_seconds', this.proposals.stop(`${version} ${object}`))
  }
}
