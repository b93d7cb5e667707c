// The composition root: which protocols a node runs, and how they are wired. Protocols do not know each other; they meet
// here. A member's node is in `member.ts`, apart, so that servers and clients do not load what only members need.

import type { PartCommand, PartEvent } from '../core/index.ts'
import type { ClientParts } from './client.ts'
import type { ServerParts } from './server.ts'

export { firstStart, type ServerNode, serverNode } from './server.ts'
export { nodeVocabulary } from './words.ts'

export type ClientNodeCommand = PartCommand<ClientParts>
export type ClientNodeEvent = PartEvent<ClientParts>
export type ServerNodeEvent = PartEvent<ServerParts>
