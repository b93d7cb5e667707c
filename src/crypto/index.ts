export { type IdealSignatures, idealSignatures } from './ideal.ts'
export type { PublicKey, Signatures, Signer } from './signatures.ts'
