// What gossip tells the election (protocols/election): who stands, who seems gone, whose failure is certified, and what
// an operator agreed to.

import { describe, expect, it } from 'vitest'
import type { ElectionCommand, Electorate } from '../../election/index.ts'
import { firstElectorate } from '../../election/index.ts'
import type { MemberStatus, MemberView } from '../../membership/index.ts'
import { hints } from './machine.ts'
import { DISTANCE_TOLERANCE, standing, standsFor } from './standing.ts'
import { CALLERS_MAX, type HintCommand, type HintEvent, type HintState, VIEWS_MAX, WISHES_MAX } from './state.ts'

const key = (id: string) => new TextEncoder().encode(id)
const list = (...ids: string[]): Electorate => firstElectorate(ids.map(id => ({ id, key: key(id), sealKey: key(id) })))

function view(member: string, attributes: Record<string, number> = {}, status: MemberStatus = 'alive'): MemberView {
  return {
    member,
    status,
    incarnation: 1,
    address: `${member}:1`,
    identity: new Uint8Array(),
    keys: [],
    attributes: new Map(Object.entries(attributes)),
    coordinate: undefined,
  }
}

function bed() {
  const attributes = [{ name: 'battery', best: 'large', tolerance: 0 }] as const
  const machine = hints({
    attributes,
    keysOf: ({ member }) => (member === 'keyless' ? undefined : { key: key(member), sealKey: key(member) }),
  })
  const state = machine.init('anna', [], new Map())
  const events: HintEvent[] = []
  const timers = new Map<string, number>()
  const turn = {
    now: 0,
    below: () => 0,
    bytes: (length: number) => new Uint8Array(length),
    do(effect: Parameters<Parameters<typeof machine.step>[2]['do']>[0]) {
      if (effect.kind === 'emit') events.push(effect.event)
      if (effect.kind === 'timer') timers.set(effect.name, effect.after)
      if (effect.kind === 'cancel') timers.delete(effect.name)
    },
  }
  const step = (input: Parameters<typeof machine.step>[1]) => {
    events.length = 0
    machine.step(state, input, turn)
    machine.check!(state)
    return [...events]
  }
  const give = (body: HintCommand) => step({ kind: 'command', body })
  const told = (body: HintCommand): ElectionCommand[] =>
    give(body).flatMap(event => (event.kind === 'tell' ? event.command : []))
  const fire = (name: string) => {
    timers.delete(name)
    return step({ kind: 'timer', name })
  }
  return { state, give, told, fire, timers }
}

const stands = { [standsFor('jobs')]: 1, battery: 2 }

