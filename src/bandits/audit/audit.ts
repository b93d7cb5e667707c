// The audit of a run: from the logs of all parties every message is made again, and the first that somebody signed and that is
// not what follows from its own secret, its own rewards and what it was sent names that party (protocols/bandits 14).
//
// Why it works: whatever a party says is a function of one secret, of its rewards and of signed messages of others. A log cannot
// claim a message that was not sent, for want of a signature, and nobody can deny one that it signed. So no party's word is needed.

import { decode, encode, type NodeId, sameBytes } from '../../core/index.ts'
import { framed, type Part } from '../../crypto/index.ts'
import { ANSWER, VERDICT, verdictOf } from '../answers.ts'
import { keysFrom, shareFrom } from '../arm/keying.ts'
import type { ArmKeys } from '../arm/state.ts'
import { shareAbout } from '../keys.ts'
import { maskSum } from '../masks.ts'
import { briefOf, headAbout, saidAbout } from '../member/log.ts'
import { runOf } from '../member/state.ts'
import { type Head, type Role, type Terms, termsCodec } from '../member/wire.ts'
import { boundTo, digest, drawn } from '../party.ts'
import { type BanditRules, banditRules } from '../rules.ts'
import { type Schedule, scheduleOf } from '../schedule.ts'
import type { BanditParty, BanditRun, BanditTools } from '../settings.ts'
import { answerCodec, shareCodec, signedCodec, TOKEN_BYTES } from '../wire.ts'
import {
  type AuditResult,
  bodyOf,
  Found,
  type Heard,
  lied,
  type PartyLog,
  type Read,
  type RewardTable,
  readLog,
  unclear,
} from './reading.ts'
import { type RoundParts, Rounds } from './rounds.ts'

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
    for (const { heard } of this.logs.values()) for (const entry of heard) this.checkRunKey(entry)
    for (const { self, heard } of this.logs.values()) {
      for (const entry of heard) if (entry.word === 'share') this.checkShare(self, entry)
    }
  }

  private checkRunKey(entry: Heard): void {
    const { from } = entry
    const body = bodyOf(entry)
    if (body?.kind !== 'runKey') return
    const { id, signing } = this.run.comparator
    const { verify } = this.tools.signatures
    if (from !== id) lied(from, 'it gave a key of the run, which is not its part')
    if (!sameBytes(body.publicKey, this.runKey)) lied(id, 'its key of the run does not follow from its secret')
    if (!verify(signing, this.bound, body.signature)) lied(id, 'it did not sign its key of the run')
  }

  private checkShare(self: NodeId, { from, opened }: Heard): void {
    const { run, tools } = this
    const place = run.arms.findIndex(({ id }) => id === from)
    if (place < 0) lied(from, 'it gave a part of the keys, though it has no arm')
    // What was sealed is a hash here, and what was in it is the receiver's word: one of the two lies, and nobody can tell which.
    const content = this.signedBy(from, shareAbout(this.bound, from, self), opened[0])
    if (content.length === 0)
      unclear(`'${from}' gave '${self}' no part of the keys, or '${self}' does not say what it was`)
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
      keysFrom(tools, bound, own, { parts: given.map(of => of[own]!), given: given[own]!.map(({ pair }) => pair) }),
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
      const answer = decode(answerCodec, this.signedBy(id, [ANSWER, this.bound, 0], entry.opened[place]))
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
      // An answer to an earlier round may come once more, and last: the network repeats and reorders.
      .heard.filter(({ word, round }) => word === 'tokens' && round === this.course.rounds - 1)
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
