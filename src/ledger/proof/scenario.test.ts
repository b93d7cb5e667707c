// Ledgers under faults, liars and lying clients (protocols/ledger): one history, every leaf valid, receipts that hold, reads
// that are not stale, progress once all is healed. And the test of the test: planted bugs of voting are found; those that
// only rare schedules show, in votes.test.ts.

import { describe, expect, it } from 'vitest'
import { sized } from '../../../test/support/long.ts'
import { readPins } from '../../../test/support/pins.ts'
import { seededRandom } from '../../core/index.ts'
import { runOnce, shrink } from '../../simulator/index.ts'
import { ledgerRules } from '../rules.ts'
import { honestLedger, liedLedger, plantedLedgerRuns, simulatedBugs } from './runs.ts'
import { ledgerScenario } from './scenario.ts'

const groups = {
  '4 servers, none lies': honestLedger,
  '6 servers, one lies': liedLedger,
  '9 servers, two gone, one of them lies': { servers: 9, crashes: 2, liars: 1 },
}
const sevenOneLies = { servers: 7, crashes: 1, liars: 1 }
const SEEDS = sized(2, 5)

describe('one history, and what is promised stands', () => {
  it.each(Object.entries(groups))(`%s, ${SEEDS} seeds`, (_name, group) => {
    for (let seed = 1; seed <= SEEDS; seed++) {
      const { violations, drawn } = runOnce(ledgerScenario(group), seed)
      expect(violations, `seed ${seed} ${JSON.stringify(drawn)}`).toEqual([])
    }
  })

  // Its only voter lost its store, the others who had seen it restarted: nobody could show what their reports rested on.
  it('nobody is left behind in an attempt whose reports rest on a proposal that was forgotten', () => {
    expect(runOnce(ledgerScenario(honestLedger, ledgerRules, true), 229).violations).toEqual([])
  })

  // The others said again and again that they were ahead, and each time it was news; only what a liar repeated was old enough.
  it('a server that is behind asks those who say so all the while', () => {
    expect(runOnce(ledgerScenario(sevenOneLies), 610_135).violations).toEqual([])
  })

  // A liar had gathered the certificate of an epoch before any honest server, and showed it.
  it('keepers that honest servers certify a moment later are no lie', () => {
    expect(runOnce(ledgerScenario(sevenOneLies), 610_561).violations).toEqual([])
  })

  // The link came after five seconds, and the owner had shown its burn eight times by then, and gave up.
  it('a move whose link comes late ends all the same', () => {
    expect(runOnce(ledgerScenario(honestLedger), 821_398).violations).toEqual([])
  })

  it('and the runs are not idle', () => {
    const counts = new Map<string, number>()
    const runs = sized(3, 6)
    for (let seed = 1; seed <= runs; seed++) {
      const { trace } = runOnce(ledgerScenario(liedLedger), seed, {}, true)
      for (const { kind, what } of trace) {
        const thing = kind === 'emit' || kind === 'deliver' ? (what.split(' ')[kind === 'emit' ? 0 : 2] ?? what) : kind
        counts.set(thing, (counts.get(thing) ?? 0) + 1)
      }
    }
    for (const [thing, least] of Object.entries({ certified: 200, receipt: 40, refused: 8, answer: 8, crash: 2 })) {
      const found = counts.get(thing) ?? 0
      expect(found, `${thing} ${JSON.stringify([...counts])}`).toBeGreaterThanOrEqual((least * runs) / 6)
    }
  })

  it('and the liars are not all of one kind', () => {
    const plans = [1, 2, 3, 4, 5, 6].map(seed => ledgerScenario(liedLedger).plan(seededRandom(seed, 1)))
    const liars = plans.map(({ drawn }) => String(drawn.liars).split(' ').slice(1).join(' '))
    expect(new Set(liars).size).toBeGreaterThan(3)
  })
})

describe('planted bugs in whole systems', () => {
  const pins = readPins(import.meta.dirname)

  it('none is forgotten here', () => expect(Object.keys(pins).sort()).toEqual([...simulatedBugs].sort()))

  it.each(simulatedBugs)('%s is found, and the seed replays it', bug => {
    const found = runOnce(plantedLedgerRuns[bug]!.scenario(), pins[bug]!)
    expect(found.violations[0]?.what).toMatch(plantedLedgerRuns[bug]!.says)
    expect(runOnce(plantedLedgerRuns[bug]!.scenario(), pins[bug]!).traceHash).toBe(found.traceHash)
  })

  it.each(sized(['certificate-one-short', 'refused-by-one-behind'], [...simulatedBugs]))(
    '%s shrinks to a fifth of its acts and faults at most',
    bug => {
      const found = runOnce(plantedLedgerRuns[bug]!.scenario(), pins[bug]!)
      const { itemsKept, items, kept } = shrink(plantedLedgerRuns[bug]!.scenario(), found)
      expect(itemsKept).toBeLessThanOrEqual(items / 5)
      expect(runOnce(plantedLedgerRuns[bug]!.scenario(), pins[bug]!, kept).violations).not.toEqual([])
    },
  )
})
