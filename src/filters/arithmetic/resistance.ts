// How often an adversary may win who sees every answer but not the key (THESIS §2.1.4, §3.9, §4.7). The bounds are for
// keyed hashing; without a key there is no bound, as the lab shows. They hold up to the stated number of elements only:
// beyond n = w a learner that finds which elements push one out wins against a keyed table too.

import { powerOfRest } from './numeric.ts'
import { checkWhole, parameterError } from './refusal.ts'
import { checkTable, type TableShape } from './shapes.ts'

/** Theorem 3.9.2, for n ≤ w: the n-false-negative game against a QHT. */
export function falseNegativeResistance(shape: TableShape, window: number): number {
  checkTable(shape)
  checkWhole('window', window, 1)
  const { rows, cells, fingerprints } = shape
  return 1 - powerOfRest((fingerprints - cells) / (rows * fingerprints * cells), window - 1)
}

/** Theorem 3.9.3, for n < w: the n-false-positive game against a QHT. */
export function falsePositiveResistance(shape: TableShape, window: number): number {
  checkTable(shape)
  checkWhole('window', window, 1)
  const { rows, cells, fingerprints } = shape
  return (cells / fingerprints) * (1 - powerOfRest(1 / (cells * rows), window))
}

/** Theorem 4.7.1: L subfilters, each (p, c)-resistant, with cL ≤ w. */
export function queuingFalsePositiveResistance(subfilterChance: number, subfilters: number): number {
  checkChance('subfilterChance', subfilterChance)
  checkWhole('subfilters', subfilters, 1)
  return 1 - powerOfRest(subfilterChance, subfilters)
}

/**
 * Theorem 4.7.2, read with max as its proof has it (it prints min): p is a subfilter's chance to lose an element, q the
 * least chance that it shows one it never saw.
 */
export function queuingFalseNegativeResistance(game: {
  readonly lostChance: number
  readonly falsePositiveLeast: number
  readonly subfilters: number
  readonly capacity: number
  readonly window: number
}): number {
  const { lostChance: p, falsePositiveLeast: q, subfilters: L, capacity, window } = game
  checkChance('lostChance', p)
  checkChance('falsePositiveLeast', q)
  checkWhole('subfilters', L, 1)
  const silent = Math.max(1 - q, p)
  return window <= (L - 1) * capacity ? silent ** (L - 1) * p : silent ** L
}

function checkChance(name: string, value: number): void {
  if (!(value >= 0 && value <= 1)) throw parameterError(name, value, 'a chance from 0 to 1 works')
}
