// Objects under faults and liars (protocols/ordering; BACKOFF §7): one state a version (lemma 4), linearizable, nothing
// acknowledged lost, exactly once, everybody answered once all is healed. And the test of the test: every planted bug
// is found.

import { describe, expect, it } from 'vitest'
import { readPins } from '../../../test/support/pins.ts'
import { signedScenario } from '../../../test/support/signed-scenario.ts'
import { trust } from '../../core/index.ts'
import { runOnce } from '../../simulator/index.ts'
import { plantedOrderingBugs } from './planted.ts'
import { plantedOrderingRuns } from './runs.ts'
import { orderingScenario } from './scenario.ts'

const three = trust({ servers: 3 })
const seven = trust({ liars: 1 })

describe('one order', () => {
  it.each([
    ['3 servers, none lies', three, 25],
    ['7 servers, one lies', seven, 8],
    ['5 servers, two may be gone', trust({ servers: 5, crashes: 2 }), 5],
  ] as const)('%s', (_name, group, seeds) => {
    for (let seed = 1; seed <= seeds; seed++) {
      const { violations, drawn } = runOnce(orderingScenario(group), seed)
      expect(violations, `seed ${seed} ${JSON.stringify(drawn)}`).toEqual([])
    }
  })

  it('7 servers, one lies, ranks are signed (BACKOFF §6.2)', () => {
    for (let seed = 1; seed <= 5; seed++) expect(runOnce(signedScenario(seven), seed).violations).toEqual([])
  })

  // All servers had missed something, each another thing, and the client that had it all was gone.
  it('no committed change is thrown away by a server that lags (seed 300)', () => {
    expect(runOnce(orderingScenario(three), 300).violations).toEqual([])
  })
  // Others had answered what came before; the client believed that it still had the turn, with nothing it could propose.
  it('whoever was overtaken while it had nothing to do notices (seed 127)', () => {
    expect(runOnce(orderingScenario(three), 127).violations).toEqual([])
  })

  // A liar told of an operation as it was, but as if its client had all responses; the proposer dropped them.
  it('b + 1 must also vouch for what a client has acknowledged (seed 46)', () => {
    expect(runOnce(orderingScenario(seven), 46).violations).toEqual([])
  })

  // What was proposed and vouched for came to nothing, and an honest server that had gone on was blamed for it.
  it('what was asked for while a copy was on its way is not waited for (seed 7268)', () => {
    expect(runOnce(orderingScenario(three), 7268).violations).toEqual([])
  })

  it('nobody is blamed for a version that was overtaken (seeds 23, 32)', () => {
    for (const seed of [23, 32]) expect(runOnce(orderingScenario(three), seed).violations).toEqual([])
  })

  // One server had promised a high rank to a client that was gone; a liar refused too, always by a little.
  it('two refusals do not keep a client from its turn where a quorum is left (9 servers, seed 102867)', () => {
    const nine = trust({ servers: 9, liars: 1, crashes: 2 })
    expect(runOnce(orderingScenario(nine), 102867).violations).toEqual([])
  })

  // Whoever knew that a version is committed lacked its change, and those who had the change did not know.
  it('a version that is committed is brought to those who wait for it (9 servers, seed 2443)', () => {
    const nine = trust({ servers: 9, liars: 1, crashes: 2 })
    expect(runOnce(orderingScenario(nine), 2443).violations).toEqual([])
  })

  // It calls version 2^40 committed, and the next version in a state that nobody proposed.
  it.each([
    ['3 servers', three],
    ['7 servers, one lies', seven],
  ] as const)('a client that lies to its group ends no object (%s)', (_name, group) => {
    for (let seed = 1; seed <= 4; seed++) {
      const { violations, drawn } = runOnce(orderingScenario(group, {}, { spoiler: true }), seed)
      expect(violations, `seed ${seed} ${JSON.stringify(drawn)}`).toEqual([])
    }
  })

  it('and the runs are not idle: every kind of thing happens', () => {
    const counts = new Map<string, number>()
    for (let seed = 1; seed <= 12; seed++) {
      for (const { kind, what } of runOnce(orderingScenario(three), seed, {}, true).trace) {
        const thing = kind === 'emit' || kind === 'deliver' ? what.split(' ')[0]! : kind
        counts.set(thing, (counts.get(thing) ?? 0) + 1)
      }
    }
    const least = { decided: 200, answered: 300, value: 100, opened: 30, crash: 3, restart: 3, pause: 2, busy: 50 }
    const rare = { refused: 30, pushed: 30, changes: 20, entries: 1, lost: 1, gone: 1 }
    for (const [thing, count] of Object.entries({ ...least, ...rare })) {
      expect(counts.get(thing) ?? 0, thing).toBeGreaterThanOrEqual(count)
    }
  })
})

describe('planted bugs', () => {
  const pins = readPins(import.meta.dirname)
  /** So rare that thousands of runs may pass: `npm run sim:long` looks for them, and a story shows each. */
  const told = {
    'lower-version-in-a-rank': 'machines.test.ts',
    'only-proposed-vouches': 'choose.test.ts',
    // Clients of the simulator do not lie.
    'any-rank-is-promised': 'server/spoiling.test.ts',
    // Nor do they ask for leases.
    'lease-ends-on-old-word': 'leases.test.ts',
  }

  it('none is forgotten here', () => {
    expect(Object.keys(pins).sort()).toEqual(Object.keys(plantedOrderingRuns).sort())
    const all = [...Object.keys(pins), ...Object.keys(told)]
    expect(all.sort()).toEqual(Object.keys(plantedOrderingBugs).sort())
  })

  it.each(Object.entries(pins))('%s is found by seed %i, which replays it', (bug, seed) => {
    const { scenario, says } = plantedOrderingRuns[bug]!
    const result = runOnce(scenario(), seed)
    expect(result.violations[0]?.what).toMatch(says)
    const again = runOnce(scenario(), seed)
    expect(again.violations).toEqual(result.violations)
    expect(again.traceHash).toBe(result.traceHash)
  })
})
