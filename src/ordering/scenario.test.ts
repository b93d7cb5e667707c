// Objects under faults and liars (PROTOCOLS F; BACKOFF §7): one state a version (lemma 4), linearizable, nothing
// acknowledged lost, exactly once, everybody answered once all is healed. And the test of the test: every planted bug
// is found.

import { describe, expect, it } from 'vitest'
import { trust } from '../core/index.ts'
import { runOnce } from '../simulator/index.ts'
import { brokenOrderingRules, plantedOrderingBugs } from './planted.ts'
import { orderingScenario } from './scenario.ts'

const three = trust({ servers: 3 })
const seven = trust({ liars: 1 })

describe('one order', () => {
  it.each([
    ['3 servers, none lies', three, 40],
    ['7 servers, one lies', seven, 12],
    ['5 servers, two may be gone', trust({ servers: 5, crashes: 2 }), 8],
  ] as const)('%s', (_name, group, seeds) => {
    for (let seed = 1; seed <= seeds; seed++) {
      const { violations, drawn } = runOnce(orderingScenario(group), seed)
      expect(violations, `seed ${seed} ${JSON.stringify(drawn)}`).toEqual([])
    }
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
  it('nobody is blamed for a version that was overtaken (seeds 23, 32)', () => {
    for (const seed of [23, 32]) expect(runOnce(orderingScenario(three), seed).violations).toEqual([])
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

describe('planted bugs (HOUSE 16)', () => {
  /** In which group, and between which seeds, the simulator finds each. */
  const found: Record<string, readonly [group: typeof three, from: number, to: number]> = {
    'lower-version-in-a-rank': [three, 440, 440],
    'committed-goes-back': [three, 4, 8],
    'parent-not-committed': [three, 1, 5],
    'only-proposed-vouches': [seven, 230, 230],
    'built-on-proposed': [three, 1, 5],
    'one-rank-for-all': [three, 1, 5],
    'rank-above-the-largest': [seven, 99, 99],
    'pending-not-told': [three, 1, 2],
    'liars-are-enough': [seven, 8, 20],
    'commit-without-propose': [three, 1, 5],
    'one-acknowledgement-too-few': [three, 5, 12],
    'rank-forgotten-at-restart': [three, 10, 25],
    'answered-from-proposed': [three, 10, 20],
    'half-done-not-completed': [three, 1, 10],
    'highest-sequence-number': [three, 1, 10],
    'read-of-committed-alone': [three, 35, 38],
  }

  it('none is forgotten here', () => expect(Object.keys(found).sort()).toEqual(Object.keys(plantedOrderingBugs).sort()))

  it.each(Object.keys(plantedOrderingBugs))('%s is found, and the seed replays it', bug => {
    const [group, from, to] = found[bug]!
    const scenario = orderingScenario(group, { rules: brokenOrderingRules(bug) })
    for (let seed = from; seed <= to; seed++) {
      const result = runOnce(scenario, seed)
      if (result.violations.length === 0) continue
      const again = runOnce(scenario, seed)
      expect(again.violations).toEqual(result.violations)
      expect(again.traceHash).toBe(result.traceHash)
      return
    }
    throw new Error(`${bug} was not found between seeds ${from} and ${to}`)
  })
})
