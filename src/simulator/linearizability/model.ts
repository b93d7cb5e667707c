// The words of the check: what one copy would do alone, and what a history is made of.

/** The state after a call, and what it answers. */
export interface Step<State, Result> {
  readonly state: State
  readonly result: Result
}

/** What one copy would do, alone. States, calls and results are plain data. */
export interface Model<State, Call, Result> {
  /** The state of every key before its first operation. */
  readonly initial: State
  /** Everything that may follow; more than one where the object may choose, none where the call cannot be made. */
  step(state: State, call: Call): readonly Step<State, Result>[]
  /** A text that is equal exactly for equal states. Default: that of the core. */
  fingerprint?(state: State): string
  /** Default: equal fingerprints. */
  equal?(given: Result, expected: Result): boolean
  /** Operations of different keys never see each other. Default: one key for all. */
  partition?(call: Call): string
  /** Never changes any state. Speed only: leave it out where in doubt. */
  reads?(call: Call): boolean
  /**
   * The one state in which the call can have this result (`from`), and the one in which it leaves the object, if it
   * changes it (`to`); undefined where there is more than one. The result is undefined where nobody heard it. Speed
   * only: an order that overwrites what somebody has yet to read is given up at once.
   */
  hint?(call: Call, result: Result | undefined): Hint<State> | undefined
  /** A state that was left never comes back: counters that only grow, logs, versions. Makes hints count for more. */
  readonly forward?: boolean
}

/** What a call says about states, at least in part. */
export interface Hint<State> {
  readonly from?: State
  readonly to?: State
  /** With this result it has left the object in `to` for certain. */
  readonly sets?: boolean
}

/** What became of a call. */
export type OperationOutcome<Result> =
  | { readonly kind: 'returned'; readonly at: number; readonly result: Result }
  /** It certainly did not happen. */
  | { readonly kind: 'failed' }
  /** The client died, or its error is indefinite: it may take effect at any time after the call, or never. */
  | { readonly kind: 'unknown' }

/** A call, and what became of it. */
export interface Operation<Call, Result> {
  readonly client: string
  readonly call: Call
  readonly calledAt: number
  readonly outcome: OperationOutcome<Result>
}

export type Whole<State, Call, Result> = Required<Model<State, Call, Result>>

/** An operation with its place among those that are under way at one time. */
export interface Entry<Call, Result> {
  readonly operation: Operation<Call, Result>
  readonly reads: boolean
  /** Set for operations of unknown outcome: calls with the same text are as good as each other. */
  readonly twin: string | undefined
  /** Its bit in `taken`, or in `spent` where the outcome is unknown. */
  slot: number
  /** The first moment at which it is under way. */
  first: number
  /** The moment of its own return. */
  last: number
}

export function returnOf<Call, Result>({ operation: { outcome } }: Entry<Call, Result>): number {
  return outcome.kind === 'returned' ? outcome.at : Number.POSITIVE_INFINITY
}
