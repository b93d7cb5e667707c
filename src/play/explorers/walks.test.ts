// A walk: what the explorer found, as a run with an address. It goes the story's way, breaks what the story breaks, and a step of it
// can be another or be left out.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { rerouted, Walk } from '../../simulator/index.ts'
import { decodeWalk, encodeWalk, type WalkSpec, walkAmong, walkNote, walkVerdict } from './address.ts'
import { allExplorers } from './all.ts'
import type { Explored } from './explorer.ts'

/** Quick to explore; among them one whose start is no choice, one with a liar, one with thousands of dice, one with ticks. */
const FOUND = [
  ['lock', 'one-grant-too-few', 6],
  ['lock', 'waiter-grant-from-arrival', 7],
  ['lock', 'inquire-overtakes-grant', 12],
  ['ordering', 'liars-are-enough', 9],
  ['ordering', 'rank-forgotten-at-restart', 7],
  ['election', 'no-drift-factor', 7],
  ['mutex', 'token-ring-forgets', 6],
] as const

const explorer = (protocol: string) => allExplorers.find(each => each.protocol === protocol)!

const known = new Map<string, Explored>()

/** Each is explored once. */
function explored(protocol: string, system: string): Explored {
  const name = `${protocol}.${system}`
  const found = known.get(name) ?? explorer(protocol).explore(system)
  known.set(name, found)
  return found
}

function found(protocol: string, system: string): { spec: WalkSpec; walk: Walk } {
  const { steps } = explored(protocol, system)
  const spec = { protocol, system, steps: steps! }
  return { spec, walk: new Walk(explorer(protocol).system(system)!, steps) }
}

describe('a walk', () => {
  it.each(FOUND)('of %s, %s, is the shortest story and breaks what it breaks', (protocol, system, count) => {
    const { broken, steps } = explored(protocol, system)
    const walk = new Walk(explorer(protocol).system(system)!, steps)
    expect([walk.broken?.property, walk.steps.length]).toEqual([broken!.property, count])
    // Everything that it did was among what could happen, and nothing happens after the end.
    for (const [place, step] of walk.steps.entries()) expect(walk.choices[place]![step]).toBeDefined()
    expect(walk.next).toEqual([])
  })
  it('draws each message from where it was sent, and tells who is inside', () => {
    const { walk } = found('lock', 'one-grant-too-few')
    const told = walk.trace.map(({ kind, from, node }) => (from === undefined ? `${node} ${kind}` : `${from}>${node}`))
    expect(told.filter(line => !line.endsWith('start'))).toEqual([
      'client-1 command',
      'client-1>server-1',
      'server-1>client-1',
      'client-1 emit',
      'client-2 command',
      'client-2>server-2',
      'server-2>client-2',
      'client-2 emit',
    ])
    // A message that waited is drawn from when it was sent: some wait while others overtake them.
    const { walk: late } = found('lock', 'inquire-overtakes-grant')
    const arrows = late.trace.filter(({ kind }) => kind === 'deliver')
    for (const { from, at, sentAt } of arrows) {
      const steps = late.trace.filter(({ node, at: when }) => node === from && when === sentAt)
      expect([at, from, steps.length > 0]).toEqual([at, from, true])
    }
    expect(Math.max(...arrows.map(({ at, sentAt }) => at - sentAt!))).toBeGreaterThan(3_000)
    expect(walk.trace.filter(({ kind }) => kind === 'emit').map(({ what }) => what.split(' ')[0])).toEqual([
      'acquired',
      'acquired',
    ])
  })
  it('knows what each remembered, step by step', () => {
    const { walk } = found('lock', 'one-grant-too-few')
    const last = walk.trace.length - 1
    expect(walk.stateAt(last, 'client-2')).not.toBe(walk.stateAt(0, 'client-2'))
    expect(walk.stateAt(last, 'server-3')).toBe(walk.stateAt(0, 'server-3'))
    expect(walk.stateAt(last + 1, 'client-1')).toBeUndefined()
    expect(walk.stateAt(0, 'nobody')).toBeUndefined()
  })
  it('holds with one step left out, or another in its place; the rest comes as before where it still can', () => {
    const { spec, walk } = found('lock', 'one-grant-too-few')
    const system = explorer(spec.protocol).system(spec.system)!
    // Without the second grant there is one holder.
    const without = rerouted(system, walk, 5, undefined)
    expect([without.broken, without.steps.length]).toEqual([undefined, 5])
    // Without the first message nothing comes of it: only the second client goes on.
    const late = rerouted(system, walk, 1, undefined)
    expect(late.broken).toBeUndefined()
    expect(late.trace.filter(({ kind }) => kind === 'emit').map(({ node }) => node)).toEqual(['client-2'])
    // The same choice again is the same walk.
    expect(rerouted(system, walk, 2, walk.steps[2]).hash).toBe(walk.hash)
  })
  it('says what its clocks show when time passes', () => {
    const { walk } = found('election', 'no-drift-factor')
    const clocks = walk.trace.filter(({ kind }) => kind === 'note').map(({ what }) => what)
    expect(new Set(clocks).size).toBeGreaterThan(1)
    for (const what of clocks) expect(what).toMatch(/^its clock shows \d+(\.\d+)? ms$/)
  })
})

