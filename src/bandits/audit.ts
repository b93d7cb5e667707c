// The audit of a run: from the logs of all parties every message is made again, and the first that somebody signed and that is
// not what follows from its own secret, its own rewards and what it was sent names that party (protocols/bandits 14).
//
// Why it works: whatever a party says is a function of one secret, of its rewards and of signed messages of others. A log cannot
// claim a message that was not sent, for want of a signature, and nobody can deny one that it signed. So no party's word is needed.

import { decode, encode, type NodeId, sameBytes } from '../core/index.ts'
import { framed, type Part } from '../crypto/index.ts'
import { ANSWER, VERDICT, verdictOf } from './answers.ts'
import { keysFrom, shareFrom } from './arm/keying.ts'
import { type BoxScene, indexOf, makeBox } from './arm/playing.ts'
import type { ArmKeys } from './arm/state.ts'
import { tokenOf } from './box.ts'
import { comparable, tieRanks } from './encoding.ts'
import { shareAbout } from './keys.ts'
import { maskSum } from './masks.ts'
import type { LogEntry, NumberedEntry } from './member/entries.ts'
import { briefOf, chained, headAbout, saidAbout } from './member/log.ts'
import { runOf } from './member/state.ts'
import { type Head, type Role, type Terms, termsCodec } from './member/wire.ts'
import { boundTo, digest, drawn } from './party.ts'
import { type BanditRules, banditRules } from './rules.ts'
import { type Schedule, scheduleOf } from './schedule.ts'
import type { BanditParty, BanditRun, BanditSettings, BanditTools } from './settings.ts'
import { seats } from './shuffler/seats.ts'
import { answerCodec, type BanditMessage, banditVocabulary, shareCodec, signedCodec, TOKEN_BYTES } from './wire.ts'

/** The log of one party, as it was written. */
export type PartyLog = readonly NumberedEntry[]

/** What an audit found. */
export type AuditResult =
  | { readonly verdict: 'right'; readonly rounds: number; readonly messages: number }
  /** That party said, or logged, what no honest party would have. */
  | { readonly verdict: 'lied'; readonly party: NodeId; readonly what: string }
  /** The logs are not enough to say more. */
  | { readonly verdict: 'unclear'; readonly what: string }

/** What an auditor may know besides: the rewards that the arms were given, by arm, in the order of pulls. */
export type RewardTable = Readonly<Record<string, readonly number[]>>

/** Ends the audit with its finding. */
class Found extends Error {
  readonly result: AuditResult
  constructor(result: AuditResult) {
    super('found')
    this.result = result
  }
}

function lied(party: NodeId, what: string): never {
  throw new Found({ verdict: 'lied', party, what })
}

function unclear(what: string): never {
  throw new Found({ verdict: 'unclear', what })
}

type Heard = LogEntry & { kind: 'heard' }

interface Read {
  readonly self: NodeId
  readonly terms: Terms
  readonly parties: readonly BanditParty[]
  readonly secrets: ReadonlyMap<Role, Uint8Array>
  readonly heard: readonly Heard[]
  readonly paid: ReadonlyMap<number, number>
  readonly head: Uint8Array
  readonly count: number
  readonly closed: (LogEntry & { kind: 'closed' }) | undefined
}

/** Judges a run by the logs of its parties. `steps` turns a reward of the table into steps of the grid. */
export function auditRun(
  tools: BanditTools,
  logs: readonly PartyLog[],
  table?: { readonly rewards: RewardTable; steps(reward: number): number },
): AuditResult {
  try {
    return new Audit(
      tools,
      logs.map(log => readLog(tools, log)),
      table,
    ).judge()
  } catch (error) {
    if (error instanceof Found) return error.result
    throw error
  }
}

