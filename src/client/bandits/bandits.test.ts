// Runs of bandits in one process: what a stranger writes, what is refused, and that open and blind agree.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { seededRandom } from '../../core/index.ts'
import { embedded } from '../embedded.ts'
import type { EmbeddedGroup } from './embedded-group.ts'
import { ArmFailed, RunEnded } from './errors.ts'
import type { ArmSource, BestArmOptions, MaximiseOptions } from './options.ts'

let group: EmbeddedGroup
beforeAll(async () => {
  group = await embedded()
})
afterAll(() => group.close())

/** The same pull gives the same reward. */
const coin =
  (mean: number, seed: number): ArmSource =>
  ({ pull }) =>
    seededRandom(seed, pull).unit() < mean ? 1 : 0
const arms = () => ({ red: coin(0.2, 1), green: coin(0.9, 2), blue: coin(0.4, 3) })

it('as the first page has it: the best of two, round by round', async () => {
  const shop = (colour: 'red' | 'green') => (colour === 'green' ? 1 : 0)
  const run = group.bestArm({
    name: 'colour',
    arms: { red: () => shop('red'), green: () => shop('green') },
    budget: 500,
  })
  const seen: string[] = []
  for await (const { round, spent, budget } of run) seen.push(`${round} ${spent} ${budget}`)
  const { best, audit } = await run.result
  // One process has nobody to audit: it saw everything.
  expect([best, audit, seen]).toEqual(['green', undefined, ['1 498 500']])
})

describe.each(['blind', 'open'] as const)('%s', privacy => {
  it.each(['successive-rejects', 'sequential-halving'] as const)('%s finds the best arm', async algorithm => {
    const run = group.bestArm({ name: 'colour', arms: arms(), budget: 120, privacy, algorithm })
    const { best, spent, rounds, told } = await run.result
    expect(best).toBe('green')
    expect(spent).toBeLessThanOrEqual(120)
    expect(rounds).toBe(2)
    expect(told).toContain('this process')
  })

  it.each(['ucb1', 'thompson'] as const)('%s spends its budget, and no pull twice', async algorithm => {
    const pulls = new Map<string, number[]>()
    const counted = Object.fromEntries(
      Object.entries(arms()).map(([name, source]): [string, ArmSource] => [
        name,
        asked => {
          pulls.set(name, [...(pulls.get(name) ?? []), asked.pull])
          return source(asked)
        },
      ]),
    )
    const { sum, spent } = await group.maximise({ name: 'x', arms: counted, budget: 60, privacy, algorithm }).result
    const all = [...pulls.values()].flat()
    expect([spent, all.length]).toEqual([60, 60])
    for (const numbers of pulls.values()) expect(numbers).toEqual(numbers.map((_, at) => at + 1))
    const sources = arms()
    const earned = [...pulls].map(([name, numbers]) =>
      numbers.reduce((total, pull) => total + Number(sources[name as 'red']({ pull, signal: AbortSignal.any([]) })), 0),
    )
    expect(sum).toBeCloseTo(
      earned.reduce((a, b) => a + b, 0),
      6,
    )
  })

  it('rewards of any range, asynchronous, in batches', async () => {
    const slow: ArmSource = async () => {
      await new Promise(resolve => setImmediate(resolve))
      return -5
    }
    const options: MaximiseOptions = {
      name: 'x',
      arms: { low: slow, high: () => 20 },
      budget: 40,
      batch: 0.2,
      rewards: [-10, 30],
      privacy,
    }
    const { sum, rounds } = await group.maximise(options).result
    expect(rounds).toBeLessThan(38)
    expect(sum).toBeGreaterThan(20 * 20)
  })

  it('a loop follows the rounds, and ends with the run', async () => {
    const seen: number[] = []
    const run = group.maximise({ name: 'x', arms: arms(), budget: 12, privacy })
    for await (const { round, spent, budget } of run) {
      expect([spent, budget]).toEqual([3 + round, 12])
      seen.push(round)
    }
    expect(seen.at(-1)).toBe(9)
    expect(seen).toEqual([...seen].sort((a, b) => a - b))
  })

  it('a pull that throws is tried again with its number, three times', async () => {
    let failures = 3
    const shaky: ArmSource = ({ pull }) => {
      if (pull === 2 && failures-- > 0) throw new Error('busy')
      return 1
    }
    const { sum } = await group.maximise({ name: 'x', arms: { shaky, dull: () => 0 }, budget: 10, privacy }).result
    expect(sum).toBeGreaterThan(4)
    const dead: ArmSource = () => Promise.reject(new Error('gone'))
    const failed = group.maximise({ name: 'x', arms: { dead, dull: () => 0 }, budget: 10, privacy }).result
    await expect(failed).rejects.toThrow("arm 'dead' gave no reward for pull 1, in 4 tries: gone.")
    await expect(failed).rejects.toBeInstanceOf(ArmFailed)
    await expect(failed).rejects.toMatchObject({ outcome: 'may have happened', cause: { message: 'gone' } })
  })

  it('a reward outside the range ends the run', async () => {
    const run = group.bestArm({ name: 'x', arms: { a: () => 2, b: () => 1 }, budget: 10, privacy })
    await expect(run.result).rejects.toThrow("arm 'a': a reward is a number from 0 to 1, not 2.")
    await expect(
      (async () => {
        for await (const _ of run);
      })(),
    ).rejects.toBeInstanceOf(ArmFailed)
  })

  it('ends with its timeout or signal, and its sources are told', async () => {
    let told = false
    const never: ArmSource = ({ signal }) => new Promise(() => signal.addEventListener('abort', () => (told = true)))
    const options: BestArmOptions = { name: 'x', arms: { never, b: () => 1 }, budget: 10, privacy }
    await expect(group.bestArm({ ...options, timeout: 30 }).result).rejects.toThrow('its time was up')
    expect(told).toBe(true)
    const signal = AbortSignal.timeout(20)
    await expect(group.bestArm({ ...options, signal }).result).rejects.toBeInstanceOf(RunEnded)
  })
})

