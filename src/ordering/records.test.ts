// A log is read as it was lived (PROTOCOLS F, "durable"): records by hand, where a simulated crash seldom comes.

import { describe, expect, it } from 'vitest'
import { encode } from '../core/index.ts'
import { encodeChange } from './content.ts'
import { FIRST_DIGEST, nextDigest } from './digest.ts'
import { type ServerRecord, serverRecord } from './records.ts'
import { SERVERS, settings, utf8 } from './room.ts'
import { LOWEST_RANK } from './rules.ts'
import { orderingServer } from './server.ts'

const write = (key: string) => ({ key, value: utf8.encode(key) })
const change = encodeChange([write('mine')])
const first = { version: 1, digest: nextDigest(settings.hash, FIRST_DIGEST, 1, change) }
const later = { version: 7, digest: new Uint8Array(32).fill(7) }

const blank: ServerRecord = { kind: 'blank', object: 'o' }
const copied = (...keys: string[]): ServerRecord => ({ kind: 'entries', object: 'o', entries: keys.map(write) })
const caught: ServerRecord = { kind: 'caught', object: 'o', head: first, parent: FIRST_DIGEST, change }
const head = (applied: { version: number; digest: Uint8Array }): ServerRecord => ({
  kind: 'head',
  object: 'o',
  promised: LOWEST_RANK,
  proof: new Uint8Array(0),
  applied,
  committed: applied,
})

function read(...records: ServerRecord[]) {
  const saved = new Map([['', records.map(record => encode(serverRecord, record))]])
  const { version, table } = orderingServer(settings).init(SERVERS[0]!, SERVERS, saved).objects.get('o')!.content
  return { version, keys: [...table.keys()].sort() }
}

describe('the log of a server', () => {
  it('a copy counts once its version is there', () => {
    expect(read(blank, copied('a'), copied('b'), head(later))).toEqual({ version: 7, keys: ['a', 'b'] })
    expect(read(caught, blank, copied('a'))).toEqual({ version: 0, keys: [] })
  })

  it('a copy that a crash cut off is no ground for what comes after it', () => {
    expect(read(blank, copied('a'), caught)).toEqual({ version: 1, keys: ['mine'] })
    expect(read(blank, copied('a'), caught, head(first))).toEqual({ version: 1, keys: ['mine'] })
    expect(read(blank, copied('a'), head({ version: 0, digest: FIRST_DIGEST }), caught)).toEqual({
      version: 1,
      keys: ['mine'],
    })
    expect(read(blank, copied('a'), blank, copied('b'), head(later))).toEqual({ version: 7, keys: ['b'] })
  })

  it('an account of a version to which the log does not lead begins with nothing', () => {
    expect(read(caught, head(later), copied('b'))).toEqual({ version: 7, keys: ['b'] })
    expect(read(caught, head(first), copied('b'))).toEqual({ version: 1, keys: ['b', 'mine'] })
  })
})
