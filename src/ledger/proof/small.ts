// Every schedule of one height in a small group, not some of them: servers vote, leave attempts and report in any order, leaders
// are shown any n - f of the reports for their attempt and propose all that the rule leaves them, liars vote for everything and
// report whatever could have been. A state is what the honest servers have signed; who of them signed it does not matter,
// so states that differ by names alone are one. Two values certified in any state is a broken rule.

import type { Genesis } from '../genesis.ts'
import { type LedgerRules, ledgerRules, type ReportedVote } from '../rules.ts'
import type { VotingGroup } from './votes.ts'

const VALUES = ['x', 'y']

/** What one honest server has signed, by attempt from 1 on, which nobody can take back; and what it remembers of it. */
interface Signed {
  readonly votes: readonly (string | undefined)[]
  readonly reports: readonly (ReportedVote | 'none' | undefined)[]
  readonly voted: ReportedVote | undefined
  readonly promised: number
  /** It lost its store, and says nothing any more. */
  readonly gone: boolean
}

interface SmallState {
  readonly servers: readonly Signed[]
  /** Values that may be voted for, by attempt. */
  readonly proposed: readonly string[]
}

/** What an exploration of votes found. */
export interface SmallVotes {
  readonly states: number
  readonly steps: number
  /** States in which something was certified, by the attempt. */
  readonly certified: readonly number[]
  /** How many steps lead to the first state in which two values were certified. */
  readonly broken: number | undefined
}

/** Explores all schedules of that many attempts. */
export function exploreVotes(group: VotingGroup, attempts: number, rules: LedgerRules = ledgerRules): SmallVotes {
  return new SmallSystem(group, attempts, rules).explore()
}

class SmallSystem {
  private readonly group: VotingGroup
  private readonly attempts: number
  private readonly rules: LedgerRules
  private readonly genesis: Genesis

  constructor(group: VotingGroup, attempts: number, rules: LedgerRules) {
    this.group = group
    this.attempts = attempts
    this.rules = rules
    const servers = Array.from({ length: group.servers }, () => ({}))
    this.genesis = { servers, crashes: group.crashes, liars: group.liars } as unknown as Genesis
  }

  explore(): SmallVotes {
    const honest = this.group.servers - this.group.liars
    const fresh: Signed = { votes: [], reports: [], voted: undefined, promised: 1, gone: false }
    const first: SmallState = { servers: Array.from({ length: honest }, () => fresh), proposed: ['', VALUES.join('')] }
    const seen = new Set([nameOf(first)])
    const waiting: { state: SmallState; depth: number }[] = [{ state: first, depth: 0 }]
    const certified = Array.from({ length: this.attempts + 1 }, () => 0)
    let steps = 0
    for (let at = 0; at < waiting.length; at++) {
      const { state, depth } = waiting[at]!
      delete waiting[at]
      const found = this.certifiedIn(state)
      for (const { attempt } of found) certified[attempt]!++
      if (new Set(found.map(one => one.value)).size > 1)
        return { states: seen.size, steps, certified: certified.slice(1), broken: depth }
      for (const next of this.stepsFrom(state)) {
        steps++
        const name = nameOf(next)
        if (seen.has(name)) continue
        seen.add(name)
        waiting.push({ state: next, depth: depth + 1 })
      }
    }
    return { states: seen.size, steps, certified: certified.slice(1), broken: undefined }
  }

  // Where all lines of a rule are as they must be, nobody forgets: then each report that was ever made is among these.
  private *stepsFrom(state: SmallState): Generator<SmallState> {
    const tried = new Set<string>()
    for (const [place, server] of state.servers.entries()) {
      // Two servers that have signed the same do the same.
      const name = JSON.stringify(server)
      if (tried.has(name)) continue
      tried.add(name)
      const forgetting = [...this.restarted(server), ...this.without(server, state)]
      for (const next of [...this.votesOf(server, state), ...this.leavingOf(server), ...forgetting])
        yield { ...state, servers: state.servers.with(place, next) }
    }
    for (let attempt = 2; attempt <= this.attempts; attempt++) {
      for (const value of this.mayPropose(state, attempt)) {
        const known = state.proposed[attempt] ?? ''
        if (known.includes(value)) continue
        const proposed = Array.from({ length: this.attempts + 1 }, (_, at) => state.proposed[at] ?? '')
        proposed[attempt] = [...known, value].sort().join('')
        yield { ...state, proposed }
      }
    }
  }

