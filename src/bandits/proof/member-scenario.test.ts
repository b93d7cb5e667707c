// A run among members under faults (protocols/bandits 13): the right answer whoever crashes, nothing pulled where an owner refuses.

import { describe, expect, it } from 'vitest'
import { runOnce } from '../../simulator/index.ts'
import { memberRunScenario } from './member-scenario.ts'

const SEEDS = 40

describe('a run among members', () => {
  it(`every member crashing: the right answer, or the refusal of an owner, ${SEEDS} seeds`, () => {
    const drawn: unknown[] = []
    for (let seed = 1; seed <= SEEDS; seed++) {
      const found = runOnce(memberRunScenario(), seed)
      expect(found.violations, `seed ${seed} ${JSON.stringify(found.drawn)}`).toEqual([])
      drawn.push(found.drawn?.refused)
    }
    expect(new Set(drawn).size).toBe(2)
  })

  it.each([
    [581, 'the user crashes with its answer, while it waits for the last words of parties that forget the run'],
    [1330, 'an answer to the first round comes once more after the last: the audit blames nobody'],
    [1149, 'an invitation comes once more after the end: nobody begins the run, and its log, again'],
    [1556, 'the same at the shuffler'],
    [1962, 'the user crashes with its answer, in another order'],
  ])('seed %i: %s', seed => {
    expect(runOnce(memberRunScenario(), seed).violations).toEqual([])
  })

  it('and the runs are not idle: members crash in the middle, and the run goes on', () => {
    const counts = new Map<string, number>()
    for (let seed = 1; seed <= 30; seed++) {
      for (const { kind, what } of runOnce(memberRunScenario(), seed, {}, true).trace) {
        const thing = kind === 'emit' ? what.split(' ')[0]! : kind
        counts.set(thing, (counts.get(thing) ?? 0) + 1)
      }
    }
    for (const [thing, least] of Object.entries({ pull: 300, answered: 15, unstarted: 3, crash: 15, restart: 15 })) {
      expect(counts.get(thing) ?? 0, thing).toBeGreaterThanOrEqual(least)
    }
  })
})
