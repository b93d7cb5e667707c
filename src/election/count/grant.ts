// Grants that a third party can check: q of them, signed by members of one list, prove who leads a term.

import { encode } from '../../core/index.ts'
import type { Signatures, Signer } from '../../crypto/index.ts'
import type { ElectionRules } from '../rules.ts'
import { type Electorate, type Granted, grantText, type Led, type SignedGrant } from '../wire.ts'
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
  led: Led,
  electorate: Electorate,
  quorum: number,
  rules: ElectionRules,
  signatures: Signatures,
): boolean {
  const granters = new Set(led.grants.map(({ granter }) => granter))
  if (granters.size < led.grants.length || granters.size < rules.grantsThatProve(quorum)) return false
  return !rules.checksGrants() || led.grants.every(signed => isGrantOf(led, electorate, signed, signatures))
}