/** The entries in order; of a number that came twice, the last. */
function readLog(tools: BanditTools, log: PartyLog): Read {
  const byNumber = new Map<number, LogEntry>()
  let closed: (LogEntry & { kind: 'closed' }) | undefined
  for (const { number, entry } of log) {
    if (entry.kind === 'closed') closed = entry
    else byNumber.set(number, entry)
  }
  const opened = byNumber.get(1)
  if (opened?.kind !== 'opened') unclear('a log does not begin with the terms of its run')
  const secrets = new Map<Role, Uint8Array>()
  const paid = new Map<number, number>()
  const heard: Heard[] = []
  let head: Uint8Array = new Uint8Array(0)
  for (let number = 1; number <= byNumber.size; number++) {
    const entry = byNumber.get(number) ?? unclear(`entry ${number} is missing in the log of '${opened.self}'`)
    head = chained(tools, head, opened.salt, { number, entry })
    if (entry.kind === 'secret') secrets.set(entry.role, entry.secret)
    if (entry.kind === 'paid') paid.set(entry.number, entry.steps)
    if (entry.kind === 'heard') heard.push(entry)
  }
  return { ...opened, secrets, paid, heard, head, count: byNumber.size, closed }
}

class Audit {
  private readonly tools: BanditTools
  private readonly logs: ReadonlyMap<NodeId, Read>
  private readonly table: { readonly rewards: RewardTable; steps(reward: number): number } | undefined
  private readonly terms: Terms
  private readonly run: BanditRun
  private readonly course: Schedule
  private readonly rules: BanditRules = banditRules
  private bound: Uint8Array = new Uint8Array(0)
  private runKey: Uint8Array = new Uint8Array(0)
  private messages = 0

  constructor(
    tools: BanditTools,
    logs: readonly Read[],
    table: { readonly rewards: RewardTable; steps(reward: number): number } | undefined,
  ) {
    const [first] = logs
    if (first === undefined) unclear('there are no logs')
    this.tools = tools
    this.table = table
    this.terms = first.terms
    const terms = encode(termsCodec, first.terms)
    for (const { self, terms: other } of logs) {
      if (!sameBytes(encode(termsCodec, other), terms)) unclear(`the log of '${self}' is of another run`)
    }
    this.run = runOf(first.terms, first.parties, digest(tools, 'terms', terms))
    this.course = scheduleOf(this.run)
    this.logs = new Map(logs.map(log => [log.self, log]))
  }

  judge(): AuditResult {
    const { run, course } = this
    for (const { id } of [run.shuffler, run.comparator, ...run.arms]) {
      if (!this.logs.has(id)) unclear(`the log of '${id}' is missing`)
    }
    for (const log of this.logs.values()) this.checkLog(log)
    this.checkHeads()
    this.checkKeys()
    this.checkTable()
    const rounds = new Rounds(this.parts())
    const played = rounds.judge()
    if (played === course.rounds) this.checkAnswers(rounds)
    return { verdict: 'right', rounds: played, messages: this.messages }
  }

  private partyOf(id: NodeId): BanditParty {
    const { user, shuffler, comparator, arms } = this.run
    return [user, shuffler, comparator, ...arms].find(party => party.id === id) ?? unclear(`'${id}' is no party`)
  }

  /** Nobody logs what was not sent to it. */
  private checkLog({ self, heard }: Read): void {
    for (const entry of heard) {
      const { from, hash, body, signature } = entry
      this.messages++
      const { signing } = this.partyOf(from)
      if (!this.tools.signatures.verify(signing, saidAbout(this.terms.id, from, self, entry), signature)) {
        lied(self, `its log has a message of '${from}' that '${from}' did not sign`)
      }
      if (body.length > 0 && !sameBytes(digest(this.tools, 'message of a run', body), hash)) {
        lied(self, `its log has a message of '${from}' that is not the one '${from}' signed`)
      }
    }
  }

  /** Nobody changes its log after the run: the user has what it was committed with. */
  private checkHeads(): void {
    const closed = this.logs.get(this.run.user.id)?.closed
    for (const { member, head } of closed?.heads ?? []) this.checkHead(member, head)
  }

