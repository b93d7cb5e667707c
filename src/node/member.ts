// What a member runs: it knows who is here, elects, and shares slots. Membership and election meet above, in whoever
// drives the node: membership hints at who stands and who is gone, and nothing of an election's safety rests on these
// hints.

import { type Codec, compose, encode, type Parted, type Saved } from '../core/index.ts'
import {
  type ElectionSettings,
  type Electorate,
  election,
  electionRecord,
  electionVocabulary,
  firstElectorate,
  type Keys,
} from '../election/index.ts'
import { type MembershipSettings, membership, membershipVocabulary } from '../membership/index.ts'
import type { NodeProtocol } from './index.ts'
import { type ManySlotsOptions, manySlots, manySlotsVocabulary } from './many-slots.ts'
import { partedVocabulary } from './vocabulary.ts'
import { windowProtocol, windowVocabulary } from './window.ts'

export interface MemberParts {
  readonly membership: MembershipSettings
  readonly election: ElectionSettings
  readonly keys: Keys
  readonly slots: ManySlotsOptions
}

export const memberVocabulary: Codec<Parted> = partedVocabulary({
  membership: membershipVocabulary,
  election: electionVocabulary,
  window: windowVocabulary,
  slots: manySlotsVocabulary,
})

export function memberNode(parts: MemberParts): NodeProtocol {
  return compose('member', {
    membership: membership(parts.membership),
    election: election(parts.election, parts.keys),
    window: windowProtocol,
    slots: manySlots(parts.slots),
  })
}

/** What a member's store holds before its first start: the first list, and that nothing was ever granted. */
export function memberFirstStart(electorate: Electorate): Saved {
  return new Map([['election', [encode(electionRecord, { kind: 'first', electorate })]]])
}

export { firstElectorate }
