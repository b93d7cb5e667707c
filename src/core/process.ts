// The process model. A protocol is a deterministic state machine that does no I/O.
//
// It is given one input and answers with an ordered list of effects. Time and chance are arguments.
// The same machine is driven over the network, inside one process, by the simulator and by the explorer:
// what is tested is what ships, and a failure replays from one number.
//
// The contract:
// - One input, run to the end, then the effects are performed in the order asked.
// - A `save` or `snapshot` holds back every later effect of its lane, across turns, until the record is durable.
//   A crash drops what was held back. So: save, then promise.
// - A lazy `save` holds nothing back. A crash may lose the newest records of a lane if they are lazy, always from the
//   end: a lazy record in front of one that is durable is durable too.
// - A state too large for one `snapshot` is accounted for bit by bit, among other saves: the first record of the account
//   `begins` it, and `forget`, asked once the account is whole, drops what was saved before it.
// - `from` is authenticated before the input exists.
// - No message, however odd, may make `step` throw. A throw is a bug and stops the node.
// - State is plain data: objects, arrays, Maps, strings, numbers, bigints, byte arrays. No class instances.
// - A command carries an id; the events that answer it carry the same id.

/** A server's name from its certificate, or a client's certificate name with a random instance: `billing#3f9a01c2`. */
export type NodeId = string

/** Milliseconds on the local clock of one process. Two processes' readings cannot be compared. */
export type Millis = number

/** What happens to a machine. */
export type Input<Message, Command> =
  | { readonly kind: 'start' }
  | { readonly kind: 'message'; readonly from: NodeId; readonly body: Message }
  | { readonly kind: 'command'; readonly body: Command }
  | { readonly kind: 'timer'; readonly name: string }
  /** A clean stop is under way: save what spares the next start its caution. Nothing follows. */
  | { readonly kind: 'stop' }

interface Laned {
  /**
   * A save holds back only its own lane. `compose` gives each part one; a protocol itself names one only for words and
   * timers that stand whatever becomes of its saves, and saves nothing in it.
   */
  readonly lane?: string
}

/** What a machine asks for. */
export type Effect<Message, Event> = Laned &
  (
    | { readonly kind: 'send'; readonly to: NodeId; readonly body: Message }
    /** Replaces the timer of that name. */
    | { readonly kind: 'timer'; readonly name: string; readonly after: Millis }
    | { readonly kind: 'cancel'; readonly name: string }
    /** Appends a record. */
    | {
        readonly kind: 'save'
        readonly record: Uint8Array
        /** From this record on a new account of the whole state begins. It drops nothing before `forget` says so. */
        readonly begins?: boolean
        /** Nobody is promised anything on it: it is written in its turn, but costs no flush of its own. */
        readonly lazy?: boolean
      }
    /** Replaces all records saved before by this one. */
    | { readonly kind: 'snapshot'; readonly record: Uint8Array }
    /**
     * The account is whole: the records before the newest one that begins an account may go. It counts only accounts
     * that were begun in this life and after the last snapshot: one that a crash cut short has to be started over.
     * Holds nothing back, and a crash soon after may still bring the old records back, in front of the account.
     */
    | { readonly kind: 'forget' }
    | { readonly kind: 'emit'; readonly event: Event }
  )

/** What a machine may use during one step. It must not be kept after `step` returns. */
export interface Turn<Message, Event> {
  /** Monotonic. Never to be saved: another run of the process has another clock. */
  readonly now: Millis
  /** Uniform in [0, bound). The explorer tries every value. */
  below(bound: number): number
  bytes(length: number): Uint8Array
  do(effect: Effect<Message, Event>): void
}

/** What was durable when the process last ended, by lane; a protocol that is not composed has the one lane ''. */
export type Saved = ReadonlyMap<string, readonly Uint8Array[]>

/** Of a process that starts for the first time. */
export const NOTHING_SAVED: Saved = new Map()

/** A deterministic state machine without I/O. */
export interface Protocol<State, Message, Command, Event> {
  readonly name: string
  init(self: NodeId, peers: readonly NodeId[], saved: Saved): State
  step(state: State, input: Input<Message, Command>, turn: Turn<Message, Event>): void
  /** Throws on a broken invariant. Drivers call it after each step. */
  check?(state: State): void
  /** Commands to give to this same node once the event is out: how the parts of a composed node are wired. */
  wire?(event: Event): readonly Command[]
}

/** A protocol whose types are not known here. */
// biome-ignore lint/suspicious/noExplicitAny: the one place where a protocol of unknown vocabulary is named
export type AnyProtocol = Protocol<any, any, any, any>