  private checkHead(id: NodeId, head: Head): void {
    const log = this.logs.get(id)
    if (log === undefined) return
    if (!this.tools.signatures.verify(this.partyOf(id).signing, headAbout(this.terms.id, id, head), head.signature)) {
      lied(this.run.user.id, `it has a last word of '${id}' that '${id}' did not sign`)
    }
    if (log.count !== head.count || !sameBytes(log.head, head.head)) {
      lied(id, 'its log is not the one that it committed itself to when the run was over')
    }
  }

  private secretOf(id: NodeId, role: Role): Uint8Array {
    return this.logs.get(id)!.secrets.get(role) ?? unclear(`the log of '${id}' has no secret`)
  }

  /** The comparator's key, and what every arm gave every other. */
  private checkKeys(): void {
    const { run, tools } = this
    const secret = this.secretOf(run.comparator.id, 'comparator')
    this.runKey = tools.sealing.of(drawn(tools, secret, 'key of the run')).publicKey
    this.bound = boundTo(tools, run, this.runKey)
    for (const { self, heard } of this.logs.values()) {
      for (const entry of heard) {
        const body = bodyOf(entry)
        if (body?.kind === 'runKey' && !sameBytes(body.publicKey, this.runKey)) {
          lied(entry.from, 'its key of the run does not follow from its secret')
        }
        if (entry.word === 'share' && entry.opened.length === 1) this.checkShare(self, entry)
      }
    }
  }

  private checkShare(self: NodeId, { from, opened }: Heard): void {
    const { run, tools } = this
    const place = run.arms.findIndex(({ id }) => id === from)
    const signed = decode(signedCodec, opened[0]!)
    if (place < 0 || !signed.ok) return
    const { content, signature } = signed.value
    const about = framed(...shareAbout(this.bound, from, self), content)
    if (!tools.signatures.verify(run.arms[place]!.signing, about, signature)) return
    const receiver = run.arms.findIndex(({ id }) => id === self)
    const right = shareFrom(tools, this.secretOf(from, 'arm'), receiver < 0 ? undefined : receiver)
    if (!sameBytes(encode(shareCodec, right), content)) {
      lied(from, `the part of the keys that it gave '${self}' does not follow from its secret`)
    }
  }

  /** Where somebody knows what the arms must have paid. */
  private checkTable(): void {
    if (this.table === undefined) return
    for (const { arm, member } of this.terms.seats) {
      for (const [number, steps] of this.logs.get(member)!.paid) {
        const reward = this.table.rewards[arm]?.[number - 1]
        if (reward === undefined || this.table.steps(reward) === steps) continue
        lied(member, `its reward for pull ${number} of arm '${arm}' is not the one in the table`)
      }
    }
  }

  private parts(): RoundParts {
    const { run, tools, course, rules, bound, runKey, logs } = this
    const secrets = run.arms.map(({ id }) => this.secretOf(id, 'arm'))
    const given = secrets.map(secret => run.arms.map((_, other) => shareFrom(tools, secret, other)))
    const keys = secrets.map((_, own) =>
      keysFrom(tools, bound, own, { parts: given.map(of => of[own]!), given: given[own]! }),
    )
    this.keys = keys
    const shuffler = this.secretOf(run.shuffler.id, 'shuffler')
    return { run, tools, course, rules, runKey, logs, secrets, keys, shuffler }
  }

  private keys: readonly ArmKeys[] = []

  /** What the user was told: each arm's own sum, or its claim; and in a search, who has won. */
  private checkAnswers(rounds: Rounds): void {
    const { run } = this
    const entry = this.logs.get(run.user.id)?.heard.find(({ word }) => word === 'answers')
    const body = entry && bodyOf(entry)
    if (entry === undefined || body?.kind !== 'answers') return
    for (const [place, { id }] of run.arms.entries()) {
      this.checkHandedOn(id, body.answers[place])
      const answer = decode(answerCodec, this.signedBy(id, [ANSWER, this.bound], entry.opened[place]))
      if (!answer.ok || answer.value.arm !== place || !sameBytes(answer.value.value, this.answerOf(rounds, place))) {
        lied(id, 'what it told the user at the end does not follow from its rewards and its tokens')
      }
    }
    if (this.course.policy === undefined) this.checkVerdict(rounds, body.verdict, entry.opened[run.arms.length])
  }

