// What one user can take of a member that serves arms: the list in docs/reference/limits.md, filled to the bound and beyond.

import { describe, expect, it } from 'vitest'
import { type Growing, gapsIn, listedUnder } from '../../../test/support/limits.ts'
import { Puppet, sent } from '../../../test/support/machine.ts'
import { encode } from '../../core/index.ts'
import { idealParties } from '../proof/ideal.ts'
import { banditRules } from '../rules.ts'
import { LEVELS } from '../settings.ts'
import { entryCodec } from './entries.ts'
import { briefOf, RUN_LOG_BYTES, saidAbout } from './log.ts'
import { banditMember } from './machine.ts'
import { KNOWN_MAX, LOG_BYTES_OF_USER_MAX, RUNS_OF_USER_MAX } from './state.ts'
import type { Terms } from './wire.ts'

const parties = idealParties()

function member() {
  const keysOf = ({ member: id }: { readonly member: string }) => parties.party(id)
  const settings = { keys: parties.keysOf('owner-1'), repeat: 250, rules: banditRules, keysOf }
  const puppet = new Puppet(banditMember(settings), [], undefined, 'owner-1')
  puppet.start()
  const know = (id: string) =>
    puppet.command({ kind: 'changed', view: { member: id, identity: new Uint8Array(), keys: [] } })
  for (const id of ['owner-2', 'north', 'south', 'eve', 'ann']) know(id)
  for (let at = 0; at < 20; at++) puppet.command({ kind: 'serve', name: `run-${at}`, arm: 'a', runs: 1 })
  return { puppet, know }
}

function terms(user: string, at: number): Terms {
  const seats = [
    { arm: 'a', member: 'owner-1' },
    { arm: 'b', member: 'owner-2' },
  ]
  const id = at.toString(16).padStart(32, user === 'eve' ? 'e' : 'a')
  const kind = { algorithm: 'successive-rejects', level: 'blind', audit: false, drops: false } as const
  const numbers = { budget: 20, batch: 0, least: 0, most: 1, patience: 1_000, pace: 0, armTimeout: 0 }
  return { id, name: `run-${at}`, user, shuffler: 'north', comparator: 'south', seats, ...kind, ...numbers }
}

/** What comes of an invitation: the owner is asked, or it is declined. */
function invite({ puppet }: ReturnType<typeof member>, user: string, at: number): string[] {
  return puppet
    .hear(user, { kind: 'invite', terms: terms(user, at) })
    .flatMap(one => (one.kind === 'emit' ? [one.event.kind] : one.kind === 'send' ? [one.body.kind] : []))
}

it.each(LEVELS)('%s: who is named in a run and has no part in it declines', level => {
  const { puppet } = member()
  const seats = ['owner-2', 'ann'].map((id, at) => ({ arm: `arm-${at}`, member: id }))
  const answer = (at: number, comparator: string, shuffler: string) => {
    const named: Terms = { ...terms('eve', at), level, algorithm: 'ucb1', seats, comparator, shuffler }
    const told = sent(puppet.hear('eve', { kind: 'invite', terms: named })).map(({ body }) => body)
    return told.find(({ kind }) => kind === 'accepted' || kind === 'declined')
  }
  const compares = level === 'blind' || level === 'sr-secured'
  expect(answer(1, 'owner-1', 'north')).toMatchObject(
    compares ? { kind: 'accepted' } : { kind: 'declined', why: "'owner-1' has no part in it" },
  )
  expect(answer(2, 'owner-1', 'owner-1')).toMatchObject({ kind: compares ? 'declined' : 'accepted' })
})

