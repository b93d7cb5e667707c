// Making one picture out of what each server says of itself. A server may lie about everything it says;
// a lease is shown only where more servers vouch for it than can lie.

import type { NodeId, Trust } from '../core/index.ts'
import type { AccountedServer, InspectedServer } from '../lock/index.ts'
import { lockDefaults } from '../lock/settings.ts'
import { WAITERS_SHOWN_MAX } from '../lock/wire.ts'

/** A lock that is held or being taken, as more servers than can lie tell it. */
export interface LockInfo {
  readonly name: string
  readonly holder: NodeId
  readonly token: bigint
  /** How many servers say so; below the number of grants needed, the lock is being taken or given back. */
  readonly votes: number
  readonly held: boolean
  /** Milliseconds, by the servers in the middle. */
  readonly age: number
  readonly remaining: number
  /** Who waits for it, in order; at most the first 20. */
  readonly waiters: readonly NodeId[]
}

/** One server, as it answers this client. */
export interface ServerInfo {
  readonly server: NodeId
  readonly state: 'ready' | 'recovering' | 'unreachable'
  /**
   * `silent`: connected, and it does not answer. `slow`: it answers much later than the others. Both may be the network: they are
   * no lie.
   */
  readonly manner?: 'silent' | 'slow'
  /** Where it is unreachable: why, as far as this process knows. */
  readonly why?: string
  readonly roundTripMs?: number
  readonly uptimeMs?: number
  readonly recoveringMs?: number
  /** Lock names that are out. */
  readonly held?: number
  /** It lost its store, and waits until enough others have told which tokens were granted. */
  readonly waitsForFloors?: boolean
  /** By how much its largest token is ahead of this client's wall clock, in milliseconds, where that is more than a minute. */
  readonly tokensAheadMs?: number
  /** By how much its wall clock differs from this client's, in milliseconds, where that is more than a minute. */
  readonly clockOffMs?: number
}

/** Clocks that are apart by less are as good as equal. */
const CLOCKS_APART_MS = 60_000

/** What is not as it should be of a server's tokens and clock. */
export function describeTokens({ asking, highest, clock }: AccountedServer, wallMicros: number): Partial<ServerInfo> {
  const ahead = Math.round((highest - wallMicros) / 1000)
  const off = Math.round((clock - wallMicros) / 1000)
  return {
    ...(asking ? { waitsForFloors: true } : {}),
    ...(ahead > CLOCKS_APART_MS + TOKENS_STEPS_MS ? { tokensAheadMs: ahead } : {}),
    ...(clock > 0 && Math.abs(off) > CLOCKS_APART_MS ? { clockOffMs: off } : {}),
  }
}

/** `aheadMax`: beyond it no honest server takes a token. What a server has granted there, nobody can follow. */
export function canGrant({ state, tokensAheadMs = 0 }: ServerInfo, aheadMax = lockDefaults.tokenAheadMax): boolean {
  return state === 'ready' && tokensAheadMs < aheadMax
}

/** Tokens may be a minute ahead of the clock of the client that took the last one. */
const TOKENS_STEPS_MS = 60_000

interface Tally {
  readonly name: string
  readonly holder: NodeId
  readonly token: number
  readonly ages: number[]
  readonly remainings: number[]
}

export function tallyLocks(answers: readonly InspectedServer[], trust: Trust): LockInfo[] {
  const tallies = new Map<string, Tally>()
  for (const { leases } of answers) {
    const counted = new Set<string>()
    for (const { name, holder, token, age, remaining } of leases) {
      const key = JSON.stringify([name, holder, token])
      if (counted.has(key)) continue
      counted.add(key)
      const tally = tallies.get(key) ?? { name, holder, token, ages: [], remainings: [] }
      tally.ages.push(age)
      tally.remainings.push(remaining)
      tallies.set(key, tally)
    }
  }
  return [...tallies.values()]
    .filter(tally => tally.ages.length > trust.liars)
    .map(tally => describeTally(tally, answers, trust))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}

function describeTally(tally: Tally, answers: readonly InspectedServer[], trust: Trust): LockInfo {
  const votes = tally.ages.length
  return {
    name: tally.name,
    holder: tally.holder,
    token: BigInt(tally.token),
    votes,
    held: votes >= trust.lockGrants,
    age: median(tally.ages),
    remaining: median(tally.remainings),
    waiters: tallyWaiters(
      answers.map(({ leases }) => leases.find(lease => lease.name === tally.name)?.waiters ?? []),
      tally.holder,
      trust,
    ),
  }
}

// Honest servers have the same order, and may lack some. So each list votes for the first that it has left, and those
// with the most votes come first; whom no more servers name than can lie is not there at all.
function tallyWaiters(lists: readonly (readonly NodeId[])[], holder: NodeId, trust: Trust): NodeId[] {
  const left = new Set<NodeId>()
  const named = lists.map(list => new Set(list))
  for (const waiter of lists.flat()) {
    const votes = named.filter(names => names.has(waiter)).length
    if (votes > trust.liars && waiter !== holder) left.add(waiter)
  }
  const ordered: NodeId[] = []
  while (left.size > 0 && ordered.length < WAITERS_SHOWN_MAX) {
    const votes = new Map<NodeId, number>()
    for (const list of lists) {
      const first = list.find(waiter => left.has(waiter))
      if (first !== undefined) votes.set(first, (votes.get(first) ?? 0) + 1)
    }
    const [next] = [...votes].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))[0]!
    ordered.push(next)
    left.delete(next)
  }
  return ordered
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1]!
}

/** So many times later than the others, and by more than any scheduler makes of it. */
const SLOW_TIMES = 5
const SLOW_BY_MS = 100

/** Those that answer much later than the one in the middle of the others. One alone is not slower than anybody. */
function slowOnes(answers: readonly InspectedServer[]): ReadonlySet<NodeId> {
  const slow = answers.filter(({ server, roundTrip }) => {
    const others = answers.filter(other => other.server !== server).map(other => other.roundTrip)
    if (others.length === 0) return false
    const usual = median(others)
    return roundTrip > usual * SLOW_TIMES && roundTrip > usual + SLOW_BY_MS
  })
  return new Set(slow.map(({ server }) => server))
}

/** What this process knows of its connections. */
interface Connections {
  whySilent?(server: NodeId): string | undefined
  isConnected?(server: NodeId): boolean
}

export function describeServers(
  servers: readonly NodeId[],
  answers: readonly InspectedServer[],
  connections: Connections,
): ServerInfo[] {
  const slow = slowOnes(answers)
  return servers.map(server => {
    const answer = answers.find(candidate => candidate.server === server)
    if (answer === undefined) {
      const why = connections.whySilent?.(server)
      const manner = connections.isConnected?.(server) ? ({ manner: 'silent' } as const) : {}
      return { server, state: 'unreachable', ...manner, ...(why === undefined ? {} : { why }) }
    }
    return {
      server,
      state: answer.recovering > 0 ? 'recovering' : 'ready',
      ...(slow.has(server) ? ({ manner: 'slow' } as const) : {}),
      roundTripMs: Math.round(answer.roundTrip * 100) / 100,
      uptimeMs: answer.uptime,
      recoveringMs: answer.recovering,
      held: answer.held,
    }
  })
}
