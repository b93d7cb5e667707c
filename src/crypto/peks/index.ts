// Pairings and searchable encryption. Engines are loaded when they are asked for, not when this is imported.

export {
  FIRST_BYTES,
  type FirstPoint,
  isPairingScalar,
  type Paired,
  type PairingEngine,
  randomPairingScalar,
  SECOND_BYTES,
  type SecondPoint,
} from './engine.ts'
export { idealPairing } from './ideal.ts'
export { mclEngine } from './mcl.ts'
export { nobleEngine } from './noble.ts'
export {
  type CheckedPoint,
  type CheckedTrapdoor,
  type PeksKeys,
  type PeksMarks,
  type PeksWriter,
  peksGuess,
  peksKeys,
  peksMark,
  peksPublicKey,
  peksTrapdoor,
  peksWriter,
} from './peks.ts'
