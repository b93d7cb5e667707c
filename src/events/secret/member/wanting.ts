// Who listens on which tags, as they are inside the seal.

import { lettersOf, tagOf } from '../keys.ts'
import type { Epoch, MemberState, Subscription, Wanted } from './state.ts'

/** Who listens on which tags of an epoch. */
export function wantedIn(state: MemberState, epoch: Epoch): ReadonlyMap<string, Wanted> {
  if (epoch.wanted !== undefined) return epoch.wanted
  const tags = new Map<string, Wanted>()
  epoch.wanted = tags
  for (const [id, subscription] of state.subscriptions) want(epoch, tags, id, subscription)
  return tags
}

export function want({ keys }: Epoch, tags: Map<string, Wanted>, id: number, { keywords, since }: Subscription): void {
  if (keys === undefined) return
  for (const keyword of keywords) {
    const name = lettersOf(tagOf(keys, keyword))
    const known = tags.get(name)
    if (known === undefined) tags.set(name, { since, ids: [id] })
    else {
      known.since = Math.min(known.since, since)
      known.ids.push(id)
    }
  }
}
