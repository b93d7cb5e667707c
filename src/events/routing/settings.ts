// What a member must know to route events.

import type { Millis, NodeId } from '../../core/index.ts'
import type { PublicKey, Signatures, Signer } from '../../crypto/index.ts'
import type { Hash } from '../settings.ts'
import { CLAUSES_A_LINK } from './limits.ts'
import { type RoutingRules, routingRules } from './rules.ts'

/** A member as membership tells of it: enough to know its key. */
export interface KnownMember {
  readonly member: NodeId
  readonly identity: Uint8Array
}

/** Settings of a router. */
export interface RoutingSettings {
  readonly rules: RoutingRules
  /** Bound into every signature. */
  readonly group: string
  /** b + 1: one more than the members that may lie or be gone at once. */
  readonly trees: number
  /** Children of an inner member, at least: more make shorter ways, and more neighbours to tell. */
  readonly degree: number
  readonly hash: Hash
  readonly signatures: Signatures
  readonly signer: Signer
  /** The key that a member signs with, or nothing if it may not be one of this name. */
  keyOf(view: KnownMember): PublicKey | undefined
  /** Clauses that a link is told of. */
  readonly clausesMax: number
  /** How often neighbours compare what they have heard. */
  readonly beat: Millis
  /** How long a neighbour of new trees is waited for. */
  readonly patience: Millis
  /** How long events go out in the old trees too, once the new ones are ready. */
  readonly grace: Millis
  /** How long the old trees are kept after that, for others that are late. */
  readonly retireAfter: Millis
  /** How long ids are kept exactly. */
  readonly window: Millis
  /** A batch is signed so long after the last one, at the soonest. */
  readonly batchEvery: Millis
  /** How long after an event its receipts are asked for, and for how long. */
  readonly askAfter: Millis
  readonly receiptsFor: Millis
}

/** Everything that has a usual value. */
export const routingBasics: Pick<
  RoutingSettings,
  | 'rules'
  | 'trees'
  | 'degree'
  | 'clausesMax'
  | 'beat'
  | 'patience'
  | 'grace'
  | 'retireAfter'
  | 'window'
  | 'batchEvery'
  | 'askAfter'
  | 'receiptsFor'
> = {
  rules: routingRules,
  trees: 1,
  degree: 2,
  clausesMax: CLAUSES_A_LINK,
  beat: 500,
  patience: 3_000,
  grace: 3_000,
  retireAfter: 15_000,
  window: 30_000,
  batchEvery: 2,
  askAfter: 50,
  receiptsFor: 10_000,
}
