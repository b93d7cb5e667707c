// The explorer on toy protocols whose states can be counted by hand.

import { describe, expect, test } from 'vitest'
import type { AnyProtocol, NodeId } from '../../core/index.ts'
import { checkClaims } from './claims.ts'
import { explore, type Properties } from './explore.ts'
import type { Moment, System, SystemNode, UserAct } from './system.ts'

const nothing: Properties = { always: {}, sometimes: {} }

function protocol(first: () => unknown, step: AnyProtocol['step']): AnyProtocol {
  return { name: 'toy', init: first, step }
}

function node(id: NodeId, machine: AnyProtocol, more: Partial<SystemNode> = {}): SystemNode {
  return { id, protocol: machine, peers: [], rate: 1, ...more }
}

function system(nodes: SystemNode[], acts: UserAct[], more: Partial<System> = {}): System {
  return { nodes, acts, ticks: 0, crashes: 0, duplicates: 0, ...more }
}

const go = (id: NodeId): UserAct => ({ node: id, label: 'go', command: () => 'go' })

const state = (moment: Moment, place = 0) => moment.nodes[place]!.state

const counter = protocol(
  () => ({ count: 0 }),
  (mine, input) => {
    if (input.kind === 'command' || input.kind === 'message') mine.count++
  },
)

describe('every interleaving', () => {
  test('two counters, two acts each: the grid of which acts were done', () => {
    const found = explore(system([node('a', counter), node('b', counter)], [go('a'), go('a'), go('b'), go('b')]), {
      always: { 'at most two': moment => state(moment).count <= 2 },
      sometimes: {
        'both at two': moment => state(moment).count === 2 && state(moment, 1).count === 2,
        'never so': moment => state(moment).count === 3,
      },
    })
    expect(found).toEqual({
      complete: true,
      states: 16,
      transitions: 1 + 32,
      depth: 4,
      broken: undefined,
      sometimes: { 'both at two': true, 'never so': false },
    })
  })

  test('no further than a depth: the corner of the grid', () => {
    const grid = system([node('a', counter), node('b', counter)], [go('a'), go('a'), go('b'), go('b')])
    expect(explore(grid, nothing, { depthMax: 1 })).toMatchObject({ complete: false, depth: 1, states: 1 + 4 })
    expect(explore(grid, nothing, { depthMax: 4 })).toMatchObject({ complete: false, depth: 4, states: 16 })
    expect(explore(grid, nothing, { depthMax: 5 })).toMatchObject({ complete: true, depth: 4, states: 16 })
  })

  test('a broken property is told by a shortest story', () => {
    const found = explore(system([node('a', counter), node('b', counter)], [go('a'), go('b'), go('b')]), {
      always: { 'b stays below two': moment => state(moment, 1).count < 2 },
      sometimes: {},
    })
    expect(found.complete).toBe(false)
    expect(found.broken).toEqual({ property: 'b stays below two', story: ['start', 'b: go', 'b: go'] })
  })

  test('a property that is broken at the start is found', () => {
    const found = explore(system([node('a', counter)], []), { always: { never: () => false }, sometimes: {} })
    expect(found).toMatchObject({ complete: false, broken: { property: 'never', story: ['start'] } })
  })

  test('each series of random choices is tried', () => {
    const dice = protocol(
      () => ({ value: -1 }),
      (mine, input, turn) => {
        if (input.kind === 'command') mine.value = turn.below(3) * 10 + turn.below(2)
      },
    )
    const values = [0, 1, 10, 11, 20, 21]
    const sometimes = Object.fromEntries(values.map(value => [value, (m: Moment) => state(m).value === value]))
    const found = explore(system([node('a', dice)], [go('a')]), { always: {}, sometimes })
    expect(found.sometimes).toEqual(Object.fromEntries(values.map(value => [value, true])))
    expect(found.states).toBe(1 + 6)
  })

  test('dice thrown at the start are tried too', () => {
    const born = protocol(
      () => ({ value: -1 }),
      (mine, input, turn) => {
        if (input.kind === 'start') mine.value = turn.below(4)
      },
    )
    expect(explore(system([node('a', born), node('b', born)], []), nothing).states).toBe(16)
  })

  test('an act waits until it is allowed', () => {
    const late: UserAct = { ...go('a'), allowed: (_state, clock) => clock >= 2 }
    const found = explore(system([node('a', counter)], [late], { ticks: 3 }), {
      always: { 'not before tick 2': moment => state(moment).count === 0 || moment.tick >= 2 },
      sometimes: { done: moment => state(moment).count === 1 },
    })
    expect(found).toMatchObject({ complete: true, states: 4 + 2, sometimes: { done: true } })
  })

  test('more states than allowed: not complete', () => {
    const found = explore(
      system([node('a', counter), node('b', counter)], [go('a'), go('a'), go('b'), go('b')]),
      nothing,
      {
        statesMax: 5,
      },
    )
    expect(found.complete).toBe(false)
    expect(found.broken).toBeUndefined()
  })
})

