// The world as its nodes see it: clocks, timers, pauses, crashes, and the hash that says "the same run".

import { describe, expect, it } from 'vitest'
import { type Specimen, specimenCodec } from '../../test/support/codec.ts'
import { type AnyProtocol, type Effect, encode, type Protocol, type Saved, text } from '../core/index.ts'
import { heal, schedule } from './faults.ts'
import { generalLiars } from './liars.ts'
import { calm } from './network.ts'
import { type NodeSpec, type SimulatedNode, World } from './world.ts'

type Does = readonly Effect<string, string>[]

/** Does what a command says, tells every message and timer with its own clock, and remembers what it saved. */
const parrot: Protocol<{ saved: number }, string, Does, string> = {
  name: 'parrot',
  init: (_self, _peers, saved: Saved) => ({ saved: saved.get('')?.length ?? 0 }),
  step(state, input, turn) {
    if (input.kind === 'command') for (const effect of input.body) turn.do(effect)
    if (input.kind === 'message') turn.do({ kind: 'emit', event: `${input.from}: ${input.body}` })
    if (input.kind === 'timer') turn.do({ kind: 'emit', event: `${input.name} at ${turn.now}` })
    if (input.kind === 'start') turn.do({ kind: 'emit', event: `starts with ${state.saved}` })
    if (input.kind === 'stop') turn.do({ kind: 'save', record: Uint8Array.of(1) })
  },
}

function world(specs: readonly Partial<NodeSpec>[], seed = 1, network = calm) {
  const made = new World({ seed, network, record: true })
  const heard: string[] = []
  made.listen((node, event) => heard.push(`${node.spec.id} ${event}`))
  for (const [place, spec] of specs.entries()) {
    const id = `n${place}`
    made.add({ id, protocol: parrot, peers: [], vocabulary: text(100), ...spec })
    made.start(id)
  }
  heard.length = 0
  const tell = (id: string, ...effects: Does) => made.command(id, effects)
  return { world: made, heard, tell }
}
const send = (to: string, body: string): Does[number] => ({ kind: 'send', to, body })
const timer = (name: string, after: number): Does[number] => ({ kind: 'timer', name, after })
const save: Does[number] = { kind: 'save', record: Uint8Array.of(7) }

describe('clocks', () => {
  const clocks = [{ clockRate: 0.95 }, { clockRate: 1.05, clockOffset: 500 }, {}]
  it('when a clock shows a time is the inverse of what it shows then', () => {
    const { world: w } = world(clocks)
    for (const node of w.nodes.values()) {
      for (const at of [0, 1, 12_345, 9_999_999]) expect(w.whenClockShows(node, w.clock(node, at))).toBeCloseTo(at, 4)
    }
  })
  it('timers go by the local clock, and never fire early on it', () => {
    const { world: w, heard, tell } = world(clocks)
    for (const id of ['n0', 'n1', 'n2']) tell(id, timer('t', 100))
    w.run(200_000)
    const order = heard.map(line => line.split(' ')[0])
    expect(order, 'the fast clock first').toEqual(['n1', 'n2', 'n0'])
    for (const [line, started] of [
      [heard[0]!, 500],
      [heard[1]!, 0],
      [heard[2]!, 0],
    ] as const) {
      const shown = Number(line.split(' at ')[1])
      expect(shown - started).toBeGreaterThanOrEqual(100)
      expect(shown - started).toBeLessThan(100.01)
    }
  })
  it('a timer replaces the one of its name, and can be cancelled', () => {
    const { world: w, heard, tell } = world([{}])
    tell('n0', timer('t', 100), timer('t', 300), timer('u', 50), { kind: 'cancel', name: 'u' })
    w.run(1_000_000)
    expect(heard).toEqual(['n0 t at 300'])
  })
})

