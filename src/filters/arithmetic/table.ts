// Error rates of the tables of fingerprints: QHT (THESIS algorithm 3), QHTD (§3.7.1), QQHTD (algorithm 4).
// Two functions say everything about a table: `fresh`, the chance that an element never seen is called a duplicate,
// and `lost`, the chance that an element seen before is not found again; both by the mean number of other elements that
// have hit its row since. `windowRates` then weighs them by where duplicates occur in a stream, as a benchmark does
// (averaging over positions, as §3.6.2 does, weighs the first thousand elements, with hardly a duplicate, too much).

import { fillingRates } from './filling.ts'
import { poissonBelow, powerOfRest } from './numeric.ts'
import { type RowRule, type RowState, rowChain } from './row-chain.ts'
import { checkTable, type ErrorRates, type StreamShape, type TableShape } from './shapes.ts'
import { type ByHits, windowRates } from './window-rates.ts'

/** What a table does with an element that finds its row full. */
export type TableRule = RowRule | 'QQHTD'

/** FP_m: the chance that an element never seen is called a duplicate after `inserted` others. Exact for large |Γ|. */
export function tableFalsePositive(rule: TableRule, shape: TableShape, inserted: number): number {
  checkTable(shape)
  return freshAfter(rule, shape)(inserted / shape.rows)
}

/**
 * The chance that an element is called unseen though it was streamed before, with `between` other elements since.
 * `before` elements had been streamed when it came last: by default so many that its row was full.
 */
export function tableFalseNegative(
  rule: TableRule,
  shape: TableShape,
  between: number,
  before: number = Number.POSITIVE_INFINITY,
): number {
  checkTable(shape)
  return lostAfter(rule, shape, before / shape.rows)(between / shape.rows)
}

/** FPR_∞ (theorem 3.6.1, §3.7.1): k/S, or 1 - (1 - 1/S)^k where a fingerprint may stand in several cells. */
export function saturatedFalsePositive(rule: TableRule, { cells, fingerprints }: TableShape): number {
  return rule === 'QHT' ? cells / fingerprints : 1 - powerOfRest(1 / fingerprints, cells)
}

/** Lemma 3.6.1 as the thesis has it: right for k = 1 and for full rows, too low for k > 1 while rows fill. */
export function thesisFalsePositive({ rows, cells, fingerprints }: TableShape, inserted: number): number {
  return (cells / fingerprints) * (1 - powerOfRest(1 / (rows * cells), inserted))
}

/** Theorem 3.6.1: the mean of the lemma over the first `inserted` elements. */
export function thesisFalsePositiveRate(shape: TableShape, inserted: number): number {
  const places = shape.rows * shape.cells
  const filled = 1 - powerOfRest(1 / places, inserted)
  return (shape.cells / shape.fingerprints) * (1 - ((places - 1) * filled) / inserted)
}

/** What a benchmark measures on a uniform stream: FPR and FNR, averaged over the elements that can be in error. */
export function tableRates(rule: TableRule, shape: TableShape, stream: StreamShape): ErrorRates {
  checkTable(shape)
  const length = stream.length ?? Number.POSITIVE_INFINITY
  if (shape.cells > 1 && rule !== 'QQHTD' && length < fullAfter(shape) * 20) {
    return fillingRates(rowChain(rule, shape), shape.rows, { ...stream, length })
  }
  if (shape.cells > 1 && rule === 'QQHTD') return windowRates(queuedBehaviour(shape, stream.alphabet), stream)
  return windowRates({ rows: shape.rows, fresh: freshAfter(rule, shape), lost: lostAfter(rule, shape) }, stream)
}

/** A queue keeps an element as often as it came: of the newest k, two may be one, and then fewer fingerprints are there. */
function queuedBehaviour({ rows, cells, fingerprints }: TableShape, alphabet = Number.POSITIVE_INFINITY) {
  const apart = apartAmong(cells, 1 - 1 / fingerprints, alphabet / rows)
  const full = apart[cells]!
  return {
    rows,
    fresh: (hits: number) => 1 - (hits > ALL_FULL ? full : keptApart(hits, apart)),
    lost: (hits: number) => (hits > ALL_FULL ? full : full * (1 - poissonBelow(hits, cells))),
  }
}

