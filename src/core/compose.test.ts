import { describe, expect, it } from 'vitest'
import { compose, type Parts } from './compose.ts'
import { createHost } from './host.ts'
import { type AnyProtocol, NOTHING_SAVED, type Saved } from './process.ts'

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
  it('refuses wires to nowhere, and parts whose names would mix up the timers', () => {
    const nowhere = { from: 'one', to: 'three', turn: () => undefined }
    expect(() => compose<Parts>('node', { one: telltale }, { wires: [nowhere] })).toThrow('wire one → three')
    expect(() => compose('node', { 'a/b': telltale })).toThrow("a part's name has no slash: a/b")
  })
})
