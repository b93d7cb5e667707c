// What there is: channels, how many events are kept of each, and how far the subscriptions are. Of each number what more
// servers say than may lie.

import { kthLargest } from '../../core/index.ts'
import type { Surveyed } from '../../events/client/state.ts'

/** A channel as the servers tell of it. */
export interface ChannelStatus {
  readonly channel: string
  /** Events that are kept. */
  readonly events: number
  /** Clients that published what is kept. */
  readonly authors: readonly string[]
  readonly subscriptions: readonly SubscriptionStatus[]
}

/** A durable subscription, or a queue. */
export interface SubscriptionStatus {
  readonly name: string
  /** The client whose it is. */
  readonly owner: string
  readonly queue: boolean
  /** Events of the channel that it has not handled, whether they match or not. */
  readonly behind: number
}

interface Source {
  readonly channel: string
  readonly author: string
  readonly boot: string
}

const keyOf = ({ channel, author, boot }: Source) => `${channel}\u0000${author}\u0000${boot}`

/** Collects numbers by key, and gives of each the (b + 1)-th largest. */
class Said {
  private readonly numbers = new Map<string, number[]>()

  add(key: string, number: number): void {
    const known = this.numbers.get(key)
    if (known === undefined) this.numbers.set(key, [number])
    else known.push(number)
  }

  of(key: string, liars: number): number {
    return Math.max(0, kthLargest(this.numbers.get(key) ?? [], liars + 1))
  }
}

/** The channels, by name. */
export function channelsOf(servers: readonly Surveyed[], liars: number): ChannelStatus[] {
  const [held, base, done] = [new Said(), new Said(), new Said()]
  const sources = new Map<string, Source>()
  const subscriptions = new Map<string, { channel: string; name: string; owner: string; queue: boolean }>()
  for (const { entries, cursors } of servers) {
    for (const head of entries) {
      sources.set(keyOf(head), head)
      held.add(keyOf(head), head.counter)
      base.add(keyOf(head), head.base)
    }
    for (const { channel, name, owner, queue, entries: positions } of cursors) {
      const key = `${channel}\u0000${owner}\u0000${name}`
      subscriptions.set(key, { channel, name, owner, queue })
      for (const position of positions) done.add(`${key}\u0001${keyOf({ channel, ...position })}`, position.counter)
    }
  }
  const names = new Set([...sources.values(), ...subscriptions.values()].map(({ channel }) => channel))
  return [...names].sort().map(channel => {
    const own = [...sources].filter(([, source]) => source.channel === channel)
    const kept = (key: string) => Math.max(0, held.of(key, liars) - base.of(key, liars))
    const behind = (of: string) =>
      own.reduce(
        (sum, [key]) =>
          sum + Math.max(0, Math.min(kept(key), held.of(key, liars) - done.of(`${of}\u0001${key}`, liars))),
        0,
      )
    return {
      channel,
      events: own.reduce((sum, [key]) => sum + kept(key), 0),
      authors: [...new Set(own.map(([, { author }]) => author))].sort(),
      subscriptions: [...subscriptions]
        .filter(([, one]) => one.channel === channel)
        .map(([key, { name, owner, queue }]) => ({ name, owner, queue, behind: behind(key) })),
    }
  })
}