/** By m: E[z^D], where D different ones are among m draws out of `crowd`. */
function apartAmong(cells: number, z: number, crowd: number): number[] {
  let chances = [1]
  const apart = [1]
  for (let draw = 1; draw <= cells; draw++) {
    const next = new Array<number>(draw + 1).fill(0)
    for (const [different, chance] of chances.entries()) {
      const again = Math.min(1, different / crowd)
      next[different] = next[different]! + chance * again
      next[different + 1] = next[different + 1]! + chance * (1 - again)
    }
    chances = next
    apart.push(chances.reduce((sum, chance, different) => sum + chance * z ** different, 0))
  }
  return apart
}

/** So many elements leave no row with an empty cell, but for one in e^30. */
function fullAfter({ rows, cells }: TableShape): number {
  return rows * (30 + 4 * cells)
}

/** After so many hits e^-hits is no longer a number to reckon with, and every queue of a row has turned over. */
const ALL_FULL = 700

function freshAfter(rule: TableRule, shape: TableShape): ByHits {
  const { cells, fingerprints } = shape
  const full = saturatedFalsePositive(rule, shape)
  if (cells === 1) return hits => -Math.expm1(-hits) / fingerprints
  if (rule === 'QQHTD') {
    const apart = apartAmong(cells, 1 - 1 / fingerprints, Number.POSITIVE_INFINITY)
    return hits => (hits > ALL_FULL ? full : 1 - keptApart(hits, apart))
  }
  const chain = rowChain(rule, shape)
  return hits => (hits > 30 + 4 * cells ? full : chain.present(chain.pass(chain.empty, hits)))
}

/** `apart` at min(k, hits), for Poisson hits: nobody among the row's newest k has our fingerprint. */
function keptApart(mean: number, apart: readonly number[]): number {
  const cells = apart.length - 1
  let term = Math.exp(-mean)
  let sum = 0
  let below = 0
  for (let hits = 0; hits < cells; hits++) {
    sum += term * apart[hits]!
    below += term
    term *= mean / (hits + 1)
  }
  return sum + Math.max(0, 1 - below) * apart[cells]!
}

const TABLE_POINTS = 1024

function lostAfter(rule: TableRule, shape: TableShape, beforeHits: number = Number.POSITIVE_INFINITY): ByHits {
  const { cells, fingerprints } = shape
  const settled = 1 - saturatedFalsePositive(rule, shape)
  if (cells === 1) return hits => -Math.expm1(-hits) * settled
  if (rule === 'QQHTD') return hits => (hits > ALL_FULL ? settled : settled * (1 - poissonBelow(hits, cells)))
  const chain = rowChain(rule, shape)
  const start = chain.insert(chain.pass(chain.empty, Math.min(beforeHits, 30 + 4 * cells)))
  // A stored copy has the mean life of k·S/(S-k) hits; after forty lives nothing moves any more.
  const end = (40 * cells * fingerprints) / Math.max(1, fingerprints - cells)
  return tabulate(chain.pass, start, state => 1 - chain.present(state), end)
}

function tabulate(
  pass: (state: RowState, hits: number) => RowState,
  start: RowState,
  read: (state: RowState) => number,
  end: number,
): ByHits {
  const at = (index: number) => end * (index / TABLE_POINTS) ** 2
  const values = [read(start)]
  let state = start
  for (let index = 1; index <= TABLE_POINTS; index++) {
    state = pass(state, at(index) - at(index - 1))
    values.push(read(state))
  }
  return hits => {
    if (hits >= end) return values[TABLE_POINTS]!
    const place = Math.sqrt(Math.max(0, hits) / end) * TABLE_POINTS
    const index = Math.min(TABLE_POINTS - 1, Math.floor(place))
    const share = (hits - at(index)) / (at(index + 1) - at(index))
    return values[index]! + share * (values[index + 1]! - values[index]!)
  }
}
