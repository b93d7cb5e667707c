// What a member must know to gossip by interest.

import type { Millis } from '../../core/index.ts'
import type { PublicKey, Signatures, Signer } from '../../crypto/index.ts'
import type { KnownMember } from '../routing/settings.ts'
import type { Hash } from '../settings.ts'
import { type InterestRules, interestRules } from './rules.ts'

/** Settings of a member that gossips by interest. */
export interface InterestSettings {
  readonly rules: InterestRules
  /** Bound into every signature, and into every place. */
  readonly group: string
  readonly hash: Hash
  readonly signatures: Signatures
  readonly signer: Signer
  /** The key that a member signs with, or nothing if it may not be one of this name. */
  keyOf(view: KnownMember): PublicKey | undefined
  /** Keys of members of whom membership has not told; where it tells of all, none. */
  keyFor?(member: string): PublicKey | undefined
  /** Added to the clock, so that what is said after a restart is later than what was said before. */
  readonly since: Millis
  /** Each round a member exchanges what it knows with one other. */
  readonly round: Millis
  /** Rounds after which a member that said nothing is forgotten. */
  readonly ageMax: number
  /** How long a member that was sent something is waited for. */
  readonly patience: Millis
  /** How long ids are kept exactly. */
  readonly window: Millis
  /** At how many places an event is brought in, and to how many besides its neighbours a member passes it on. */
  readonly entries: number
  readonly fans: number
}

/** Everything that has a usual value: of a group in which a member may take events and not pass them on. */
export const interestBasics: Pick<
  InterestSettings,
  'rules' | 'since' | 'round' | 'ageMax' | 'patience' | 'window' | 'entries' | 'fans'
> = {
  rules: interestRules,
  since: 0,
  round: 1_000,
  ageMax: 15,
  patience: 500,
  window: 30_000,
  entries: 3,
  fans: 3,
}