describe('the address of a walk', () => {
  const specs = fc.record(
    {
      protocol: fc.constantFrom('lock', 'ordering', 'two-words'),
      system: fc.constantFrom('list', 'no-drift-factor', '3-servers'),
      steps: fc.array(fc.nat(1_000_000), { maxLength: 40 }),
      at: fc.nat(1_000_000),
      hash: fc.stringMatching(/^[0-9a-f]{8}$/),
    },
    { requiredKeys: ['protocol', 'system', 'steps'] },
  )
  it('says everything, and is read back', () => {
    fc.assert(
      fc.property(specs, spec => {
        expect(decodeWalk(encodeWalk(spec as WalkSpec))).toEqual(spec)
      }),
      { numRuns: 1_000 },
    )
  })
  it('may be any text: then it is a sentence', () => {
    const text = fc.oneof(
      fc.string(),
      fc
        .tuple(fc.constantFrom('walk', 'go', 'at', 'h', 'v'), fc.string())
        .map(([name, value]) => `v=1&${name}=${value}`),
      fc.tuple(specs, fc.string()).map(([spec, more]) => `${encodeWalk(spec as WalkSpec)}${more}`),
    )
    fc.assert(
      fc.property(text, given => {
        const decoded = decodeWalk(given)
        if (typeof decoded === 'string') expect(decoded.length).toBeGreaterThan(10)
        else expect(decoded.steps.length).toBeLessThanOrEqual(500)
      }),
      { numRuns: 5_000 },
    )
  })
  it.each([
    ['walk=lock', /names no small system/],
    ['walk=lock.list&go=1..2', /are no steps/],
    ['walk=lock.list&go=01', /are no steps/],
    [`walk=lock.list&go=${Array.from({ length: 501 }, () => 0).join('.')}`, /500 are the most/],
    ['walk=lock.list&h=xyz', /not eight digits/],
    ['walk=lock.list&at=-1', /no whole number/],
    ['walk=lock.list&seed=3', /it has v, walk, go, at, h/],
    ['v=2&walk=lock.list', /this build reads form 1/],
  ])('refuses %s', (text, says) => {
    expect(decodeWalk(text)).toMatch(says)
  })
  it('refuses what is not there: a protocol, a system, a choice, a step after the end', () => {
    const refusal = (spec: Partial<WalkSpec>) =>
      walkAmong(allExplorers, { protocol: 'lock', system: 'list', steps: [], ...spec })
    expect(refusal({ protocol: 'slots' })).toMatch(/nothing to walk through called 'slots'; there is: lock,/)
    expect(refusal({ system: 'nothing' })).toMatch(/no small system and no planted bug 'nothing'/)
    expect(refusal({ steps: [0, 99] })).toMatch(/step 2 of the address is choice 99/)
    const { spec } = found('lock', 'one-grant-too-few')
    expect(refusal({ ...spec, steps: [...spec.steps, 0] })).toMatch(/goes on after a broken promise/)
  })
  it('says when its hash is another', () => {
    const { spec, walk } = found('mutex', 'token-ring-forgets')
    expect(walkNote({ ...spec, hash: walk.hash.slice(0, 8) }, walk)).toBeUndefined()
    expect(walkNote({ ...spec, hash: '00000000' }, walk)).toMatch(/another version/)
    expect(walkVerdict(walk)).toBe('broken: never two inside')
    expect(walkVerdict(new Walk(explorer('mutex').system('token-ring-forgets')!, []))).toBe(
      'no promise was broken in 0 steps',
    )
  })
})