  private *votesOf(server: Signed, { proposed }: SmallState): Generator<Signed> {
    const { votes, voted, promised, gone } = server
    const newest = voted?.attempt ?? 0
    for (let attempt = Math.max(1, newest); attempt <= this.attempts && !gone; attempt++) {
      if (!this.rules.mayVote(attempt, newest, promised)) continue
      for (const value of proposed[attempt] ?? '') {
        // One that votes twice has signed both.
        const signed = (votes[attempt] ?? value) === value ? value : VALUES.join('')
        const remembered = { voted: { attempt, value }, promised: Math.max(promised, attempt) }
        yield { ...server, votes: put(votes, attempt, signed), ...remembered }
      }
    }
  }

  /** Never more than one attempt ahead of where it is. */
  private *leavingOf(server: Signed): Generator<Signed> {
    const { reports, voted, promised, gone } = server
    const next = promised + 1
    if (gone || next > this.attempts) return
    yield { ...server, reports: put(reports, next, voted ?? 'none'), promised: next }
  }

  /** A crash: what was not saved is forgotten, and what was said is out. */
  private *restarted(server: Signed): Generator<Signed> {
    const { voted, promised, gone } = server
    if (gone || (this.rules.savesVote() && this.rules.savesPromise())) return
    const kept = this.rules.savesVote() ? voted : undefined
    yield { ...server, voted: kept, promised: this.rules.savesPromise() ? promised : Math.max(1, kept?.attempt ?? 1) }
  }

  /** A store that is lost, of as many servers as may be gone besides the liars. */
  private *without(server: Signed, { servers }: SmallState): Generator<Signed> {
    const { crashes, liars } = this.group
    if (server.gone || servers.filter(isForgetful).length >= crashes - liars) return
    const gone = this.rules.votesAgainFrom([1, 1, 1, 1], liars) > 0
    yield { ...server, voted: undefined, promised: 1, gone }
  }

  /** What any n - f reports leave to the leader of an attempt. */
  private mayPropose({ servers, proposed }: SmallState, attempt: number): Set<string> {
    if (!this.rules.asksForReports()) return new Set(VALUES)
    const told = servers.map(server => server.reports[attempt]).filter(report => report !== undefined)
    const lies: (ReportedVote | 'none')[] = ['none']
    for (let below = 1; below < attempt; below++)
      for (const value of proposed[below] ?? '') lies.push({ attempt: below, value })
    const found = new Set<string>()
    for (const lied of combinations(lies, this.group.liars)) {
      for (const shown of choices([...told, ...lied], this.rules.reportsNeeded(this.genesis))) {
        const reported = shown.map(report => (report === 'none' ? undefined : report))
        const choice = this.rules.choose(reported, this.genesis)
        for (const value of choice.kind === 'keep' ? [choice.value] : VALUES) found.add(value)
      }
    }
    return found
  }

  private certifiedIn({ servers, proposed }: SmallState): ReportedVote[] {
    const found: ReportedVote[] = []
    for (let attempt = 1; attempt <= this.attempts; attempt++) {
      for (const value of proposed[attempt] ?? '') {
        const count = servers.filter(({ votes }) => votes[attempt]?.includes(value)).length + this.group.liars
        if (count >= this.rules.votesNeeded(this.genesis)) found.push({ attempt, value })
      }
    }
    return found
  }
}

/** It has signed what it does not remember. */
function isForgetful({ votes, reports, voted, promised, gone }: Signed): boolean {
  return gone || reports.length - 1 > promised || votes.length - 1 > (voted?.attempt ?? 0)
}

/** Servers in an order of their own: who has which name does not matter. */
function nameOf({ servers, proposed }: SmallState): string {
  const names = servers.map(server => JSON.stringify(server)).sort()
  return `${names.join(' ')} ${proposed.join('|')}`
}

function put<T>(list: readonly (T | undefined)[], at: number, value: T): (T | undefined)[] {
  const changed = Array.from({ length: Math.max(list.length, at + 1) }, (_, place) => list[place])
  changed[at] = value
  return changed
}

/** All ways to say that many things. */
function combinations<T>(things: readonly T[], count: number): T[][] {
  if (count === 0) return [[]]
  return things.flatMap(thing => combinations(things, count - 1).map(rest => [thing, ...rest]))
}

/** All ways to take that many of them. */
function choices<T>(things: readonly T[], count: number): T[][] {
  if (count === 0) return [[]]
  if (things.length < count) return []
  const [first, ...rest] = things as [T, ...T[]]
  return [...choices(rest, count - 1).map(chosen => [first, ...chosen]), ...choices(rest, count)]
}
