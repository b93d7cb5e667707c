// Whether the one that sends does so at an honest pace.
//
// A source that comes nearer does not stand still, however slowly. One that lies would show an event in each beat, and of a channel with
// a thousand in a second the subscription would fall behind for ever. But until an honest server has shown all that it holds, its
// answers are long: of two that follow each other one is more than half of what an answer takes.

import { LOOKED_MAX, looksFor } from '../limits.ts'
import { sizeOf } from '../signed.ts'
import { type EventsMessage, FOUND_MAX, ITEMS_BYTES_MAX } from '../wire.ts'
import { passOver } from './members.ts'
import { type ClientScene, PATIENCE_BEATS, type Subscription, say, type Tracked } from './state.ts'

/** In beats: for how long it may give little while it is behind. Then all are asked what they hold, and as much later it is judged. */
export const CRAWLING_BEATS = 10

/** Whether an answer is more than half of what one takes. */
export function isLong(
  { encoded }: Subscription,
  { items, after, through }: EventsMessage & { kind: 'found' },
): boolean {
  if (2 * items.length >= FOUND_MAX || 2 * (through - after) * looksFor(encoded) >= LOOKED_MAX) return true
  return 2 * items.reduce((sum, item) => sum + sizeOf(item), 0) >= ITEMS_BYTES_MAX
}

/** Whether what all servers hold was asked, and is heard. */
export function isAsked({ stalled, crawling }: Tracked): boolean {
  return stalled >= PATIENCE_BEATS || crawling >= CRAWLING_BEATS
}

/** On a beat: who gives little, and has not shown what b + 1 held some time ago, is passed over. It may be slow, and is not named. */
export function beatPace(scene: ClientScene, subscription: Subscription, one: Tracked, most: number): void {
  const { settings, state } = scene
  one.crawling = one.through < most ? one.crawling + 1 : 0
  if (one.crawling < CRAWLING_BEATS) return
  if (one.crawling % CRAWLING_BEATS === 0) {
    one.told.clear()
    for (const server of state.servers) say(scene, server, { kind: 'ask', source: one.source })
  } else if (one.crawling % CRAWLING_BEATS === CRAWLING_BEATS - 1) {
    const awaited = settings.rules.waitedFor([...one.told.values()], settings.liars)
    if (one.through < awaited && settings.rules.passesOver())
      passOver(scene, subscription, subscription.members[0]!.server)
  }
}
