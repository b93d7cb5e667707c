// What servers and clients say to each other.

import { lockVocabulary } from '../lock/wire.ts'
import { orderingVocabulary } from '../ordering/wire.ts'
import { livesVocabulary } from './lives/wire.ts'
import { partedVocabulary } from './vocabulary.ts'

/** Words of locks and of objects, and of the servers' lives. */
export const nodeVocabulary = partedVocabulary({
  lock: lockVocabulary,
  ordering: orderingVocabulary,
  lives: livesVocabulary,
})
