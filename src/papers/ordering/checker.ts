// Watches the printed ordering from outside: lemma 4 (one state for a version, and each extends the one before), and
// theorem 1 (a response is consistent with the one sequence).

import type { Checker, Micros, Violation } from '../../simulator/index.ts'
import type { PrintedState } from './messages.ts'

export class OrderChecker implements Checker {
  readonly name = 'one order of operations'
  private readonly found: Violation[] = []
  /** The longest sequence that anybody got a quorum for. */
  private sequence: readonly string[] = []
  private readonly decided = new Map<number, string>()
  /** Responses with a place beyond the sequence as it was then. */
  private readonly early: { operation: string; place: number }[] = []

  violations(): readonly Violation[] {
    return this.found
  }

  state({ version, operations }: PrintedState, at: Micros): void {
    const whole = operations.join(' ')
    const before = this.decided.get(version)
    if (before !== undefined && before !== whole) {
      this.found.push({ what: `version ${version} was decided twice: "${before}" and "${whole}"`, at })
    }
    this.decided.set(version, whole)
    const [short, long] = [this.sequence, operations].sort((one, other) => one.length - other.length)
    if (short!.some((operation, place) => operation !== long![place])) {
      this.found.push({ what: `version ${version} does not extend what was decided before`, at })
    }
    this.sequence = long!
    for (const { operation, place } of this.early.splice(0)) this.response(operation, place, at)
  }

  response(operation: string, place: number, at: Micros): void {
    const there = this.sequence[place]
    if (there === undefined) this.early.push({ operation, place })
    else if (there !== operation) {
      this.found.push({ what: `"${operation}" was told place ${place}, where "${there}" is`, at })
    }
  }
}