describe('what gossip tells the election', () => {
  it('who stands, with which values, once a place is open; and again only when it changes', () => {
    const { told } = bed()
    told({ kind: 'changed', view: view('anna', stands) })
    expect(told({ kind: 'open', name: 'jobs' })).toEqual([
      { kind: 'open', name: 'jobs' },
      { kind: 'view', name: 'jobs', rows: [{ member: 'anna', values: [2_000] }] },
    ])
    expect(told({ kind: 'open', name: 'jobs' })).toEqual([])
    expect(told({ kind: 'changed', view: view('bela', { battery: 9 }) }).map(({ kind }) => kind)).toEqual([
      'failed',
      'seen',
    ])
    expect(told({ kind: 'changed', view: view('bela', stands) }).map(({ kind }) => kind)).toEqual([
      'failed',
      'seen',
      'view',
    ])
  })
  it('who is here and who is gone', () => {
    const { told } = bed()
    told({ kind: 'changed', view: view('anna') })
    told({ kind: 'changed', view: view('bela', stands, 'suspect') })
    expect(told({ kind: 'changed', view: view('cleo', stands, 'failed') })).toEqual([
      { kind: 'failed', members: ['cleo'] },
      { kind: 'seen', members: ['anna', 'bela'] },
    ])
  })
  // Found by `coterie sim member --liars 0 --seed 2`: a guest that stood kept two elections from ever electing.
  it('nothing of guests, although they stand; of a guest that is admitted at once', () => {
    const { told } = bed()
    told({ kind: 'electorate', electorate: list('anna', 'bela') })
    told({ kind: 'open', name: 'jobs' })
    told({ kind: 'changed', view: view('anna', stands) })
    expect(told({ kind: 'changed', view: view('guest', stands) }).map(({ kind }) => kind)).toEqual(['failed', 'seen'])
    const [tell] = told({ kind: 'electorate', electorate: list('anna', 'bela', 'guest') })
    expect(tell).toMatchObject({ kind: 'view', rows: [{ member: 'anna' }, { member: 'guest' }] })
    expect(told({ kind: 'electorate', electorate: list('anna', 'bela') })).toHaveLength(1)
  })
  it('that a failure is certified; the one that leads proposes it', () => {
    const { told } = bed()
    expect(told({ kind: 'certified', member: 'bela' })).toEqual([{ kind: 'vouch', member: 'bela', failures: 1 }])
    told({ kind: 'leads', name: 'jobs', leads: true })
    expect(told({ kind: 'certified', member: 'bela' })).toEqual([
      { kind: 'vouch', member: 'bela', failures: 2 },
      { kind: 'change', id: 0, change: { failures: [{ member: 'bela', count: 2 }] } },
    ])
    told({ kind: 'leads', name: 'jobs', leads: false })
    expect(told({ kind: 'certified', member: 'cleo' })).toHaveLength(1)
  })
})

describe('a change that an operator agreed to', () => {
  const ready = () => {
    const made = bed()
    made.give({ kind: 'electorate', electorate: list('anna', 'bela') })
    made.give({ kind: 'changed', view: view('guest') })
    return made
  }

  it('is allowed at once, proposed while this member leads, and over when the list has it', () => {
    const { give, told, fire, timers } = ready()
    const change = { add: { id: 'guest', key: key('guest'), sealKey: key('guest') } }
    expect(told({ kind: 'admit', id: 7, member: 'guest' })).toEqual([{ kind: 'allow', change }])
    expect(give({ kind: 'admit', id: 8, member: 'guest' })).toEqual([])
    expect(fire('propose')).toEqual([])
    give({ kind: 'leads', name: 'jobs', leads: true })
    expect(fire('propose')).toEqual([{ kind: 'tell', command: { kind: 'change', id: 0, change } }])
    const after = list('anna', 'bela', 'guest')
    expect(give({ kind: 'electorate', electorate: after })).toEqual([
      { kind: 'agreed', id: 7, number: after.number },
      { kind: 'agreed', id: 8, number: after.number },
    ])
    fire('propose')
    expect([...timers.keys()]).toEqual([])
    expect(give({ kind: 'admit', id: 9, member: 'guest' })).toEqual([{ kind: 'agreed', id: 9, number: after.number }])
  })
  it('is given up after half a minute', () => {
    const { give, fire, timers } = ready()
    give({ kind: 'expel', id: 1, member: 'bela' })
    expect(timers.get('expire:expel bela')).toBe(30_000)
    expect(fire('expire:expel bela')).toEqual([{ kind: 'declined', id: 1, why: 'late' }])
  })
  it('to expel a guest is done already; to expel a name that nobody bears is declined', () => {
    const { give } = ready()
    give({ kind: 'changed', view: view('keyless') })
    expect(give({ kind: 'expel', id: 2, member: 'keyless' })).toMatchObject([{ kind: 'agreed', id: 2 }])
    expect(give({ kind: 'expel', id: 3, member: 'nobody' })).toEqual([{ kind: 'declined', id: 3, why: 'unknown' }])
  })
  it.each(['nobody', 'keyless'])('for %s is declined', member => {
    const { give } = ready()
    give({ kind: 'changed', view: view('keyless') })
    expect(give({ kind: 'admit', id: 1, member })).toEqual([{ kind: 'declined', id: 1, why: 'unknown' }])
  })
  it('is declined when too many are under way, or too many wait for one', () => {
    const { give } = ready()
    for (let i = 0; i < CALLERS_MAX; i++) give({ kind: 'expel', id: i, member: 'bela' })
    expect(give({ kind: 'expel', id: 99, member: 'bela' })).toEqual([{ kind: 'declined', id: 99, why: 'crowded' }])
    for (let i = 1; i <= WISHES_MAX; i++) give({ kind: 'changed', view: view(`guest-${i}`) })
    for (let i = 1; i < WISHES_MAX; i++) give({ kind: 'admit', id: 100 + i, member: `guest-${i}` })
    const last = { kind: 'admit', id: 200, member: `guest-${WISHES_MAX}` } as const
    expect(give(last)).toEqual([{ kind: 'declined', id: 200, why: 'crowded' }])
  })
})

