// ElGamal among several parties (OMA §4.1): the key to encrypt with is the sum of everybody's, so that only all of them
// together can open. A party takes its own layer off (`removeLayer`), or gives its share for one ciphertext
// (`partialDecryption`), which the one who has the others' shares combines.
//
// Re-randomising changes both halves of a ciphertext and nothing of its content: without the secret keys, whether two
// ciphertexts hold the same is as hard to tell as the decisional Diffie-Hellman problem. It must be done with the key
// of the layers that are still on. With any other key the content is lost (OMA figures 3 and 7 do that; readings OMA 2).

import { type Codec, struct } from '../core/index.ts'
import { elementCodec } from './codecs.ts'
import type { Element, Group, RandomBytes, Scalar } from './group.ts'

/** A secret and the public key that belongs to it. */
export interface KeyPair {
  /** Never saved, sent, logged or shown. */
  readonly secret: Scalar
  readonly publicKey: Element
}

/** Under the key Y, with randomness r: c1 = r·G, c2 = content + r·Y. */
export interface Ciphertext {
  readonly c1: Element
  readonly c2: Element
}

/** A fresh pair of keys. */
export function keyPair(group: Group, random: RandomBytes): KeyPair {
  const secret = group.randomScalar(random)
  return { secret, publicKey: group.multiplyBase(secret) }
}

/** The sum of the keys. Safe only with a proof of possession of each: otherwise the last to speak chooses the sum. */
export function groupKey(group: Group, publicKeys: readonly Element[]): Element {
  return publicKeys.reduce((sum, key) => group.add(sum, key), group.identity)
}

/** What everybody can compute and nobody has to send: encrypted with randomness zero. Hides nothing until it is passed on. */
export function openCiphertext(group: Group, content: Element): Ciphertext {
  return { c1: group.identity, c2: content }
}

/** Encrypts an element to a key. */
export function encrypt(group: Group, key: Element, content: Element, randomness: Scalar): Ciphertext {
  return rerandomise(group, key, openCiphertext(group, content), randomness)
}

/** Another ciphertext of the same content, which nobody can link to the first. */
export function rerandomise(group: Group, key: Element, ciphertext: Ciphertext, randomness: Scalar): Ciphertext {
  return {
    c1: group.add(ciphertext.c1, group.multiplyBase(randomness)),
    c2: group.add(ciphertext.c2, group.multiply(key, randomness)),
  }
}

/** Takes the layer of one key off; what remains is encrypted under the sum of the others. */
export function removeLayer(group: Group, secret: Scalar, ciphertext: Ciphertext): Ciphertext {
  return { c1: ciphertext.c1, c2: group.subtract(ciphertext.c2, group.multiply(ciphertext.c1, secret)) }
}

/**
 * One party's share of opening the ciphertext with this first half. It is a decryption service for the one who chooses c1:
 * give it only for a ciphertext that was agreed upon, only to whom it belongs (readings OMA 9).
 */
export function partialDecryption(group: Group, secret: Scalar, c1: Element): Element {
  return group.multiply(c1, secret)
}

/** The content, with the shares of all parties. */
export function combine(group: Group, ciphertext: Ciphertext, shares: readonly Element[]): Element {
  return group.subtract(ciphertext.c2, groupKey(group, shares))
}

/** Refuses halves that are not canonical, not in the group, or the identity. */
export function ciphertextCodec(group: Group): Codec<Ciphertext> {
  const half = elementCodec(group)
  return struct<Ciphertext>({ c1: half, c2: half })
}
