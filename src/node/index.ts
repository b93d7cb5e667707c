// The composition root: which protocols a node runs, and how they are wired. Protocols do not know each other; they meet
// here. A member's node is in `member.ts`, apart, so that servers and clients do not load what only members need.

import type { PartCommand, PartEvent } from '../core/index.ts'
import { ledgerVocabulary } from '../ledger/index.ts'
import { lockVocabulary } from '../lock/index.ts'
import { orderingVocabulary } from '../ordering/index.ts'
import type { ClientParts } from './client.ts'
import type { ServerParts } from './server.ts'
import { partedVocabulary } from './vocabulary.ts'

export { clientNode, keeperNode } from './client.ts'
export { firstStart, type ServerNode, serverNode } from './server.ts'
export type { NodeSettings } from './settings.ts'

export type ClientNodeCommand = PartCommand<ClientParts>
export type ClientNodeEvent = PartEvent<ClientParts>
export type ServerNodeEvent = PartEvent<ServerParts>

/** What servers and clients say to each other. */
export const nodeVocabulary = partedVocabulary({
  lock: lockVocabulary,
  ordering: orderingVocabulary,
  ledger: ledgerVocabulary,
})
