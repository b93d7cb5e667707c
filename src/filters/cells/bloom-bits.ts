// K positions of one element in a field of bits, from two hash words: one + i · two, scaled (Kirsch and Mitzenmacher:
// double hashing costs no accuracy that matters). The step is made odd, so that no two positions coincide by design.

import { scale } from './draws.ts'

export function holdsAll(field: Int32Array, size: number, hashes: number, one: number, two: number): boolean {
  const step = two | 1
  for (let i = 0, word = one; i < hashes; i++, word = (word + step) | 0) {
    const at = scale(word, size)
    if (((field[at >>> 5]! >>> (at & 31)) & 1) === 0) return false
  }
  return true
}

export function setAll(field: Int32Array, size: number, hashes: number, one: number, two: number): void {
  const step = two | 1
  for (let i = 0, word = one; i < hashes; i++, word = (word + step) | 0) {
    const at = scale(word, size)
    field[at >>> 5] = field[at >>> 5]! | (1 << (at & 31))
  }
}

export function bitField(size: number): Int32Array {
  return new Int32Array(Math.ceil(size / 32))
}
