import { describe, expect, it } from 'vitest'
import { type Composed, compose, composeRules, type PartCommand, type Parts, type Wire } from './compose.ts'
import { createHost } from './host.ts'
import { type AnyProtocol, type Input, NOTHING_SAVED, type Protocol, type Saved, type Turn } from './process.ts'

/** A part that tells everything that happens to it. */
const telltale: AnyProtocol = {
  name: 'telltale',
  init: (_self, _peers, saved: Saved) => ({ records: saved.get('')!.map(record => record[0]) }),
  step(_state, input, turn) {
    turn.do({ kind: 'emit', event: input })
    if (input.kind === 'start') turn.do({ kind: 'timer', name: 'a/b', after: 1 })
  },
}

function bed(saved: Saved = NOTHING_SAVED) {
  const events: unknown[] = []
  const timers: string[] = []
  const none = () => {}
  const node = compose('node', { one: telltale, two: telltale })
  const host = createHost(node, 'me', [], saved, {
    now: () => 0,
    below: () => 0,
    bytes: length => new Uint8Array(length),
    send: none,
    cancel: none,
    save: none,
    forget: none,
    timer: name => timers.push(name),
    emit: event => events.push(event),
  })
  return { host, events, timers }
}

describe('a node of several parts', () => {
  it('starts and stops all of them', () => {
    const { host, events } = bed()
    host.input({ kind: 'start' })
    host.input({ kind: 'stop' })
    expect(events).toEqual([
      { part: 'one', body: { kind: 'start' } },
      { part: 'two', body: { kind: 'start' } },
      { part: 'one', body: { kind: 'stop' } },
      { part: 'two', body: { kind: 'stop' } },
    ])
  })
  it('gives a message and a command to its part alone', () => {
    const { host, events } = bed()
    host.input({ kind: 'message', from: 'peer', body: { part: 'two', body: 'hello' } })
    host.input({ kind: 'command', body: { part: 'one', body: 'do' } })
    expect(events).toEqual([
      { part: 'two', body: { kind: 'message', from: 'peer', body: 'hello' } },
      { part: 'one', body: { kind: 'command', body: 'do' } },
    ])
  })
  it('ignores messages for parts it does not run, however they are called', () => {
    const { host, events } = bed()
    for (const part of ['three', '', 'constructor', '__proto__', 'toString']) {
      host.input({ kind: 'message', from: 'peer', body: { part: part as 'one', body: 'hello' } })
    }
    expect(events).toEqual([])
  })
  it('keeps the timers of its parts apart', () => {
    const { host, events, timers } = bed()
    host.input({ kind: 'start' })
    expect(timers).toEqual(['one/a/b', 'two/a/b'])
    host.input({ kind: 'timer', name: 'two/a/b' })
    expect(events.at(-1)).toEqual({ part: 'two', body: { kind: 'timer', name: 'a/b' } })
  })
  it('gives each part what it saved itself', () => {
    const { host } = bed(
      new Map([
        ['two', [Uint8Array.of(5)]],
        ['one', []],
      ]),
    )
    expect(host.state).toEqual({ one: { records: [] }, two: { records: [5] } })
  })
  it('checks every part', () => {
    const node = compose('node', {
      fine: telltale,
      broken: {
        ...telltale,
        check: () => {
          throw new Error('broken part')
        },
      },
    })
    expect(() => node.check!(node.init('me', [], NOTHING_SAVED))).toThrow('broken part')
  })
  it('a state of no part, or a part without one, is a bug', () => {
    const node = compose('node', { one: telltale, two: telltale })
    const state = node.init('me', [], NOTHING_SAVED)
    node.check!(state)
    expect(() => node.check!({ one: state.one } as typeof state)).toThrow('every part has a state')
    expect(() => node.check!({ one: state.one, three: state.two } as unknown as typeof state)).toThrow(
      'every part has a state',
    )
  })
  it('refuses wires to nowhere, and parts whose names would mix up the timers', () => {
    const nowhere = { from: 'one', to: 'three', turn: () => undefined }
    expect(() => compose<Parts>('node', { one: telltale }, { wires: [nowhere] })).toThrow('wire one → three')
    expect(() => compose('node', { 'a/b': telltale })).toThrow("a part's name has no slash: a/b")
  })
})

type Counter = Protocol<{ count: number }, { kind: 'add'; by: number }, 'count', { kind: 'counted'; count: number }>
type Printer = Protocol<{ lines: string[] }, never, { line: string }, never>
type Desk = { readonly counter: Counter; readonly printer?: Printer }

const counter: Counter = {
  name: 'counter',
  init: () => ({ count: 0 }),
  step(state, input, turn) {
    if (input.kind === 'message') {
      state.count += input.body.by
      turn.do({ kind: 'save', record: Uint8Array.of(state.count) })
      turn.do({ kind: 'emit', event: { kind: 'counted', count: state.count } })
    }
  },
}
const printer: Printer = {
  name: 'printer',
  init: () => ({ lines: [] }),
  step(state, input) {
    if (input.kind === 'command') state.lines.push(input.body.line)
  },
}
const wires: readonly Wire<Desk>[] = [
  { from: 'counter', to: 'printer', turn: ({ count }) => (count > 1 ? { line: `${count}` } : undefined) },
]

describe('types follow from the parts', () => {
  const add = (by: number): Input<{ part: 'counter'; body: { kind: 'add'; by: number } }, never> => ({
    kind: 'message',
    from: 'peer',
    body: { part: 'counter', body: { kind: 'add', by } },
  })
  const run = (node: Composed<Desk>, state: ReturnType<Composed<Desk>['init']>) => {
    const turn: Turn<never, never> = { now: 0, below: () => 0, bytes: length => new Uint8Array(length), do: () => {} }
    node.step(state, add(2), turn)
    return state.printer?.lines
  }

  it('a wire knows the event it is given and the command it makes', () => {
    const node = compose<Desk>('desk', { counter, printer }, { wires })
    expect(node.wire!({ part: 'counter', body: { kind: 'counted', count: 2 } })).toEqual([
      { part: 'printer', body: { line: '2' } },
    ])
    expect(node.wire!({ part: 'counter', body: { kind: 'counted', count: 1 } })).toEqual([])
    // @ts-expect-error a printer has no such command
    const wrong: PartCommand<Desk> = { part: 'printer', body: 'count' }
    // @ts-expect-error there is no such part
    const nowhere: PartCommand<Desk> = { part: 'stapler', body: 'count' }
    // @ts-expect-error a counter's event has no line
    const odd: Wire<Desk> = { from: 'counter', to: 'printer', turn: ({ line }) => ({ line }) }
    expect([wrong, nowhere, odd].length).toBe(3)
  })
  it('a part that is not given is not run', () => {
    const node = compose<Desk>('desk', { counter })
    const state = node.init('me', [], NOTHING_SAVED)
    expect(run(node, state)).toBe(undefined)
    expect(Object.keys(state)).toEqual(['counter'])
  })
  it('a wire waits until its event is out, unless that very rule is broken', () => {
    const honest = compose<Desk>('desk', { counter, printer }, { wires })
    expect(run(honest, honest.init('me', [], NOTHING_SAVED))).toEqual([])
    const rules = { ...composeRules, waitsForEvent: () => false }
    const broken = compose<Desk>('desk', { counter, printer }, { wires, rules })
    expect(run(broken, broken.init('me', [], NOTHING_SAVED))).toEqual(['2'])
  })
})
