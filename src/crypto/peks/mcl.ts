// The pairing on mcl's WebAssembly. An optional package, loaded with the first use: who needs no `peks` does not pay for it.
//
// The library has one state for the whole process: curve, form of its bytes, and whether points are checked. It is set
// once, here. Its own hash to G1 has a fixed domain tag, that of BLS signatures, under which a trapdoor would be a
// signature: so only its map to the curve is used, on field elements of our own.

import { SettingsError } from '../../core/index.ts'
import { bytesOf } from '../groups/integers.ts'
import { COEFFICIENT_BYTES, FIRST_BYTES, hashToField, type PairingEngine, SECOND_BYTES } from './engine.ts'

type Mcl = typeof import('mcl-wasm')
type First = InstanceType<Mcl['G1']>
type Second = InstanceType<Mcl['G2']>
type Third = InstanceType<Mcl['GT']>

/** RFC 9380's map to the curve, among those of the library. */
const STANDARD_MAP = 5
let loading: Promise<PairingEngine> | undefined

/** Loads the library, once. A sentence where it is not installed. */
export function mclEngine(): Promise<PairingEngine> {
  loading ??= load().catch(error => {
    loading = undefined
    throw error
  })
  return loading
}

async function load(): Promise<PairingEngine> {
  // A bundler that sees the `catch` right behind the import lets the package be missing.
  const loaded: Mcl | { default: Mcl } = await import('mcl-wasm').catch(notInstalled)
  const mcl = 'default' in loaded ? loaded.default : loaded
  await mcl.init(mcl.BLS12_381)
  mcl.setETHserialization(true)
  mcl.setMapToMode(STANDARD_MAP)
  mcl.verifyOrderG1(true)
  mcl.verifyOrderG2(true)
  return engineOf(mcl)
}

/** What to do where the library is not there. */
export function notInstalled(error: unknown): never {
  if ((error as { code?: unknown }).code !== 'ERR_MODULE_NOT_FOUND') throw error
  throw new SettingsError(
    'peks needs the package mcl-wasm, which is not installed. Install it (npm install mcl-wasm@2.4), or use the mode tagged.',
  )
}

/** The generators in their standard form. */
const FIRST_GENERATOR =
  '97f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb'
const SECOND_GENERATOR =
  '93e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049334cf11213945d57e5ac7d055d042b7e' +
  '024aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d1770bac0326a805bbefd48056c8c121bdb8'

function engineOf(mcl: Mcl): PairingEngine {
  const scalarOf = (bytes: Uint8Array) => {
    const scalar = new mcl.Fr()
    scalar.deserialize(bytes)
    return scalar
  }
  const decodeFirst = (bytes: Uint8Array) => decoded(bytes, FIRST_BYTES, new mcl.G1())
  const decodeSecond = (bytes: Uint8Array) => decoded(bytes, SECOND_BYTES, new mcl.G2())
  const mapped = (value: bigint): First => {
    const element = new mcl.Fp()
    element.setBigEndianMod(bytesOf(value, COEFFICIENT_BYTES, 'highFirst'))
    return element.mapToG1()
  }
  return {
    name: 'mcl',
    firstGenerator: decodeFirst(fromHexadecimal(FIRST_GENERATOR))!,
    secondGenerator: decodeSecond(fromHexadecimal(SECOND_GENERATOR))!,
    decodeFirst,
    decodeSecond,
    encodeFirst: point => (point as First).serialize(),
    encodeSecond: point => (point as Second).serialize(),
    hashToFirst(message, domain) {
      const [one, other] = hashToField(message, domain)
      return mcl.add(mapped(one), mapped(other))
    },
    multiplyFirst: (point, scalar) => mcl.mul(point as First, scalarOf(scalar)),
    addFirst: (left, right) => mcl.add(left as First, right as First),
    multiplySecond: (point, scalar) => mcl.mul(point as Second, scalarOf(scalar)),
    pair: (first, second) => mcl.pairing(first as First, second as Second),
    power: (element, scalar) => mcl.pow(element as Third, scalarOf(scalar)),
    product: (left, right) => mcl.mul(left as Third, right as Third),
    quotient: (left, right) => mcl.div(left as Third, right as Third),
    coefficients: element => coefficientsOf((element as Third).serialize()),
  }
}

/** The library writes the imaginary part of each pair first. */
function coefficientsOf(written: Uint8Array): Uint8Array {
  const out = new Uint8Array(written.length)
  for (let at = 0; at < written.length; at += 2 * COEFFICIENT_BYTES) {
    out.set(written.subarray(at + COEFFICIENT_BYTES, at + 2 * COEFFICIENT_BYTES), at)
    out.set(written.subarray(at, at + COEFFICIENT_BYTES), at + COEFFICIENT_BYTES)
  }
  return out
}

interface Readable {
  deserialize(bytes: Uint8Array): void
  serialize(): Uint8Array
  isZero(): boolean
}

/** Read, in the subgroup (the library checks), not the identity, and the bytes its one encoding. */
function decoded<P extends Readable>(bytes: Uint8Array, length: number, point: P): P | undefined {
  if (bytes.length !== length) return undefined
  try {
    point.deserialize(bytes)
  } catch {
    return undefined
  }
  if (point.isZero()) return undefined
  const again = point.serialize()
  return again.every((byte, place) => byte === bytes[place]) ? point : undefined
}

function fromHexadecimal(text: string): Uint8Array {
  return Uint8Array.from({ length: text.length / 2 }, (_, place) =>
    Number.parseInt(text.slice(2 * place, 2 * place + 2), 16),
  )
}