describe('thesis', () => {
  it.each(['ucb-d', 'ucb-ds', 'ucb-ds2'] as const)('%s earns what its arms paid', async protocol => {
    let paid = 0
    const counted = Object.fromEntries(
      Object.entries(arms()).map(([name, source]): [string, ArmSource] => [
        name,
        async asked => {
          const reward = await source(asked)
          paid += reward
          return reward
        },
      ]),
    )
    const run = group.maximise({ name: 'x', arms: counted, budget: 40, privacy: 'thesis', protocol })
    for await (const { round, spent } of run) expect([round, spent]).toEqual([Math.min(37, round), 3 + round])
    const { sum, spent, rounds, told } = await run.result
    expect([sum, spent, rounds]).toEqual([paid, 40, 37])
    expect(told).toContain('the controller sees who is pulled')
  })

  it('SR-secured finds the best value, phase by phase', async () => {
    const values = { red: 13, green: 17.5, blue: -4 }
    const run = group.bestArm({ name: 'x', privacy: 'thesis', values, epsilon: 2, budget: 60 })
    const rounds: number[] = []
    for await (const { round } of run) rounds.push(round)
    const { spent } = group.bandits.successiveRejects([() => 0, () => 1, () => 0], 60)
    expect(await run.result).toMatchObject({ best: 'green', rounds: 2, spent })
    expect(rounds.at(-1)).toBe(2)
  })
})

it('open and blind pull equally often where no two indices are equal', async () => {
  const counts = async (privacy: 'open' | 'blind') => {
    const pulls = [0, 0, 0]
    const sources = [0.13, 0.71, 0.37].map(
      (mean, arm) =>
        (({ pull }) => {
          pulls[arm]!++
          return (mean + seededRandom(arm, pull).unit()) / 2
        }) satisfies ArmSource,
    )
    await group.maximise({
      name: 'x',
      arms: Object.fromEntries(sources.map((source, arm) => [`arm ${arm}`, source])),
      budget: 80,
      privacy,
    }).result
    return pulls
  }
  expect(await counts('blind')).toEqual(await counts('open'))
})

