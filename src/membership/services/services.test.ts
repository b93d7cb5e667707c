// LECTURE, "Gossip-based coordination": peer sampling, overlay construction, secure gossiping, as machines of real members.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type AnyProtocol, NOTHING_SAVED, type NodeId, seededRandom } from '../../core/index.ts'
import { calm, World } from '../../simulator/index.ts'
import { feed, nextView, type Sampler } from './brahms.ts'
import { aged, draw, offer, oldest, type Reference, swapped } from './cyclon.ts'
import { ANSWERS_MAX, COUNTED_MAX, count, emptyDegrees, hubs } from './indegree.ts'
import { peerSampling } from './machine.ts'
import { type SamplingSettings, type SamplingState, samplingDefaults } from './state.ts'
import { nearest, type Placed, torusDistance } from './torus.ts'
import { type SamplingMessage, samplingVocabulary } from './wire.ts'

const names = (size: number) => Array.from({ length: size }, (_, place) => `member-${place}`)
const reference = fc.record({ id: fc.constantFrom(...names(12)), age: fc.nat(20) })
const view = fc.uniqueArray(reference, { selector: ({ id }) => id, maxLength: 8 })

describe('Cyclon’s exchange', () => {
  it('a view has no member twice, not oneself, and never more than c', () => {
    fc.assert(
      fc.property(view, view, fc.array(reference, { maxLength: 8 }), (own, sent, received) => {
        const next = swapped(own, received, sent, 8, 'member-0')
        expect(next.length).toBeLessThanOrEqual(8)
        expect(new Set(next.map(({ id }) => id)).size).toBe(next.length)
        expect(next.filter(({ id }) => !own.some(one => one.id === id)).every(({ id }) => id !== 'member-0')).toBe(true)
      }),
    )
  })
  it('gives up only what was sent', () => {
    fc.assert(
      fc.property(view, view, (own, received) => {
        const sent = own.slice(0, 3)
        const next = swapped(own, received, sent, 8, 'me')
        const lost = own.filter(({ id }) => !next.some(one => one.id === id))
        expect(lost.every(({ id }) => sent.some(one => one.id === id))).toBe(true)
      }),
    )
  })
  it('asks the oldest, and offers itself but not the partner', () => {
    const own: Reference[] = aged([
      { id: 'a', age: 1 },
      { id: 'b', age: 5 },
      { id: 'c', age: 0 },
    ])
    expect(oldest(own)).toEqual({ id: 'b', age: 6 })
    const sent = offer(own, 'me', 'b', 5, () => 0)
    expect(sent[0]).toEqual({ id: 'me', age: 0 })
    expect(sent.map(({ id }) => id).sort()).toEqual(['a', 'c', 'me'])
    expect(draw([1, 2, 3], 2, () => 0)).toEqual([1, 2])
  })
})

describe('Brahms', () => {
  it('a sampler’s choice does not depend on how often a name is repeated', () => {
    const random = seededRandom(5)
    const samplers = (): Sampler[] =>
      Array.from({ length: 400 }, () => ({ key: random.below(2 ** 32), smallest: 0, id: undefined }))
    const flooded = samplers()
    for (let i = 0; i < 50; i++) feed(flooded, 'attacker')
    for (const id of names(99)) feed(flooded, id)
    const taken = flooded.filter(({ id }) => id === 'attacker').length
    // 400 samplers of 100 names: 4, with a deviation of 2.
    expect(taken).toBeLessThan(14)
    expect(new Set(flooded.map(({ id }) => id)).size).toBeGreaterThan(80)
  })
  it('a round with too many pushes, or none, changes nothing', () => {
    const first = (from: readonly NodeId[], size: number) => from.slice(0, size)
    expect(nextView(10, names(6), ['a'], ['b'], first)).toBeUndefined()
    expect(nextView(10, [], ['a'], ['b'], first)).toBeUndefined()
    expect(nextView(10, ['c', 'c'], ['a'], ['b'], first)).toEqual(['c', 'a', 'b'])
  })
})

