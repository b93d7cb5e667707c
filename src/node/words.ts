// What servers and clients say to each other.

import { eventsVocabulary } from '../events/wire.ts'
import { ledgerVocabulary } from '../ledger/wire.ts'
import { lockVocabulary } from '../lock/wire.ts'
import { orderingVocabulary } from '../ordering/wire.ts'
import { livesVocabulary } from './lives/wire.ts'
import { partedVocabulary } from './vocabulary.ts'

/** Words of locks, of objects, of ledgers and of events, and of the servers' lives. */
export const nodeVocabulary = partedVocabulary({
  lock: lockVocabulary,
  ordering: orderingVocabulary,
  ledger: ledgerVocabulary,
  lives: livesVocabulary,
  events: eventsVocabulary,
})
