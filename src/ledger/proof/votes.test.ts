// The rule of attempts (protocols/ledger J5, J-5, J-6) in thousands of random schedules: never two values certified; and with
// each weakening of it, sometimes two.

import { describe, expect, it } from 'vitest'
import { type LedgerRules, ledgerRules } from '../rules.ts'
import { brokenLedgerRules } from './planted.ts'
import { certifiedBy, type VotingGroup } from './votes.ts'

const SCHEDULES = 4_000
const groups: readonly VotingGroup[] = [
  { servers: 4, crashes: 1, liars: 0 },
  { servers: 6, crashes: 1, liars: 1 },
  { servers: 7, crashes: 1, liars: 1 },
  { servers: 9, crashes: 2, liars: 1 },
  { servers: 11, crashes: 2, liars: 2 },
]

function count(group: VotingGroup, rules: LedgerRules, schedules = SCHEDULES) {
  let [none, two] = [0, 0]
  for (let seed = 1; seed <= schedules; seed++) {
    const { size } = certifiedBy(group, seed, rules)
    if (size === 0) none++
    if (size > 1) two++
  }
  return { none, two }
}

describe('never two values', () => {
  it.each(groups)('$servers servers, $crashes gone, $liars lying', group => {
    const { none, two } = count(group, ledgerRules)
    expect(two).toBe(0)
    // And something is certified often enough for that to mean anything.
    expect(none).toBeLessThan(SCHEDULES * 0.9)
  })
})

const [honest] = groups as [VotingGroup]
const weakened: [string, VotingGroup, Partial<LedgerRules>][] = [
  ['no reports', honest, brokenLedgerRules('no-reports')],
  ['the newest not kept', honest, brokenLedgerRules('newest-not-kept')],
  ['the promise not saved', honest, brokenLedgerRules('promise-not-saved')],
  ['the vote not saved', honest, brokenLedgerRules('vote-not-saved')],
  ['a vote below the promise', honest, brokenLedgerRules('vote-below-promise')],
  ['two votes in one attempt', honest, brokenLedgerRules('vote-twice')],
  ['a vote after a lost store', honest, brokenLedgerRules('votes-after-lost-store')],
  ['a certificate one short', honest, brokenLedgerRules('certificate-one-short')],
  ['fewer than 3f + 2b + 1 servers', { servers: 5, crashes: 1, liars: 1 }, {}],
]

describe('each weakening breaks it', () => {
  it.each(weakened)('%s', (_name, group, change) => {
    expect(count(group, { ...ledgerRules, ...change }, 20_000).two).toBeGreaterThan(0)
  })
})
