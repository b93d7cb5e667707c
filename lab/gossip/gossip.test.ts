// LECTURE, "Gossip-based coordination": the experiments at small scale, every row within its tolerance.

import { describe, expect, test } from 'vitest'
import type { Experiment, Result } from '../experiment.ts'
import { gossipAverage, inTurnFactor, pairings, variance } from './average.ts'
import { Brahms } from './brahms.ts'
import { Chance, shuffle } from './chance.ts'
import { suspicionThreshold } from './hub.ts'
import { attackCurve } from './hub-attack.ts'
import { gossipExperiments } from './index.ts'
import { spreadOf } from './peer-sampling.ts'
import { spreadRounds, WAYS } from './spread.ts'
import { Torus } from './tman.ts'
import { RULES, Views } from './views.ts'

const run = async (experiment: Experiment, seed = 1): Promise<Result> =>
  experiment.run({ scale: 'small', seed, progress: () => {} })

describe.each(gossipExperiments)('$name', experiment => {
  test('every row is within its tolerance', async () => {
    const { rows, notes, pictures } = await run(experiment)
    expect(rows.filter(row => !row.within)).toEqual([])
    expect(rows.length).toBeGreaterThan(4)
    expect(notes.length).toBeGreaterThan(0)
    expect(pictures.length).toBeGreaterThan(0)
  })
})

describe('chance', () => {
  test('below is even, and never reaches its bound', () => {
    const chance = new Chance(3)
    const counts = new Int32Array(7)
    for (let draw = 0; draw < 70_000; draw++) counts[chance.below(7)]!++
    for (const count of counts) expect(Math.abs(count - 10_000)).toBeLessThan(5 * Math.sqrt(10_000))
  })

  test('a shuffle keeps all', () => {
    const numbers = Int32Array.from({ length: 100 }, (_, place) => place)
    shuffle(numbers, new Chance(1))
    expect(numbers[0] === 0 && numbers[1] === 1).toBe(false)
    expect([...numbers].sort((a, b) => a - b)).toEqual(Array.from({ length: 100 }, (_, place) => place))
  })
})

describe('LECTURE, "aggregation"', () => {
  test.each(pairings)('$name: the mean stays, the variance falls', pairing => {
    const chance = new Chance(5)
    const values = Float64Array.from({ length: 1_000 }, (_, place) => place)
    const before = variance(values)
    for (let round = 0; round < 5; round++) pairing.round(values, chance)
    expect(values.reduce((sum, value) => sum + value, 0) / 1_000).toBeCloseTo(499.5, 6)
    expect(variance(values)).toBeLessThan(before / 50)
  })

  test('in turn, new order: 1/(2√e); the same order does better', () => {
    expect(inTurnFactor('new')).toBeCloseTo(1 / (2 * Math.sqrt(Math.E)), 2)
    expect(inTurnFactor('same')).toBeLessThan(0.295)
  })

  test('another seed, another estimate, still within', async () => {
    expect((await run(gossipAverage, 2)).rows.filter(row => !row.within)).toEqual([])
  })
})

describe('LECTURE, "logarithmic rounds"', () => {
  test.each(WAYS)('%s: one node knows at once, two after one round', way => {
    expect(spreadRounds(1, way, new Chance(1))).toBe(0)
    expect(spreadRounds(2, way, new Chance(1))).toBe(1)
  })
})

describe.each(RULES)('LECTURE, "peer sampling": %s', rule => {
  test('lists stay full, without doubles and without the node itself', () => {
    const views = new Views(500, 12, rule, new Chance(2))
    for (let round = 0; round < 20; round++) views.runRound()
    for (let node = 0; node < 500; node++) {
      const list = views.links.subarray(node * 12, (node + 1) * 12)
      expect(new Set(list).size).toBe(12)
      expect(list.includes(node)).toBe(false)
    }
    expect(spreadOf(views.inDegrees()).mean).toBe(12)
  })
})

describe('LECTURE, "2D torus"', () => {
  test('distances go round the joined sides', () => {
    const torus = new Torus(10, 4, 'literal', new Chance(1))
    expect(torus.distance(0, 9)).toBe(1)
    expect(torus.distance(0, 99)).toBe(2)
    expect(torus.distance(0, 55)).toBe(10)
  })
})

describe('LECTURE, "hub attack"', () => {
  const NOBODY = { rule: 'swap-random', defended: true } as const

  test('without attackers nobody is captured and hardly anybody suspected', () => {
    const curve = attackCurve({ size: 1_000, length: 20, attackers: 0 }, NOBODY, 60, new Chance(1))
    expect(Math.max(...curve.captured, ...curve.links)).toBe(0)
    expect(curve.falseSuspicions).toBeLessThan(50)
  })

  test('the threshold: the larger the group, the fewer coincidences are needed', () => {
    expect(suspicionThreshold(100_000, 15)).toBe(3)
    expect(suspicionThreshold(1_000, 10)).toBeGreaterThan(3)
  })

  test('Brahms: who is pushed too much changes nothing in that round, and others everything', () => {
    const options = { size: 60, view: 10, samplers: 10, attackers: 50 }
    const brahms = new Brahms(options, new Chance(1))
    const lists = () =>
      Array.from({ length: 10 }, (_, node) => brahms.views.slice(500 + 10 * node, 510 + 10 * node).join())
    const before = lists()
    brahms.runRound()
    const same = lists().filter((list, node) => list === before[node]).length
    expect(same).toBeGreaterThan(0)
    expect(same).toBeLessThan(10)
  })
})
