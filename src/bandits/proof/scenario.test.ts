// A private run under faults and liars (protocols/bandits): the pulls of the open algorithm and the right answer, or an
// honest error; never more than the budget. And the test of the test: every planted bug is found.

import { describe, expect, it } from 'vitest'
import { sized } from '../../../test/support/long.ts'
import { readPins } from '../../../test/support/pins.ts'
import { runOnce } from '../../simulator/index.ts'
import { banditLiars } from './liars.ts'
import { plantedBanditBugs } from './planted.ts'
import { plantedBanditRuns } from './runs.ts'
import { banditScenario } from './scenario.ts'

const SEEDS = sized(40, 120)
const LIES = banditLiars().map(({ name }, lie) => [name, lie] as const)

describe('the same pulls as in the open, or an error', () => {
  it(`all honest, every party crashing: the right answer, ${SEEDS} seeds`, () => {
    for (let seed = 1; seed <= SEEDS; seed++) {
      const { violations, drawn } = runOnce(banditScenario(), seed)
      expect(violations, `seed ${seed} ${JSON.stringify(drawn)}`).toEqual([])
    }
  })

  it.each(LIES)('%s, 12 seeds', (_name, lie) => {
    for (let seed = 1; seed <= 12; seed++) {
      const { violations, drawn } = runOnce(banditScenario({ lie }), seed)
      expect(violations, `seed ${seed} ${JSON.stringify(drawn)}`).toEqual([])
    }
  })

  it.each(LIES.slice(0, 14))('%s is refused: the user is told that there is no answer', (_name, lie) => {
    const stopped = (seed: number) =>
      runOnce(banditScenario({ lie }), seed, {}, true).trace.some(
        ({ kind, node, what }) => kind === 'emit' && node === 'user' && what.startsWith('stopped'),
      )
    expect([1, 2, 3, 4, 5, 6].filter(stopped).length).toBeGreaterThan(0)
  })

  it('and the runs are not idle: parties crash in the middle, rounds are tried again, liars are refused', () => {
    const counts = new Map<string, number>()
    const note = (thing: string) => counts.set(thing, (counts.get(thing) ?? 0) + 1)
    for (let seed = 1; seed <= 40; seed++) {
      const { trace } = runOnce(banditScenario(seed % 2 === 0 ? { liars: 1 } : {}), seed, {}, true)
      for (const { kind, what } of trace) {
        note(kind === 'emit' || kind === 'deliver' ? what.split(' ')[0]! : kind)
      }
    }
    for (const [thing, least] of Object.entries({
      pull: 500,
      answered: 15,
      stopped: 20,
      crash: 20,
      restart: 20,
      box: 1_000,
    })) {
      expect(counts.get(thing) ?? 0, thing).toBeGreaterThanOrEqual(least)
    }
  })
})

describe('planted bugs', () => {
  const pins = readPins(import.meta.dirname)

  it('none is forgotten here', () => expect(Object.keys(pins).sort()).toEqual(Object.keys(plantedBanditBugs).sort()))

  it.each(Object.keys(plantedBanditBugs))('%s is found, and the seed replays it', bug => {
    const run = plantedBanditRuns[bug]!
    const found = runOnce(run.scenario(), pins[bug]!)
    expect(found.violations[0]?.what).toMatch(run.says)
    expect(runOnce(run.scenario(), pins[bug]!).traceHash).toBe(found.traceHash)
  })
})
