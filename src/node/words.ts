// What servers and clients say to each other.

import { lockVocabulary } from '../lock/wire.ts'
import { orderingVocabulary } from '../ordering/wire.ts'
import { partedVocabulary } from './vocabulary.ts'

/** Words of locks and of objects. */
export const nodeVocabulary = partedVocabulary({ lock: lockVocabulary, ordering: orderingVocabulary })
