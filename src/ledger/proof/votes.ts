// The rules of voting alone, without network, codecs and signatures: thousands of random schedules a second for one height.
// Leaders propose different values to different servers, attempts interleave, servers crash, liars vote for everything that
// was proposed and report anything that the reports of others would let them. Certified is what c servers voted for in
// one attempt; two values certified is a broken rule.

import { type Random, seededRandom } from '../../core/index.ts'
import type { Genesis } from '../genesis.ts'
import { type LedgerRules, ledgerRules, type ReportedVote } from '../rules.ts'

/** How many servers, and how many of them are gone or lie. */
export interface VotingGroup {
  readonly servers: number
  readonly crashes: number
  readonly liars: number
  /** How many lie in fact, where they are not as many as was said. */
  readonly lying?: number
}

interface Voting {
  /** The attempt that it is in, and what it promised. */
  attempt: number
  promised: number
  vote: ReportedVote | undefined
  /** Its newest report. */
  report: { readonly attempt: number; readonly vote: ReportedVote | undefined } | undefined
  /** What is on its disk. */
  saved: { promised: number; vote: ReportedVote | undefined }
  /** It lost its store, and abstains. */
  gone: boolean
}

const STEPS_EACH = 24
const VALUES = ['x', 'y']
const ATTEMPTS_MAX = 5

/** The values that one random schedule certified. */
export function certifiedBy(group: VotingGroup, seed: number, rules: LedgerRules = ledgerRules): ReadonlySet<string> {
  return new Schedule(group, seededRandom(seed, 0x70e5), rules).run()
}

class Schedule {
  private readonly group: VotingGroup
  private readonly random: Random
  private readonly rules: LedgerRules
  private readonly genesis: Genesis
  private readonly honest: Voting[]
  /** Everything that was ever voted: server, attempt, value. A vote that was told cannot be taken back. */
  private readonly votes = new Set<string>()
  private readonly proposals: ReportedVote[] = []
  private lost = 0

  constructor(group: VotingGroup, random: Random, rules: LedgerRules) {
    this.group = group
    this.random = random
    this.rules = rules
    const servers = Array.from({ length: group.servers }, () => ({
      name: '',
      key: new Uint8Array(0),
      salt: new Uint8Array(0),
    }))
    this.genesis = { servers, crashes: group.crashes, liars: group.liars } as unknown as Genesis
    this.honest = Array.from({ length: group.servers - (group.lying ?? group.liars) }, () => ({
      attempt: 1,
      promised: 1,
      vote: undefined,
      report: undefined,
      saved: { promised: 1, vote: undefined },
      gone: false,
    }))
    for (const value of VALUES) this.proposals.push({ attempt: 1, value })
  }

  run(): ReadonlySet<string> {
    // Where all lie, nobody has to be led astray.
    const steps = this.honest.length === 0 ? 0 : STEPS_EACH * this.group.servers
    for (let step = 0; step < steps; step++) {
      const server = this.honest[this.random.below(this.honest.length)]!
      const chance = this.random.below(100)
      if (chance < 45) this.voteFor(server)
      else if (chance < 75) this.leave(server)
      else if (chance < 93) this.propose(2 + this.random.below(ATTEMPTS_MAX - 1))
      else if (chance < 98) this.crash(server)
      else this.lose(server)
    }
    return this.certified()
  }

  private voteFor(server: Voting): void {
    const proposal = this.proposals[this.random.below(this.proposals.length)]!
    const { attempt } = proposal
    if (server.gone || attempt < server.attempt) return
    server.attempt = attempt
    const may = this.rules.mayVote(attempt, server.vote?.attempt ?? 0, server.promised)
    server.promised = Math.max(server.promised, attempt)
    if (!may) return
    server.vote = proposal
    if (this.rules.savesVote()) server.saved.vote = proposal
    this.votes.add(`${this.honest.indexOf(server)} ${attempt} ${proposal.value}`)
  }

  private leave(server: Voting): void {
    if (server.gone || server.promised > server.attempt || server.attempt >= ATTEMPTS_MAX) return
    server.promised = server.attempt + 1
    if (this.rules.savesPromise()) server.saved.promised = server.promised
    server.report = { attempt: server.promised, vote: server.vote }
  }

  /** n - f reports for the attempt, if there are so many, and what they leave to its leader: perhaps more than once. */
  private propose(attempt: number): void {
    if (!this.rules.asksForReports()) return this.add({ attempt, value: this.anyValue() })
    const told = this.honest.filter(one => one.report?.attempt === attempt).map(one => one.report!.vote)
    for (let liar = 0; liar < (this.group.lying ?? this.group.liars); liar++) told.push(this.lie(attempt))
    const needed = this.rules.reportsNeeded(this.genesis)
    if (told.length < needed) return
    while (told.length > needed) told.splice(this.random.below(told.length), 1)
    const choice = this.rules.choose(told, this.genesis)
    this.add({ attempt, value: choice.kind === 'keep' ? choice.value : this.anyValue() })
  }

  private add(proposal: ReportedVote): void {
    const known = this.proposals.some(one => one.attempt === proposal.attempt && one.value === proposal.value)
    if (!known) this.proposals.push(proposal)
  }

  private anyValue(): string {
    return VALUES[this.random.below(VALUES.length)]!
  }

  /** No vote, or one for something that was proposed below. */
  private lie(attempt: number): ReportedVote | undefined {
    const below = this.proposals.filter(one => one.attempt < attempt)
    return this.random.below(3) === 0 ? undefined : below[this.random.below(below.length)]
  }

  private crash(server: Voting): void {
    server.vote = server.saved.vote
    server.promised = Math.max(server.saved.promised, server.vote?.attempt ?? 1)
    server.attempt = Math.max(server.vote?.attempt ?? 1, server.promised - 1)
  }

  /** At most as many stores as may be gone besides the liars. */
  private lose(server: Voting): void {
    if (server.gone || this.lost >= this.group.crashes - this.group.liars) return
    this.lost++
    server.saved = { promised: 1, vote: undefined }
    // By the rule it must hold a later certificate first; in one height that is to say nothing any more.
    server.gone = this.rules.votesAgainFrom([1, 1, 1, 1], this.group.liars) > 0
    Object.assign(server, { attempt: 1, promised: 1, vote: undefined, report: undefined })
  }

  private certified(): ReadonlySet<string> {
    const counts = new Map<string, number>()
    for (const vote of this.votes) {
      const name = vote.slice(vote.indexOf(' ') + 1)
      counts.set(name, (counts.get(name) ?? 0) + 1)
    }
    const found = new Set<string>()
    for (const { attempt, value } of this.proposals) {
      // Liars vote for everything.
      const count = (counts.get(`${attempt} ${value}`) ?? 0) + (this.group.lying ?? this.group.liars)
      if (count >= this.rules.votesNeeded(this.genesis)) found.add(value)
    }
    return found
  }
}
