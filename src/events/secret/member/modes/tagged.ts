// Tagged: a keyword is a random name for the length of an epoch, and the broker matches by names.

import { lettersOf } from '../../keys.ts'
import { SIGNED_MAX, TAGS_MAX } from '../../limits.ts'
import { sealEvent } from '../../sealed.ts'
import { wantedIn } from '../wanting.ts'
import type { Mode } from './mode.ts'
import { underOneKey } from './shared.ts'

/** Any broker, unchanged. */
export const tagged: Mode = {
  ...underOneKey,
  keywordsMax: TAGS_MAX,
  batchMax: SIGNED_MAX,
  isMatched: false,
  listenedMax: () => Number.POSITIVE_INFINITY,
  mayBegin: () => true,
  seal({ settings, turn }, { keys, record }, _keywords, inside) {
    const { tags, events } = inside
    const nonce = settings.rules.nonce(length => turn.bytes(length), events[0]!.counter)
    const outside = { kind: 'event', epoch: record.number, lap: 0, tags, nonce } as const
    return [{ names: tags.map(lettersOf), frame: sealEvent(settings, 'tagged', keys.body, outside, inside) }]
  },
  names: (scene, epoch) => wantedIn(scene.state, epoch).keys(),
  searches: () => [],
}
