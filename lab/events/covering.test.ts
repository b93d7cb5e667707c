// What chance leaves of clauses that cover each other, beside a dumb twin that draws boxes and looks at all pairs.

import { expect, it } from 'vitest'
import { seededRandom } from '../../src/core/index.ts'
import { byChance } from './covering.ts'
import { Overlaid } from './overlaid.ts'

const SIDE = 0.1
const BOXES = 60
const DRAWS = 400

type Box = readonly (readonly [number, number])[]

function box(random: ReturnType<typeof seededRandom>): Box {
  return [0, 1].map(() => {
    const width = 2 * SIDE * random.unit()
    const from = random.unit() * (1 - width)
    return [from, from + width] as const
  })
}

const holds = (one: Box, other: Box) => one.every(([from, to], at) => from <= other[at]![0] && to >= other[at]![1])

it('agrees with boxes that are drawn and compared, all behind one link', () => {
  const random = seededRandom(1)
  let [announced, kept] = [0, 0]
  for (let draw = 0; draw < DRAWS; draw++) {
    const boxes = Array.from({ length: BOXES }, () => box(random))
    announced += boxes.filter((one, at) => !boxes.slice(0, at).some(before => holds(before, one))).length
    kept += boxes.filter(one => !boxes.some(other => other !== one && holds(other, one))).length
  }
  const overlaid = new Overlaid(2, 2, 32)
  const { announcements, clauses } = byChance(overlaid, Array(BOXES).fill(0), SIDE)
  // Means of four hundred draws: a draw differs by a few boxes.
  expect(Math.abs(announcements * BOXES - announced / DRAWS)).toBeLessThan(0.3)
  // The link has two ends, and nobody is behind the other one.
  expect(Math.abs(2 * clauses - kept / DRAWS)).toBeLessThan(0.5)
  expect(announced / DRAWS).toBeLessThan(BOXES - 2)
})
