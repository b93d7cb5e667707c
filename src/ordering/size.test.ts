// Memory stays flat over many operations, and large tables come to those who lag (issue: garbage, large objects).

import { describe, expect, it } from 'vitest'
import { sized } from '../../test/support/long.ts'
import { opened, SERVERS, TestGroup, utf8 } from '../../test/support/ordering-group.ts'
import { sameBytes } from '../core/index.ts'
import type { Applier } from './applier.ts'

/** Everything that a machine keeps, but for the table and the last changes, whose bounds are settings. */
function sizeOf(state: unknown): number {
  let size = 0
  const visit = (value: unknown, name: string) => {
    if (typeof value !== 'object' || value === null || name === 'table' || name === 'recent') return
    size += 1
    if (value instanceof Uint8Array) return
    if (value instanceof Map) for (const [key, one] of value) visit(one, String(key))
    else if (value instanceof Set) size += value.size
    else for (const [key, one] of Object.entries(value)) visit(one, key)
  }
  visit(state, '')
  return size
}

describe('memory', () => {
  it('answers that were acknowledged, operations that were applied and clients that are gone are let go', () => {
    const group = opened({ recentChangesMax: 8 })
    group.join('w')
    group.do('w', { kind: 'watch', id: 1, object: 'o' })
    let id = 100
    const live = (rounds: number) => {
      for (let round = 0; round < rounds; round++) {
        const guest = `d${id++}`
        group.join(guest)
        group.do(guest, { kind: 'open', id: id++, object: 'o', ttl: 1_000 })
        for (const who of ['c', guest])
          group.command(who, { kind: 'submit', id: id++, object: 'o', body: utf8.encode('a') })
        group.carry()
        group.pass(200)
        group.leave(guest)
        group.events.length = 0
        group.carried.length = 0
      }
      group.pass(3_000)
      return [...SERVERS, 'c', 'w'].map(who => sizeOf(group.hosts.get(who)!.state))
    }
    const early = live(40)
    const late = live(120)
    for (const [place, size] of late.entries()) expect(size).toBeLessThanOrEqual(early[place]! * 1.2)
    for (const server of SERVERS) {
      const { content, pending, heard, unapplied, recent } = group.server(server)
      expect([...content.sessions.values()].map(({ client }) => client)).toEqual(['c'])
      expect(content.sessions.get('1.0')!.responses.length).toBeLessThanOrEqual(1)
      expect([pending.size, heard.size, unapplied.size]).toEqual([0, 1, 0])
      expect(recent.length).toBeLessThanOrEqual(8)
    }
  })
})

describe('a large table', () => {
  const ENTRIES = sized(40_000, 100_000)
  const PER_OPERATION = 20_000
  const filling: Applier = {
    apply(view, _operation, { seq }) {
      for (let place = 0; place < PER_OPERATION; place++) view.set(`${seq} ${place}`, utf8.encode(`value ${place}`))
      return utf8.encode('')
    },
  }

  it(`of ${ENTRIES} entries is copied page by page to a server that lags, which has it after a crash too`, () => {
    const change = { findApplier: () => filling, recentChangesMax: 2 }
    const group = new TestGroup(SERVERS, change)
    group.join('c', change)
    const withoutThird = ({ to }: { to: string }) => to === 's3'
    group.command('c', { kind: 'open', id: 1, object: 'o', ttl: 60_000 })
    group.carry(withoutThird)
    for (let id = 2; id < 2 + ENTRIES / PER_OPERATION; id++) {
      group.command('c', { kind: 'submit', id, object: 'o', body: utf8.encode('fill') })
      group.carry(withoutThird)
    }
    expect(group.hosts.get('s3')!.state).toMatchObject({ objects: new Map() })
    group.do('c', { kind: 'submit', id: 50, object: 'o', body: utf8.encode('more') })
    group.pass(5_000)
    const pages = group.carried.filter(({ to, body }) => to === 's3' && body.kind === 'entries')
    expect(pages.length).toBeGreaterThan(2)
    expect(group.server('s3').content.version).toBe(group.server('s1').content.version)
    const mine = group.server('s3').content.table
    const different = [...group.server('s1').content.table].filter(([key, value]) => !sameBytes(value, mine.get(key)!))
    expect(different).toEqual([])
    group.serve('s3', change)
    expect(group.server('s3').content.table.size).toBe(group.server('s1').content.table.size)
  })
})