describe('pauses', () => {
  it('what happens to a paused node happens when it goes on, in order, and its clock has gone on', () => {
    const { world: w, heard, tell } = world([{}, {}])
    tell('n0', timer('t', 10))
    w.pause('n0')
    tell('n1', send('n0', 'one'))
    w.run(5_000)
    w.command('n0', [send('n1', 'late')])
    w.run(50_000)
    expect(heard).toEqual([])
    w.resume('n0')
    expect(heard).toEqual(['n0 n1: one', 'n0 t at 50'])
    w.run(60_000)
    expect(heard.at(-1)).toBe('n1 n0: late')
  })
  it('a node that crashes while it is paused misses it all', () => {
    const { world: w, heard, tell } = world([{}, {}])
    w.pause('n0')
    tell('n1', send('n0', 'one'))
    w.run(50_000)
    w.crash('n0')
    w.start('n0')
    w.run(90_000)
    expect(heard).toEqual(['n0 starts with 0'])
  })
})

describe('crashes', () => {
  it('timers and held-back words of the former life are void; messages reach the next one', () => {
    const { world: w, heard, tell } = world([{ diskMax: 900_000 }, {}])
    tell('n0', timer('t', 10), save, send('n1', 'promise'))
    tell('n1', send('n0', 'hello'))
    w.crash('n0')
    w.start('n0')
    w.run(2_000_000)
    expect(heard.filter(line => !line.includes('starts'))).toEqual(['n0 n1: hello'])
  })
  it('a clean stop finishes its writes, and the next start finds them', () => {
    const { world: w, heard, tell } = world([{ diskMax: 900_000 }])
    tell('n0', save, save)
    w.stop('n0')
    w.start('n0')
    w.run(2_000_000)
    expect(heard).toEqual(['n0 starts with 3'])
  })
  it('a node that is gone hears nothing', () => {
    const { world: w, heard, tell } = world([{}, {}])
    w.crash('n0')
    tell('n1', send('n0', 'hello'))
    w.run(50_000)
    w.start('n0')
    w.run(90_000)
    expect(heard).toEqual(['n0 starts with 0'])
  })
  it('healing brings back everybody but those who never return', () => {
    const { world: w } = world([{}, { returns: false }, {}])
    w.crash('n0')
    w.crash('n1')
    w.pause('n2')
    heal(w)
    const alive = (id: string) => w.node(id).host !== undefined && !w.node(id).paused
    expect(['n0', 'n1', 'n2'].map(alive)).toEqual([true, false, true])
  })
})

describe('partitions', () => {
  it('cut both ways or one way, for as long as they last', () => {
    const { world: w, heard, tell } = world([{}, {}])
    schedule(w, { kind: 'partition', at: 0, side: ['n0'], lasts: 10_000, oneWay: true })
    w.run(1)
    tell('n0', send('n1', 'lost'))
    tell('n1', send('n0', 'arrives'))
    w.run(20_000)
    tell('n0', send('n1', 'again'))
    w.run(40_000)
    expect(heard).toEqual(['n0 n1: arrives', 'n1 n0: again'])
  })
  it('the end of one does not mend what another cut, also for nodes that came between', () => {
    const { world: w, heard, tell } = world([{}])
    schedule(w, { kind: 'partition', at: 0, side: ['n0'], lasts: 10_000, oneWay: false })
    w.run(5_000)
    w.add({ id: 'late', protocol: parrot, peers: [], vocabulary: text(100) })
    w.start('late')
    heard.length = 0
    schedule(w, { kind: 'partition', at: 6_000, side: ['n0'], lasts: 50_000, oneWay: false })
    w.run(20_000)
    tell('n0', send('late', 'hello'))
    w.run(40_000)
    expect(heard).toEqual([])
  })
})

