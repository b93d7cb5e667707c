// One source as a subscription sees it.

import type { Source } from '../wire.ts'
import type { Tracked } from './state.ts'

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
    told: new Map(),
    handed: 0,
    handedAt: 0,
    attempt: 0,
    closedAt: 0,
  }
}

/** What was shown and not checked counts no more: the servers that showed it are replaced. */
export function forgetUnchecked(one: Tracked): void {
  one.through = one.checked
  one.fetching = false
  one.checking = undefined
  one.stalled = 0
  for (const counter of one.items.keys()) if (counter > one.checked) one.items.delete(counter)
}
