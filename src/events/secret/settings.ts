// What a party of a secret channel must know, and what a matcher must.

import type { Millis } from '../../core/index.ts'
import type { AgreeingSealing, Ciphers, PublicKey, Signatures, Signer } from '../../crypto/index.ts'
import type { Hash } from '../settings.ts'
import type { ChannelName } from './keys.ts'
import { LAP_MS } from './limits.ts'
import { type SecretRules, secretRules } from './rules.ts'
import type { MatchTools, SearchTools } from './searching.ts'

/** Settings of a party. */
export interface SecretSettings {
  readonly rules: SecretRules
  readonly channel: ChannelName
  /** Its name in the channel's records. */
  readonly name: string
  /** Whose records are believed. */
  readonly keeper: PublicKey
  readonly signer: Signer
  readonly signatures: Signatures
  readonly sealing: Pick<AgreeingSealing, 'open' | 'seal' | 'agree'>
  /** Pairings with our own search key; without them a channel in peks mode is closed to us. */
  readonly search?: SearchTools | undefined
  readonly ciphers: Ciphers
  readonly hash: Hash
  /** The wall clock, in milliseconds, at a reading of the local one: epochs and laps are counted by it. */
  wall(now: Millis): number
  /** Which of its author's instances this is, in counted mode. */
  readonly lane: number
  /** How long counting goes on before it begins at zero again, in counted mode. The same for all, matcher included. */
  readonly lap: Millis
  /** How long after an epoch's end its events are still taken. */
  readonly grace: Millis
  /** How long an event is waited for, once a later one of its tag is there. */
  readonly patience: Millis
  /** How long ids are kept exactly. */
  readonly window: Millis
  /** How soon an author tells its totals after it has published. */
  readonly tellAfter: Millis
  /** A batch is signed so long after the last one, at the soonest. */
  readonly batchEvery: Millis
}

/** Everything that has a usual value. */
export const secretBasics: Pick<
  SecretSettings,
  'rules' | 'lane' | 'lap' | 'grace' | 'patience' | 'window' | 'tellAfter' | 'batchEvery'
> = {
  rules: secretRules,
  lane: 0,
  lap: LAP_MS,
  grace: 30_000,
  patience: 2_000,
  window: 30_000,
  tellAfter: 1_000,
  batchEvery: 2,
}

/** Settings of a matcher: it knows no key, no party and no keyword. */
export interface MatcherSettings {
  readonly rules: SecretRules
  /** The names under which the channels' events come: of each channel one. */
  readonly channels: readonly Uint8Array[]
  readonly ciphers: Ciphers
  /** Pairings; without them channels in peks mode are not matched. */
  readonly match?: MatchTools | undefined
  wall(now: Millis): number
  readonly lap: Millis
  /** How long a reader's trapdoors are kept when it no longer says them. */
  readonly forgetAfter: Millis
}