describe('faults', () => {
  const sender = protocol(
    () => ({}),
    (_mine, input, turn) => {
      if (input.kind === 'command') turn.do({ kind: 'send', to: 'b', body: 'hello' })
    },
  )
  const twice: Properties = {
    always: { 'at most twice': moment => state(moment, 1).count <= 2 },
    sometimes: {
      never: moment => state(moment, 1).count === 0,
      once: moment => state(moment, 1).count === 1,
      twice: moment => state(moment, 1).count === 2,
    },
  }

  test.each([
    [0, false],
    [1, true],
  ])('with %i duplicates, received twice: %s', (duplicates, expected) => {
    const found = explore(system([node('a', sender), node('b', counter)], [go('a')], { duplicates }), twice)
    expect(found).toMatchObject({ complete: true, sometimes: { never: true, once: true, twice: expected } })
  })

  test('a crash loses what was not saved, and keeps what was', () => {
    const saver: AnyProtocol = {
      name: 'saver',
      init: (_self, _peers, saved) => ({ saved: saved.get('')?.length ?? 0, unsaved: 0 }),
      step(mine, input, turn) {
        if (input.kind !== 'command') return
        if (input.body === 'save') {
          mine.saved++
          turn.do({ kind: 'save', record: new Uint8Array([mine.saved]) })
        } else mine.unsaved++
      },
    }
    const acts: UserAct[] = [go('a'), { node: 'a', label: 'save', command: () => 'save' }]
    const small = system([node('a', saver, { crashes: true })], acts, { crashes: 1 })
    const found = explore(small, {
      always: { 'what is saved stays': moment => state(moment).saved === moment.nodes[0]!.records.length },
      sometimes: { 'saved, and lost the rest': moment => state(moment).saved === 1 && state(moment).unsaved === 0 },
    })
    expect(found).toMatchObject({ complete: true, sometimes: { 'saved, and lost the rest': true } })
    expect(explore({ ...small, crashes: 0 }, nothing).states).toBe(4)
    // Beside the four, after a crash: `go` not done, lost, or done after it; saved or not.
    expect(found.states).toBe(4 + 6)
  })

  test.each([
    [4, 2],
    [5, 1],
    [6, 1],
  ])('a timer of 5 ms on a clock that gains %i in a tick fires at tick %i, not before', (rate, first) => {
    const sleeper = protocol(
      () => ({ woken: false }),
      (mine, input, turn) => {
        if (input.kind === 'start') turn.do({ kind: 'timer', name: 'wake', after: 5 })
        if (input.kind === 'timer') mine.woken = true
      },
    )
    for (const reduced of [true, false]) {
      const found = explore(
        system([node('a', sleeper, { rate })], [], { ticks: 3 }),
        {
          always: { 'not before': moment => !state(moment).woken || moment.tick >= first },
          sometimes: { 'then at once': moment => state(moment).woken && moment.tick === first },
        },
        { reduced },
      )
      expect(found).toMatchObject({ complete: true, sometimes: { 'then at once': true } })
    }
  })

  test('a timer that was cancelled or replaced does not fire', () => {
    const fickle = protocol(
      () => ({ fired: 0 }),
      (mine, input, turn) => {
        if (input.kind === 'start') {
          turn.do({ kind: 'timer', name: 'x', after: 1 })
          turn.do({ kind: 'cancel', name: 'x' })
          turn.do({ kind: 'timer', name: 'y', after: 1 })
          turn.do({ kind: 'timer', name: 'y', after: 9 })
        }
        if (input.kind === 'timer') mine.fired++
      },
    )
    const found = explore(system([node('a', fickle)], [], { ticks: 3 }), nothing)
    expect(found.states).toBe(4)
  })
})