const cases: Record<string, () => void> = {
  RUNS_OF_USER_MAX() {
    const owner = member()
    for (let at = 0; at < RUNS_OF_USER_MAX; at++) expect(invite(owner, 'eve', at)).toEqual(['asked'])
    expect(invite(owner, 'eve', RUNS_OF_USER_MAX)).toEqual(['declined'])
    // Said again it is none more, and another user has its own.
    expect(invite(owner, 'eve', 0)).toEqual([])
    expect(invite(owner, 'ann', RUNS_OF_USER_MAX + 1)).toEqual(['asked'])
  },
  /** As shuffler a member takes part without being asked: its log is on its disk, and others choose what is in it. */
  LOG_BYTES_OF_USER_MAX() {
    const owner = member()
    const { puppet } = owner
    let written = 0
    const count = (out: ReturnType<typeof puppet.hear>) => {
      const entries = out.flatMap(one => (one.kind === 'emit' && one.event.kind === 'log' ? [one.event.entry] : []))
      written += entries.reduce((sum, entry) => sum + encode(entryCodec, entry).length, 0)
      return out
    }
    const asShuffler = (user: string, at: number): Terms => {
      const seats = [
        { arm: 'a', member: 'owner-2' },
        { arm: 'b', member: 'north' },
      ]
      return { ...terms(user, at), shuffler: 'owner-1', seats, audit: true, budget: 1_000_000 }
    }
    const invited = (user: string, at: number) =>
      count(puppet.hear(user, { kind: 'invite', terms: asShuffler(user, at) })).flatMap(one =>
        one.kind === 'send' ? [one.body.kind] : [],
      )
    // Runs that are begun and given up, one after the other: each leaves a file.
    expect(invited('eve', 0)).toContain('accepted')
    puppet.state.logged.set('eve', LOG_BYTES_OF_USER_MAX - 2 * RUN_LOG_BYTES)
    expect(invited('eve', 1)).toContain('accepted')
    const { id } = asShuffler('eve', 1)
    // Words that are no message of this run, as large as may be.
    written = 0
    for (let again = 0; again < 200; again++) {
      const body = { kind: 'answers', answers: new Array(32).fill(new Uint8Array(1_024)), lost: 0, again } as const
      const message = { ...body, verdict: new Uint8Array(1_024) }
      const brief = briefOf(parties.keysOf('eve').tools, message)
      const signature = parties.keysOf('eve').signer.sign(saidAbout(id, 'eve', 'owner-1', brief))
      count(puppet.hear('eve', { kind: 'said', id, body: message, signature }))
    }
    expect(written).toBeLessThanOrEqual(2 * RUN_LOG_BYTES)
    expect(puppet.state.logged.get('eve')).toBeLessThanOrEqual(LOG_BYTES_OF_USER_MAX)
    expect(invited('eve', 2)).toEqual(['declined'])
    expect(invited('ann', 3)).toContain('accepted')
    // What was removed in between is found out at the next start.
    puppet.command({ kind: 'logs', user: 'eve', bytes: 0 })
    expect(invited('eve', 4)).toContain('accepted')
  },
  KNOWN_MAX() {
    const { puppet, know } = member()
    for (let at = 0; at < KNOWN_MAX + 5; at++) know(`name-${at}`)
    expect(puppet.state.known.size).toBe(KNOWN_MAX)
  },
}

describe('what a peer can fill', () => {
  it('is listed, and each has its case', () =>
    expect(Object.keys(cases).sort()).toEqual(listedUnder('What a peer can fill: private bandits')))
  it.each(Object.keys(cases))('%s', name => cases[name]!())
})

// A new field that can grow belongs into this list, with its bound.
describe('the list is whole: nothing that grows is without a bound', () => {
  const GROWING: Growing = {
    'Announced.keys': 'what membership tells',
    'Wanted.arms': 'its own: what its user asked for',
    'Search.drawers': 'its own: what its user asked for',
    'Search.values': 'its own: what its user asked for',
    'Hosted.roles': 'one for each role',
    'Kept.last': 'one for each party of a run and kind of message',
    'Kept.heads': 'one for each party of a run',
    'Asking.owners': 'its own: what its user asked for',
    'Asking.accepted': 'one for each party of a run',
    'BanditMemberState.known': 'KNOWN_MAX',
    'BanditMemberState.serving': 'its own: what its user asked for',
    'BanditMemberState.served': 'its own: what its user asked for',
    'BanditMemberState.runs': 'RUNS_OF_USER_MAX',
    'BanditMemberState.invited': 'RUNS_OF_USER_MAX',
    'BanditMemberState.closed': 'CLOSED_MAX',
    'BanditMemberState.ended': 'ENDED_MAX',
    'BanditMemberState.asking': 'its own: what its user asked for',
    'BanditMemberState.logged': 'one for each user whose runs left a log',
    'BanditMemberScene.own': 'empty between inputs',
    'BanditMemberScene.over': 'empty between inputs',
  }

  it('of the state', () => expect(gapsIn(['bandits/member/state.ts'], GROWING)).toEqual([]))
})
