// A private run pulls what the open algorithm pulls: equality, on any tapes, with ties. And says as much as it must.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { TIE_BITS } from './encoding.ts'
import { boundTo } from './party.ts'
import { GRID } from './policies/index.ts'
import { idealParties, idealRun, openTwin, playTogether, type TogetherResult, tapes } from './proof/index.ts'
import { scheduleOf } from './schedule.ts'
import { ALGORITHMS, type Algorithm, checkRun } from './settings.ts'
import type { TableParts } from './table.ts'

const RUNS = Number(process.env.BANDIT_TAPES ?? 15)

function compare(algorithm: Algorithm, arms: number, budget: number, batch: number, seed: number): TogetherResult {
  const sources = tapes(seed, arms, 2 + (seed % 3))
  const played = playTogether({ algorithm, budget, batch }, sources, seed)
  const twin = openTwin(played.run, played.parties.tools, played.arms, sources)
  expect(played.stopped).toBe('')
  expect(played.arms.map(({ pulls, sum }) => ({ pulls, sum }))).toEqual(twin.arms)
  expect(played.best).toBe(twin.best)
  if (twin.best === undefined) {
    expect(played.steps).toBe(twin.arms.reduce((all, { sum }) => all + sum, 0))
    // Of a search the arms of a phase pull side by side; here the order is the algorithm's.
    expect(played.order.slice(arms)).toEqual(twin.order.slice(arms))
  }
  return played
}

describe('open and blind pull the same arms', () => {
  it.each(ALGORITHMS)(`%s, ${RUNS} random tapes`, algorithm => {
    const searches = algorithm === 'successive-rejects' || algorithm === 'sequential-halving'
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 12 }),
        fc.integer({ min: 0, max: 1 }),
        fc.nat(1_000_000),
        (arms, small, seed) => {
          const least = searches ? arms * Math.ceil(Math.log2(arms)) + 1 : arms
          const budget = least + (seed % ((small ? 20 : 500) - (small ? 0 : least)))
          compare(algorithm, arms, budget, seed % 4 === 0 ? 0.05 : 0, seed)
        },
      ),
      { numRuns: RUNS },
    )
  })

  it('also where every reward is the same: ties in every round', () => {
    for (const algorithm of ALGORITHMS) {
      const sources = Array.from({ length: 5 }, () => () => 1)
      const played = playTogether({ algorithm, budget: 60 }, sources, 7)
      const twin = openTwin(played.run, played.parties.tools, played.arms, sources)
      expect(played.arms.map(({ pulls }) => pulls)).toEqual(twin.arms.map(({ pulls }) => pulls))
      expect(played.best).toBe(twin.best)
    }
  })

  it('with phases that are empty, where two rounds have the same number of pulls', () => {
    // K = 5, N = 6: after the first phase nothing is left to pull, and three more rounds follow.
    for (let seed = 0; seed < 20; seed++) compare('successive-rejects', 5, 6, 0, seed)
  })
})

describe('what it costs (protocols/bandits, counts)', () => {
  it.each([
    [2, 100],
    [4, 60],
    [10, 40],
  ])('%i arms, %i pulls: 2K + 2 messages a round, and the blocks of tags and of ties', (arms, budget) => {
    const played = playTogether({ algorithm: 'ucb1', budget }, tapes(3, arms, 3), 3)
    const rounds = budget - arms
    const { messages, parties } = played
    const count = (kind: string) => messages.get(kind) ?? 0
    expect([count('turn'), count('box'), count('boxes'), count('tokens')]).toEqual([
      arms * (rounds + 1),
      arms * rounds,
      rounds,
      rounds,
    ])
    expect(count('turn') - arms + count('box') + count('boxes') + count('tokens')).toBe((2 * arms + 2) * rounds)
    const bits = scheduleOf(played.run).bits + TIE_BITS
    expect(parties.blocks()).toBe(rounds * (arms * (arms - 1) * (bits + 1) + arms * Math.ceil(arms / 2)))
  })

  it('boxes are equally long, whatever is in them', () => {
    const lengths = new Set<number>()
    playTogether({ algorithm: 'successive-rejects', budget: 200 }, tapes(1, 6, 3), 1, {
      overhear: (_from, _to, body) => void (body.kind === 'box' && lengths.add(body.box.length)),
    })
    expect(lengths.size).toBe(1)
  })
})

it('a sum in which every reward is the largest is right', () => {
  const { steps } = playTogether({ algorithm: 'ucb1', budget: 50 }, [() => 1, () => 1, () => 1], 5)
  expect(steps).toBe(50 * GRID)
})

describe('fresh keys', () => {
  /** What an ideal seal begins with, as a real one does: what was drawn for it. */
  const freshOf = (sealed: Uint8Array) => sealed.subarray(0, 8).join()

  it('are one for all parts of the keys that an arm gives, and another for every box', () => {
    const shares = new Map<string, Set<string>>()
    const boxes: string[] = []
    const overhear: TableParts['overhear'] = (from, _to, body) => {
      if (body.kind === 'share') shares.set(from, (shares.get(from) ?? new Set()).add(freshOf(body.sealed)))
      if (body.kind === 'box') boxes.push(freshOf(body.box))
    }
    const { messages } = playTogether({ algorithm: 'ucb1', budget: 40 }, tapes(1, 4, 3), 1, { overhear })
    expect(messages.get('share')).toBe(4 * 4)
    expect([...shares.values()].map(({ size }) => size)).toEqual([1, 1, 1, 1])
    const parts = [...shares.values()].flatMap(of => [...of])
    expect(new Set([...parts, ...boxes]).size).toBe(4 + boxes.length)
    expect(boxes.length).toBe(4 * 36)
  })

  it('seal to nobody twice: two parties with one key are refused', () => {
    const parties = idealParties()
    const run = idealRun({ algorithm: 'ucb1', budget: 40 }, 3, parties)
    const { sealing } = run.arms[1]!
    const twice = [
      { ...run, arms: run.arms.map(arm => ({ ...arm, sealing })) },
      { ...run, comparator: { ...run.comparator, sealing } },
    ]
    expect(() => checkRun(run)).not.toThrow()
    expect(() => checkRun(twice[0]!)).toThrow("'arm-1' and 'arm-2' have the same key to seal to.")
    expect(() => checkRun(twice[1]!)).toThrow("'arm-2' and 'comparator' have the same key to seal to.")
  })
  it('bind the run to the key that is asked about, also after another one', () => {
    const parties = idealParties()
    const run = idealRun({ algorithm: 'ucb1', budget: 40 }, 3, parties)
    const bound = (byte: number) => boundTo(parties.tools, run, new Uint8Array(32).fill(byte)).join()
    const [one, other, again] = [bound(1), bound(2), bound(1)]
    expect(other).not.toBe(one)
    expect(again).toBe(one)
  })
})
