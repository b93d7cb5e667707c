// Events among simulated members: what is handed over was published so, once in a life; and when everything is healed, what every
// honest voter publishes reaches all of them.

import { parseFilter } from '../../events/filter.ts'
import type { RoutingCommand, RoutingEvent } from '../../events/routing/state.ts'
import type { Checker, Micros, SimulatedNode, Violation } from '../../simulator/index.ts'

const CHANNEL = 'news'
const ALL = parseFilter({ n: { gte: 0 } })
const PAYLOAD = new Uint8Array()

/** What a member's user says when it begins: it wants everything. */
export const subscribing: RoutingCommand = { kind: 'subscribe', id: 0, channel: CHANNEL, filter: ALL }

export class MemberEventsChecker implements Checker {
  readonly name = 'events among members'
  private readonly authors = new Map<number, string>()
  private readonly handed = new Set<string>()
  /** Since everything is healed: who has which event. */
  private readonly last = new Map<number, Set<string>>()
  private readonly broken: Violation[] = []
  private numbers = 0

  /** The command that publishes one more event of this author. */
  publishing(author: string, isLast: boolean): RoutingCommand {
    const n = ++this.numbers
    this.authors.set(n, author)
    if (isLast) this.last.set(n, new Set())
    const content = { attributes: { n }, payload: PAYLOAD, time: 0 }
    return { kind: 'publish', id: n, channel: CHANNEL, content, receipts: isLast }
  }

  /** What the routing of an honest member says. */
  observe(node: SimulatedNode, event: RoutingEvent, at: Micros): void {
    if (event.kind !== 'handed') return
    const { id } = node.spec
    const n = Number(event.content.attributes.n)
    const key = `${id} ${node.life} ${n}`
    if (this.authors.get(n) !== event.source.author) this.fail(`${id} was handed what nobody published`, at)
    if (this.handed.has(key)) this.fail(`${id} was handed event ${n} twice in one life`, at)
    this.handed.add(key)
    this.last.get(n)?.add(id)
  }

  /** What is still to come, of what was published since everything is healed. */
  missing(members: readonly string[]): string[] {
    return [...this.last].flatMap(([n, has]) =>
      members.filter(id => !has.has(id)).map(id => `event ${n} of ${this.authors.get(n)}, for ${id},`),
    )
  }

  private fail(what: string, at: Micros): void {
    this.broken.push({ what, at })
  }

  violations(): readonly Violation[] {
    return this.broken
  }
}
