// Claims: everything that travels by gossip, each signed by the one who may make it.
//
// A member alone says that it lives, where, under which keys, with which attributes, and that it leaves. A member that
// suspects another, or gives it up, signs that with its own name. So a claim can pass through anybody's hands: a relay can withhold
// it or bring it late, but not change it. (Gossip without signatures lets one member declare any other gone for good.)
//
// What is signed is the encoding of the whole claim with the group's name before it and an empty signature in its place:
// equal claims have equal bytes, and a claim of one group means nothing in another.

import { sha256 } from '@noble/hashes/sha2.js'
import {
  bytes,
  type Codec,
  encode,
  finite,
  list,
  type NodeId,
  struct,
  text,
  toHex,
  uint,
  variants,
  Writer,
} from '../core/index.ts'
import type { PublicKey, Signatures, Signer } from '../crypto/index.ts'
import { BOOT_MAX, type Incarnation } from './incarnation.ts'

/** Bytes of a member's name. */
export const MEMBER_BYTES_MAX = 100
/** Host and port, also as a long name. */
export const ADDRESS_BYTES_MAX = 300
/** A chain of two certificates as DER; three hold as well. */
export const IDENTITY_BYTES_MAX = 4_096
const SIGNATURE_BYTES_MAX = 64
/** Keys for sealing and counting that other parts want known; names as of attributes. */
export const KEYS_MAX = 8
export const KEY_BYTES_MAX = 128
/** Attributes of one member: more would make gossip of every change heavy. */
export const ATTRIBUTES_MAX = 16
/** Bytes of the name of an attribute, a key or an event. */
export const NAME_BYTES_MAX = 40
/** Versions of attributes in one life: one a millisecond for a month. */
const VERSION_MAX = 2 ** 32
/** An hour: longer than any round trip that ends. */
const MICROS_MAX = 3_600_000_000
export const TOPIC_BYTES_MAX = 60
export const PAYLOAD_BYTES_MAX = 512

/** A public key of a member, and what it is for. */
export interface NamedKey {
  readonly name: string
  readonly key: Uint8Array
}

/** An attribute of a member. */
export interface NamedValue {
  readonly name: string
  readonly value: number
}

/** A member is here, at this address, with this identity (a certificate chain) and these public keys. */
export interface AliveClaim {
  readonly kind: 'alive'
  readonly member: NodeId
  readonly incarnation: Incarnation
  readonly address: string
  readonly identity: Uint8Array
  readonly keys: readonly NamedKey[]
  readonly signature: Uint8Array
}

/** Apart from `alive`, since values change often and a certificate chain is heavy. */
export interface AttributesClaim {
  readonly kind: 'attributes'
  readonly member: NodeId
  readonly boot: number
  readonly version: number
  readonly values: readonly NamedValue[]
  readonly signature: Uint8Array
}

export interface LeaveClaim {
  readonly kind: 'leave'
  readonly member: NodeId
  readonly incarnation: Incarnation
  readonly signature: Uint8Array
}

/** Somebody had no answer from a member. `boot` is the author's: with another life it may have another key. */
export interface SuspectClaim {
  readonly kind: 'suspect'
  readonly member: NodeId
  readonly incarnation: Incarnation
  readonly author: NodeId
  readonly boot: number
  readonly signature: Uint8Array
}

/** Somebody gave a member up. Counts as a suspicion for others, and towards a certificate of failure. */
export interface FailedClaim {
  readonly kind: 'failed'
  readonly member: NodeId
  readonly incarnation: Incarnation
  readonly author: NodeId
  readonly boot: number
  readonly signature: Uint8Array
}

/** A round-trip time to a member of this boot, measured with nonces by one of those whom the hash chose. */
export interface MeasuredClaim {
  readonly kind: 'measured'
  readonly member: NodeId
  readonly memberBoot: number
  readonly author: NodeId
  readonly boot: number
  readonly version: number
  readonly micros: number
  readonly signature: Uint8Array
}

/** A small message of a user to all. */
export interface EventClaim {
  readonly kind: 'event'
  readonly member: NodeId
  readonly boot: number
  readonly number: number
  readonly topic: string
  readonly payload: Uint8Array
  readonly signature: Uint8Array
}

