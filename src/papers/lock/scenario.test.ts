// Lemma 1 under the simulator: n = 5b + 1 never has two holders, n = 5b has.

import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../core/index.ts'
import { type AnyScenario, type RunResult, runOnce, shrink } from '../../simulator/index.ts'
import { printedScenario } from './index.ts'
import { lockVariants } from './variants.ts'

function firstFailure(scenario: AnyScenario, seeds: number): RunResult | undefined {
  for (let seed = 1; seed <= seeds; seed++) {
    const result = runOnce(scenario, seed)
    if (result.violations.length > 0) return result
  }
  return undefined
}

const unsafe = printedScenario({ servers: 5, liars: 1, unsafe: true })

describe('BACKOFF lemma 1', () => {
  it('holds with n = 5b + 1: never two holders, and everybody is served in the end', () => {
    expect(firstFailure(printedScenario({ servers: 6, liars: 1 }), 300)).toBeUndefined()
    expect(firstFailure(printedScenario({ servers: 11, liars: 2 }), 60)).toBeUndefined()
  })

  it('holds with f > b, and with no liar at all', () => {
    expect(firstFailure(printedScenario({ liars: 1, crashes: 2 }), 60)).toBeUndefined()
    expect(firstFailure(printedScenario({ liars: 0, crashes: 1 }), 60)).toBeUndefined()
  })

  it('does not hold with n = 5b: two holders, and the same ones again from the same seed', () => {
    const failed = firstFailure(unsafe, 300)!
    expect(failed.violations[0]!.what).toMatch(/is held by client-\S+ \(token \d+\) and client-\S+/)
    expect(runOnce(unsafe, failed.seed)).toMatchObject({
      traceHash: failed.traceHash,
      violations: failed.violations,
    })
  })

  it('is for synchronous runs only: a late message is enough for two holders', () => {
    const failed = firstFailure(printedScenario({ servers: 6, liars: 1, late: true }), 300)!
    expect(failed.violations[0]!.what).toContain('is held by')
  })

  it('shrinks to a short story', () => {
    const failed = firstFailure(unsafe, 300)!
    const story = shrink(unsafe, failed)
    expect(story.itemsKept).toBeLessThanOrEqual(5)
    expect(story.itemsKept).toBeLessThan(story.items)
    const told = runOnce(unsafe, story.seed, story.kept, true)
    expect(told.violations).toEqual(story.violations)
    expect(told.trace.filter(entry => entry.kind === 'emit').length).toBeGreaterThanOrEqual(2)
    expect(told.trace.length).toBeLessThan(200)
  })

  it('is tested in runs that are synchronous', () => {
    for (let seed = 1; seed <= 50; seed++) {
      const { network, settings } = unsafe.plan(seededRandom(seed, 1))
      expect(network.delayMin + network.delaySpread).toBeLessThanOrEqual(settings.delayMax * 1000)
      expect(network).toMatchObject({ loss: 0, duplication: 0, tailChance: 0 })
    }
  })
})

describe('the scenario refuses', () => {
  it.each([
    ['n = 5b, unless it is asked for', { servers: 5, liars: 1 }, /not safe with 5 servers.*takes 6 servers.*unsafe/],
    ['n too small for f > b', { servers: 7, liars: 1, crashes: 2 }, /takes 8 servers/],
    ['fewer crashes than liars', { servers: 9, liars: 2, crashes: 1 }, /crashes counts the liars/],
    ['no server left', { servers: 1, liars: 1, unsafe: true }, /must be left/],
    ['half a server', { servers: 6.5, liars: 1 }, /cannot run with servers: 6.5/],
    ['too many servers', { servers: 1_000, liars: 1 }, /at most 100 servers/],
  ])('%s', (_, options, sentence) => {
    expect(() => printedScenario(options)).toThrow(sentence)
  })
})

it('the lab chooses by name', () => {
  const settings = { servers: 6, liars: 1 }
  expect(lockVariants.printed(settings).name).toBe('printed lock')
  expect(lockVariants.product(settings).name).toBe('lock')
})
