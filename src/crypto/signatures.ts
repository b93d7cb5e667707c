// Signatures as machines see them: bytes in, bytes or a yes out, no keys in state beyond the public ones.
// Which arithmetic is behind it is the driver's business: OpenSSL in Node, noble in a browser, ideal in a simulation.

/** A public key as bytes: 32 for Ed25519. */
export type PublicKey = Uint8Array

/** Signs with one key. */
export interface Signer {
  readonly publicKey: PublicKey
  sign(message: Uint8Array): Uint8Array
}

/** Checks signatures of one scheme. */
export interface Signatures {
  /** Never throws: a key or signature of the wrong form is simply not valid. */
  verify(publicKey: PublicKey, message: Uint8Array, signature: Uint8Array): boolean
}
