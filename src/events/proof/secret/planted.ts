// Bugs planted on purpose in the rules of secret channels, one broken rule each.

import { type SecretRules, secretRules } from '../../secret/rules.ts'

/** Rules that are broken on purpose, by name. */
export const plantedSecretBugs: Readonly<Record<string, Partial<SecretRules>>> = {
  'nonce-from-counter': {
    nonce: (_random, counter) => {
      const nonce = new Uint8Array(12)
      new DataView(nonce.buffer).setUint32(8, counter)
      return nonce
    },
  },
  'epoch-without-end': { mayWrite: () => true },
  'old-epoch-accepted': { takesEpoch: () => true },
  'last-epoch-not-judged': { judges: isNewest => !isNewest },
  'silence-believed': { knows: () => true },
  'removed-writer-believed': { believes: wasWriter => wasWriter },
  'old-record-accepted': { replaces: () => true },
  'record-unsigned': { checksRecord: () => false },
  'author-unsigned': { checksSignature: () => false },
  'sealed-not-bound-to-channel': { boundTo: () => new Uint8Array(16) },
  'tag-without-epoch': { tagSecret: (_key, channel) => channel },
  'pair-of-all': { pairSecret: (_shared, epochKey) => new Uint8Array(epochKey.length) },
  'body-key-shared': { bodyKey: (_fresh, epochKey) => epochKey },
  'one-chance-for-all': { markChance: () => length => new Uint8Array(length).fill(7) },
  'trapdoor-without-epoch': { searchEpoch: () => 0 },
  'lap-not-counted': { countedLap: () => 0 },
  'counts-at-once': { mayCount: () => true },
  'seen-window-forgets': { floorAfter: floor => floor },
  'gap-not-told': { tells: () => false },
}

/** The rules with that planted bug; without one, as they are. */
export function brokenSecretRules(bug: string | undefined): SecretRules {
  if (bug === undefined) return secretRules
  const broken = plantedSecretBugs[bug]
  if (broken === undefined)
    throw new RangeError(`no planted bug '${bug}'; there are: ${Object.keys(plantedSecretBugs).join(', ')}`)
  return { ...secretRules, ...broken }
}
