// A log is read as it was lived (protocols/ordering, "durable"): records by hand, where a simulated crash seldom comes.

import { describe, expect, it } from 'vitest'
import { get, propose, rank, SERVERS, settings, TestGroup, text, utf8 } from '../../../test/support/ordering-group.ts'
import { decode, encode } from '../../core/index.ts'
import { LOWEST_RANK } from '../rules.ts'
import { encodeChange } from '../versions/content.ts'
import { FIRST_DIGEST, nextDigest } from '../versions/digest.ts'
import { orderingServer } from './machine.ts'
import { type ServerRecord, serverRecord } from './records.ts'

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

function reread(log: readonly Uint8Array[]) {
  return orderingServer(settings)
    .init(SERVERS[0]!, SERVERS, new Map([['', log]]))
    .objects.get('o')
}

function read(...records: ServerRecord[]) {
  const { version, table } = reread(records.map(record => encode(serverRecord, record)))!.content
  return { version, keys: [...table.keys()].sort() }
}

/** What each beginning of a log is read as: a crash may leave any of them. */
function cuts(log: readonly Uint8Array[]) {
  return log.map((_, place) => reread(log.slice(0, place + 1)))
}

function kindsIn(log: readonly Uint8Array[]) {
  return log.map(record => {
    const decoded = decode(serverRecord, record)
    return decoded.ok ? decoded.value.kind : undefined
  })
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

  it('a checkpoint of a version to which the log does not lead begins with nothing', () => {
    expect(read(caught, head(later), copied('b'))).toEqual({ version: 7, keys: ['b'] })
    expect(read(caught, head(first), copied('b'))).toEqual({ version: 1, keys: ['b', 'mine'] })
  })
})

describe('a record that cannot be read', () => {
  // It may be a promise, written by a later version: a server that left it out would break it.
  it('stops its server', () => {
    expect(() => reread([Uint8Array.of(255)])).toThrow('cannot read')
  })
})

describe('the log of a server, cut anywhere', () => {
  const words = ['one', 'two', 'three', 'four']
  const versions: ReturnType<typeof propose>[] = []
  for (const word of words) versions.push(propose(1, versions.length + 1, word, versions.at(-1)?.digest))

  /** Wherever a checkpoint in this log is cut, the table is the one of the version. */
  function expectWhole(log: readonly Uint8Array[]): void {
    expect(kindsIn(log)).toContain('entries')
    for (const object of cuts(log)) {
      const { version, table } = object!.content
      expect(text(table.get('x'))).toBe(words[version - 1])
    }
  }

  // The checkpoint of one who took a version in rank 3 and promised rank 5 since: the proposal that is written again, with
  // the rank it was taken in, must not bring that rank back.
  it('never takes a promise back', () => {
    const group = new TestGroup(SERVERS, { checkpointBytesMin: 1 })
    group.tell('a', 's1', propose(3, 1, 'one', FIRST_DIGEST, 'a'))
    group.pass(settings.turnMs)
    group.tell('b', 's1', get(5, 'b'))
    group.pass(5_000)
    const promised = cuts(group.disks.get('s1')!).map(object => object!.promised.counter)
    expect(promised).toEqual(promised.toSorted((a, b) => a - b))
    expect(promised.at(-1)).toBe(5)
  })

  // It missed 1, took 2 and 3, and fetched 1 and 2; the crash lost the record that it had fetched 2, which is there as a
  // proposal. A server that went on from version 1 would write a checkpoint whose pages, of version 1, come behind 2.
  it('gives a table of the version it says, also after a checkpoint', () => {
    const [missed, ...taken] = versions.slice(0, 3)
    const fetched: ServerRecord = {
      ...{ kind: 'caught', object: 'o', head: { version: 1, digest: missed!.digest } },
      ...{ parent: missed!.parent, change: missed!.change },
    }
    const log = taken.map(({ version, digest, parent, change }): ServerRecord => {
      return { kind: 'proposal', object: 'o', proposed: { rank: rank(1), version, parent, digest }, change }
    })
    const group = new TestGroup(['s1'])
    group.leave('s1')
    group.disks.set(
      's1',
      [...log, fetched].map(record => encode(serverRecord, record)),
    )
    group.serve('s1', { checkpointBytesMin: 0 })
    group.pass(5_000)
    expectWhole(group.disks.get('s1')!)
  })

  // It missed 1 and 3. That 2 is committed it knows from a commit, which has no record: the log knows 2 as a proposal in
  // whose place 4 came. Once 1 is there it goes on to 2, and the log must do so, too: the checkpoint will say that it leads
  // to 3, and a log that does not would be read as a table of nothing.
  it('leads to every version that its server went on to', () => {
    const change = { checkpointBytesMin: 0 }
    const group = new TestGroup(SERVERS, change)
    for (const server of ['s1', 's2']) for (const version of versions) group.tell('c', server, version)
    const [, second, , fourth] = versions
    group.lost = ({ from, body }) => from === 's3' && body.kind === 'fetch'
    group.tell('c', 's3', second!)
    group.tell('c', 's3', { kind: 'commit', object: 'o', rank: rank(1), version: 2, digest: second!.digest })
    group.tell('c', 's3', fourth!)
    group.lost = () => false
    group.pass(5_000)
    expect(group.server('s3').content.version).toBe(3)
    expectWhole(group.disks.get('s3')!)
  })
})

describe('the log of a server that restarts often', () => {
  // Each life writes less than calls for a checkpoint. Only where the bytes that it found count too, the log has an end.
  it('is shortened all the same', () => {
    const change = { checkpointBytesMin: 1_000 }
    const group = new TestGroup(SERVERS, change)
    let last: ReturnType<typeof propose> | undefined
    for (let life = 1; life <= 20; life++) {
      last = propose(life, life, 'x'.repeat(100), last?.digest)
      group.tell('c', 's1', last)
      group.pass(5_000)
      group.leave('s1')
      group.serve('s1', change)
    }
    expect(kindsIn(group.disks.get('s1')!)).toContain('head')
  })
})
