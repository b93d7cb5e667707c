// The rounds of a run, made again: seats from the shuffler's secret, boxes from the arms' secrets and rewards, tokens from the
// numbers themselves.

import { type NodeId, sameBytes } from '../../core/index.ts'
import { type BoxScene, indexOf, makeBox, makeLateBox } from '../arm/playing.ts'
import type { ArmKeys } from '../arm/state.ts'
import { tokensOf } from '../box.ts'
import { comparable, tieRanks } from '../encoding.ts'
import { briefOf } from '../member/log.ts'
import type { BanditRules } from '../rules.ts'
import type { Schedule } from '../schedule.ts'
import type { BanditRun, BanditSettings, BanditTools } from '../settings.ts'
import { seats } from '../shuffler/seats.ts'
import { type BanditMessage, TOKEN_BYTES } from '../wire.ts'
import { bodyOf, type Heard, lied, type Read, unclear } from './reading.ts'

export interface RoundParts {
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

export interface ArmNow {
  pulls: number
  sum: number
  target: number
  isIn: boolean
}

/** The rounds of a run, made again one after the other. */
export class Rounds {
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
      this.checkAgain(round)
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
        const right = {
          kind: 'turn',
          round,
          attempt,
          slot,
          pulls,
          tokenAttempt: this.before.attempt,
          token,
          lost: 0,
        } as const
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
    const state = { secret: secrets[place]!, round, attempt, slot, place, pulls, sum, isIn, runKey, lost: 0 }
    return { state, settings, course, keys: { tools, sealing: tools.sealing.of(secrets[place]!) } }
  }

  /** What every arm compared, and what the shuffler handed on. */
  private checkBoxes(round: number): void {
    const { run, tools } = this.parts
    for (const [place, { id }] of run.arms.entries()) {
      for (const { attempt, hash } of this.heardAt(run.shuffler.id, id, 'box', round)) {
        const isSame = (box: Uint8Array) => sameBytes(briefOf(tools, { kind: 'box', round, attempt, box }).hash, hash)
        // That it was not ready is no lie that anybody could refute: the round was tried again.
        if (isSame(this.lateBoxOf(place, round, attempt))) {
          this.late.add(`${place} ${round} ${attempt}`)
          continue
        }
        if (this.arms[place]!.pulls < this.arms[place]!.target)
          lied(id, `it went on to round ${round} before its pulls`)
        if (isSame(this.boxOf(place, round, attempt))) continue
        lied(id, `its box of round ${round} does not follow from its rewards and its secret`)
      }
    }
    for (const { attempt, hash } of this.heardAt(run.comparator.id, run.shuffler.id, 'boxes', round)) {
      const boxes: Uint8Array[] = []
      for (const [place, slot] of this.seatsAt(round, attempt).entries())
        boxes[slot] = this.late.has(`${place} ${round} ${attempt}`)
          ? this.lateBoxOf(place, round, attempt)
          : this.boxOf(place, round, attempt)
      if (sameBytes(briefOf(tools, { kind: 'boxes', round, attempt, boxes, lost: 0 }).hash, hash)) continue
      lied(run.shuffler.id, `the boxes that it handed on in round ${round} are not those of the arms in their seats`)
    }
  }

  /** Who has the round tried again has seen a box that says so. */
  private checkAgain(round: number): void {
    const { run } = this.parts
    for (const { attempt } of this.heardAt(run.shuffler.id, run.comparator.id, 'again', round)) {
      if (run.arms.some((_, place) => this.late.has(`${place} ${round} ${attempt}`))) continue
      lied(run.comparator.id, `it had round ${round} tried again though every arm was ready`)
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

  /** By place, round and attempt: who was not ready. */
  private readonly late = new Set<string>()

  private lateBoxOf(place: number, round: number, attempt: number): Uint8Array {
    const slot = this.seatsAt(round, attempt)[place]!
    return makeLateBox(this.boxScene(place, round, attempt, slot), this.parts.keys[place]!)
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
    const right = run.arms.map(
      (_, place) =>
        tokensOf(tools, secrets[place]!, { run: keys[place]!.run, round, attempt })[won[place] ? 'win' : 'lose'],
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
