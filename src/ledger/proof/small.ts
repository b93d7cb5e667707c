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
  /** Those steps, in words. */
  readonly story?: readonly string[]
}

/** How far to look. */
export interface SmallOptions {
  readonly depthMax?: number
  readonly progress?: (states: number) => void
}

/** A state, and the step that led to it. */
interface Reached {
  readonly state: SmallState
  readonly depth: number
  readonly what: string
  readonly before: Reached | undefined
}

interface Step {
  readonly state: SmallState
  readonly what: string
}

const PROGRESS_EVERY = 1_000

/** Explores all schedules of that many attempts. */
export function exploreVotes(
  group: VotingGroup,
  attempts: number,
  rules: LedgerRules = ledgerRules,
  options: SmallOptions = {},
): SmallVotes {
  return new SmallSystem(group, attempts, rules).explore(options)
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

  explore({ depthMax = Number.POSITIVE_INFINITY, progress }: SmallOptions): SmallVotes {
    const honest = this.group.servers - this.group.liars
    const fresh: Signed = { votes: [], reports: [], voted: undefined, promised: 1, gone: false }
    const first: SmallState = { servers: Array.from({ length: honest }, () => fresh), proposed: ['', VALUES.join('')] }
    const seen = new Set([nameOf(first)])
    const waiting: Reached[] = [{ state: first, depth: 0, what: '', before: undefined }]
    const certified = Array.from({ length: this.attempts + 1 }, () => 0)
    let steps = 0
    for (let at = 0; at < waiting.length; at++) {
      const reached = waiting[at]!
      delete waiting[at]
      const found = this.certifiedIn(reached.state)
      for (const { attempt } of found) certified[attempt]!++
      const counts = { states: seen.size, steps, certified: certified.slice(1) }
      if (new Set(found.map(one => one.value)).size > 1)
        return { ...counts, broken: reached.depth, story: [...storyOf(reached), ...found.map(wordsOf)] }
      if (reached.depth >= depthMax) continue
      for (const { state, what } of this.stepsFrom(reached.state)) {
        steps++
        const name = nameOf(state)
        if (seen.has(name)) continue
        seen.add(name)
        if (seen.size % PROGRESS_EVERY === 0) progress?.(seen.size)
        waiting.push({ state, depth: reached.depth + 1, what, before: reached })
      }
    }
    return { states: seen.size, steps, certified: certified.slice(1), broken: undefined }
  }

  // Where all lines of a rule are as they must be, nobody forgets: then each report that was ever made is among these.
  private *stepsFrom(state: SmallState): Generator<Step> {
    const tried = new Set<string>()
    for (const [place, server] of state.servers.entries()) {
      // Two servers that have signed the same do the same.
      const name = JSON.stringify(server)
      if (tried.has(name)) continue
      tried.add(name)
      const who = `server ${place + 1}`
      const then = (next: Signed, what: string): Step => ({
        state: { ...state, servers: state.servers.with(place, next) },
        what: `${who} ${what}`,
      })
      for (const next of this.votesOf(server, state))
        yield then(next, `votes ${next.voted!.value} in attempt ${next.voted!.attempt}`)
      for (const next of this.leavingOf(server))
        yield then(next, `leaves attempt ${next.promised - 1} and reports ${reportOf(server)}`)
      for (const next of this.restarted(server)) yield then(next, 'crashes, and forgets what it did not save')
      for (const next of this.without(server, state)) yield then(next, 'loses its store')
    }
    for (let attempt = 2; attempt <= this.attempts; attempt++) {
      for (const value of this.mayPropose(state, attempt)) {
        const known = state.proposed[attempt] ?? ''
        if (known.includes(value)) continue
        const proposed = Array.from({ length: this.attempts + 1 }, (_, at) => state.proposed[at] ?? '')
        proposed[attempt] = [...known, value].sort().join('')
        yield { state: { ...state, proposed }, what: `the leader of attempt ${attempt} proposes ${value}` }
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

function reportOf({ voted }: Signed): string {
  return voted === undefined ? 'no vote' : `its vote for ${voted.value} in attempt ${voted.attempt}`
}

function wordsOf({ attempt, value }: ReportedVote): string {
  return `certified: ${value}, in attempt ${attempt}`
}

function storyOf(reached: Reached): string[] {
  const story: string[] = []
  for (let at: Reached | undefined = reached; at?.before !== undefined; at = at.before) story.unshift(at.what)
  return story
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
