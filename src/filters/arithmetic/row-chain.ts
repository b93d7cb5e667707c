// What happens in one row while others pass. Followed: how many of its cells are filled, and how many hold the one
// fingerprint we ask about. Every element that hits the row is one step of a small Markov chain, and hits come as a
// Poisson process, so that the chance of "our fingerprint is gone" is exact for large alphabets at any time, also
// while rows still fill. THESIS lemma 3.6.1 assumes evictions from the first element on; for k > 1 it is too low there.

import { poisson } from './numeric.ts'
import type { TableShape } from './shapes.ts'

/** How a row takes a new fingerprint: THESIS algorithm 3, §3.7.1. (Algorithm 4, the queue, has a closed form.) */
export type RowRule = 'QHT' | 'QHTD'

/** Chances of the states; index = filled * (cells + 1) + copies. */
export type RowState = Float64Array

interface Step {
  readonly from: number
  readonly to: number
  readonly chance: number
}

export interface RowChain {
  /** The row before anything was streamed. */
  readonly empty: RowState
  /** After a mean number of hits by other elements. */
  pass(state: RowState, hits: number): RowState
  /** After our own element was streamed. */
  insert(state: RowState): RowState
  /** The chance that our fingerprint is in the row. */
  present(state: RowState): number
}

/** More hits at once than this are taken in several strides, which keeps the Poisson sums short. */
const STRIDE = 16

export function rowChain(rule: RowRule, shape: TableShape): RowChain {
  const { cells } = shape
  const size = (cells + 1) ** 2
  const own: Step[] = []
  const other: Step[] = []
  for (let filled = 0; filled <= cells; filled++) {
    for (let copies = 0; copies <= (rule === 'QHT' ? Math.min(1, filled) : filled); copies++) {
      const from = filled * (cells + 1) + copies
      const put = (steps: Step[], newFilled: number, newCopies: number, chance: number) => {
        if (chance > 0) steps.push({ from, to: newFilled * (cells + 1) + newCopies, chance })
      }
      ownSteps(rule, cells, filled, copies, (f, c, chance) => put(own, f, c, chance))
      otherSteps(rule, shape, filled, copies, (f, c, chance) => put(other, f, c, chance))
    }
  }
  const empty = new Float64Array(size)
  empty[0] = 1
  return {
    empty,
    insert: state => apply(own, state),
    pass(state, hits) {
      const strides = Math.max(1, Math.ceil(hits / STRIDE))
      const { first, chances } = poisson(hits / strides)
      let current = state
      for (let stride = 0; stride < strides; stride++) current = mix(other, current, first, chances)
      return current
    },
    present(state) {
      let sum = 0
      for (let index = 0; index < size; index++) if (index % (cells + 1) > 0) sum += state[index]!
      return sum
    },
  }
}

type Put = (filled: number, copies: number, chance: number) => void

function ownSteps(rule: RowRule, cells: number, filled: number, copies: number, put: Put): void {
  if (rule === 'QHT' && copies > 0) put(filled, copies, 1)
  else if (filled < cells) put(filled + 1, copies + 1, 1)
  else {
    // Full: a random cell gives way, which may be one of our own copies.
    put(filled, copies, copies / cells)
    put(filled, copies + 1, 1 - copies / cells)
  }
}

function otherSteps(
  rule: RowRule,
  { cells, fingerprints }: TableShape,
  filled: number,
  copies: number,
  put: Put,
): void {
  // A stranger with our fingerprint cannot be told from ourselves.
  ownSteps(rule, cells, filled, copies, (f, c, chance) => put(f, c, chance / fingerprints))
  const known = rule === 'QHT' ? (filled - copies) / fingerprints : 0
  put(filled, copies, known)
  const fresh = 1 - 1 / fingerprints - known
  if (filled < cells) put(filled + 1, copies, fresh)
  else {
    put(filled, copies - 1, (fresh * copies) / cells)
    put(filled, copies, fresh * (1 - copies / cells))
  }
}

function apply(steps: readonly Step[], state: RowState): RowState {
  const next = new Float64Array(state.length)
  for (const { from, to, chance } of steps) next[to]! += state[from]! * chance
  return next
}

function mix(steps: readonly Step[], state: RowState, first: number, chances: Float64Array): RowState {
  const total = new Float64Array(state.length)
  let current = state
  for (let hit = 0; hit < first; hit++) current = apply(steps, current)
  for (const [index, weight] of chances.entries()) {
    if (index > 0) current = apply(steps, current)
    for (let place = 0; place < total.length; place++) total[place]! += weight * current[place]!
  }
  return total
}
