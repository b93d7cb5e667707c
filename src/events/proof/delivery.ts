// What a subscriber may rely on, watched from outside: what was accepted and matches is handled in the end, of each author in
// order, once in a life of the subscriber, and nothing is handed over that its author did not publish.

import type { Checker, Micros, Violation } from '../../simulator/index.ts'
import type { Source } from '../wire.ts'

/** One event as its author published it. */
export interface Published {
  readonly author: string
  readonly matches: boolean
}

/** What a handler was given. */
export interface HandedEvent {
  readonly source: Source
  readonly counter: number
  readonly attempt: number
  /** The number in its payload, and the author's time, which here is the same number. */
  readonly number: number
  readonly time: number
}

export class DeliveryChecker implements Checker {
  readonly name = 'delivery'
  private readonly broken: Violation[] = []
  /** By the number in the payload. */
  private readonly published = new Map<number, Published>()
  private readonly accepted = new Set<number>()
  /** By consumer: the numbers that its handler acknowledged since its name was last opened at the start. */
  private readonly handled = new Map<string, Set<number>>()
  /** By process and source: the last counter that was handed over for the first time. */
  private readonly last = new Map<string, number>()
  /** Under which id each number was seen. */
  private readonly ids = new Map<number, string>()
  /** An author that is in league with a server: it may be called a liar, and what it published need not arrive. */
  private readonly traitor: string | undefined

  constructor(traitor?: string) {
    this.traitor = traitor
  }

  publish(number: number, event: Published): void {
    this.published.set(number, event)
  }

  accept(number: number): void {
    this.accepted.add(number)
  }

  handed(process: string, event: HandedEvent, at: Micros): void {
    const { source, counter, attempt, number, time } = event
    const said = this.published.get(number)
    if (time !== number) this.broken.push({ what: `${process} was handed other words than honest servers hold`, at })
    if (said?.author !== source.author) {
      this.broken.push({ what: `${process} was handed what ${source.author} did not publish`, at })
      return
    }
    if (!said.matches) this.broken.push({ what: `${process} was handed an event that its filter refuses`, at })
    const id = `${source.author} ${source.boot} ${counter}`
    const known = this.ids.get(number) ?? id
    this.ids.set(number, known)
    if (known !== id) this.broken.push({ what: `event ${number} was handed over as ${known} and as ${id}`, at })
    if (attempt > 1) return
    const key = `${process} ${source.author} ${source.boot}`
    const last = this.last.get(key) ?? 0
    this.last.set(key, counter)
    if (counter <= last) this.broken.push({ what: `${process} was handed ${id} after ${last}`, at })
  }

  /** A member of a queue was given it: any order, and more than once. */
  given(process: string, { source, number }: HandedEvent, at: Micros): void {
    const said = this.published.get(number)
    if (said?.author !== source.author || !said.matches)
      this.broken.push({ what: `${process} was given what ${source.author} did not publish for it`, at })
  }

  /** Here nothing is ever cut. */
  missed(process: string, at: Micros): void {
    this.broken.push({ what: `${process} was told that events are gone, and nothing was cut`, at })
  }

  /** Here no author signs two events under one id. */
  accuse(author: string, at: Micros): void {
    if (author === this.traitor) return
    this.broken.push({ what: `${author} is honest and is said to have signed two events under one id`, at })
  }

  handle(consumer: string, number: number): void {
    const handled = this.handled.get(consumer) ?? new Set()
    this.handled.set(consumer, handled.add(number))
  }

  /** The consumer wants everything from the start once more. */
  again(consumer: string): void {
    this.handled.delete(consumer)
  }

  /** The last moment: what was published while all is well was accepted, and all that was accepted was delivered. */
  finish(consumers: readonly string[], authors: readonly string[], at: Micros): void {
    const lost = (number: number, to: string) => `event ${number} was accepted and never delivered to ${to}`
    for (const consumer of consumers) {
      for (const number of this.accepted) {
        const { matches, author } = this.published.get(number)!
        if (!matches || author === this.traitor || this.handled.get(consumer)?.has(number)) continue
        this.broken.push({ what: lost(number, consumer), at })
        return
      }
    }
    for (const author of authors) {
      const newest = [...this.published].findLast(([, event]) => event.author === author)?.[0]
      if (newest === undefined || this.accepted.has(newest)) continue
      this.broken.push({ what: `event ${newest} of ${author} was never accepted`, at })
    }
  }

  violations(): readonly Violation[] {
    return this.broken
  }
}
