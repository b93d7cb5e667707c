// One source as a subscription sees it.

import { sizeOf } from '../signed.ts'
import type { Item, Source } from '../wire.ts'
import type { Subscription, Tracked } from './state.ts'

/** A source of which everything up to `counter` is done. */
export function newTracked(source: Source, counter: number): Tracked {
  return {
    source,
    identity: new Uint8Array(),
    through: counter,
    checked: counter,
    done: counter,
    items: new Map(),
    fetching: false,
    checking: undefined,
    stalled: 0,
    crawling: 0,
    told: new Map(),
    handed: 0,
    handedAt: 0,
    attempt: 0,
    closedAt: 0,
    toldBy: undefined,
  }
}

/** What was shown and not checked counts no more: the servers that showed it are replaced. */
export function forgetUnchecked(subscription: Subscription, one: Tracked): void {
  one.through = one.checked
  one.fetching = false
  one.checking = undefined
  one.stalled = 0
  one.crawling = 0
  for (const counter of one.items.keys()) if (counter > one.checked) forgetItem(subscription, one, counter)
}

/** A match that the handler will have. */
export function keepItem(subscription: Subscription, one: Tracked, item: Item): void {
  forgetItem(subscription, one, item.counter)
  one.items.set(item.counter, item)
  subscription.unhanded += sizeOf(item)
}

/** It was handled, or counts no more. */
export function forgetItem(subscription: Subscription, { items }: Tracked, counter: number): void {
  const item = items.get(counter)
  if (item === undefined) return
  items.delete(counter)
  subscription.unhanded -= sizeOf(item)
}
