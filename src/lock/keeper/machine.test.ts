// The keeper, told as stories (protocols/lock 2, 5, 7).

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyMessage } from '../../../test/support/lock.ts'
import { Puppet, sent, told } from '../../../test/support/machine.ts'
import { lockDefaults } from '../settings.ts'
import type { LockMessage } from '../wire.ts'
import { lockKeeper } from './machine.ts'
import type { KeeperCommand, KeeperEvent, KeeperState } from './state.ts'

const SERVERS = ['s1', 's2', 's3', 's4']
const BLOCKED_MAX = 5_000
/** Four servers, one may lie: three answers count. */
const settings = { ...lockDefaults, liars: 1, ttlMax: 10_000, holder: 'ann#1', blockedMax: BLOCKED_MAX }
const TTL = 1_000
const BELIEF = Math.floor((TTL * 0.99) / 1.01)

class Keeper extends Puppet<KeeperState, LockMessage, KeeperCommand, KeeperEvent> {
  constructor() {
    super(lockKeeper(settings), SERVERS)
    this.start()
    this.alive()
  }

  alive() {
    return this.command({ kind: 'alive', at: this.now })
  }

  holds(id = 1, wish: Partial<KeeperCommand & { kind: 'hold' }> = {}) {
    return this.command({ kind: 'hold', id, name: 'a', token: 5, ttl: TTL, deadline: this.now + BELIEF, ...wish })
  }

  /** Until the next renewal leaves. */
  renews() {
    const out = sent(this.pass(Math.floor(0.3 * BELIEF)))
    return out.map(({ to, body }) => [to, body.kind])
  }

  answers(...servers: string[]) {
    const { attempt } = this.state.leases.get('a')!
    return told(
      servers.flatMap(from => this.hear(from, { kind: 'renewed', name: 'a', attempt, token: 5, held: 60_000 })),
    )
  }
}

describe('renewal', () => {
  it('asks every server in the holder’s name, before the holder itself would', () => {
    const keeper = new Keeper()
    keeper.holds()
    const out = sent(keeper.pass(Math.floor(BELIEF / 3) - 1))
    expect(out.map(({ to }) => to)).toEqual(SERVERS)
    expect(out[0]!.body).toEqual({ kind: 'keep', name: 'a', attempt: 1, token: 5, ttl: TTL, holder: 'ann#1' })
  })
  it('is proved by as many as make a holder, counted from when it was sent', () => {
    const keeper = new Keeper()
    keeper.holds()
    keeper.renews()
    const sentAt = keeper.now
    keeper.pass(100)
    expect(keeper.answers('s1', 's2')).toEqual([])
    expect(keeper.answers('s2'), 'twice is once').toEqual([])
    expect(keeper.answers('stranger')).toEqual([])
    expect(keeper.answers('s3')).toEqual([{ kind: 'kept', id: 1, name: 'a', deadline: sentAt + BELIEF }])
  })
  it('goes on, as long as servers answer', () => {
    const keeper = new Keeper()
    keeper.holds()
    for (let round = 0; round < 10; round++) {
      keeper.alive()
      expect(keeper.renews()).toHaveLength(SERVERS.length)
      expect(keeper.answers('s1', 's2', 's3')).toHaveLength(1)
    }
  })
  it('is tried again where answers are missing', () => {
    const keeper = new Keeper()
    keeper.holds()
    expect(keeper.renews()).toHaveLength(SERVERS.length)
    expect(keeper.renews()).toHaveLength(SERVERS.length)
    expect(keeper.answers('s1', 's2', 's4')).toHaveLength(1)
  })
  it('answers to an earlier one do not count', () => {
    const keeper = new Keeper()
    keeper.holds()
    keeper.renews()
    const { attempt } = keeper.state.leases.get('a')!
    keeper.renews()
    for (const server of SERVERS) {
      expect(told(keeper.hear(server, { kind: 'renewed', name: 'a', attempt, token: 5, held: 60_000 }))).toEqual([])
    }
  })
  it.each(['notRenewed', 'granted'] as const)('%s is no renewal', kind => {
    const keeper = new Keeper()
    keeper.holds()
    keeper.renews()
    const { attempt } = keeper.state.leases.get('a')!
    for (const server of SERVERS)
      expect(told(keeper.hear(server, { kind, name: 'a', attempt, token: 5, held: 60_000 }))).toEqual([])
  })
  it('is put off by one that the holder made itself', () => {
    const keeper = new Keeper()
    keeper.holds()
    keeper.pass(200)
    keeper.holds(1)
    expect(sent(keeper.pass(Math.floor(0.3 * BELIEF) - 1))).toEqual([])
    expect(sent(keeper.pass(1))).toHaveLength(SERVERS.length)
  })
  it('asks for the ttl that the holder wants now, and counts by the one that was asked for', () => {
    const keeper = new Keeper()
    keeper.holds()
    keeper.renews()
    const sentAt = keeper.now
    keeper.holds(1, { ttl: 5_000, deadline: 0 })
    expect(keeper.answers('s1', 's2', 's3')).toEqual([{ kind: 'kept', id: 1, name: 'a', deadline: sentAt + BELIEF }])
    expect(sent(keeper.pass(1))[0]!.body).toMatchObject({ kind: 'keep', ttl: 5_000 })
  })
})

