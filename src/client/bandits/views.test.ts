// Recorded views (protocols/bandits 4): what shuffler, comparator, an arm, and the shuffler with an arm are shown in whole runs with real
// seals tells none of them what is hidden, whether arms are far apart, near or tied; and for each planted bug it does (with ideal seals).

import { describe, expect, it } from 'vitest'
import type { BanditKeys } from '../../bandits/index.ts'
import {
  chiSquareLimit,
  type IdealParties,
  idealParties,
  leaks,
  plantedViews,
  Recording,
  told,
} from '../../bandits/proof/index.ts'
import { seededRandom } from '../../core/index.ts'
import { banditKeys, opensslBanditTools } from '../../runtime/bandit-tools.ts'

const tools = await opensslBanditTools()
const ARMS = 3
const VIEWERS = ['shuffler', 'comparator', 'arm', 'shuffler and an arm'] as const

/** Real keys, the same in every run of this test. */
function parties(seed: number): IdealParties {
  const known = new Map<string, BanditKeys>()
  const keysOf = (id: string) => {
    const random = seededRandom(seed, [...id].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), 7) % 2 ** 20)
    const keys = known.get(id) ?? banditKeys(tools, random.bytes(32), random.bytes(32))
    known.set(id, keys)
    return keys
  }
  const party = (id: string) => ({ id, signing: keysOf(id).signer.publicKey, sealing: keysOf(id).sealing.publicKey })
  return { tools, keysOf, party, blocks: () => 0 }
}

const coin = (mean: number, arm: number) => (pull: number) => Number(seededRandom(arm, pull).unit() < mean)
const WORTH = {
  far: [0.9, 0.2, 0.4].map(coin),
  near: [0.5, 0.5, 0.5].map(coin),
  tied: [0.5, 0.5, 0.5].map(mean => () => mean),
} as const

/** The second arm is slower than the first, and the third slower still; every twelfth pull is too slow for its beat. */
const pullMs = (arm: number, number: number) => (number % 12 === 0 ? 25 : 2 + 5 * arm)

function record(worth: keyof typeof WORTH, change: Partial<ConstructorParameters<typeof Recording>[0]> = {}) {
  return new Recording({
    algorithm: 'ucb1',
    budget: 300,
    sources: WORTH[worth],
    seed: 5,
    pace: 20,
    parties: idealParties(),
    pullMs,
    ...change,
  })
}

describe('what a party is shown tells nothing', () => {
  it.each(['far', 'near', 'tied'] as const)('arms that are %s', worth => {
    const recording = record(worth, { parties: parties(5) })
    expect(recording.played.answer).toBeDefined()
    expect(recording.played.answer!.again).toBeGreaterThan(5)
    for (const viewer of VIEWERS) {
      const rows = recording.shownTo(viewer)
      expect(rows.length, viewer).toBeGreaterThan(300)
      expect(leaks(rows, ARMS), `${viewer}: ${JSON.stringify(told(rows, ARMS))}`).toEqual([])
    }
  })
})

describe('and for each planted bug it does', () => {
  it.each(Object.entries(plantedViews))('%s', (name, { viewer, change, tells }) => {
    const worth = /ties/.test(name) ? 'tied' : /two rounds/.test(String(tells)) ? 'far' : 'near'
    const seeds = change.algorithm === 'successive-rejects' ? Array.from({ length: 72 }, (_, at) => at + 1) : [5]
    const rows = seeds.flatMap(seed => {
      const sources = seeds.length > 1 ? [0, 1, 2].map(arm => coin(((arm + seed) % 3) * 0.4, arm)) : WORTH[worth]
      return record(worth, { seed, ...change, sources, ...(seeds.length > 1 && { budget: 12 }) }).shownTo(viewer)
    })
    expect(leaks(rows, ARMS).join(', ')).toMatch(tells)
  })

  it('where a search is honest nobody is missing', () => {
    const rows = [1, 2, 3].flatMap(seed =>
      record('far', { seed, algorithm: 'successive-rejects', budget: 30 }).shownTo('shuffler'),
    )
    expect(new Set(rows.filter(({ feature }) => /sent a box/.test(feature)).map(({ value }) => value))).toEqual(
      new Set(['true']),
    )
  })
})

it('the 99.9 % points of the chi-square are those of tables', () => {
  for (const [degrees, point] of [
    [3, 16.27],
    [8, 26.12],
    [23, 49.73],
    [43, 77.42],
  ] as const) {
    expect(Math.abs(chiSquareLimit(degrees, 3.0902) / point - 1)).toBeLessThan(0.02)
  }
  expect(chiSquareLimit(0)).toBe(0)
})
