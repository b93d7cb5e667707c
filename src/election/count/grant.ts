// Grants that a third party can check: q of them, signed by members of one list, prove who leads a term.

import { encode } from '../../core/index.ts'
import type { Signatures, Signer } from '../../crypto/index.ts'
import { type Electorate, type Granted, grantText, type SignedGrant } from '../wire.ts'
import { digestOf, memberOf } from './electorate.ts'

function grantBytes({ name, term, coordinator }: Granted, electorate: Electorate): Uint8Array {
  return encode(grantText, { purpose: 'coterie grant', name, term, electorate: digestOf(electorate), coordinator })
}

export function signGrant(granted: Granted, electorate: Electorate, signer: Signer): Uint8Array {
  return signer.sign(grantBytes(granted, electorate))
}

export function isGrantOf(
  granted: Granted,
  electorate: Electorate,
  { granter, signature }: SignedGrant,
  signatures: Signatures,
): boolean {
  const member = memberOf(electorate, granter)
  if (member === undefined) return false
  return signatures.verify(member.key, grantBytes(granted, electorate), signature)
}

/** Whether q members granted this: what makes a coordinator known to those who did not grant it. */
export function isQuorumOf(
  granted: Granted,
  electorate: Electorate,
  grants: readonly SignedGrant[],
  quorum: number,
  signatures: Signatures,
): boolean {
  const granters = new Set(grants.map(({ granter }) => granter))
  if (granters.size < grants.length || granters.size < quorum) return false
  return grants.every(signed => isGrantOf(granted, electorate, signed, signatures))
}
