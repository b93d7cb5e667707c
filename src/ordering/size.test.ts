// Memory stays flat over many operations, and large tables come to those who lag (issue: garbage, large objects).

import { describe, expect, it } from 'vitest'
import { opened, Room, SERVERS, utf8 } from '../../test/support/ordering-room.ts'
import { sameBytes } from './digest.ts'
import type { Applier } from './state.ts'

/** Everything that a machine keeps, but for the table and the last changes, whose bounds are settings. */
function sizeOf(state: unknown): number {
  let size = 0
  const visit = (value: unknown, name: string) => {
    if (typeof value !== 'object' || value === null || name === 'table' || name === 'suffix') return
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
    const room = opened({ suffixMax: 8 })
    room.join('w')
    room.do('w', { kind: 'watch', id: 1, object: 'o' })
    let id = 100
    const live = (rounds: number) => {
      for (let round = 0; round < rounds; round++) {
        const guest = `d${id++}`
        room.join(guest)
        room.do(guest, { kind: 'open', id: id++, object: 'o', ttl: 1_000 })
        for (const who of ['c', guest])
          room.command(who, { kind: 'submit', id: id++, object: 'o', body: utf8.encode('a') })
        room.carry()
        room.pass(200)
        room.leave(guest)
        room.events.length = 0
        room.carried.length = 0
      }
      room.pass(3_000)
      return [...SERVERS, 'c', 'w'].map(who => sizeOf(room.hosts.get(who)!.state))
    }
    const early = live(40)
    const late = live(120)
    for (const [place, size] of late.entries()) expect(size).toBeLessThanOrEqual(early[place]! * 1.2)
    for (const server of SERVERS) {
      const { content, pending, heard, ahead, suffix } = room.server(server)
      expect([...content.sessions.values()].map(({ client }) => client)).toEqual(['c'])
      expect(content.sessions.get('1.0')!.responses.length).toBeLessThanOrEqual(1)
      expect([pending.size, heard.size, ahead.size]).toEqual([0, 1, 0])
      expect(suffix.length).toBeLessThanOrEqual(8)
    }
  })
})

describe('a large table', () => {
  const ENTRIES = 100_000
  const PER_OPERATION = 20_000
  const filling: Applier = {
    apply(view, _operation, { seq }) {
      for (let place = 0; place < PER_OPERATION; place++) view.set(`${seq} ${place}`, utf8.encode(`value ${place}`))
      return utf8.encode('')
    },
  }

  it(`of ${ENTRIES} entries is copied page by page to a server that lags, which has it after a crash too`, () => {
    const change = { findApplier: () => filling, suffixMax: 2 }
    const room = new Room(SERVERS, change)
    room.join('c', change)
    const withoutThird = ({ to }: { to: string }) => to === 's3'
    room.command('c', { kind: 'open', id: 1, object: 'o', ttl: 60_000 })
    room.carry(withoutThird)
    for (let id = 2; id < 2 + ENTRIES / PER_OPERATION; id++) {
      room.command('c', { kind: 'submit', id, object: 'o', body: utf8.encode('fill') })
      room.carry(withoutThird)
    }
    expect(room.hosts.get('s3')!.state).toMatchObject({ objects: new Map() })
    room.do('c', { kind: 'submit', id: 50, object: 'o', body: utf8.encode('more') })
    room.pass(5_000)
    const pages = room.carried.filter(({ to, body }) => to === 's3' && body.kind === 'entries')
    expect(pages.length).toBeGreaterThan(2)
    expect(room.server('s3').content.version).toBe(room.server('s1').content.version)
    const mine = room.server('s3').content.table
    const different = [...room.server('s1').content.table].filter(([key, value]) => !sameBytes(value, mine.get(key)!))
    expect(different).toEqual([])
    room.serve('s3', change)
    expect(room.server('s3').content.table.size).toBe(room.server('s1').content.table.size)
  })
})