describe('smaller, and the same', () => {
  const SERVERS = ['server-1', 'server-2', 'server-3']
  const server = protocol(
    () => ({ pings: 0 }),
    (mine, input, turn) => {
      if (input.kind !== 'message') return
      mine.pings++
      turn.do({ kind: 'send', to: input.from, body: 'pong' })
    },
  )
  interface Memory {
    readonly pongs: Map<unknown, unknown>
    last: NodeId
  }
  const asking = (remember: (mine: Memory, from: NodeId) => void) =>
    protocol(
      () => ({ pongs: new Map(), last: '' }),
      (mine, input, turn) => {
        if (input.kind === 'command') for (const to of SERVERS) turn.do({ kind: 'send', to, body: 'ping' })
        if (input.kind === 'message') remember(mine, input.from)
      },
    )
  const servers = SERVERS.map(id => node(id, server, { symmetric: true }))
  const withClient = (client: AnyProtocol) => system([...servers, node('client', client)], [go('client')])
  const inMap = withClient(asking((mine, from) => mine.pongs.set(from, true)))

  test('mirrored states are one: multisets instead of lists', () => {
    // Each server is in one of three stages: ping under way, pong under way, pong arrived.
    expect(explore(inMap, nothing, { reduced: false }).states).toBe(1 + 3 ** 3)
    expect(explore(inMap, nothing).states).toBe(1 + 10)
  })

  test('a symmetric name outside a Map is refused', () => {
    const byField = withClient(
      asking((mine, from) => {
        mine.last = from
      }),
    )
    expect(() => explore(byField, nothing)).toThrow('client: server-1 is named outside a Map of its own')
    const byOrder = withClient(asking((mine, from) => mine.pongs.set(mine.pongs.size, from)))
    expect(() => explore(byOrder, nothing)).toThrow('named outside a Map of its own')
    const inBoth = withClient(asking((mine, from) => mine.pongs.set(from, new Map([['server-2', 1]]))))
    expect(() => explore(inBoth, nothing)).toThrow('named outside a Map of its own')
    const inSet = withClient(asking((mine, from) => mine.pongs.set('all', new Set([from]))))
    expect(() => explore(inSet, nothing)).toThrow('named outside a Map of its own')
  })

  test('a symmetric name in a message is refused', () => {
    const gossip = protocol(
      () => ({}),
      (_mine, input, turn) => {
        if (input.kind === 'command') turn.do({ kind: 'send', to: 'server-1', body: { about: 'server-2' } })
      },
    )
    expect(() => explore(withClient(gossip), nothing)).toThrow('message: server-2 is named')
  })

  test('symmetric nodes that talk to each other are refused', () => {
    const chatty = protocol(
      () => ({}),
      (_mine, input, turn) => {
        if (input.kind === 'message') turn.do({ kind: 'send', to: 'server-2', body: 'psst' })
      },
    )
    const nodes = SERVERS.map(id => node(id, chatty, { symmetric: true }))
    const small = system(
      [
        ...nodes,
        node(
          'client',
          asking(() => {}),
        ),
      ],
      [go('client')],
    )
    expect(() => explore(small, nothing)).toThrow('are symmetric and talk to each other')
  })

  test('what the essence leaves out tells no states apart', () => {
    const noisy = protocol(
      () => ({ count: 0, noise: 0 }),
      (mine, input, turn) => {
        if (input.kind === 'command') Object.assign(mine, { count: mine.count + 1, noise: turn.below(5) })
      },
    )
    const essence = ({ count }: { count: number }) => ({ count })
    const small = system([node('a', noisy, { essence })], [go('a')])
    expect(explore(small, nothing, { reduced: false }).states).toBe(1 + 5)
    expect(explore(small, nothing).states).toBe(1 + 1)
  })

  test('a settled message is delivered at once; one that changes the node is no settled message', () => {
    const echo = protocol(
      () => ({}),
      (_mine, input, turn) => {
        if (input.kind === 'message') turn.do({ kind: 'send', to: input.from, body: 'echo' })
      },
    )
    const caller = protocol(
      () => ({ echoes: 0 }),
      (mine, input, turn) => {
        if (input.kind === 'command') turn.do({ kind: 'send', to: 'b', body: 'hello' })
        if (input.kind === 'message') mine.echoes++
      },
    )
    const heard: Properties = {
      always: { 'the echo is not heard': moment => state(moment).echoes === 0 },
      sometimes: {},
    }
    const small = (claim: Partial<SystemNode>, other: AnyProtocol) =>
      system([node('a', caller), node('b', other, claim)], [go('a')])
    const right = small({ settled: () => true }, echo)
    expect(explore(right, nothing, { reduced: false }).states).toBe(4)
    expect(explore(right, nothing).states).toBe(3)
    const story = ['start', 'a: go', 'a → b: "hello"', 'b → a: "echo"']
    for (const reduced of [true, false]) expect(explore(right, heard, { reduced }).broken?.story).toEqual(story)
    const wrong = small({ settled: () => true }, counter)
    expect(() => explore(wrong, nothing)).toThrow('called settled, but it changed the node')
  })
})

describe('claims are checked', () => {
  // Counts what it is told, and answers once it has counted two.
  const teller = protocol(
    () => ({ count: 0, hidden: 0 }),
    (mine, input, turn) => {
      if (input.kind === 'command') Object.assign(mine, { count: mine.count + 1, hidden: turn.below(2) })
      if (input.kind === 'message' && mine.count === 2) turn.do({ kind: 'send', to: input.from, body: 'two' })
    },
  )
  const asker = protocol(
    () => ({}),
    (_mine, input, turn) => {
      if (input.kind === 'start') turn.do({ kind: 'send', to: 'a', body: 'well?' })
    },
  )
  const small = (claim: Partial<SystemNode>) => system([node('a', teller, claim), node('b', asker)], [go('a'), go('a')])

  test('an essence that keeps what matters passes', () => {
    const essence = ({ count }: { count: number }) => ({ count })
    expect(checkClaims(small({ essence })).states).toBeGreaterThan(10)
  })

  test('an essence that leaves out what matters is found', () => {
    expect(() => checkClaims(small({ essence: () => ({}) }))).toThrow('one essence, two outcomes')
  })

  test('a settled message whose replies change is found, and one that does not stay settled', () => {
    expect(() => checkClaims(small({ settled: () => true }))).toThrow('the replies change')
    expect(() => checkClaims(small({ settled: mine => mine.count === 0 }))).toThrow('and then no longer')
  })

  test('more states than allowed are refused', () => {
    expect(() => checkClaims(small({}), 3)).toThrow('too many states')
  })
})