describe('a server that holds for less than was asked', () => {
  it('is believed for what it granted, not for what was asked', () => {
    const keeper = new Keeper()
    keeper.holds()
    keeper.renews()
    const sentAt = keeper.now
    const { attempt } = keeper.state.leases.get('a')!
    const short = ['s1', 's2', 's3'].flatMap(from =>
      told(keeper.hear(from, { kind: 'renewed', name: 'a', attempt, token: 5, held: 900 })),
    )
    expect(short).toMatchObject([{ kind: 'kept', deadline: sentAt + Math.floor((900 * 0.99) / 1.01) }])
  })
})

describe('the end', () => {
  it('what was dropped is renewed no more, and late answers are nothing', () => {
    const keeper = new Keeper()
    keeper.holds()
    keeper.renews()
    const { attempt } = keeper.state.leases.get('a')!
    keeper.command({ kind: 'drop', id: 1, name: 'a' })
    for (const server of SERVERS) {
      expect(told(keeper.hear(server, { kind: 'renewed', name: 'a', attempt, token: 5, held: 60_000 }))).toEqual([])
    }
    expect(sent(keeper.pass(10_000))).toEqual([])
    expect(keeper.timers.size).toBe(0)
  })
  it('a late drop does not end the next lease of the name', () => {
    const keeper = new Keeper()
    keeper.holds(1)
    keeper.holds(2, { token: 6 })
    keeper.command({ kind: 'drop', id: 1, name: 'a' })
    expect(sent(keeper.pass(400))[0]!.body).toMatchObject({ token: 6 })
  })
  // Its holder may have looked at the clock and stopped; and somebody may have seen it stop.
  it('what was over for a moment is not brought back', () => {
    const keeper = new Keeper()
    keeper.holds()
    keeper.pass(BELIEF - 1)
    keeper.now += 1
    expect(keeper.answers('s1', 's2', 's3', 's4')).toEqual([])
    expect(sent(keeper.pass(10_000))).toEqual([])
    expect(keeper.state.leases.size).toBe(0)
  })
  it('a holder that shows no life is kept for blockedMax', () => {
    const keeper = new Keeper()
    keeper.holds()
    let last = 0
    for (let round = 0; round < 40 && keeper.state.leases.size > 0; round++) {
      if (keeper.renews().length === 0) continue
      last = keeper.now
      keeper.answers('s1', 's2', 's3')
    }
    expect(keeper.state.leases.size).toBe(0)
    expect(last - 1_000).toBeLessThanOrEqual(BLOCKED_MAX)
    expect(last - 1_000).toBeGreaterThan(BLOCKED_MAX - BELIEF)
  })
  it('exactly: at blockedMax it is renewed, a moment later no more', () => {
    const first = new Keeper()
    first.holds()
    expect(first.renews()).toHaveLength(SERVERS.length)
    const renewedAt = first.now
    for (const [late, renewals] of [
      [0, SERVERS.length],
      [0.001, 0],
    ] as const) {
      const keeper = new Keeper()
      keeper.holds()
      keeper.state.aliveAt = renewedAt - BLOCKED_MAX - late
      expect(keeper.renews()).toHaveLength(renewals)
    }
  })
  it('one that comes back in time is kept again', () => {
    const keeper = new Keeper()
    keeper.pass(BLOCKED_MAX + 1)
    keeper.holds()
    expect(keeper.renews()).toEqual([])
    keeper.alive()
    expect(keeper.renews()).toHaveLength(SERVERS.length)
  })
})

it('no message makes it throw, or hold what it was not told to', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.constantFrom(...SERVERS, 'eve'), anyMessage), { maxLength: 20 }), heard => {
      const keeper = new Keeper()
      for (const [from, body] of heard) expect(told(keeper.hear(from, body))).toEqual([])
      expect(keeper.state.leases.size).toBe(0)
    }),
  )
})