describe('in-degree statistics', () => {
  it('finds those that every answer names, and nobody among equals', () => {
    const random = seededRandom(9)
    const degrees = emptyDegrees()
    const fair = emptyDegrees()
    for (let i = 0; i < 200; i++) {
      const answer = draw(names(100), 15, bound => random.below(bound))
      count(fair, answer)
      count(degrees, i % 2 === 0 ? answer : ['hub-1', 'hub-2', 'hub-1'])
    }
    expect([...hubs(degrees)].sort()).toEqual(['hub-1', 'hub-2'])
    expect([...hubs(fair)]).toEqual([])
  })
  it('forgets slowly, and counts a bounded number of names', () => {
    const degrees = emptyDegrees()
    for (let i = 0; i < ANSWERS_MAX; i++) count(degrees, ['a', `once-${i}`])
    expect(degrees.counts.get('a')).toBe(ANSWERS_MAX / 2)
    expect(degrees.counts.size).toBe(1)
    count(degrees, names(COUNTED_MAX + 100))
    expect(degrees.counts.size).toBe(COUNTED_MAX)
  })
})

/** A world in which everybody first knows the next few on a ring; some may be replaced by others. */
function stage(
  size: number,
  settings: (place: number) => SamplingSettings,
  replace?: (place: number) => AnyProtocol | undefined,
) {
  const world = new World({ seed: 11, network: calm })
  const ids = names(size)
  for (const [place, id] of ids.entries()) {
    const peers = Array.from({ length: 10 }, (_, step) => ids[(place + 1 + step) % size]!)
    const protocol = replace?.(place) ?? peerSampling(settings(place))
    world.add({ id, protocol, peers, vocabulary: samplingVocabulary, lies: replace?.(place) !== undefined })
  }
  for (const id of ids) world.start(id)
  return world
}

const viewsIn = (world: World) =>
  [...world.nodes.values()].map(node => (node.host?.state as Partial<SamplingState>)?.view?.map(({ id }) => id) ?? [])

const SIZE = 100
const ATTACKERS = 12
const ROUNDS = 100

/** Answers every exchange with its colluders only, fresh ones. */
const colluder = (size: number, attackers: number): AnyProtocol => ({
  name: 'colluder',
  init: self => ({ self, view: [] }),
  step(state, input, turn) {
    const colluders = draw(names(attackers), attackers, bound => turn.below(bound))
    const references = colluders.map(id => ({ id, age: 0 }))
    if (input.kind === 'start' || input.kind === 'timer') {
      turn.do({ kind: 'timer', name: 'round', after: 1_000 })
      for (let i = 0; i < 5; i++) {
        const to = names(size)[turn.below(size)]!
        if (to !== state.self) turn.do({ kind: 'send', to, body: { kind: 'shuffle', exchange: 1, references } })
        turn.do({ kind: 'send', to, body: { kind: 'push' } })
      }
      return
    }
    if (input.kind !== 'message') return
    const body: SamplingMessage = input.body
    const { exchange } = body as { exchange: number }
    if (body.kind === 'shuffle')
      turn.do({ kind: 'send', to: input.from, body: { kind: 'shuffled', exchange, references } })
    if (body.kind === 'pull')
      turn.do({ kind: 'send', to: input.from, body: { kind: 'pulled', exchange, members: colluders } })
  },
})

/** The part of honest members' references that lead to colluders. */
function captured(variant: SamplingSettings['variant'], size = SIZE, attackers = ATTACKERS, view = 12): number {
  const settings = { ...samplingDefaults, variant, view, exchange: view / 2 }
  const liar = colluder(size, attackers)
  const world = stage(
    size,
    () => settings,
    place => (place < attackers ? liar : undefined),
  )
  world.run(ROUNDS * 1_000_000)
  const colluders = new Set(names(attackers))
  const references = viewsIn(world).slice(attackers).flat()
  return references.filter(id => colluders.has(id)).length / references.length
}

