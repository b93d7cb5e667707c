// What the listener and the dialers of one node share: who we are, what we know, where connections go.

import type { SecureContext } from 'node:tls'
import type { NodeId } from '../../core/index.ts'
import type { Role } from '../certificates/identity.ts'
import type { Connection } from './connection.ts'
import type { Limits } from './limits.ts'
import type { Links } from './links.ts'
import type { BlockPool } from './outbox.ts'
import type { LogRefusal } from './refusals.ts'
import type { Drops, Log } from './transport.ts'
import type { Turns } from './turns.ts'

export interface LocalNode {
  readonly self: NodeId
  readonly group: string
  readonly role: Role
  /** Whom we dial. */
  readonly dials: Role
  /** What peers must agree on with us: settings.ts. */
  readonly settings: string
  /** What we say first when we dial. */
  readonly hello: Uint8Array
  /** Whether peers are dialled before there is anything to send. */
  readonly eager: boolean
  readonly secureContext: SecureContext
  readonly limits: Limits
  readonly pool: BlockPool
  readonly turns: Turns
  readonly drops: Drops
  readonly log: Log
  readonly refused: LogRefusal
  readonly links: Links
  /** Every connection whose certificate was accepted, greeted or not; those that ended leave at the next sweep. */
  readonly connections: Set<Connection>
  /** Uniform in [0, 1). */
  chance(): number
}
