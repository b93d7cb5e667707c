// A user is told an answer or an error, also where its process is killed on the way (protocols/bandits 8 and 13).

import { describe, expect, it } from 'vitest'
import { Puppet, sent, told } from '../../../test/support/machine.ts'
import { idealParties } from '../proof/ideal.ts'
import { banditRules } from '../rules.ts'
import type { Level } from '../settings.ts'
import type { BanditMessage } from '../wire.ts'
import { banditMember } from './machine.ts'
import type { Wanted } from './state.ts'

const parties = idealParties()
const PATIENCE_MS = 10_000
const OWNERS = ['owner-1', 'owner-2']
const EVERYBODY = [...OWNERS, 'north', 'south', 'ann']
const LEVELS: readonly Level[] = ['blind', 'ucb-ds', 'sr-secured']

function puppetOf(id: string, records: readonly Uint8Array[] = []) {
  const settings = {
    keys: parties.keysOf(id),
    repeat: 250,
    rules: banditRules,
    keysOf: ({ member }: { readonly member: string }) => parties.party(member),
  }
  const puppet = new Puppet(banditMember(settings), [], new Map([['', records]]), id)
  puppet.start()
  for (const member of EVERYBODY) {
    if (member !== id) puppet.command({ kind: 'changed', view: { member, identity: new Uint8Array(), keys: [] } })
  }
  return puppet
}

function wantedAt(level: Level): Wanted {
  const fixed = { name: 'colour', arms: ['a', 'b'], budget: 20, batch: 0, rewards: [0, 1], level } as const
  const common = { ...fixed, patience: PATIENCE_MS, audit: false, shuffler: 'north' }
  if (level === 'blind') return { ...common, algorithm: 'ucb1', comparator: 'south' }
  if (level !== 'sr-secured') return { ...common, algorithm: 'ucb1', comparator: 'north' }
  const search = { drawers: ['owner-1'], values: [1, 2], epsilon: 1 }
  return { ...common, algorithm: 'successive-rejects', comparator: 'south', search }
}

/** A user whose run has begun: all have agreed. */
function begun(level: Level) {
  const wanted = wantedAt(level)
  const user = puppetOf('ann')
  const out = user.command({ kind: 'ask', wanted })
  for (const [at, arm] of wanted.arms.entries()) {
    if (level !== 'sr-secured') out.push(...user.hear(OWNERS[at]!, { kind: 'serves', name: 'colour', arms: [arm] }))
  }
  const invitations = sent(out).filter(({ body }) => body.kind === 'invite')
  const north = invitations.find(({ to }) => to === 'north')!
  const accepted = sent(puppetOf('north').hear('ann', north.body)).find(({ body }) => body.kind === 'accepted')!
  for (const { to } of invitations) user.hear(to, accepted.body)
  const { id } = (north.body as { readonly terms: { readonly id: string } }).terms
  const hear = (body: BanditMessage) => user.hear('north', { kind: 'said', id, body, signature: new Uint8Array() })
  return { user, wanted, hear }
}

const kinds = (events: readonly { readonly kind: string }[]) => events.map(({ kind }) => kind)

describe.each(LEVELS)('%s: the user', level => {
  it('is told why there is no answer, before the run is forgotten', () => {
    const { hear } = begun(level)
    const effects = hear({ kind: 'stop', why: 'a lie' }).map(effect =>
      effect.kind === 'emit' ? effect.event.kind : effect.kind,
    )
    expect(effects.filter(kind => kind === 'stopped')).toHaveLength(1)
    expect(effects.indexOf('stopped')).toBeGreaterThan(effects.indexOf('save'))
    expect(effects.indexOf('stopped')).toBeLessThan(effects.lastIndexOf('save'))
  })

  it('is told after the restart where it was killed in between, and may then ask anew', () => {
    const { user, wanted, hear } = begun(level)
    hear({ kind: 'stop', why: 'a lie' })
    const again = puppetOf('ann', user.records.slice(0, -1))
    expect(told(again.command({ kind: 'ask', wanted }))).toContainEqual({
      kind: 'stopped',
      name: 'colour',
      why: 'a lie',
    })
    expect(kinds(told(again.command({ kind: 'ask', wanted })))).toEqual([])
    expect(again.state.asking.has('colour')).toBe(true)
  })

  it('that asks again long after its restart is told when its time is up', () => {
    const { user, wanted } = begun(level)
    user.restart()
    user.pass(65_000)
    user.command({ kind: 'ask', wanted })
    expect(kinds(told(user.pass(PATIENCE_MS - 1)))).not.toContain('stopped')
    expect(told(user.pass(2))).toContainEqual({ kind: 'stopped', name: 'colour', why: 'there was no answer in time' })
  })
})

/** What a user that was killed before its run began has sent, and what it sends in its next life. */
function askedTwice() {
  const user = puppetOf('ann')
  const ask = (id: number) => {
    user.drawn.push(new Uint8Array(16).fill(id))
    const out = user.command({ kind: 'ask', wanted: wantedAt('sr-secured') })
    return sent(out).find(({ to, body }) => to === 'north' && body.kind === 'invite')!.body
  }
  const before = ask(1)
  user.lose()
  for (const member of EVERYBODY) {
    if (member !== 'ann') user.command({ kind: 'changed', view: { member, identity: new Uint8Array(), keys: [] } })
  }
  return { user, before, now: ask(2) }
}

describe('an invitation of a life that was killed before its run began', () => {
  it('comes late: the run of today stands', () => {
    const { user, before, now } = askedTwice()
    const north = puppetOf('north')
    const [accepted] = sent(north.hear('ann', now))
    const [again] = sent(north.hear('ann', before)).filter(({ to }) => to === 'ann')
    expect(again).toEqual(accepted)
    expect(sent(user.hear('north', again!.body)).filter(({ body }) => body.kind === 'over')).toEqual([])
    expect([...north.state.runs.keys()]).toEqual(['02'.repeat(16)])
  })

  it('came in time: who took it hears that it is over, and takes the next', () => {
    const { user, before, now } = askedTwice()
    const north = puppetOf('north')
    north.hear('ann', before)
    const [still] = sent(north.hear('ann', now)).filter(({ to }) => to === 'ann')
    const over = sent(user.hear('north', still!.body))
    expect(over).toEqual([{ to: 'north', body: { kind: 'over', id: '01'.repeat(16) } }])
    north.hear('ann', over[0]!.body)
    north.hear('ann', now)
    expect([...north.state.runs.keys()]).toEqual(['02'.repeat(16)])
  })
})
