// What one lying member costs, in virtual time: seats that the others get beside it, against the same ring in which it is honest.
// The settings are those that follow from a lease of two seconds.

import { describe, expect, it } from 'vitest'
import { slotsDefaults } from '../../settings.ts'
import { type SlotsRules, slotsRules } from '../../verified/rules.ts'
import { type BusyTally, runBusyRing } from './busy-ring.ts'

const SECOND = 1_000_000
const LEASE_MS = 2_000
const SETTLE_MS = 4_000
const MEMBERS = 4
const settings = {
  ...slotsDefaults,
  name: 'channels',
  slots: ['oak', 'elm'],
  lease: LEASE_MS,
  beat: 100,
  checkMax: 400,
  patience: 1_500,
  settle: SETTLE_MS,
  liars: 1,
  onDemand: true,
}
const LIAR = `m${MEMBERS - 1}`
/** By then a liar was left out twice, or three times. */
const LATER = 15

function run(seconds: number, more: { liar?: string; liesFrom?: number; liesUntil?: number; rules?: SlotsRules } = {}) {
  return runBusyRing({ settings, members: MEMBERS, seed: 2, ...more }, seconds * SECOND)
}

function perSecond({ seats }: BusyTally, from: number, to: number): number {
  return seats.filter(at => at >= from * SECOND && at < to * SECOND).length / (to - from)
}

const honest = perSecond(run(20), 5, 20)

/** Of the honest ring's seats. */
function share(liar: string, broken: Partial<SlotsRules> = {}): number {
  return perSecond(run(45, { liar, rules: { ...slotsRules, ...broken } }), LATER, 45) / honest
}

function named({ events }: BusyTally): string[] {
  const names = events.map(({ event }) => (event.kind === 'cheat' || event.kind === 'forged' ? event.member : ''))
  return [...new Set(names)].filter(name => name !== '')
}

describe('half of the seats at least, once it was left out', () => {
  it.each(['slow', 'silent', 'forging', 'splitting', 'withheld-share', 'clinging'])('%s', liar => {
    expect(share(liar)).toBeGreaterThan(0.5)
  })
  it('planted: where each comes back as soon as it may, most of the time is spent on old leases', () => {
    expect(share('withheld-share', { waitsLonger: () => false })).toBeLessThan(0.5)
  })
  it('planted: where nothing adds up, and silence must be seen by all at once, whoever is late by chance stays', () => {
    const broken = { addsUp: () => false, lateness: (_before: number, word: number) => word, silenceCounts: () => 0 }
    expect(share('slow', broken)).toBeLessThan(0.5)
  })
})

describe('nothing, once it is honest', () => {
  it('the others get what they got before, and it is taken in again', () => {
    const after = run(50, { liar: 'slow', liesFrom: 5 * SECOND, liesUntil: 15 * SECOND })
    expect(perSecond(after, 30, 50) / honest).toBeGreaterThan(0.8)
    const last = after.events.findLast(({ event }) => event.kind === 'epoch')!.event
    expect(last.kind === 'epoch' && last.members).toContain(LIAR)
  })
  it('a member that was silent for a moment is back after settle and the change, and stays', () => {
    const moment = run(40, { liar: 'silent', liesFrom: 5 * SECOND, liesUntil: 8 * SECOND })
    const epochs = moment.events.filter(({ by, event }) => by === 'm0' && event.kind === 'epoch' && event.live)
    const [first, without, back, ...more] = epochs.map(({ at, event }) => ({ at, ...event }))
    expect(first).toBeDefined()
    expect(without).not.toHaveProperty('members', expect.arrayContaining([LIAR]))
    expect(back).toHaveProperty('members', expect.arrayContaining([LIAR]))
    expect((back!.at - without!.at) / 1_000).toBeLessThan(1.5 * SETTLE_MS)
    expect(more).toEqual([])
  })
})

describe('always-held', () => {
  it('is a holder that never lets go, which nobody may know: a lease a round, and no more', () => {
    const rounds = 45 / ((LEASE_MS * 1.02) / 1_000 + 2)
    // Three of four have a ticket that counts, for two slots.
    const seats = 2 * (3 / 4)
    expect(perSecond(run(45, { liar: 'always-held' }), 0, 45) * 45).toBeGreaterThan(rounds * seats * 0.7)
  })
})

describe('who brings what nobody signed', () => {
  it('is named by those to whom it brought it, and nobody else is', () => {
    expect(named(run(10, { liar: 'forging' }))).toEqual([LIAR])
  })
  it.each(['slow', 'silent', 'replaying', 'withheld-from-one'])('%s proves nothing: nobody is named', liar => {
    expect(named(run(10, { liar }))).toEqual([])
  })
})
