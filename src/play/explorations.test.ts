// What a page explores: planted bugs give a shortest story, which becomes a trace; the small systems end within the limit.

import { describe, expect, it } from 'vitest'
import { isLong } from '../../test/support/long.ts'
import { type Explorable, explorables, exploreHere, STATES_MAX, storyTrace } from './explorations.ts'

const find = (name: string) => explorables.find(one => one.name === name) as Explorable

describe('explorations in a page', () => {
  it('are of the lock and of objects, sound ones and planted bugs', () => {
    const count = (protocol: string, planted: boolean) =>
      explorables.filter(one => one.protocol === protocol && one.planted === planted).length
    expect([count('lock', false), count('ordering', false)]).toEqual([6, 3])
    expect(count('lock', true)).toBeGreaterThanOrEqual(10)
    expect(count('ordering', true)).toBeGreaterThanOrEqual(10)
  })
  it('find a planted bug; its shortest story is a trace with arrows', () => {
    const { broken } = exploreHere(find('one-grant-too-few'))
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
    expect(trace.every(({ at, sentAt }) => sentAt === undefined || sentAt < at)).toBe(true)
  })
  it('tell timers and crashes', () => {
    const lines = ['start', 'server-1: crashes and restarts', 'client-1: timer renew:a', 'a tick']
    expect(storyTrace(lines).map(({ kind, node, what }) => [kind, node, what])).toEqual([
      ['crash', 'server-1', 'crashes and restarts'],
      ['timer', 'client-1', 'renew:a'],
    ])
  })
  it.runIf(isLong).each(explorables.filter(({ planted }) => !planted))(
    '$protocol $name ends within the limit',
    what => {
      const found = exploreHere(what)
      expect(found).toMatchObject({ complete: true, broken: undefined })
      expect(found.states).toBeLessThanOrEqual(STATES_MAX)
    },
  )
  it.runIf(isLong).each(explorables.filter(({ planted }) => planted))(
    '$protocol $name is found within the limit',
    what => {
      expect(exploreHere(what).broken).toBeDefined()
    },
  )
})
