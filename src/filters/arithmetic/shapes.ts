// What every error rate is a function of: the shape of a table, the shape of a stream, and the two rates that come out.

import { parameterError } from './refusal.ts'

/** A table of fingerprints: N rows of k cells, each empty or one of S fingerprints (THESIS §3.5). */
export interface TableShape {
  /** N. */
  readonly rows: number
  /** k. */
  readonly cells: number
  /** S: equally likely fingerprints. 2^s - 1 when s bits must also say "empty" (§3.5.2). */
  readonly fingerprints: number
}

/** A uniform stream. Infinity means: an alphabet too large to repeat by chance, no window, an endless stream. */
export interface StreamShape {
  /** |Γ|. */
  readonly alphabet?: number
  /** w: only an element among the last w counts as a duplicate. */
  readonly window?: number
  /** Elements streamed into a filter that starts empty; the rates are averages over all of them. */
  readonly length?: number
}

/** How often a filter errs, in both directions. */
export interface ErrorRates {
  /** Of the elements that are not in the window, the part called duplicates. */
  readonly falsePositive: number
  /** Of the elements that are in the window, the part called unseen. */
  readonly falseNegative: number
}

/** The table that fits into the given memory: rows of `cells` fingerprints of `fingerprintBits`, one value for "empty". */
export function tableShape(memory: { bits: number; cells: number; fingerprintBits: number }): TableShape {
  const { bits, cells, fingerprintBits } = memory
  if (!(Number.isInteger(fingerprintBits) && fingerprintBits >= 2 && fingerprintBits <= 32)) {
    throw parameterError(
      'fingerprintBits',
      fingerprintBits,
      'a whole number from 2 to 32 works (one bit is only "empty")',
    )
  }
  const fingerprints = 2 ** fingerprintBits - 1
  if (!(Number.isInteger(cells) && cells >= 1 && cells <= fingerprints)) {
    throw parameterError('cells', cells, `a whole number from 1 to 2^fingerprintBits - 1 = ${fingerprints} works`)
  }
  const rows = Math.floor(bits / (cells * fingerprintBits))
  if (!(rows >= 1 && Number.isFinite(rows))) {
    throw parameterError('bits', bits, `one row takes ${cells * fingerprintBits} bits, so at least that many work`)
  }
  return { rows, cells, fingerprints }
}

export function checkTable(shape: TableShape): void {
  if (!(shape.rows >= 1 && Number.isFinite(shape.rows))) {
    throw parameterError('rows', shape.rows, 'a number of at least 1 works')
  }
  if (!(shape.fingerprints >= 1)) throw parameterError('fingerprints', shape.fingerprints, 'at least 1 works')
  if (!(Number.isInteger(shape.cells) && shape.cells >= 1 && shape.cells <= shape.fingerprints)) {
    throw parameterError('cells', shape.cells, `a whole number from 1 to fingerprints = ${shape.fingerprints} works`)
  }
}
