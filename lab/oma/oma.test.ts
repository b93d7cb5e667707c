// OMA: the experiments at small scale, every row within its tolerance; and that the game can be lost and won.

import { describe, expect, test } from 'vitest'
import { insecureBareGroup } from '../../src/crypto/index.ts'
import type { Experiment, Result } from '../experiment.ts'
import { coordinatorPrior, equalCiphertexts, releaseLaps, thief } from './adversaries.ts'
import { PLANTED } from './caie.ts'
import { omaExperiments } from './index.ts'
import { playPrinted } from './printed-stage.ts'
import { legendreRate, orderRate, releaseRate, rotatingRate, vectorRate, winTolerance } from './rates.ts'
import { classified, guessesOf, strata, twoSided, wins } from './scoring.ts'
import { messagesOfRound } from './token-cost.ts'

const run = async (experiment: Experiment): Promise<Result> =>
  experiment.run({ scale: 'small', seed: 1, progress: () => {} })

describe.each(omaExperiments)('$name', experiment => {
  test('every row is within its tolerance', { timeout: 120_000 }, async () => {
    const { rows, notes } = await run(experiment)
    expect(rows.filter(row => !row.within)).toEqual([])
    expect(rows.length).toBeGreaterThan(1)
    expect(notes.length).toBeGreaterThan(0)
  })
})

describe('the assignment game (appendix A)', () => {
  const play = (change: object) =>
    Array.from({ length: 6 }, (_, session) =>
      playPrinted(
        {
          group: insecureBareGroup(),
          members: 4,
          settings: { slots: 3, level: 'curious', fairness: 'lottery' },
          brief: true,
          ...change,
        },
        session,
        4,
      ),
    ).flat()

  test('the two honest members have the two tickets that the coalition has not', () => {
    for (const { view, answer } of play({})) {
      expect(view.left).toContain(answer)
      expect([...view.opened.values(), ...view.left].sort()).toEqual([0, 1, 2, 3])
    }
  })
  test('an adversary without a clue tosses a coin, and one that is always wrong never wins', () => {
    const games = play({})
    const wrong = { name: 'wrong', guess: () => -1 }
    expect(wins(guessesOf(wrong, games), 1)).toBe(0)
    expect(wins(guessesOf({ name: 'none', guess: () => undefined }, games), 1)).toBeGreaterThan(0.2)
  })
  test('each planted weakness has an adversary that finds nothing where it is not planted', () => {
    const games = play({})
    expect(equalCiphertexts.guess(games[0]!.view)).toBeUndefined()
    expect(thief.guess(games[0]!.view)).toBeUndefined()
    expect(new Set(PLANTED.map(({ what }) => what)).size).toBe(PLANTED.length)
  })
  test('with a vector by ticket a curious coordinator always has a clue where both have slots, and it is right', () => {
    const [, [, curious]] = strata(play({ brief: false, flaws: { vectorRelease: true } }))
    const both = curious.filter(({ view }) => view.left[1] < view.slots)
    expect(both.length).toBeGreaterThan(2)
    for (const { view, answer } of both) expect(releaseLaps.guess(view)).toBe(answer)
  })
  test('both strata occur', () => {
    for (const [, games] of strata(play({}))) expect(games.length).toBeGreaterThan(4)
  })
  test('a game on level strong is the same game', () => {
    const games = play({ settings: { slots: 1, level: 'strong', fairness: 'rotating' } })
    const [[, among]] = strata(games)
    // m = 1: the coordinator wanted the only slot, and has it.
    expect(wins(guessesOf(coordinatorPrior, among), 1)).toBe(1)
  })
})

describe('the rates', () => {
  test('by hand', () => {
    expect(rotatingRate(3, 4)).toBeCloseTo(2 / 3)
    expect(rotatingRate(1, 9)).toBe(1)
    expect(vectorRate()).toBe(0.75)
    expect(legendreRate()).toBe(0.75)
    expect(releaseRate()).toBe(0.75)
    // One other between: its ticket is the middle one of three with 1/3, and then it tells.
    expect(orderRate(1)).toBeCloseTo(1 / 3 + 1 / 3)
    expect(messagesOfRound(8, false)).toBe(3 * 8 + 2 * 49)
  })
  test('the tolerance is what the coin says', () => {
    // Ten tosses: all alike with 2/1024, nine or more alike with 22/1024.
    expect(winTolerance(0.5, 10, 0.001)).toBeCloseTo(0.5)
    expect(winTolerance(0.5, 10, 0.01)).toBeCloseTo(0.4)
    expect(winTolerance(0.5, 10, 0.03)).toBeCloseTo(0.3)
    expect(winTolerance(1, 10, 0.01)).toBe(0)
    // protocols/slots: 40,000 rounds give 0.8 %, 10,000 give 1.65 %.
    expect(twoSided(0.5, 40_000)).toBeCloseTo(0.008, 3)
    expect(twoSided(0.5, 10_000)).toBeCloseTo(0.0165, 3)
  })
  test('the classifier learns nothing from noise and everything from the answer', () => {
    const samples = Array.from({ length: 200 }, (_, place) => {
      const noise = (Math.sin(place * 12.9898) * 43758.5453) % 1
      return { features: [1, noise, place % 2], lower: (place >> 1) % 2 === 0 }
    })
    expect(Math.abs(classified(samples) - 0.5)).toBeLessThan(0.25)
    const told = samples.map(({ features, lower }) => ({ features: [1, lower ? 1 : -1, features[2]!], lower }))
    expect(classified(told)).toBe(1)
  })
})
