// What must hold in gossip by interest: what is handed over was published so, is wanted, and comes once in a life. And what it
// aims at: of all that members wanted, at least so much came.

import type { Checker, Micros, Violation } from '../../../simulator/index.ts'
import type { Attributes, Filter } from '../../filter.ts'
import { matches } from '../../filter.ts'

/** An event as it was published. */
export interface SpreadEvent {
  readonly author: string
  readonly number: number
  readonly attributes: Attributes
  readonly at: Micros
}

/** What a member wants, and since when it is here. */
export interface Reader {
  readonly member: string
  readonly filter: Filter
  readonly since: Micros
  until: Micros
  readonly handed: Set<number>
}

/** Of events from then on, of readers that were here so long before and after. */
export interface Aim {
  readonly from: Micros
  readonly settles: Micros
  readonly ratio: number
}

export class InterestChecker implements Checker {
  readonly name = 'interest'
  readonly published = new Map<number, SpreadEvent>()
  /** By member and life. */
  readonly readers = new Map<string, Reader>()
  private readonly broken: Violation[] = []

  violations(): readonly Violation[] {
    return this.broken
  }

  handed(reader: string, author: string, number: number, at: Micros): void {
    const found = this.readers.get(reader)
    const event = this.published.get(number)
    if (found === undefined) return
    const { member, filter, handed } = found
    if (event === undefined || event.author !== author)
      return this.fail(`${member} was handed what ${author} did not publish`, at)
    if (!matches(filter, event.attributes))
      return this.fail(`${member} was handed event ${number}, which it does not want`, at)
    if (handed.has(number)) return this.fail(`${member} was handed event ${number} twice`, at)
    handed.add(number)
  }

  /** A member speaks to one that left so long ago that it should be forgotten. */
  spokeToDead(from: string, to: string, at: Micros): void {
    this.fail(`${from} speaks to ${to}, which died long ago: it is handed round`, at)
  }

  /** A member stands elsewhere than its name says, as another sees it. */
  chosePlace(member: string, seenBy: string, at: Micros): void {
    this.fail(`${member} stands on the rings of ${seenBy} where it chose to`, at)
  }

  /** How many of those that were wanted came. */
  counts({ from, settles }: Aim): { readonly wanted: number; readonly came: number } {
    let [wanted, came] = [0, 0]
    for (const event of this.published.values()) {
      if (event.at < from) continue
      for (const { member, filter, since, until, handed } of this.readers.values()) {
        if (member === event.author || since + settles > event.at || until < event.at + settles) continue
        if (!matches(filter, event.attributes)) continue
        wanted++
        if (handed.has(event.number)) came++
      }
    }
    return { wanted, came }
  }

  aim(aim: Aim, at: Micros): void {
    const { wanted, came } = this.counts(aim)
    if (came < aim.ratio * wanted) this.fail(`of ${wanted} that were wanted ${came} came, less than ${aim.ratio}`, at)
  }

  private fail(what: string, at: Micros): void {
    this.broken.push({ what, at })
  }
}
