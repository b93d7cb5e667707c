// Each planted bug of execution is found by random walks, and what is left of the walk is its story.

import { describe, expect, it } from 'vitest'
import { sized } from '../../../test/support/long.ts'
import { ledgerRules } from '../rules.ts'
import { brokenLedgerRules, plantedExecutionBugs } from './planted.ts'
import { findWalk, walkOf, whyWalkFails } from './walks.ts'

/** The first seed, and how many of its sixty steps are needed. */
const FOUND: Readonly<Record<string, readonly [number, number]>> = {
  'no-spent-set': [2, 3],
  'spent-by-sender-and-amount': [6, 3],
  'minted-for-another': [2, 2],
  'minted-as-own': [1, 2],
  'refund-without-its-void': [5, 2],
  'refund-twice': [5, 5],
  'sequence-with-gaps': [1, 1],
  'sequence-again': [2, 2],
  'spends-more-than-it-has': [1, 1],
  'signature-for-any-ledger': [1, 1],
  'signatures-unchecked': [3, 1],
  'key-of-small-order': [1, 1],
  'firewall-off': [1, 1],
  'cap-off': [11, 2],
  'frozen-link-used': [5, 3],
  'old-link-again': [2, 1],
  'own-burned-others-released': [186, 3],
  'old-epoch-taken': [2, 4],
  'old-epoch-again': [8, 2],
  'unpledged-epoch': [1, 1],
}
const SEEDS_MAX = 400
/** What nobody may do is refused; all else happens. */
const NEVER = ['pay signed for no ledger', 'pay with a signature spoiled', 'epoch without pledges', 'epoch again']

describe('random walks of transactions', () => {
  it('keep the sums, and are not idle', () => {
    const taken = new Map<string, number>()
    for (let seed = 1; seed <= sized(40, 5_000); seed++)
      expect(whyWalkFails(walkOf(seed), ledgerRules, taken), `seed ${seed}`).toBeUndefined()
    for (const kind of NEVER) expect(taken.get(kind) ?? 0, kind).toBe(0)
    for (const kind of ['pay', 'burn', 'mint', 'void', 'refund', 'freeze', 'link again', 'epoch', 'follow'])
      expect(taken.get(kind) ?? 0, kind).toBeGreaterThan(0)
  }, 600_000)

  it('none of the planted bugs is forgotten', () =>
    expect(Object.keys(FOUND).sort()).toEqual(Object.keys(plantedExecutionBugs).sort()))

  it.each(Object.entries(FOUND))(
    'find %s, and shrink it: seed and steps %j',
    (bug, [seed, steps]) => {
      const found = findWalk(brokenLedgerRules(bug), SEEDS_MAX)!
      expect([found.seed, found.acts.length]).toEqual([seed, steps])
      // Nothing of it can be left out, and without the bug nothing is wrong.
      for (const place of found.acts.keys())
        expect(whyWalkFails(found.acts.toSpliced(place, 1), brokenLedgerRules(bug))).toBeUndefined()
      expect(whyWalkFails(found.acts, ledgerRules)).toBeUndefined()
    },
    120_000,
  )
})
