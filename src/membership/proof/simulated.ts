// Members for simulations: keys from an ideal registry, identities that are their names.

import { decode, encode, type NodeId, text } from '../../core/index.ts'
import { type IdealSignatures, idealSignatures } from '../../crypto/index.ts'
import { MEMBER_BYTES_MAX } from '../claims.ts'
import { type MembershipSettings, membershipDefaults } from '../settings.ts'

const identityCodec = text(MEMBER_BYTES_MAX)
/** Bytes that a real identity has beyond the name: a chain of two certificates as DER. */
const CERTIFICATES_BYTES = 900

function identityOf(id: NodeId, padding: number): Uint8Array {
  const name = encode(identityCodec, id)
  const identity = new Uint8Array(name.length + padding)
  identity.set(name)
  return identity
}

/** The keys and settings of simulated members. */
export interface SimulatedGroup {
  readonly signatures: IdealSignatures
  settings(id: NodeId, change?: Partial<MembershipSettings>): MembershipSettings
  /** A second certificate of the same name, with a key of its own: also admitted. */
  second(id: NodeId): Pick<MembershipSettings, 'identity' | 'signer'>
}

const secondOf = (id: NodeId) => `${id} again`

/** Settings for each of those named; nobody else is admitted. `weighty`: identities as long as real ones. */
export function simulatedGroup(ids: readonly NodeId[], weighty = false): SimulatedGroup {
  const signatures = idealSignatures()
  const signers = new Map(ids.flatMap(id => [id, secondOf(id)]).map(name => [name, signatures.signer(name)]))
  const padding = weighty ? CERTIFICATES_BYTES : 0
  return {
    signatures,
    settings: (id, change = {}) => ({
      ...membershipDefaults,
      group: 'simulated',
      address: `${id}:7000`,
      identity: identityOf(id, padding),
      signer: signers.get(id)!,
      signatures,
      admits(member, identity) {
        const name = decode(identityCodec, identity.slice(0, identity.length - padding))
        const own = name.ok && (name.value === member || name.value === secondOf(member))
        return own ? signers.get(name.value)?.publicKey : undefined
      },
      ...change,
    }),
    second: id => ({ identity: identityOf(secondOf(id), padding), signer: signers.get(secondOf(id))! }),
  }
}