describe('peer sampling (LECTURE)', () => {
  it('Cyclon: from a ring to in-degrees all near c, and the dead are forgotten', () => {
    const settings = { ...samplingDefaults, view: 12, exchange: 6 }
    const world = stage(SIZE, () => settings)
    world.run(30_000_000)
    const degrees = new Map<string, number>()
    for (const id of viewsIn(world).flat()) degrees.set(id, (degrees.get(id) ?? 0) + 1)
    expect(degrees.size).toBe(SIZE)
    expect(Math.max(...degrees.values())).toBeLessThan(2 * 12 + 6)
    for (const id of names(10)) world.crash(id)
    world.run(world.now + 60_000_000)
    const dead = new Set(names(10))
    expect(
      viewsIn(world)
        .flat()
        .filter(id => dead.has(id)),
    ).toEqual([])
  })
  it('a draw comes from the view; membership’s word removes a member', () => {
    const world = stage(20, () => samplingDefaults)
    world.run(5_000_000)
    const drawn: NodeId[] = []
    world.listen((_node, event) => drawn.push(...(event as { members: NodeId[] }).members))
    world.command('member-3', { kind: 'gone', member: 'member-4' })
    world.command('member-3', { kind: 'sample', id: 1, count: 99 })
    expect(drawn.length).toBeGreaterThan(5)
    expect(drawn).not.toContain('member-4')
  })
})

describe('the hub attack (LECTURE, "Secure gossiping")', () => {
  it('takes over plain views; statistics keep it near its share; Brahms too', () => {
    const share = ATTACKERS / SIZE
    expect(captured('cyclon')).toBeGreaterThan(0.6)
    expect(captured('statistics')).toBeLessThan(2 * share)
    expect(captured('brahms')).toBeLessThan(0.5)
  })
  it('statistics hold a large view as well: one answer of a liar is not worth half of it', () => {
    expect(captured('statistics', 400, 50, 40)).toBeLessThan(50 / 400)
  })
  it.each([
    ['statistics', 6],
    ['cyclon', 20],
  ] as const)('%s: a liar that shows 120 brings %i of them', (variant, most) => {
    const machine = peerSampling({ ...samplingDefaults, variant, view: 40, exchange: 20 })
    const state = machine.init('me', names(10), NOTHING_SAVED)
    const references = names(120).map(id => ({ id: `hub-${id}`, age: 0 }))
    const turn = { now: 0, below: () => 0, do: () => {} } as unknown as Parameters<typeof machine.step>[2]
    machine.step(state, { kind: 'message', from: 'liar', body: { kind: 'shuffle', exchange: 1, references } }, turn)
    expect(state.view.filter(({ id }) => id.startsWith('hub-'))).toHaveLength(most)
    expect(state.view.filter(({ id }) => !id.startsWith('hub-'))).toHaveLength(10)
  })
})

describe('the torus (LECTURE, T-Man)', () => {
  it('distances are those of the lecture', () => {
    expect(torusDistance(50, { x: 0, y: 0 }, { x: 49, y: 1 })).toBe(2)
    expect(torusDistance(50, { x: 0, y: 0 }, { x: 25, y: 25 })).toBe(50)
  })
  it('the nearest, each once, without oneself', () => {
    const known: Placed[] = [
      { id: 'a', x: 9, y: 0 },
      { id: 'b', x: 1, y: 1 },
      { id: 'me', x: 0, y: 0 },
      { id: 'a', x: 9, y: 0 },
    ]
    expect(nearest(10, { x: 0, y: 0 }, known, 2, 'me').map(({ id }) => id)).toEqual(['a', 'b'])
  })
  it('after 25 rounds everybody on a 9 × 9 torus knows its four neighbours', () => {
    const size = 9
    const place = (at: number) => ({ x: at % size, y: Math.floor(at / size) })
    const world = stage(size * size, at => ({
      ...samplingDefaults,
      view: 12,
      exchange: 6,
      torus: { size, place: place(at), neighbours: 8 },
    }))
    world.run(25_000_000)
    for (const [at, node] of [...world.nodes.values()].entries()) {
      const { near } = node.host!.state as SamplingState
      const four = near.filter(one => torusDistance(size, place(at), one) === 1)
      expect(four, `member-${at}`).toHaveLength(4)
    }
  })
})
