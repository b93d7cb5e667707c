// Rates of a stream so short that the rows of the table are still filling (several cells to a row): two clocks, when the
// element came and how long ago that is, on a grid of steps.

import { powerOfRest } from './numeric.ts'
import type { RowChain } from './row-chain.ts'
import type { ErrorRates, StreamShape } from './shapes.ts'

const FILLING_STEPS = 160

/** Rows fill while the stream runs: what is lost depends on when the element came and on how long ago that is. */
export function fillingRates(chain: RowChain, rows: number, stream: StreamShape & { length: number }): ErrorRates {
  const { alphabet = Number.POSITIVE_INFINITY, length } = stream
  const window = Math.min(stream.window ?? Number.POSITIVE_INFINITY, length)
  const stride = length / FILLING_STEPS
  const rest = (y: number) => (alphabet === Number.POSITIVE_INFINITY ? 1 : powerOfRest(1 / alphabet, y))
  const older = alphabet === Number.POSITIVE_INFINITY ? 0 : 1 / alphabet
  let called = 0
  let unseen = 0
  let missed = 0
  let seen = 0
  let row = chain.pass(chain.empty, stride / 2 / rows)
  for (let step = 0; step < FILLING_STEPS; step++) {
    const position = (step + 0.5) * stride
    called += rest(position) * chain.present(row)
    unseen += rest(position)
    let later = chain.pass(chain.insert(row), stride / 4 / rows)
    for (let gap = 0; gap < FILLING_STEPS - step; gap++) {
      // The last, half stride reaches the end of the stream.
      const between = gap === 0 ? stride / 4 : gap * stride
      const weight = rest(between) * (gap === 0 ? 0.5 : 1)
      const present = chain.present(later)
      if (between < window) {
        missed += weight * (1 - present)
        seen += weight
      } else {
        called += older * stride * weight * present
        unseen += older * stride * weight
      }
      later = chain.pass(later, (gap === 0 ? 0.75 : 1) * (stride / rows))
    }
    row = chain.pass(row, stride / rows)
  }
  return { falsePositive: called / unseen, falseNegative: seen > 0 ? missed / seen : 0 }
}
