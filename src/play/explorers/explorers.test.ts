// What a page explores: planted bugs give a shortest story, which becomes a trace; the small systems end within the limit.

import { describe, expect, it } from 'vitest'
import { isLong } from '../../../test/support/long.ts'
import { electionExplorer } from './election.ts'
import { STATES_MAX, storyTrace } from './explorer.ts'
import { lockExplorer } from './lock.ts'
import { mutexExplorer } from './mutex.ts'
import { orderingExplorer } from './ordering.ts'

const explorers = [lockExplorer, orderingExplorer, electionExplorer, mutexExplorer]
const systems = explorers.flatMap(({ protocol, systems }) => systems.map(({ name }) => [protocol, name] as const))
const bugs = explorers.flatMap(({ protocol, bugs }) => bugs.map(bug => [protocol, bug] as const))
const named = (protocol: string) => explorers.find(each => each.protocol === protocol)!

describe('explorations in a page', () => {
  it('are of four protocols, sound ones and planted bugs', () => {
    const counts = explorers.map(({ protocol, systems, bugs }) => [protocol, systems.length, bugs.length])
    expect(counts).toEqual([
      ['lock', 6, Object.keys(lockExplorer.bugs).length],
      ['ordering', 3, Object.keys(orderingExplorer.bugs).length],
      ['election', 6, 7],
      ['mutex', 11, 4],
    ])
    expect(lockExplorer.bugs.length).toBeGreaterThanOrEqual(10)
    expect(orderingExplorer.bugs.length).toBeGreaterThanOrEqual(10)
    // One name names one thing: it is the address.
    for (const { systems, bugs } of explorers) {
      const names = [...systems.map(({ name }) => name), ...bugs]
      expect(new Set(names).size).toBe(names.length)
    }
  })
  it('find a planted bug; its shortest story is a trace with arrows, each from its sender’s last step', () => {
    const { broken } = lockExplorer.explore('one-grant-too-few')
    expect(broken?.property).toBe('never two holders')
    const trace = storyTrace(broken!.story)
    expect(trace.map(({ kind, from, node }) => (from === undefined ? `${node} ${kind}` : `${from}>${node}`))).toEqual([
      'client-1 command',
      'client-1>server-1',
      'server-1>client-1',
      'client-2 command',
      'client-2>server-2',
      'server-2>client-2',
    ])
    for (const { at, sentAt, from } of trace.filter(({ kind }) => kind === 'deliver')) {
      const before = trace.filter(one => one.node === from && one.at < at).at(-1)
      expect(sentAt).toBe(before?.at)
    }
  })
  it('tell messages in the words of a trace, timers and crashes', () => {
    const lines = [
      'start',
      'server-1: crashes and restarts',
      'client-1: timer renew:a',
      'a tick',
      'member-1 → member-3: {asked:1,ballots:[],kind:"claim",name:"jobs",view:{leftOut:[],rows:[{member:"member-1",values:[]}]},voided:[]} (and again later)',
    ]
    expect(storyTrace(lines).map(({ kind, node, what }) => [kind, node, what])).toEqual([
      ['crash', 'server-1', 'crashes and restarts'],
      ['timer', 'client-1', 'renew:a'],
      ['deliver', 'member-3', 'claim asked=1 name="jobs" (and again later)'],
    ])
  })
  it.each([
    ['election', 'promise-not-kept', 'never two coordinators'],
    ['mutex', 'centralised-forgets', 'never two inside'],
  ])('of %s find %s', (protocol, bug, property) => {
    expect(named(protocol).explore(bug).broken?.property).toBe(property)
  })
  it.runIf(isLong).each(systems)('%s %s ends within the limit', (protocol, name) => {
    const found = named(protocol).explore(name)
    expect(found).toMatchObject({ complete: true, broken: undefined })
    expect(found.states).toBeLessThanOrEqual(STATES_MAX)
  })
  it.runIf(isLong).each(bugs)('%s %s is found within the limit', (protocol, name) => {
    expect(named(protocol).explore(name).broken).toBeDefined()
  })
})
