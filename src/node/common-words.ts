// What nearly every client says: words of locks and of objects. Programs that use neither ledgers nor events load no more.

import { assert, type Codec } from '../core/index.ts'
import type { EventsMessage } from '../events/wire.ts'
import type { LedgerMessage } from '../ledger/wire.ts'
import { lockVocabulary } from '../lock/wire.ts'
import { orderingVocabulary } from '../ordering/wire.ts'
import { livesVocabulary } from './lives/wire.ts'
import { partedVocabulary } from './vocabulary.ts'

/** Of a part that this program has not: it says nothing of it, and nobody who is honest says any of it here. */
function unspoken<Message>(): Codec<Message> {
  return {
    write() {
      assert(false, 'a part that is not here says nothing')
    },
    read(reader) {
      return reader.refuse('words of a part that is not here')
    },
  }
}

/** The places are those of `nodeVocabulary`, so that both are understood by every server. */
export const commonVocabulary = partedVocabulary({
  lock: lockVocabulary,
  ordering: orderingVocabulary,
  ledger: unspoken<LedgerMessage>(),
  lives: livesVocabulary,
  events: unspoken<EventsMessage>(),
})
