// What a command may run under.

/** A lease, a term, a seat: what a command may run under. */
export interface Held {
  /** Fires when it is lost, with an error that says why. */
  readonly signal: AbortSignal
  /** Milliseconds that are left for stopping after the signal. */
  remaining(): number
}
