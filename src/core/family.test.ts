// Machines of one kind, opened by name: what is kept apart, what is refused, and what the store looks like.

import { describe, expect, it } from 'vitest'
import { compose } from './compose.ts'
import { SettingsError } from './errors.ts'
import { type FamilyCommand, family, type Kin, lettingGo } from './family.ts'
import { createHost } from './host.ts'
import { type Input, NOTHING_SAVED, type Protocol, type Saved } from './process.ts'

interface Settings {
  readonly name: string
  readonly size: number
}
interface Word {
  readonly name: string
  readonly body: string
}

type Telltale = Protocol<{ records: number[]; steps: number }, Word, string, unknown>

/** Tells everything that happens to it; on command it saves, or does what a machine of a family must not. */
const telltale: Telltale = {
  name: 'telltale',
  init: (_self, _peers, saved) => ({ records: saved.get('')!.map(record => record[0]!), steps: 0 }),
  step(state, input, turn) {
    state.steps++
    if (input.kind === 'start') turn.do({ kind: 'timer', name: 'a/b', after: 1 })
    if (input.kind === 'command' && input.body === 'save') turn.do({ kind: 'save', record: Uint8Array.of(7) })
    if (input.kind === 'command' && input.body === 'snapshot') turn.do({ kind: 'snapshot', record: Uint8Array.of(7) })
    if (input.kind === 'command' && input.body === 'forget') turn.do({ kind: 'forget' })
    turn.do({ kind: 'emit', event: input })
  },
  check: state => {
    if (state.steps > 5) throw new Error('too many steps')
  },
}

const kin: Kin<Settings, { records: number[]; steps: number }, Word, string, unknown> = {
  name: 'things',
  openMax: 2,
  machine: () => telltale,
  fingerprint(_self, { size }) {
    if (size < 0) throw new SettingsError('a size is not negative.')
    return Uint8Array.of(size)
  },
  otherSettings: 'it has another size.',
}

type Things = ReturnType<
  ReturnType<typeof family<Settings, { records: number[]; steps: number }, Word, string, unknown>>['init']
>

function bed(saved: Saved = NOTHING_SAVED) {
  const events: unknown[] = []
  const timers: string[] = []
  const records: number[][] = []
  const node = compose('node', { things: family(kin) })
  const host = createHost(node, 'me', ['peer'], saved, {
    now: () => 0,
    below: () => 0,
    bytes: length => new Uint8Array(length),
    send: () => {},
    cancel: () => {},
    forget: () => {},
    save(_lane, record, _kind, durable) {
      records.push([...record])
      durable?.()
    },
    timer: name => timers.push(name),
    emit: event => events.push(event.body),
  })
  const give = (body: FamilyCommand<Settings, string>) =>
    host.input({ kind: 'command', body: { part: 'things', body } })
  const open = (name: string, size = 1) => give({ kind: 'open', settings: { name, size } })
  const tell = (name: string, body: string) => give({ kind: 'tell', name, body })
  return { host, events, timers, records, open, tell }
}

const said = (name: string, body: Input<Word, string>) => ({ kind: 'said', name, body })
const utf8 = (text: string) => [...new TextEncoder().encode(text)]