describe('what must hold between messages', () => {
  const ready = () => {
    const made = bed()
    made.give({ kind: 'electorate', electorate: list('anna', 'bela') })
    made.give({ kind: 'open', name: 'jobs' })
    made.give({ kind: 'expel', id: 1, member: 'bela' })
    return made
  }
  it.each<[string, (state: HintState) => void]>([
    [
      'wishes are bounded',
      ({ wishes }) => {
        for (let i = 0; i < WISHES_MAX; i++) wishes.set(`expel ${i}`, { change: { remove: `${i}` }, ids: [1] })
      },
    ],
    ['somebody waits for a wish', ({ wishes }) => wishes.get('expel bela')!.ids.splice(0)],
    ['a wish has its own name', ({ wishes }) => wishes.set('expel anna', wishes.get('expel bela')!)],
    ['a wish that the list fulfils is answered', state => (state.electorate = list('anna'))],
    ['told of every place that is open', ({ open }) => open.add('nights')],
    ['told of nights since it is open', ({ lastStanding, open }) => open.add('days') && lastStanding.set('nights', '')],
  ])('%s', (broken, spoil) => {
    const { state, give } = ready()
    spoil(state)
    expect(() => give({ kind: 'leads', name: 'jobs', leads: true })).toThrow(broken)
  })
  it('failures of names that came and went are forgotten, the oldest first', () => {
    const { state, give } = bed()
    for (let i = 0; i < VIEWS_MAX; i++) state.failures.set(`gone-${i}`, 1)
    give({ kind: 'certified', member: 'bela' })
    give({ kind: 'certified', member: 'bela' })
    expect([state.failures.size, state.failures.get('bela'), state.failures.has('gone-0')]).toEqual([
      VIEWS_MAX,
      2,
      false,
    ])
    state.failures.set('one more', 1)
    expect(() => give({ kind: 'leads', name: 'jobs', leads: true })).toThrow('failures are bounded')
  })
})

describe('values', () => {
  const attributes = [
    { name: 'distance', best: 'small' },
    { name: 'battery', best: 'large' },
  ] as const
  const valuesOf = (more: Record<string, number>) =>
    standing([view('anna', { ...stands, ...more })], 'jobs', attributes)[0]!.values

  it('are whole numbers, distances by doublings, and what nobody knows is behind everybody', () => {
    expect(valuesOf({ distance: 0, battery: 0.1234 })).toEqual([0, 123])
    expect(valuesOf({ battery: -1 })).toEqual([Number.MAX_SAFE_INTEGER, 0])
    expect(valuesOf({ battery: Number.MAX_VALUE })[1]).toBe(Number.MAX_SAFE_INTEGER)
    const [near, far] = [valuesOf({ distance: 20 })[0]!, valuesOf({ distance: 40 })[0]!]
    expect(far - near).toBeLessThanOrEqual(DISTANCE_TOLERANCE)
  })
})