describe('one seed decides everything', () => {
  const chatter = (seed: number) => {
    const { world: w, tell } = world([{}, { clockRate: 1.01 }, {}], seed, {
      ...calm,
      loss: 0.2,
      duplication: 0.2,
      inOrder: false,
    })
    for (let i = 0; i < 50; i++)
      w.at(i * 700, () => tell(`n${i % 3}`, send(`n${(i + 1) % 3}`, `${i}`), timer(`t${i}`, i)))
    w.run(1_000_000)
    return w.traceHash()
  }
  it('the same seed gives the same trace hash, another another', () => {
    expect(chatter(5)).toBe(chatter(5))
    expect(new Set(Array.from({ length: 20 }, (_, seed) => chatter(seed))).size).toBe(20)
  })
  it('for ever: this number is the same on every machine', () =>
    expect(chatter(5)).toMatchInlineSnapshot(`"6c1e44b862f0afb4"`))
  it('a run that loops is stopped', () => {
    const echo: AnyProtocol = { ...parrot, step: (_s, _i, turn) => turn.do({ kind: 'timer', name: 't', after: 0 }) }
    const w = new World({ seed: 1, network: calm, eventsMax: 1_000 })
    w.add({ id: 'n', protocol: echo, peers: [], vocabulary: text(1) })
    w.start('n')
    expect(() => w.run(1)).toThrow('more than 1000 events')
  })
})

describe('liars that know no vocabulary', () => {
  const words: Specimen[] = [
    { kind: 'empty' },
    { kind: 'plain', name: 'a', count: 7, sure: true },
    { kind: 'deep', items: [{ key: Uint8Array.of(1, 2), weight: 1_000 }], note: undefined, small: 3 },
  ]
  /** Answers every message with all kinds of words. */
  const talker: AnyProtocol = {
    name: 'talker',
    init: () => ({}),
    step(_state, input, turn) {
      if (input.kind !== 'message') return
      for (const body of words) turn.do({ kind: 'send', to: input.from, body })
    },
  }
  const said = (protocol: AnyProtocol, lies: boolean) => {
    const w = new World({ seed: 3, network: calm })
    const heard: { from: string; body: Specimen }[] = []
    const ear: AnyProtocol = {
      name: 'ear',
      init: () => ({}),
      step(_state, input, turn) {
        if (input.kind === 'message') heard.push({ from: input.from, body: input.body })
        if (input.kind === 'command') turn.do({ kind: 'send', to: 'liar', body: { kind: 'empty' } })
      },
    }
    const nodes: SimulatedNode[] = []
    nodes.push(w.add({ id: 'liar', protocol, peers: [], vocabulary: specimenCodec, lies }))
    nodes.push(w.add({ id: 'ear', protocol: ear, peers: [], vocabulary: specimenCodec }))
    for (const { spec } of nodes) w.start(spec.id)
    for (let i = 0; i < 40; i++) w.at(i * 1_000, () => w.command('ear', undefined))
    w.run(10_000_000)
    return heard
  }

  it.each(generalLiars().map(liar => [liar.name, liar] as const))(
    '%s speaks only as itself, in words that exist',
    (name, liar) => {
      const heard = said(liar.corrupt(talker), true)
      expect(heard.length > 0).toBe(name !== 'silent')
      for (const { from, body } of heard) {
        expect(from).toBe('liar')
        encode(specimenCodec, body)
      }
    },
  )
  it('slow loses nothing of its words, neither bytes', () => {
    const slow = generalLiars().find(liar => liar.name === 'slow')!
    const heard = said(slow.corrupt(talker), true).map(({ body }) => body)
    expect(heard.length).toBeGreaterThan(110)
    expect(heard).toContainEqual(words[2])
  })
  it('forging changes something, also deep inside', () => {
    const forging = generalLiars().find(liar => liar.name === 'forging')!
    const deep = said(forging.corrupt(talker), true).flatMap(({ body }) => (body.kind === 'deep' ? body.items : []))
    expect(deep.some(item => item.weight !== 1_000)).toBe(true)
  })
  it('an honest node that says what cannot be encoded is a bug, and throws', () => {
    const odd: AnyProtocol = {
      ...talker,
      step: (_s, input, turn) =>
        input.kind === 'message' && turn.do({ kind: 'send', to: input.from, body: { kind: 'odd' } }),
    }
    expect(() => said(odd, false)).toThrow(RangeError)
    expect(said(odd, true)).toEqual([])
  })
})
