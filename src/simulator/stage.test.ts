// What every stage has from its base, in the order in which it happens; and the suite of explorations.

import { describe, expect, it } from 'vitest'
import { type NodeId, type Protocol, uint } from '../core/index.ts'
import { explorationSuite } from './explorer/suite.ts'
import { calm } from './network.ts'
import type { Checker, Plan } from './scenario.ts'
import { overheard, ScenarioStage } from './stage.ts'
import { type SimulatedNode, World } from './world.ts'

interface Act {
  readonly client: string
  readonly dies: boolean
}

interface Counter {
  readonly self: NodeId
  readonly peers: readonly NodeId[]
  count: number
}

/** Counts its commands, tells each, and sends the count to its peers. */
const counter: Protocol<Counter, number, { id: number }, number> = {
  name: 'counter',
  init: (self, peers) => ({ self, peers, count: 0 }),
  step(state, input, turn) {
    if (input.kind === 'message') state.count += input.body
    if (input.kind !== 'command') return
    state.count++
    for (const to of state.peers) turn.do({ kind: 'send', to, body: state.count })
    turn.do({ kind: 'emit', event: input.body.id })
  },
}

class CounterStage extends ScenarioStage<Plan<Act>, Act, number> {
  readonly checkers: Checker[] = []
  readonly story: string[] = []

  protected populate(): void {
    this.story.push('populate')
    this.enter('ann')
    this.addNode({ id: 'liar', protocol: counter, peers: [], vocabulary: uint() }, honest => ({
      ...honest,
      name: 'lies',
    }))
  }

  private enter(client: string): void {
    const id = this.nextProcess(client)
    this.addNode({ id, protocol: counter, peers: [], vocabulary: uint(), returns: false })
    this.world.start(id)
  }

  protected act({ client, dies }: Act): void {
    const id = this.processOf(client)
    if (!dies) return this.world.command(id, { id: this.nextCommand() })
    this.world.crash(id)
    this.enter(client)
  }

  protected observe({ spec }: SimulatedNode, event: number): void {
    const { count } = this.stateOf<Counter>(spec.id)!
    this.story.push(`${this.clientOf(spec.id)} as ${spec.id}: ${event}, count ${count}`)
  }

  protected override demand(): void {
    this.story.push('demand')
  }

  protected override finish(): void {
    this.story.push(`finish at ${this.world.now}`)
    this.crashAll()
  }
}

function staged() {
  const acts = [
    { client: 'ann', dies: false, at: 10 },
    { client: 'ann', dies: true, at: 20 },
    { client: 'ann', dies: false, at: 30 },
    { client: 'ann', dies: false, at: 40 },
  ]
  const plan = { network: calm, faults: [], acts, healsAt: 50, ends: 100, drawn: {} }
  const world = new World({ seed: 1, network: calm })
  return { world, stage: new CounterStage(world, plan).begin() }
}

describe('a stage', () => {
  it('is populated, acts, observes, demands after healing, and finishes just before the end', () => {
    const { world, stage } = staged()
    world.run(50)
    stage.healed()
    world.run(100)
    expect(stage.story).toEqual([
      'populate',
      'ann as ann: 1, count 1',
      'ann as ann#2: 2, count 1',
      'ann as ann#2: 3, count 2',
      'demand',
      'finish at 99',
    ])
    expect(world.node('ann#2').host).toBeUndefined()
  })
  it('adds a liar with its corrupted machine, and may then say what cannot be encoded', () => {
    const { world } = staged()
    expect(world.node('liar').spec).toMatchObject({ lies: true, protocol: { name: 'lies' } })
    expect(world.node('ann').spec.lies).toBeUndefined()
  })
})

describe('a machine that is overheard', () => {
  it('asks for the effects that pass, and for no others', () => {
    const heard: unknown[] = []
    const world = new World({ seed: 1, network: calm })
    const passes = overheard<Counter, number, number>(counter, (effect, state, input) => {
      heard.push([effect.kind, state.count, input.kind])
      return effect.kind !== 'send' || effect.to !== 'b'
    })
    world.add({ id: 'a', protocol: passes, peers: ['b', 'c'], vocabulary: uint() })
    for (const id of ['b', 'c']) world.add({ id, protocol: counter, peers: [], vocabulary: uint() })
    for (const id of ['a', 'b', 'c']) world.start(id)
    world.command('a', { id: 7 })
    world.run(1_000_000)
    expect(heard).toEqual([
      ['send', 1, 'command'],
      ['send', 1, 'command'],
      ['emit', 1, 'command'],
    ])
    expect(['b', 'c'].map(id => world.node(id).host?.state.count)).toEqual([0, 1])
  })
})

describe('a suite of explorations', () => {
  const suite = explorationSuite<{ acts: number; bug?: string }, 'it counts' | 'it counts to three'>({
    build: ({ acts, bug }) => ({
      nodes: [{ id: 'a', protocol: counter, peers: [], rate: 1 }],
      acts: Array.from({ length: acts + (bug === undefined ? 0 : 1) }, (_, place) => ({
        node: 'a',
        label: `act ${place}`,
        command: () => ({ id: place }),
      })),
      ticks: 0,
      crashes: 0,
      duplicates: 0,
    }),
    always: ({ acts }) => ({ 'it stays below': ({ nodes }) => nodes[0]!.state.count <= acts }),
    sometimes: {
      'it counts': ({ nodes }) => nodes[0]!.state.count > 0,
      'it counts to three': ({ nodes }) => nodes[0]!.state.count === 3,
    },
  })
  const exploring = suite.exploring({
    whole: suite.named('three acts', { acts: 3 }, 'it counts', 'it counts to three'),
    part: suite.named('three acts, two steps', { acts: 3, depth: 2 }, 'it counts to three'),
  })

  it('explores to the end, or as deep as is named, unless the caller says otherwise', () => {
    expect(exploring('whole')).toMatchObject({ system: 'whole', complete: true, broken: undefined })
    expect(exploring('whole').sometimes).toEqual({ 'it counts': true, 'it counts to three': true })
    expect(exploring('part')).toMatchObject({ complete: false, depth: 2, sometimes: { 'it counts to three': false } })
    expect(exploring('part', { depthMax: 9 })).toMatchObject({ sometimes: { 'it counts to three': true } })
  })
  it('explores the system of a bug with it and without', () => {
    const bugs = suite.exploringBugs({ 'one-too-many': { acts: 1 } })
    expect(bugs('one-too-many').broken?.property).toBe('it stays below')
    expect(bugs('one-too-many', false).broken).toBeUndefined()
    expect(() => bugs('nonsense')).toThrow("no system for a planted bug 'nonsense'; there are: one-too-many")
  })
  it('refuses a name that is no system', () => {
    expect(() => exploring('nonsense')).toThrow("no system 'nonsense'; there are: whole, part")
  })
})