describe('a family of machines', () => {
  it('opens each by its name, and says so; again it says only so', () => {
    const { events, open } = bed()
    open('one')
    open('one')
    const opened = { kind: 'opened', name: 'one', settings: { name: 'one', size: 1 } }
    expect(events).toEqual([said('one', { kind: 'start' }), opened, opened])
  })
  it('keeps messages, commands and timers apart, and drops what is for a name that is not open', () => {
    const { host, events, timers, open, tell } = bed()
    open('one')
    open('two')
    events.length = 0
    expect(timers).toEqual(['things/one/a/b', 'things/two/a/b'])
    host.input({ kind: 'timer', name: 'things/two/a/b' })
    const word = (name: string) => ({ name, body: 'hello' })
    for (const name of ['one', 'three', '__proto__']) {
      host.input({ kind: 'message', from: 'peer', body: { part: 'things', body: word(name) } })
      tell(name, 'do')
    }
    expect(events).toEqual([
      said('two', { kind: 'timer', name: 'a/b' }),
      said('one', { kind: 'message', from: 'peer', body: word('one') }),
      said('one', { kind: 'command', body: 'do' }),
    ])
  })
  it('stops all of them', () => {
    const { host, events, open } = bed()
    open('one')
    open('two')
    events.length = 0
    host.input({ kind: 'stop' })
    expect(events).toEqual([said('one', { kind: 'stop' }), said('two', { kind: 'stop' })])
  })
  it('writes the bytes that stores have: 0 name fingerprint, 1 name record', () => {
    const { records, open, tell } = bed()
    open('one')
    tell('one', 'save')
    expect(records).toEqual([
      [0, 3, ...utf8('one'), 1, 1],
      [1, 3, ...utf8('one'), 1, 7],
    ])
  })
  it('gives each what it saved itself, once it is opened', () => {
    const first = bed()
    first.open('one')
    first.open('two', 2)
    first.tell('two', 'save')
    const saved = new Map([['things', first.records.map(record => Uint8Array.from(record))]])
    const { host, records, open } = bed(saved)
    open('two', 2)
    open('one')
    const states = [...host.state.things.open].map(([name, { state }]) => [name, state.records])
    expect(states).toEqual([
      ['two', [7]],
      ['one', []],
    ])
    // What is known is not saved again.
    expect(records).toEqual([])
  })
  it('refuses other settings, also after a restart, too many, and what its kin refuses', () => {
    const first = bed()
    first.open('one')
    first.open('one', 2)
    first.open('bad', -1)
    first.open('two')
    first.open('three')
    const shuts = first.events.flatMap(event => ((event as { kind: string }).kind === 'shut' ? event : []))
    expect(shuts).toEqual([
      { kind: 'shut', name: 'one', why: 'things "one": it has another size.' },
      { kind: 'shut', name: 'bad', why: 'a size is not negative.' },
      { kind: 'shut', name: 'three', why: 'things "three": 2 are open already.' },
    ])
    const again = bed(new Map([['things', first.records.map(record => Uint8Array.from(record))]]))
    again.open('one', 2)
    expect(again.events).toEqual([{ kind: 'shut', name: 'one', why: 'things "one": it has another size.' }])
  })
  it('a name that was let go may mean something else, and never again what it meant', () => {
    const first = bed()
    first.open('one')
    first.open('two', 2)
    first.tell('one', 'save')
    const lane: Uint8Array[] = first.records.map(record => Uint8Array.from(record))
    expect(lettingGo(lane, 'three')).toBeUndefined()
    lane.push(lettingGo(lane, 'one')!)
    // It is let go once.
    expect(lettingGo(lane, 'one')).toBeUndefined()
    const again = bed(new Map([['things', lane]]))
    again.open('one', 1)
    const why = expect.stringMatching(/^things "one": it was let go here with these very settings/)
    expect(again.events).toEqual([{ kind: 'shut', name: 'one', why }])
    again.open('one', 5)
    // Nothing of what it had saved comes back, and the others keep theirs.
    expect(again.host.state.things.open.get('one')?.state.records).toEqual([])
    again.open('two', 2)
    expect(again.host.state.things.open.size).toBe(2)
    // Nor after the next restart.
    lane.push(...again.records.map(record => Uint8Array.from(record)))
    lane.push(lettingGo(lane, 'one')!)
    const third = bed(new Map([['things', lane]]))
    for (const size of [1, 5]) third.open('one', size)
    expect(third.events).toEqual([1, 5].map(() => ({ kind: 'shut', name: 'one', why })))
  })
  it.each(['snapshot', 'forget'])(
    'a machine that asks for a %s is a bug: it would drop what the others saved',
    what => {
      const { open, tell } = bed()
      open('one')
      expect(() => tell('one', what)).toThrow(`a machine of a family does not ask for a ${what}`)
    },
  )
  it('a record that cannot be read stops the node', () => {
    expect(() => bed(new Map([['things', [Uint8Array.of(9)]]]))).toThrow('cannot be read')
  })
  it('a record of a name that was never opened stops the node', () => {
    const saved = new Map([['things', [Uint8Array.of(1, 3, ...utf8('one'), 1, 7)]]])
    expect(() => bed(saved)).toThrow("a saved record of 'one', which was never opened")
  })
  it('a name with a slash would mix up the timers', () => {
    expect(() => bed().open('one/two')).toThrow('a name has no slash')
  })
  it.each<[string, string, (state: Things) => void]>([
    [
      'more than may be',
      'at most 2 are open',
      ({ open }) => {
        for (const name of ['two', 'three']) open.set(name, open.get('one')!)
      },
    ],
    ['under another name', 'two is open under its own name', ({ open }) => open.set('two', open.get('one')!)],
    ['and forgotten', 'one is known since it was opened', ({ known }) => known.delete('one')],
    [
      'with records that it was not given',
      'was given its records',
      ({ known }) => {
        known.get('one')!.records.push(Uint8Array.of(7))
      },
    ],
  ])('open %s is a bug', (_what, broken, spoil) => {
    const { host, open, tell } = bed()
    open('one')
    spoil(host.state.things)
    expect(() => tell('one', 'do')).toThrow(broken)
  })
  it('checks every machine', () => {
    const { open, tell } = bed()
    open('one')
    for (let i = 0; i < 4; i++) tell('one', 'do')
    expect(() => tell('one', 'do')).toThrow('too many steps')
  })
})