  /** The shuffler hands on what it was given. */
  private checkHandedOn(arm: NodeId, sealed: Uint8Array | undefined): void {
    const { id } = this.run.shuffler
    const given = this.logs.get(id)!.heard.filter(({ from, word }) => from === arm && word === 'answer')
    const hash = sealed && briefOf(this.tools, { kind: 'answer', sealed }).hash
    if (hash !== undefined && given.some(entry => sameBytes(entry.hash, hash))) return
    lied(id, `the answer that it handed on for '${arm}' is not the one it was given`)
  }

  /** The content of what that party signed for this purpose; empty if it is anything else. */
  private signedBy(id: NodeId, about: readonly Part[], opened: Uint8Array | undefined): Uint8Array {
    const signed = decode(signedCodec, opened ?? new Uint8Array(0))
    if (!signed.ok) return new Uint8Array(0)
    const { content, signature } = signed.value
    const isRight = this.tools.signatures.verify(this.partyOf(id).signing, framed(...about, content), signature)
    return isRight ? content : new Uint8Array(0)
  }

  private answerOf({ arms, claims }: Rounds, place: number): Uint8Array {
    const { tools, bound, course } = this
    if (course.policy !== undefined) return maskSum(tools, bound, arms[place]!.sum, place, this.keys[place]!.pairs)
    const secret = this.secretOf(this.run.arms[place]!.id, 'arm')
    return claims[place] ?? drawn(tools, secret, 'no claim', bound).subarray(0, TOKEN_BYTES)
  }

  private checkVerdict({ claims }: Rounds, sealed: Uint8Array, opened: Uint8Array | undefined): void {
    const { shuffler, comparator } = this.run
    const last = this.logs
      .get(shuffler.id)!
      .heard.filter(({ word }) => word === 'tokens')
      .map(bodyOf)
      .at(-1)
    if (last?.kind !== 'tokens' || !sameBytes(last.verdict, sealed)) {
      lied(shuffler.id, 'the verdict that it handed on is not the one it was given')
    }
    const winner = claims.find(claim => claim !== undefined)!
    const said = this.signedBy(comparator.id, [VERDICT, this.bound], opened)
    if (!sameBytes(said, verdictOf(this.tools, this.bound, winner)))
      lied(comparator.id, 'its verdict names another winner')
  }
}

function bodyOf({ body }: Heard): BanditMessage | undefined {
  if (body.length === 0) return undefined
  const decoded = decode(banditVocabulary, body)
  return decoded.ok ? decoded.value : undefined
}

interface RoundParts {
  readonly run: BanditRun
  readonly tools: BanditTools
  readonly course: Schedule
  readonly rules: BanditRules
  readonly runKey: Uint8Array
  readonly logs: ReadonlyMap<NodeId, Read>
  readonly secrets: readonly Uint8Array[]
  readonly keys: readonly ArmKeys[]
  readonly shuffler: Uint8Array
}

interface ArmNow {
  pulls: number
  sum: number
  target: number
  isIn: boolean
}

/** The rounds of a run, made again one after the other. */
class Rounds {
  readonly arms: readonly ArmNow[]
  /** The tokens with which arms won the last round of a search. */
  claims: readonly (Uint8Array | undefined)[] = []
  private readonly parts: RoundParts
  private readonly tokens: ReadonlyMap<number, BanditMessage & { kind: 'tokens' }>
  private before: { readonly attempt: number; readonly tokens: readonly Uint8Array[] } = { attempt: 0, tokens: [] }

  constructor(parts: RoundParts) {
    this.parts = parts
    const { run, logs } = parts
    this.arms = run.arms.map(() => ({ pulls: 0, sum: 0, target: 0, isIn: true }))
    this.tokens = tokensIn(logs.get(run.shuffler.id)!, run.comparator.id)
  }

