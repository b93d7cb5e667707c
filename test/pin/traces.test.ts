// Every run is what it was when its hash was pinned (traces.json): the simulator may grow, and no run becomes another.

import { describe, expect, it } from 'vitest'
import { isLong } from '../support/long.ts'
import { hashOf, pinnedTraces, SEEDS, STRETCH, traced } from './traces.ts'

/** Those that run in a moment and touch every part of the world; the long run looks at all. */
const USUAL: Readonly<Record<string, number>> = {
  'lock n4 b1': 10,
  'printed lock n5 b1': 10,
  'printed lock n6 b1': 10,
  decentralised: 10,
  'token ring': 10,
}

describe('the traces of all scenarios', () => {
  const pinned = pinnedTraces()
  it('are all pinned, for two hundred seeds each', () => {
    expect(Object.keys(traced)).toEqual(expect.arrayContaining(Object.keys(pinned)))
    for (const hashes of Object.values(pinned)) expect(hashes).toHaveLength(SEEDS / STRETCH)
  })
  const looked = Object.keys(pinned).filter(name => isLong || name in USUAL)
  it.each(looked)('of %s are what they were', { timeout: 1_200_000 }, name => {
    const seeds = isLong ? SEEDS : USUAL[name]!
    const scenario = traced[name]!()
    const hashes = Array.from({ length: seeds / STRETCH }, (_, place) => hashOf(scenario, 1 + place * STRETCH))
    expect(hashes).toEqual(pinned[name]!.slice(0, seeds / STRETCH))
  })
})
