// Who watches a private run: the pulls are those of the open algorithm, the budget holds, the answer is right, and nobody
// sees more of an attempt than one box of each arm, one answer, and new seats.

import { sameBytes } from '../../core/index.ts'
import type { Checker, Micros, Violation } from '../../simulator/index.ts'
import type { ComparatorState } from '../comparator/state.ts'
import type { OpenRun } from '../open.ts'
import type { Schedule } from '../schedule.ts'
import type { BanditMessage } from '../wire.ts'

abstract class Watcher implements Checker {
  abstract readonly name: string
  protected readonly found: Violation[] = []

  violations(): readonly Violation[] {
    return this.found
  }

  /** Something that must not be. */
  broken(what: string, at: Micros): void {
    this.found.push({ what, at })
  }
}

interface Pulled {
  readonly arm: number
  readonly round: number
  readonly at: Micros
}

/** The run that must have been played. */
export type Twin = OpenRun & { readonly best?: number }

/** Pulls and answers, against the open algorithm on the same tapes. */
export class PullChecker extends Watcher {
  readonly name = 'pulls'
  private readonly course: Schedule
  private readonly counts: number[]
  private readonly unseen: Pulled[] = []
  private twin: Twin | undefined
  /** Whether the user has its answer, or knows that there is none. */
  ended: 'answered' | 'stopped' | undefined

  constructor(course: Schedule, arms: number) {
    super()
    this.course = course
    this.counts = new Array<number>(arms).fill(0)
  }

  pull(arm: number, number: number, round: number, at: Micros): void {
    if (number <= this.counts[arm]!) return
    if (number !== this.counts[arm]! + 1) this.broken(`arm ${arm} left out a pull before ${number}`, at)
    this.counts[arm] = number
    const spent = this.counts.reduce((sum, count) => sum + count, 0)
    if (spent > this.course.spent) this.broken(`${spent} pulls where the budget is ${this.course.spent}`, at)
    this.unseen.push({ arm, round, at })
  }

  /** As soon as the arms have their keys. */
  compare(twin: Twin): void {
    this.twin = twin
    for (const { arm, round, at } of this.unseen.splice(0)) {
      const played = this.course.at(round)
      if (played === undefined) continue
      const right = twin.order.slice(played.all, played.all + played.stay * played.pulls)
      if (!right.includes(arm)) this.broken(`arm ${arm} pulled after round ${round}, in the open it is ${right}`, at)
    }
  }

  answered(best: number | undefined, steps: number | undefined, at: Micros): void {
    this.ended = 'answered'
    if (this.twin === undefined) return this.broken('an answer without keys', at)
    const { arms } = this.twin
    const sum = arms.reduce((all, arm) => all + arm.sum, 0)
    if (best !== this.twin.best) this.broken(`the best arm is said to be ${best}, it is ${this.twin.best}`, at)
    if (steps !== undefined && steps !== sum) this.broken(`the sum is said to be ${steps}, it is ${sum}`, at)
    const wrong = arms.findIndex(({ pulls }, arm) => pulls !== this.counts[arm])
    if (wrong >= 0) {
      this.broken(`arm ${wrong} pulled ${this.counts[wrong]} times, in the open ${arms[wrong]!.pulls}`, at)
    }
  }

  finish(at: Micros, mustAnswer: boolean): void {
    if (this.ended === undefined) this.broken('the user was told nothing', at)
    if (mustAnswer && this.ended === 'stopped') this.broken('all were honest, and there is no answer', at)
  }
}

/** More rounds than this in the same seats are no chance, with at least three arms: 1 in 6^9. */
const SAME_SEATS_MAX = 10

/** What shuffler and comparator see. */
export class ViewChecker extends Watcher {
  readonly name = 'views'
  private readonly said = new Map<string, Uint8Array>()
  private readonly answers = new WeakMap<object, { answered: number; attempt: number }>()
  private readonly seats = new Map<number, Map<number, number>>()

  /** One box of an honest arm for an attempt: two would be two comparisons under one key. */
  box(arm: string, { round, attempt, box }: BanditMessage & { kind: 'box' }, at: Micros): void {
    this.once(`box of ${arm} in round ${round}, attempt ${attempt}`, box, at)
  }

  /** One answer of an honest comparator for a round. */
  tokens({ round, tokens }: BanditMessage & { kind: 'tokens' }, at: Micros): void {
    for (const [slot, token] of tokens.entries()) this.once(`answer to round ${round}, slot ${slot}`, token, at)
  }

  private once(what: string, bytes: Uint8Array, at: Micros): void {
    const before = this.said.get(what)
    if (before !== undefined && !sameBytes(before, bytes)) this.broken(`two different: ${what}`, at)
    this.said.set(what, bytes)
  }

  /** What an honest comparator remembers of its answer, in one life: another for the same round is a second answer. */
  remembers(state: Pick<ComparatorState, 'answered' | 'attempt'>, at: Micros): void {
    const before = this.answers.get(state)
    if (before?.answered === state.answered && before.attempt !== state.attempt) {
      this.broken(`two different: answers to round ${state.answered}`, at)
    }
    this.answers.set(state, { answered: state.answered, attempt: state.attempt })
  }

  /** Where an honest shuffler seats an arm at the first attempt. */
  seat(arm: number, { round, attempt, slot }: BanditMessage & { kind: 'turn' }): void {
    if (attempt !== 0) return
    const seats = this.seats.get(round) ?? new Map<number, number>()
    this.seats.set(round, seats.set(arm, slot))
  }

  finish(at: Micros, arms: number, rounds: number): void {
    if (arms < 3) return
    let same = 0
    for (let round = 1; round < rounds; round++) {
      const [before, now] = [this.seats.get(round - 1), this.seats.get(round)]
      const isSame =
        before?.size === arms && now?.size === arms && [...now].every(([arm, slot]) => before.get(arm) === slot)
      same = isSame ? same + 1 : 0
      if (same === SAME_SEATS_MAX) return this.broken(`the same seats in ${same + 1} rounds`, at)
    }
  }
}
