// What must hold among members that route, whatever the faulty ones do: what is handed over was published so by its author,
// is wanted, and comes once; no honest member sends an event twice in one tree; and between sound members nothing is missed.

import type { Checker, Micros, Violation } from '../../../simulator/index.ts'
import type { Attributes, Filter } from '../../filter.ts'
import { matches } from '../../filter.ts'

/** An event as it was published. */
export interface RoutedEvent {
  readonly author: string
  readonly number: number
  readonly channel: string
  readonly attributes: Attributes
  readonly at: Micros
}

/** A subscription, from when to when. */
export interface RoutedWish {
  readonly member: string
  readonly channel: string
  readonly filter: Filter
  readonly since: Micros
  until: Micros
  readonly handed: Set<number>
}

/** Between whom nothing may be missed, from when on; and how long a wish takes to be known. */
export interface Demand {
  readonly among: ReadonlySet<string>
  readonly from: Micros
  readonly settles: Micros
}

export class RoutingChecker implements Checker {
  readonly name = 'routing'
  readonly published = new Map<number, RoutedEvent>()
  readonly wishes = new Map<string, RoutedWish>()
  private readonly broken: Violation[] = []
  private readonly sent = new Set<string>()

  violations(): readonly Violation[] {
    return this.broken
  }

  private fail(what: string, at: Micros): void {
    this.broken.push({ what, at })
  }

  /** A subscription of a member was given an event. */
  handed(wish: string, author: string, number: number, at: Micros): void {
    const found = this.wishes.get(wish)
    // It was taken back while the event was on its way out.
    if (found === undefined) return
    const event = this.published.get(number)
    const { member, channel, filter, handed } = found
    if (event === undefined || event.author !== author || event.channel !== channel)
      return this.fail(`${member} was handed what ${author} did not publish`, at)
    if (!matches(filter, event.attributes))
      return this.fail(`${member} was handed event ${number}, which it does not want`, at)
    if (handed.has(number)) return this.fail(`${member} was handed event ${number} twice`, at)
    handed.add(number)
  }

  /** An author was given receipts by honest members. */
  received(number: number, by: readonly string[], at: Micros): void {
    const has = (member: string) =>
      [...this.wishes.values()].some(wish => wish.member === member && wish.handed.has(number))
    for (const member of by.filter(one => !has(one)))
      this.fail(`${member} gave a receipt for event ${number}, which nobody there was handed`, at)
  }

  /** All receipts of an event are told: sound members have said, and who wanted it all the time has it, told or not in the trees. */
  answered(
    number: number,
    { all, silent }: { readonly all: ReadonlySet<string>; readonly silent: readonly string[] },
    at: Micros,
  ): void {
    const event = this.published.get(number)!
    for (const member of silent) if (all.has(member)) this.fail(`${member} did not say whether it has ${number}`, at)
    for (const { member, channel, filter, since, until, handed } of this.wishes.values()) {
      if (!all.has(member) || channel !== event.channel || !matches(filter, event.attributes)) continue
      if (since < event.at && until > at && !handed.has(number))
        this.fail(`${member} wanted event ${number} all the time, and has it not after all receipts`, at)
    }
  }

  /** An honest member sends an event over a link of a tree. */
  passed(event: string, link: string, at: Micros): void {
    const key = `${event} ${link}`
    if (this.sent.has(key)) this.fail(`an event went twice over one link of a tree: ${link}`, at)
    this.sent.add(key)
  }

  /** An event that came back to who sent it, or by a second way of one tree. */
  repeated(member: string, at: Micros): void {
    this.fail(`${member} got an event twice in one tree, from sound members alone`, at)
  }

  /** Everything among these members from then on, where wishes had settled. */
  complete({ among, from, settles }: Demand, at: Micros): void {
    for (const event of this.published.values()) {
      if (!among.has(event.author) || event.at < from) continue
      for (const { member, channel, filter, since, until, handed } of this.wishes.values()) {
        if (!among.has(member) || channel !== event.channel || !matches(filter, event.attributes)) continue
        if (since + settles > event.at || until < event.at + settles || handed.has(event.number)) continue
        this.fail(`event ${event.number} of ${event.author} did not reach ${member}, which wanted it`, at)
      }
    }
  }
}
