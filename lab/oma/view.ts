// What an adversary of the assignment game is given (OMA appendix A, CAIE): the transcript of all messages of a round
// and the memory of n - 2 members, put in order. It is the same for every level, so that every adversary plays
// against all.

import type { Ciphertext, Element, Group, Scalar } from '../../src/crypto/index.ts'

/** Somebody's turn with a token. */
export interface Pass {
  readonly by: number
  /** Empty for the member that makes the token. */
  readonly input: readonly Ciphertext[]
  readonly output: readonly Ciphertext[]
}

/** What a member of the coalition kept of its own turn. */
export interface Kept {
  /** Place of the output, before one was taken → place of the input. */
  readonly permutation: readonly number[]
  /** -1: none was taken. */
  readonly taken: number
}

export interface Share {
  readonly owner: number
  readonly from: number
  readonly value: Element
}

/** A lap of the release token, as the coordinator reads it; unknown if the coordinator is honest. */
export interface Lap {
  /** Which entries were free, in the order in which they came. */
  readonly free: readonly boolean[]
}

/** A lap of the release token as it went over the wire: everybody's turn, the coordinator's first. */
export interface ReleaseLap {
  readonly passes: readonly Pass[]
}

export interface View {
  readonly group: Group
  readonly members: number
  readonly slots: number
  /** Ticket k as an element. */
  readonly table: readonly Element[]
  /** Positions, in ascending order: the two of all honest members whose tickets are to be told apart. */
  readonly honest: readonly [number, number]
  /** The two tickets that the coalition neither has nor is told: the two have these. In ascending order. */
  readonly left: readonly [number, number]
  /** Who made the token; undefined where nobody does. */
  readonly coordinator: number | undefined
  /** Whether the coordinator is known to take its ticket first. */
  readonly rotating: boolean
  readonly passes: readonly Pass[]
  /** Which ticket each place of the first list holds, where everybody knows or the coalition made it. */
  readonly firstList: readonly (number | undefined)[]
  /** The coalition's turns, by position. */
  readonly kept: ReadonlyMap<number, Kept>
  readonly secrets: ReadonlyMap<number, Scalar>
  /** The coalition's tickets; and those of further honest members, which it is told (but neither keys nor turns). */
  readonly opened: ReadonlyMap<number, number>
  /** The ticket that each member had opened, and the shares that went over the wire for it. */
  readonly dealt: ReadonlyMap<number, Ciphertext>
  readonly shares: readonly Share[]
  /** How long each member had the release token, or its last word of the round, in milliseconds. */
  readonly took: ReadonlyMap<number, number>
  readonly laps: readonly Lap[]
  /** The laps as they went over the wire, from the first on; none where there is no ring for the release. */
  readonly releases: readonly ReleaseLap[]
  /** Which of the honest is seen to end its work first. */
  readonly firstToRelease: number
  /** Where members also deviate: the ticket of honest[0] that this brought to light. */
  readonly stolen: number | undefined
  /** Only for the control: one honest member's key, by position. */
  readonly betrayed: readonly [position: number, secret: Scalar] | undefined
  /** Numbers about the transcript that mean nothing by themselves: for the classifier. */
  readonly features: readonly number[]
}

/** The answer, which no adversary sees: the ticket of honest[0]. */
export interface Game {
  readonly view: View
  readonly answer: number
}