describe('bad input', () => {
  const good = { name: 'x', arms: { a: () => 1, b: () => 1 }, budget: 10 }
  const many = Object.fromEntries(Array.from({ length: 33 }, (_, place) => [`arm${place}`, () => 1]))
  it.each<[unknown, string]>([
    [undefined, 'takes its options as an object, not undefined'],
    [{ ...good, arms: { a: () => 1 } }, 'a run needs at least 2 arms, not 1.'],
    [{ ...good, arms: ['a', 'b'] }, 'an object with a function for each arm'],
    [
      { ...good, arms: many, budget: 100 },
      "at most 32 arms, not 33: each round costs their square. Use privacy: 'open'.",
    ],
    [{ ...good, budget: 2 }, 'a budget for 2 arms is a whole number from 3'],
    [{ ...good, budget: 1.5 }, 'budget is 1.5; it must be a whole number'],
    [{ ...good, name: '' }, 'name is ""'],
    [{ ...good, rewards: [1, 1] }, 'two numbers, the smaller first'],
    [{ ...good, rewards: [0, Number.NaN] }, 'two numbers, the smaller first'],
    [{ ...good, privacy: 'thesis' }, "a search at the level 'thesis' takes values and epsilon, not arms"],
    [{ name: 'x', privacy: 'thesis', budget: 10, epsilon: 1, values: { a: 1 } }, 'a run needs at least 2 arms, not 1.'],
    [{ name: 'x', privacy: 'thesis', budget: 10, epsilon: -1, values: { a: 1, b: 2 } }, 'epsilon is -1'],
    [{ name: 'x', privacy: 'thesis', budget: 10, epsilon: 1, values: { a: 'x', b: 2 } }, 'values is'],
    [{ ...good, privacy: 'none' }, 'privacy is "none"; it must be one of blind, open.'],
    [{ ...good, algorithm: 'ucb1' }, 'algorithm is "ucb1"'],
    [{ ...good, budgets: 5 }, 'Did you mean budget?'],
    [{ ...good, batch: 0.5 }, 'group.bestArm has no option "batch"'],
  ])('%o: %s', (options, sentence) => {
    expect(() => group.bestArm(options as BestArmOptions)).toThrow(sentence)
  })

  it("what the level 'thesis' does not play", () => {
    expect(() => group.maximise({ ...good, privacy: 'thesis', batch: 0.5 })).toThrow('one pull a round')
    expect(() => group.maximise({ ...good, privacy: 'thesis', algorithm: 'thompson' })).toThrow('plays ucb1')
    expect(() => group.maximise({ ...good, protocol: 'ucb-ds' })).toThrow("it goes with privacy: 'thesis'")
  })

  it('batch outside [0, 1], and a budget below the number of arms', () => {
    expect(() => group.maximise({ ...good, batch: 2 })).toThrow('batch is 2; it must be a number from 0 to 1.')
    expect(() => group.maximise({ ...good, budget: 1 })).toThrow('a whole number from 2')
  })
})

it('a group that is closed ends its runs', async () => {
  const own = await embedded()
  const run = own.bestArm({ name: 'x', arms: { a: () => new Promise(() => {}), b: () => 1 }, budget: 10 })
  await own.close()
  await expect(run.result).rejects.toThrow('the group was closed')
})

it('the open algorithms are plain functions', () => {
  const { ucb1, ucb2, thompson, successiveRejects } = group.bandits
  const sources = [() => 0, () => 1]
  expect(ucb1(sources, 50).spent).toBe(50)
  expect(ucb2(sources, 50).sum).toBeGreaterThan(25)
  expect(thompson(sources, 50).sum).toBeGreaterThan(25)
  expect(successiveRejects(sources, 50).best).toBe(1)
})
