// How far rewards are from their value: numbers from -epsilon to epsilon, drawn from the drawer's secret, so that a restart draws the
// same again.

import type { BlockFunction } from '../../encoding.ts'
import { drawn } from '../../party.ts'
import type { BanditTools } from '../../settings.ts'

const BLOCK_BYTES = 16
const DRAW_BYTES = 8
const SPAN = 2 ** 53

/** The function that the rewards of an arm in a phase are drawn with. */
export function noiseOf(tools: BanditTools, secret: Uint8Array, phase: number, arm: number): BlockFunction {
  return tools.blocks(drawn(tools, secret, 'rewards', phase, arm))
}

/** The sum of `count` of them, from the `first` on. A draw that would favour small numbers is drawn again from its own block. */
export function noiseSum(blockFunction: BlockFunction, epsilon: number, first: number, count: number): number {
  const blocks = new Uint8Array(count * BLOCK_BYTES)
  const numbers = new DataView(blocks.buffer)
  for (let at = 0; at < count; at++) numbers.setUint32(at * BLOCK_BYTES, first + at)
  const bytes = blockFunction(blocks)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const bound = 2 * epsilon + 1
  const fair = SPAN - (SPAN % bound)
  let sum = 0
  for (let at = 0; at < count; at++) {
    const start = at * BLOCK_BYTES
    let draw = number53(view, start)
    // Two halves of a block are two draws; both unfair happens once in 2^24 at the largest epsilon, and is then taken as it is.
    if (draw >= fair) draw = number53(view, start + DRAW_BYTES)
    sum += (draw % bound) - epsilon
  }
  return sum
}

function number53(view: DataView, at: number): number {
  return view.getUint32(at) * 2 ** 21 + (view.getUint32(at + 4) >>> 11)
}