  /** How many rounds were played to their end. */
  judge(): number {
    const { course } = this.parts
    for (let round = 0; ; round++) {
      this.checkTurns(round)
      this.pull()
      if (round === course.rounds) return round
      this.checkBoxes(round)
      const answer = this.tokens.get(round)
      if (answer === undefined) {
        this.checkNothingAfter(round)
        return round
      }
      this.checkTokens(round, answer)
    }
  }

  /** What a party heard from another, of a kind and a round. */
  private heardAt(at: NodeId, from: NodeId, word: BanditMessage['kind'], round: number): readonly Heard[] {
    const { heard } = this.parts.logs.get(at)!
    let byRound = this.index.get(`${at} ${from} ${word}`)
    if (byRound === undefined) {
      byRound = new Map()
      for (const entry of heard) {
        if (entry.from !== from || entry.word !== word) continue
        byRound.set(entry.round, [...(byRound.get(entry.round) ?? []), entry])
      }
      this.index.set(`${at} ${from} ${word}`, byRound)
    }
    return byRound.get(round) ?? []
  }

  private readonly index = new Map<string, Map<number, Heard[]>>()

  /** Where every arm was seated, and which token it was given. */
  private checkTurns(round: number): void {
    const { run, course, tools, shuffler } = this.parts
    const isOver = round === course.rounds
    const pulls = course.at(round - 1)?.pulls ?? course.first
    for (const [place, { id }] of run.arms.entries()) {
      for (const entry of this.heardAt(id, run.shuffler.id, 'turn', round)) {
        const { attempt } = entry
        const slot = isOver ? 0 : seats(tools, shuffler, { round, attempt }, run.arms.length)[place]!
        const token = this.before.tokens[place] ?? new Uint8Array(0)
        const right = { kind: 'turn', round, attempt, slot, pulls, tokenAttempt: this.before.attempt, token } as const
        if (sameBytes(briefOf(tools, right).hash, entry.hash)) continue
        lied(run.shuffler.id, `its turn for '${id}' in round ${round} is not the one that follows`)
      }
    }
    if (round === 0) for (const arm of this.arms) arm.target = course.first
  }

  /** A round that was not answered is the last that anybody speaks of. */
  private checkNothingAfter(round: number): void {
    const { run, logs } = this.parts
    for (const { id } of run.arms) {
      const later = logs.get(id)!.heard.find(entry => entry.word === 'turn' && entry.round > round)
      if (later !== undefined) lied(run.shuffler.id, `it began round ${later.round} before round ${round} was answered`)
    }
  }

  /** Rewards as the arms logged them, up to what they owe. */
  private pull(): void {
    const { run, logs } = this.parts
    for (const [place, arm] of this.arms.entries()) {
      const { paid } = logs.get(run.arms[place]!.id)!
      while (arm.pulls < arm.target) {
        const steps = paid.get(arm.pulls + 1)
        if (steps === undefined) break
        arm.pulls++
        arm.sum += steps
      }
    }
  }

  private boxScene(place: number, round: number, attempt: number, slot: number): BoxScene {
    const { run, tools, course, rules, runKey, secrets } = this.parts
    const { pulls, sum, isIn } = this.arms[place]!
    const settings: BanditSettings = { run, repeat: 0, timeout: 0, rules }
    const state = { secret: secrets[place]!, round, attempt, slot, place, pulls, sum, isIn, runKey }
    return { state, settings, course, keys: { tools, sealing: tools.sealing.of(secrets[place]!) } }
  }

