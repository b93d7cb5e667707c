// Integers as bytes of a fixed length, and back. Not for secrets: BigInt's timing depends on the value.

const WORD_BYTES = 8
const WORD_BITS = 64n

/** The lowest byte comes first in a curve's scalars, the highest in the modular groups, after their standards. */
export type ByteOrder = 'lowFirst' | 'highFirst'

export function integerOf(bytes: Uint8Array, order: ByteOrder): bigint {
  const whole = bytes.length - (bytes.length % WORD_BYTES)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const low = order === 'lowFirst'
  // The groups of simulations have one word, and do little else than this.
  if (bytes.length === WORD_BYTES) return view.getBigUint64(0, low)
  let value = 0n
  const byteAt = (place: number) => bytes[low ? bytes.length - 1 - place : place]!
  // The odd bytes at the high end, then whole words downwards.
  for (let place = 0; place < bytes.length - whole; place++) value = (value << 8n) | BigInt(byteAt(place))
  for (let place = bytes.length - whole; place < bytes.length; place += WORD_BYTES) {
    const word = view.getBigUint64(low ? bytes.length - WORD_BYTES - place : place, low)
    value = (value << WORD_BITS) | word
  }
  return value
}

/** The integer must fit. */
export function bytesOf(value: bigint, length: number, order: ByteOrder): Uint8Array {
  const low = order === 'lowFirst'
  const bytes = new Uint8Array(length)
  const view = new DataView(bytes.buffer)
  let rest = value
  let done = 0
  for (; done + WORD_BYTES <= length; done += WORD_BYTES) {
    view.setBigUint64(low ? done : length - WORD_BYTES - done, BigInt.asUintN(64, rest), low)
    rest >>= WORD_BITS
  }
  for (; done < length; done++) {
    bytes[low ? done : length - 1 - done] = Number(rest & 0xffn)
    rest >>= 8n
  }
  if (rest !== 0n) throw new RangeError(`an integer of more than ${length} bytes`)
  return bytes
}

/** The remainder from 0 to modulus - 1, also of a negative value. */
export function modulo(value: bigint, modulus: bigint): bigint {
  const rest = value % modulus
  return rest < 0n ? rest + modulus : rest
}

/** By the extended Euclidean algorithm; the value must have an inverse. */
export function inverse(value: bigint, modulus: bigint): bigint {
  let [high, low] = [modulus, modulo(value, modulus)]
  let [outer, inner] = [0n, 1n]
  while (low !== 0n) {
    const times = high / low
    ;[high, low] = [low, high - times * low]
    ;[outer, inner] = [inner, outer - times * inner]
  }
  if (high !== 1n) throw new RangeError('no inverse')
  return modulo(outer, modulus)
}
