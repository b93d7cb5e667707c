// From what a table does to one element to what a benchmark counts over a stream: each gap between two occurrences of an
// element is weighed by how often it occurs.

import { poisson, powerOfRest, smoothSum } from './numeric.ts'
import type { ErrorRates, StreamShape } from './shapes.ts'

/** A chance, by the mean number of other elements that have hit the row since. */
export type ByHits = (hits: number) => number

export interface TableBehaviour {
  readonly rows: number
  readonly fresh: ByHits
  readonly lost: ByHits
}

/** Above this many elements of the alphabet in a row, their number no longer matters. */
const ROW_CROWD = 400

/** The rates that follow from `fresh` and `lost` on a uniform stream. */
export function windowRates(table: TableBehaviour, stream: StreamShape): ErrorRates {
  const { alphabet = Number.POSITIVE_INFINITY, length = Number.POSITIVE_INFINITY } = stream
  const window = Math.min(stream.window ?? Number.POSITIVE_INFINITY, length)
  if (alphabet / table.rows > ROW_CROWD) return ratesAt(table, 1 / table.rows, alphabet, window, length)
  // Few elements share a row: how many others there are differs from row to row, and with it how fast they come.
  // The rates are smooth in that number: a few values to each deviation are enough.
  const crowd = (alphabet - 1) / table.rows
  const { first, chances } = poisson(crowd)
  const stride = Math.max(1, Math.floor(Math.sqrt(crowd) / 3))
  let falsePositive = 0
  let falseNegative = 0
  let weight = 0
  for (let index = 0; index < chances.length; index += stride) {
    const chance = chances[index]!
    if (chance < 1e-7) continue
    const rates = ratesAt(table, Math.min(1, (first + index) / alphabet), alphabet, window, length)
    falsePositive += chance * rates.falsePositive
    falseNegative += chance * rates.falseNegative
    weight += chance
  }
  return { falsePositive: falsePositive / weight, falseNegative: falseNegative / weight }
}

function ratesAt(table: TableBehaviour, hitRate: number, alphabet: number, window: number, length: number): ErrorRates {
  const rest = (y: number) => (alphabet === Number.POSITIVE_INFINITY ? 1 : powerOfRest(1 / alphabet, y))
  const endless = length === Number.POSITIVE_INFINITY
  // How many of the elements can have a gap of y others: all of them in an endless stream.
  const places = (y: number) => (endless ? 1 : length - y - 1)
  const far = Math.min(length, alphabet === Number.POSITIVE_INFINITY ? length : 50 * alphabet)
  const near = Math.min(window, far)
  if (near === Number.POSITIVE_INFINITY) return { falsePositive: table.fresh(near), falseNegative: table.lost(near) }
  const seen = smoothSum(0, near, y => rest(y) * places(y))
  const missed = smoothSum(0, near, y => rest(y) * places(y) * table.lost(y * hitRate))
  const falseNegative = seen > 0 ? missed / seen : 0
  if (endless && alphabet === Number.POSITIVE_INFINITY) {
    return { falsePositive: table.fresh(Number.POSITIVE_INFINITY), falseNegative }
  }
  // Not in the window: never seen at all, or seen longer ago than w and perhaps still remembered.
  const older = alphabet === Number.POSITIVE_INFINITY ? 0 : 1 / alphabet
  const remembered = older * smoothSum(near, far, y => rest(y) * places(y) * (1 - table.lost(y * hitRate)))
  if (endless) return { falsePositive: near < far ? remembered / rest(near) : 0, falseNegative }
  const called = smoothSum(0, far, m => rest(m) * table.fresh(m * hitRate))
  const unseen = smoothSum(0, far, m => rest(m)) + older * smoothSum(near, far, y => rest(y) * places(y))
  return { falsePositive: (called + remembered) / unseen, falseNegative }
}
