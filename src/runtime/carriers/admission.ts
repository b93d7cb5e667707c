// Whether a broker takes what this client sends. Brokers of both kinds drop what a client may not publish and go on in silence, so the
// first message under a name is sent so that the broker must answer, and now and then another: a right may be withdrawn.

/** How long it is believed that a broker takes what we send. */
const AGAIN_MS = 60_000
/**
 * How long it is believed that it does not, and nothing is sent: mosquitto 2.0 with `max_queued_messages 0` breaks the connection of
 * who sends what it may not, and a reader must not lose its own for words that it has no right to.
 */
const DENIED_MS = 1_000
/** Names whose answer is remembered; the oldest is asked for again. */
const NAMES_MAX = 1_000

interface Asked {
  readonly at: number
  is: 'asked' | 'granted' | 'denied'
  readonly answer: Promise<void>
}

/** The two ways to send one message. */
export interface Ways {
  /** Rejects where the broker says that it does not take it. */
  ask(): Promise<void>
  send(): void
}

/** What a broker has said of the names we send under. */
export class Admission {
  private readonly asked = new Map<string, Asked>()
  private readonly now: () => number

  constructor(now: () => number) {
    this.now = now
  }

  /** Sends it one way or the other, or not at all. Nothing where it is known that the broker takes it; else its answer. */
  pass(name: string, { ask, send }: Ways): Promise<void> | undefined {
    const known = this.asked.get(name)
    if (known === undefined || this.now() - known.at >= (known.is === 'denied' ? DENIED_MS : AGAIN_MS))
      return this.note(name, ask())
    if (known.is === 'denied') return known.answer
    send()
    return known.is === 'granted' ? undefined : known.answer
  }

  private note(name: string, answer: Promise<void>): Promise<void> {
    const fresh: Asked = { at: this.now(), is: 'asked', answer }
    this.asked.delete(name)
    if (this.asked.size >= NAMES_MAX) this.asked.delete(this.asked.keys().next().value!)
    this.asked.set(name, fresh)
    answer.then(
      () => (fresh.is = 'granted'),
      () => (fresh.is = 'denied'),
    )
    return answer
  }

  /** Another connection may have other rights. What was denied stays so for its moment. */
  forget(): void {
    for (const [name, { is }] of this.asked) if (is !== 'denied') this.asked.delete(name)
  }
}
