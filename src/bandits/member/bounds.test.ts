// What one user can take of a member that serves arms: the list in docs/reference/limits.md, filled to the bound and beyond.

import { describe, expect, it } from 'vitest'
import { listedUnder } from '../../../test/support/limits.ts'
import { Puppet } from '../../../test/support/machine.ts'
import { idealParties } from '../proof/ideal.ts'
import { banditRules } from '../rules.ts'
import { banditMember } from './machine.ts'
import { KNOWN_MAX, RUNS_OF_USER_MAX } from './state.ts'
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

const cases: Record<string, () => void> = {
  RUNS_OF_USER_MAX() {
    const owner = member()
    for (let at = 0; at < RUNS_OF_USER_MAX; at++) expect(invite(owner, 'eve', at)).toEqual(['asked'])
    expect(invite(owner, 'eve', RUNS_OF_USER_MAX)).toEqual(['declined'])
    // Said again it is none more, and another user has its own.
    expect(invite(owner, 'eve', 0)).toEqual([])
    expect(invite(owner, 'ann', RUNS_OF_USER_MAX + 1)).toEqual(['asked'])
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
