export { sameBytes } from '../core/index.ts'
export { CIPHER_TAG_BYTES, type Ciphers, idealCiphers, NONCE_BYTES } from './cipher.ts'
export { elementCodec, scalarCodec } from './codecs.ts'
export { ed25519Signatures, ed25519Signer, isSigningKey, SIGNING_SEED_BYTES } from './ed25519.ts'
export {
  type Ciphertext,
  ciphertextCodec,
  combine,
  encrypt,
  groupKey,
  type KeyPair,
  keyPair,
  openCiphertext,
  partialDecryption,
  removeLayer,
  rerandomise,
} from './elgamal.ts'
export {
  type Envelope,
  envelopeCodec,
  type KnownAuthor,
  type Received,
  receiveEnvelope,
  signEnvelope,
} from './envelope.ts'
export { framed, framedBriefly, type Part } from './framing.ts'
export type { Element, Group, RandomBytes, Scalar, Term } from './group.ts'
export { insecureBareGroup, insecureSmallGroup } from './groups/insecure.ts'
export { bigintPower, type ModularPower, type Power } from './groups/residues.ts'
export { ristretto } from './groups/ristretto.ts'
export { ristrettoNoble } from './groups/ristretto-noble.ts'
export { residues2048, residues3072 } from './groups/standard.ts'
export { type IdealSignatures, idealSignatures } from './ideal.ts'
export { idealSealing } from './ideal-sealing.ts'
export {
  PAILLIER_BITS_MIN,
  type PaillierDecryption,
  type PaillierEncryption,
  type PaillierPublicKey,
  type PaillierSecret,
  paillierDecryption,
  paillierEncryption,
  paillierLimit,
} from './paillier.ts'
export {
  checkEqualLogarithms,
  type EqualLogarithmsProof,
  equalLogarithmsProofCodec,
  proveEqualLogarithms,
  type ShareStatement,
} from './proofs/equal-logarithms.ts'
export {
  checkPossession,
  type PossessionProof,
  possessionProofCodec,
  provePossession,
} from './proofs/possession.ts'
export {
  castVote,
  checkRepresentation,
  drawVote,
  proveRepresentation,
  type RepresentationProof,
  representationProofCodec,
  type VoteSecret,
  type VoteStatement,
} from './proofs/representation.ts'
export { checkLap, checkShuffle, type ProvenPass } from './proofs/shuffle/check.ts'
export { proveShuffle, randomPermutation, shuffle } from './proofs/shuffle/make.ts'
export {
  type Pass,
  SHUFFLE_MAX,
  type ShuffleProof,
  type ShuffleSecret,
  shuffleProofCodec,
} from './proofs/shuffle/statement.ts'
export { type Admission, admit, REPLAY_WINDOW, type ReplayWindow } from './replay.ts'
export {
  type AgreeingSealing,
  messageKey,
  SEAL_BYTES,
  type Sealing,
  type SealingScheme,
  x25519Sealing,
} from './sealing.ts'
export type { PublicKey, Signatures, Signer } from './signatures.ts'
