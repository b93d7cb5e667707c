// protocols/slots 8, after an epoch change: nothing is dealt until every lease of earlier epochs is over, however fast epochs
// follow each other, and whatever the leader of the next round says. Each bound is looked at just before its end.

import { describe, expect, it } from 'vitest'
import { BEAT, group, LIAR, type Lie, settings as shared, Table, TICK } from '../../../test/support/slots-table.ts'
import { NOTHING_SAVED, seededRandom } from '../../core/index.ts'
import { idealSignatures } from '../../crypto/index.ts'
import { slotsDefaults } from '../settings.ts'
import { slotsMember } from './machine.ts'
import { type EpochRecord, firstRecord, recordHash } from './record.ts'
import type { MemberState } from './state.ts'
import { type SlotsMessage, signedBytes } from './wire.ts'

const settings = { ...shared, liars: 0, drift: 0.1 }
const quiet = settings.lease * (1 + settings.drift)
const KEY_LATE = 300

/** Members leave one after the other. The leader of round 1, in every epoch, waits for nothing. */
function afterLeaving(leavers: readonly string[], hasty = true) {
  let changedAt = Number.NaN
  // Its key of the next epoch comes late, so that the epoch goes live late.
  const lie: Lie = (said, { now, states }) => {
    if (hasty || said.kind !== 'key' || states.get(LIAR)!.epoch.record.number === 0) return [said]
    if (Number.isNaN(changedAt)) changedAt = now
    return now < changedAt + KEY_LATE ? [] : [said]
  }
  const names = ['a', LIAR, 'c', 'd', ...leavers]
  const rules = hasty ? { [LIAR]: { quiet: () => 0 } } : {}
  const table = new Table(lie, { names, settings: { ...settings, slots: ['north'] }, rules })
  const first = table.states.get('a')!.epoch.hash
  const numberOf = (epoch: Uint8Array) => {
    const link = table.states.get('a')!.chain.find(({ record }) => recordHash(record).join() === epoch.join())
    return link?.record.number ?? (first.join() === epoch.join() ? 0 : -1)
  }
  const saidIn = (kind: string, number: number, who: string) =>
    table.said.filter(
      ({ by, body }) => by === who && body.author === who && body.kind === kind && numberOf(body.epoch) === number,
    )
  table.run(100, () => saidIn('share', 0, 'a').length > 0)
  for (const [place, leaver] of leavers.entries()) {
    table.command(leaver, { kind: 'leave' })
    table.run(300, () => table.states.get('a')!.epoch.record.number === place + 1)
  }
  const last = leavers.length
  table.run(300, () => ['a', 'c', 'd'].every(who => saidIn('seal', last, who).length > 0))
  const firstOf = (kind: string, number: number, who: string) => saidIn(kind, number, who)[0]?.at ?? Number.NaN
  return { last, firstOf }
}

describe('nobody seals, so that nobody shares, before its own wait is over', () => {
  it.each([
    ['one epoch', ['e']],
    ['two epochs within a lease (S09, S10)', ['e', 'f']],
    ['three', ['e', 'f', 'g']],
  ])('%s, and the leader opens at once', (_what, leavers) => {
    const { last, firstOf } = afterLeaving(leavers)
    const opened = firstOf('header', last, LIAR)
    for (const who of ['a', 'c', 'd']) {
      // It has signed the last change; each share that it gave was given before.
      const until = firstOf('sign', last - 1, who) + quiet
      expect(opened).toBeLessThan(until - 5 * BEAT)
      expect(firstOf('seal', last, who)).toBeGreaterThanOrEqual(until)
      expect(firstOf('seal', last, who)).toBeLessThan(until + BEAT + 2 * TICK)
    }
    // All of it happened within one lease of the first share.
    expect(opened - firstOf('share', 0, 'a')).toBeLessThan(settings.lease)
  })
  it('an honest leader does not even open before everybody else may seal', () => {
    const { last, firstOf } = afterLeaving(['e'], false)
    const live = Math.max(...['a', LIAR, 'c', 'd'].map(who => firstOf('ready', last, who)))
    expect(live).toBeGreaterThan(firstOf('sign', last - 1, LIAR) + KEY_LATE)
    expect(firstOf('header', last, LIAR)).toBeGreaterThanOrEqual(live + quiet)
    expect(firstOf('header', last, LIAR)).toBeLessThan(live + quiet + 2 * BEAT)
  })
})

describe('since when a member counts', () => {
  const signatures = idealSignatures()
  const names = ['a', 'b', 'c', 'd', 'e']
  const members = names.map(name => ({ name, identity: signatures.signer(name).publicKey }))
  const own = { ...slotsDefaults, ...settings }
  const first = firstRecord(own, members, group.name)

  /** A member alone, told of successors that a quorum signed. */
  function told(self: string, from: EpochRecord = first) {
    const machine = slotsMember({ settings: own, members, group, signer: signatures.signer(self), signatures })
    const state = machine.init(self, names, NOTHING_SAVED)
    const random = seededRandom(3)
    const turn = { below: (bound: number) => random.below(bound), bytes: (length: number) => random.bytes(length) }
    const step = (input: Parameters<typeof machine.step>[1], now: number) =>
      machine.step(state, input, { ...turn, now, do: () => {} })
    step({ kind: 'start' }, 0)
    let record = from
    const succeeded = (change: Partial<EpochRecord>, now: number) => {
      const next = { ...record, number: record.number + 1, previous: recordHash(record), ...change }
      const said = { kind: 'sign', epoch: recordHash(record), round: 0, ballot: 1, record: recordHash(next) } as const
      const signed = ['a', 'b', 'c', 'd'].map(author => {
        const words = { ...said, author, signature: new Uint8Array() }
        return { author, signature: signatures.signer(author).sign(signedBytes(words)) }
      })
      const link = { record: next, ballot: 1, signatures: signed }
      const words = { kind: 'succeeded', author: 'a', epoch: said.epoch, round: 0, link, signature: new Uint8Array() }
      step({ kind: 'message', from: 'a', body: words as SlotsMessage }, now)
      record = next
      expect(state.epoch.record).toEqual(next)
    }
    return { state: state as MemberState, succeeded }
  }

  it('who did not sign counts from when it hears of the change', () => {
    const { state, succeeded } = told('c')
    succeeded({}, 500)
    expect(state.epoch.quietUntil).toBe(500 + quiet)
  })
  it('who signed, from its signature: it gave no share since', () => {
    const { state, succeeded } = told('c')
    state.epoch.succession.signedAt = 400
    succeeded({}, 500)
    expect(state.epoch.quietUntil).toBe(400 + quiet)
  })
  it('who was absent, from when it hears of it, also if it signed: others may have shared since', () => {
    const { state, succeeded } = told('e')
    succeeded({ members: members.slice(0, 4), absent: members.slice(4) }, 500)
    state.epoch.succession.signedAt = 550
    succeeded({ members, absent: [] }, 900)
    expect(state.epoch.quietUntil).toBe(900 + quiet)
  })
  it('a second epoch never shortens the wait of the first, also with a shorter lease', () => {
    const { state, succeeded } = told('c')
    succeeded({}, 500)
    succeeded({ lease: 10 }, 510)
    expect(state.epoch.quietUntil).toBe(500 + quiet)
  })
})
