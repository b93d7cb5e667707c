// Whether a broker takes what this client sends. Brokers of both kinds drop what a client may not publish and go on in silence, so the
// first message under a name is sent so that the broker must answer, and now and then another: a right may be withdrawn.

import { ANSWER_MS } from './carrier.ts'

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
  /** Resolves without one, too, where none came in time. */
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
  /** Ends each wait for an answer. */
  private readonly waits = new Set<() => void>()

  constructor(now: () => number) {
    this.now = now
  }

  /** Sends it one way or the other, or not at all. Nothing where it is known that the broker takes it; else its answer. */
  pass(name: string, { ask, send }: Ways): Promise<void> | undefined {
    const known = this.asked.get(name)
    if (known === undefined || this.isOld(known)) return this.note(name, ask())
    if (known.is === 'denied') return known.answer
    send()
    return known.is === 'granted' ? undefined : known.answer
  }

  /** What was never answered is not asked again on this connection: a library keeps what it asks with until it is answered. */
  private isOld({ is, at }: Asked): boolean {
    return is !== 'asked' && this.now() - at >= (is === 'denied' ? DENIED_MS : AGAIN_MS)
  }

  private note(name: string, answer: Promise<void>): Promise<void> {
    const fresh: Asked = { at: this.now(), is: 'asked', answer: this.inTime(answer) }
    this.asked.delete(name)
    if (this.asked.size >= NAMES_MAX) this.asked.delete(this.asked.keys().next().value!)
    this.asked.set(name, fresh)
    answer.then(
      () => (fresh.is = 'granted'),
      () => (fresh.is = 'denied'),
    )
    return fresh.answer
  }

  /** Without an answer nobody knows more than of any message: what is lost, readers are told. */
  private inTime(answer: Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      const done = () => {
        clearTimeout(timer)
        this.waits.delete(done)
        resolve()
      }
      const timer = setTimeout(done, ANSWER_MS)
      this.waits.add(done)
      answer.catch(reject).finally(done)
    })
  }

  /** Nobody waits for an answer any more. */
  close(): void {
    for (const done of [...this.waits]) done()
  }

  /** Another connection may have other rights. What was denied stays so for its moment. */
  forget(): void {
    for (const [name, { is }] of this.asked) if (is !== 'denied') this.asked.delete(name)
  }
}
