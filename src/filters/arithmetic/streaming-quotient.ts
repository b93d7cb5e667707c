// Error rates of the Streaming Quotient Filter (Dutta, Narang and Bera 2013; THESIS §3.2.2, §3.5): its fingerprint is r'
// bits of an r-bit hash and the number of ones among all r, so its values are not equally likely. With one cell per
// row only the chance that two elements share a fingerprint counts; that chance is exact here.

import { checkWhole, parameterError } from './refusal.ts'
import type { ErrorRates, StreamShape, TableShape } from './shapes.ts'
import { tableRates } from './table.ts'
import { windowRates } from './window-rates.ts'

/** The sizes of a streaming quotient filter. */
export interface StreamingQuotientShape {
  readonly rows: number
  readonly cells: number
  /** r. */
  readonly remainderBits: number
  /** r'. */
  readonly reducedBits: number
}

/** r' + ⌈log2(r + 1)⌉ (§3.2.2). */
export function streamingQuotientCellBits(shape: { remainderBits: number; reducedBits: number }): number {
  checkRemainder(shape)
  return shape.reducedBits + Math.ceil(Math.log2(shape.remainderBits + 1))
}

/** 2^r' · (r - r' + 1): how many fingerprints there are (theorem 3.6.3). */
export function streamingQuotientFingerprints(shape: { remainderBits: number; reducedBits: number }): number {
  checkRemainder(shape)
  return 2 ** shape.reducedBits * (shape.remainderBits - shape.reducedBits + 1)
}

/**
 * The chance that two elements of a row share their fingerprint: equal kept bits, and equally many ones among the
 * n = r - r' others: 2^-r' · C(2n, n) / 4^n. For r = 2, r' = 1 that is one quarter.
 */
export function streamingQuotientCollision(shape: { remainderBits: number; reducedBits: number }): number {
  checkRemainder(shape)
  let central = 1
  for (let n = 1; n <= shape.remainderBits - shape.reducedBits; n++) central *= (2 * n - 1) / (2 * n)
  return central / 2 ** shape.reducedBits
}

/**
 * The thesis's approximation 1 / (2^r' √(πr)). It puts all r bits where only the r - r' that are not kept are free:
 * for r = 2, r' = 1 it says 0.199 where its own table 3.4 measures 0.250.
 */
export function thesisStreamingQuotientCollision(shape: { remainderBits: number; reducedBits: number }): number {
  return 1 / (2 ** shape.reducedBits * Math.sqrt(Math.PI * shape.remainderBits))
}

/** FPR and FNR on a uniform stream. With several cells per row only if all fingerprints are equally likely. */
export function streamingQuotientRates(shape: StreamingQuotientShape, stream: StreamShape): ErrorRates {
  checkWhole('cells', shape.cells, 1)
  const collision = streamingQuotientCollision(shape)
  if (shape.cells === 1) {
    const { rows } = shape
    const fresh = (hits: number) => -Math.expm1(-hits) * collision
    return windowRates({ rows, fresh, lost: hits => -Math.expm1(-hits) * (1 - collision) }, stream)
  }
  if (shape.remainderBits - shape.reducedBits > 1) {
    throw parameterError(
      'cells',
      shape.cells,
      'one cell works; for more, rates are known only if remainderBits - reducedBits ≤ 1',
    )
  }
  const table: TableShape = { rows: shape.rows, cells: shape.cells, fingerprints: 1 / collision }
  return tableRates('QHT', table, stream)
}

function checkRemainder({ remainderBits, reducedBits }: { remainderBits: number; reducedBits: number }): void {
  checkWhole('remainderBits', remainderBits, 1)
  if (!(Number.isInteger(reducedBits) && reducedBits >= 0 && reducedBits < remainderBits)) {
    throw parameterError(
      'reducedBits',
      reducedBits,
      `a whole number from 0 to remainderBits - 1 = ${remainderBits - 1} works`,
    )
  }
}