export type Accusation = SuspectClaim | FailedClaim
/** What travels by gossip, signed by the one who may say it. */
export type Claim = AliveClaim | AttributesClaim | LeaveClaim | SuspectClaim | FailedClaim | MeasuredClaim | EventClaim

type Without<C> = C extends Claim ? Omit<C, 'signature'> : never
export type UnsignedClaim = Without<Claim>

const member = text(MEMBER_BYTES_MAX)
const incarnation = uint()
const boot = uint(BOOT_MAX)
const signature = bytes(SIGNATURE_BYTES_MAX)
const name = text(NAME_BYTES_MAX)
const accusation = { member, incarnation, author: member, boot, signature }

export const claimCodec: Codec<Claim> = variants<Claim>({
  alive: {
    member,
    incarnation,
    address: text(ADDRESS_BYTES_MAX),
    identity: bytes(IDENTITY_BYTES_MAX),
    keys: list(struct<NamedKey>({ name, key: bytes(KEY_BYTES_MAX) }), KEYS_MAX),
    signature,
  },
  attributes: {
    member,
    boot,
    version: uint(VERSION_MAX),
    values: list(struct<NamedValue>({ name, value: finite }), ATTRIBUTES_MAX),
    signature,
  },
  leave: { member, incarnation, signature },
  suspect: accusation,
  failed: accusation,
  measured: {
    member,
    memberBoot: boot,
    author: member,
    boot,
    version: uint(VERSION_MAX),
    micros: uint(MICROS_MAX),
    signature,
  },
  event: {
    member,
    boot,
    number: uint(VERSION_MAX),
    topic: text(TOPIC_BYTES_MAX),
    payload: bytes(PAYLOAD_BYTES_MAX),
    signature,
  },
})

/** Who alone may make this claim. */
export function signerOf(claim: UnsignedClaim): NodeId {
  switch (claim.kind) {
    case 'alive':
    case 'attributes':
    case 'leave':
    case 'event':
      return claim.member
    case 'suspect':
    case 'failed':
    case 'measured':
      return claim.author
  }
}

const DOMAIN = 'coterie membership 1'
const UNSIGNED = new Uint8Array(0)
const prefix = struct<{ domain: string; group: string }>({ domain: text(40), group: text(MEMBER_BYTES_MAX) })
const scratch = new Writer()

function signedBytes(group: string, claim: UnsignedClaim): Uint8Array {
  scratch.reset()
  prefix.write(scratch, { domain: DOMAIN, group })
  claimCodec.write(scratch, { ...claim, signature: UNSIGNED } as Claim)
  return scratch.taken()
}

/** Signs a claim for one group. */
export function signClaim<C extends UnsignedClaim>(
  group: string,
  signer: Signer,
  claim: C,
): C & { signature: Uint8Array } {
  return { ...claim, signature: signer.sign(signedBytes(group, claim)) }
}

/** Whether that key signed the claim for that group. */
export function verifyClaim(group: string, signatures: Signatures, key: PublicKey, claim: Claim): boolean {
  return signatures.verify(key, signedBytes(group, claim), claim.signature)
}

/** A short name for a claim, signature included: for telling two versions apart and remembering verdicts. */
export function claimDigest(claim: Claim): string {
  return toHex(sha256(encode(claimCodec, claim, scratch)).subarray(0, DIGEST_BYTES))
}

/** A forger finds two forged claims of one digest after 2^64 tries, and gains that the second is refused like the first. */
const DIGEST_BYTES = 16

export function claimBytes(claim: Claim): number {
  scratch.reset()
  claimCodec.write(scratch, claim)
  return scratch.length
}

const voucher = struct<{ domain: string; group: string; member: NodeId; requester: NodeId; nonce: Uint8Array }>({
  domain: text(40),
  group: text(MEMBER_BYTES_MAX),
  member,
  requester: member,
  nonce: bytes(64),
})

/** What a member signs to let a third party carry its answer to a ping. */
export function voucherBytes(group: string, of: NodeId, requester: NodeId, nonce: Uint8Array): Uint8Array {
  return encode(voucher, { domain: 'coterie membership voucher 1', group, member: of, requester, nonce })
}
