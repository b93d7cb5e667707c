// Counted: no tag comes twice, and a matcher beside the broker finds by trapdoors what readers want.

import { countedTag, lettersOf, trapdoorOf } from '../../keys.ts'
import { COUNTED_TAGS_MAX, LANES, READER_TRAPDOORS_MAX, SIGNED_MAX, TRAPDOORS_MESSAGE_MAX } from '../../limits.ts'
import { sealEvent } from '../../sealed.ts'
import type { Frame } from '../../wire.ts'
import { type MemberScene, memberTimers, wallNow } from '../state.ts'
import type { Mode, OpenEpoch } from './mode.ts'
import { underOneKey } from './shared.ts'

/** With a matcher. */
export const counted: Mode = {
  ...underOneKey,
  keywordsMax: COUNTED_TAGS_MAX,
  batchMax: SIGNED_MAX,
  isMatched: true,
  // Of each author, lane and keyword one trapdoor.
  listenedMax: ({ writers }) => Math.floor(READER_TRAPDOORS_MAX / (LANES * Math.max(1, writers.size))),
  mayBegin: mayCountNow,
  seal(scene, epoch, keywords, inside) {
    const { state, settings, turn } = scene
    const nonce = settings.rules.nonce(length => turn.bytes(length), inside.events[0]!.counter)
    const tags = keywords.map(keyword => nextCounted(scene, epoch, keyword))
    const outside = { kind: 'event', epoch: epoch.record.number, lap: state.lap, tags, nonce } as const
    return [{ names: [state.names.matcher], frame: sealEvent(settings, 'counted', epoch.keys.body, outside, inside) }]
  },
  names: () => [],
  searches,
}

/** A lap that we may count in: not the one we started in. */
function mayCountNow(scene: MemberScene): boolean {
  const { state, settings, turn } = scene
  const now = wallNow(scene)
  const lap = Math.floor(now / settings.lap)
  if (lap !== state.lap) {
    state.lap = lap
    state.counts.clear()
  }
  if (settings.rules.mayCount(state.startedIn, lap)) return true
  memberTimers.set(turn, 'lap', (lap + 1) * settings.lap - now)
  return false
}

function nextCounted({ state, settings }: MemberScene, epoch: OpenEpoch, keyword: Uint8Array): Uint8Array {
  const trapdoor = trapdoorOf(epoch.keys, settings.name, settings.lane, keyword)
  const name = lettersOf(trapdoor)
  const count = state.counts.get(name) ?? 0
  state.counts.set(name, count + 1)
  return countedTag(settings.ciphers, settings.rules, trapdoor, state.lap, count)
}

/** All trapdoors of all subscriptions: of each author, lane and keyword one. */
function searches({ state }: MemberScene, epochs: readonly OpenEpoch[]): Frame[] {
  const found = new Map<string, Uint8Array>()
  for (const { keys, writers } of epochs) {
    for (const { keywords } of state.subscriptions.values()) {
      for (const name of writers.keys()) {
        for (const keyword of keywords) {
          for (let lane = 0; lane < LANES; lane++) {
            const trapdoor = trapdoorOf(keys, name, lane, keyword)
            if (found.size < READER_TRAPDOORS_MAX) found.set(lettersOf(trapdoor), trapdoor)
          }
        }
      }
    }
  }
  const all = [...found.values()]
  const frames: Frame[] = []
  for (let at = 0; at === 0 || at < all.length; at += TRAPDOORS_MESSAGE_MAX) {
    const trapdoors = all.slice(at, at + TRAPDOORS_MESSAGE_MAX)
    frames.push({ kind: 'trapdoors', box: state.box, trapdoors, first: at === 0 })
  }
  return frames
}