  /** What every arm compared, and what the shuffler handed on. */
  private checkBoxes(round: number): void {
    const { run, tools } = this.parts
    for (const [place, { id }] of run.arms.entries()) {
      for (const { attempt, hash } of this.heardAt(run.shuffler.id, id, 'box', round)) {
        if (this.arms[place]!.pulls < this.arms[place]!.target)
          lied(id, `it went on to round ${round} before its pulls`)
        const box = this.boxOf(place, round, attempt)
        if (sameBytes(briefOf(tools, { kind: 'box', round, attempt, box }).hash, hash)) continue
        lied(id, `its box of round ${round} does not follow from its rewards and its secret`)
      }
    }
    for (const { attempt, hash } of this.heardAt(run.comparator.id, run.shuffler.id, 'boxes', round)) {
      const boxes: Uint8Array[] = []
      for (const [place, slot] of this.seatsAt(round, attempt).entries())
        boxes[slot] = this.boxOf(place, round, attempt)
      if (sameBytes(briefOf(tools, { kind: 'boxes', round, attempt, boxes }).hash, hash)) continue
      lied(run.shuffler.id, `the boxes that it handed on in round ${round} are not those of the arms in their seats`)
    }
  }

  private seatsAt(round: number, attempt: number): readonly number[] {
    const { run, tools, shuffler } = this.parts
    return seats(tools, shuffler, { round, attempt }, run.arms.length)
  }

  private boxOf(place: number, round: number, attempt: number): Uint8Array {
    const { course, keys } = this.parts
    const slot = this.seatsAt(round, attempt)[place]!
    return makeBox(this.boxScene(place, round, attempt, slot), keys[place]!, course.at(round)!)
  }

  /** Who won, by the numbers themselves. */
  private checkTokens(round: number, { attempt, tokens }: BanditMessage & { kind: 'tokens' }): void {
    const { run, tools, course, shuffler, keys, secrets, rules } = this.parts
    const { all, stay, pulls } = course.at(round)!
    const count = run.arms.length
    if (this.arms.some(arm => arm.pulls < arm.target)) unclear(`a reward before round ${round} is in no log`)
    const slots = seats(tools, shuffler, { round, attempt }, count)
    const ties = tieRanks(count, all, tools.blocks(keys[0]!.arms))
    const values = run.arms.map((_, place) =>
      comparable(indexOf(this.boxScene(place, round, attempt, slots[place]!), keys[place]!.run, all), ties[place]!),
    )
    const ranks = values.map(value => values.filter(other => other < value).length)
    const won = rules.wins(ranks, stay)
    const right = run.arms.map((_, place) =>
      tokenOf(tools, secrets[place]!, { run: keys[place]!.run, round, attempt }, won[place]!),
    )
    for (const [place, slot] of slots.entries()) {
      if (tokens[slot]?.length === TOKEN_BYTES && sameBytes(tokens[slot]!, right[place]!)) continue
      lied(run.comparator.id, `its answer to round ${round} is not the order of what the arms compared`)
    }
    if (round === course.rounds - 1) {
      this.claims = right.map((token, place) => (won[place] && this.arms[place]!.isIn ? token : undefined))
    }
    for (const [place, arm] of this.arms.entries()) {
      if (won[place] && arm.isIn) arm.target += pulls
      if (course.policy === undefined && !won[place]) arm.isIn = false
    }
    this.before = { attempt, tokens: right }
  }
}

/** The first answer to each round. */
function tokensIn({ heard }: Read, comparator: NodeId): Map<number, BanditMessage & { kind: 'tokens' }> {
  const tokens = new Map<number, BanditMessage & { kind: 'tokens' }>()
  for (const entry of heard) {
    const body = bodyOf(entry)
    if (entry.from !== comparator || body?.kind !== 'tokens') continue
    const before = tokens.get(body.round)
    if (before === undefined) tokens.set(body.round, body)
    else if (!sameTokens(before, body)) lied(comparator, `it gave two answers to round ${body.round}`)
  }
  return tokens
}

function sameTokens(one: BanditMessage & { kind: 'tokens' }, other: BanditMessage & { kind: 'tokens' }): boolean {
  return one.attempt === other.attempt && one.tokens.every((token, slot) => sameBytes(token, other.tokens[slot]!))
}
