// What sources gave over all objects: a source that gave as much as it may is asked on later, and every copy ends.

import { describe, expect, it } from 'vitest'
import { rank, settings, TestGroup, utf8 } from '../../../test/support/ordering-group.ts'
import type { NodeId } from '../../core/index.ts'
import type { ClientState } from '../client/state.ts'
import type { ServerState } from '../server/state.ts'
import type { OrderingMessage } from '../wire.ts'
import { encodeChange } from './content.ts'
import { type Copying, newCopying } from './copying.ts'
import { FIRST_DIGEST, nextDigest } from './digest.ts'
import { addChanges } from './fetched-changes.ts'
import { GATHERED_BYTES_MAX, mayCopy, newGathered, recount, roomOf, withRoom, withRoomFirst } from './gathering.ts'

const MIB = 2 ** 20

function copyingWith(query: number, given: Readonly<Record<NodeId, number>>): Copying {
  const copying = newCopying(query, Object.keys(given), 0)
  for (const [source, copy] of copying.copies) copy.bytes = given[source]!
  return copying
}

describe('what is gathered', () => {
  const change = (source: NodeId | undefined, bytes: number) =>
    ({ version: 1, digest: FIRST_DIGEST, change: new Uint8Array(bytes - 200), ...(source && { source }) }) as const
  const fetched = (...changes: ReturnType<typeof change>[]) => ({ source: 's1', query: 1, changes })

  it('is counted for who gave it, over all objects, until it is taken or dropped', () => {
    const gathered = newGathered()
    recount(gathered, 'a', [fetched(change('s1', MIB), change('s2', 300), change(undefined, MIB))], undefined)
    recount(gathered, 'b', [fetched(change('s1', MIB)), fetched(change('s1', 500))], undefined)
    expect(Object.fromEntries(gathered.bytes)).toEqual({ s1: 2 * MIB + 500, s2: 300 })
    recount(gathered, 'a', [undefined], undefined)
    recount(gathered, 'b', [fetched(change('s1', MIB))], undefined)
    expect(Object.fromEntries(gathered.bytes)).toEqual({ s1: MIB })
    recount(gathered, 'b', [], undefined)
    expect([gathered.bytes.size, gathered.of.size]).toEqual([0, 0])
  })
  it('is of a copy what its source is ahead of the slowest', () => {
    const gathered = newGathered()
    recount(gathered, 'a', [], copyingWith(1, { s1: 100 * MIB, s2: 90 * MIB }))
    recount(gathered, 'b', [], copyingWith(2, { s1: 3 * MIB, s2: 4 * MIB, s3: 3 * MIB }))
    expect(Object.fromEntries(gathered.bytes)).toEqual({ s1: 10 * MIB, s2: MIB })
    expect(roomOf(gathered, 's1')).toBe(GATHERED_BYTES_MAX - 10 * MIB)
  })
  // Each is full with what it gave for the object for which the other is waited for.
  it('lets the copy that began first go on: two sources do not wait for each other', () => {
    const gathered = newGathered()
    const goOn = () => ['a', 'b'].map(object => ['s1', 's2'].filter(source => mayCopy(gathered, object, source)))
    recount(gathered, 'a', [], copyingWith(1, { s1: GATHERED_BYTES_MAX, s2: 0 }))
    recount(gathered, 'b', [], copyingWith(2, { s1: 0, s2: GATHERED_BYTES_MAX }))
    expect(goOn()).toEqual([['s1', 's2'], []])
    // It is begun again: the other is first now.
    recount(gathered, 'a', [], copyingWith(3, { s1: 0, s2: 0 }))
    expect(goOn()).toEqual([['s1'], ['s1', 's2']])
    recount(gathered, 'b', [], undefined)
    expect(goOn()[0]).toEqual(['s1', 's2'])
  })
  it('has others asked first', () => {
    const gathered = newGathered()
    recount(gathered, 'a', [fetched(change('s2', GATHERED_BYTES_MAX))], undefined)
    expect(withRoomFirst(gathered, ['s1', 's2', 's3'])).toEqual(['s1', 's3', 's2'])
    expect(withRoom(gathered, ['s1', 's2', 's3'])).toEqual(['s1', 's3'])
    expect(withRoom(gathered, ['s2'])).toEqual(['s2'])
  })
})

// As a record, a digest and a place in a list it takes a few hundred bytes.
it('a change that is empty takes up room', () => {
  const fetching = { source: 's1', query: 1, changes: [] }
  const more = Array.from({ length: 1_000 }, (_, at) => ({ version: at + 1, change: new Uint8Array(0) }))
  expect(addChanges(fetching, { version: 0, digest: FIRST_DIGEST }, more, () => FIRST_DIGEST, 100_000)).toBe(true)
  expect(fetching.changes).toHaveLength(500)
})

describe('a copy whose sources have given as much as they may', () => {
  const servers = ['s1', 's2', 's3', 's4', 's5', 's6', 's7']
  const change = { recentChangesMax: 1, liars: 1, crashes: 1 }

  it.each(['s7', 'd'])('waits, and goes on: %s', who => {
    const group = new TestGroup(servers, change)
    let parent = FIRST_DIGEST
    let committed: OrderingMessage | undefined
    for (const [place, key] of ['a', 'b', 'c'].entries()) {
      const version = place + 1
      const changed = encodeChange([{ key, value: utf8.encode(key) }])
      const digest = nextDigest(settings.hash, parent, version, changed)
      committed = { kind: 'commit', object: 'o', rank: rank(1), version, digest }
      for (const server of servers.slice(0, 6)) {
        group.tell('c', server, {
          kind: 'propose',
          object: 'o',
          rank: rank(1),
          version,
          parent,
          digest,
          change: changed,
        })
        group.tell('c', server, committed)
      }
      parent = digest
    }
    if (who === 'd') group.join(who, change)
    const { gathered } = group.hosts.get(who)!.state as ClientState | ServerState
    for (const server of servers) gathered.bytes.set(server, GATHERED_BYTES_MAX)
    gathered.copied.set('another', 1)
    if (who === 'd') group.do(who, { kind: 'copy', id: 3, object: 'o' })
    else group.tell('c', who, committed!)
    const isThere = () => (who === 's7' ? group.server(who).content.version === 3 : group.heard('copied').length > 0)
    group.pass(20_000)
    expect(isThere()).toBe(false)
    expect(gathered.copied.has('o')).toBe(true)
    const asked = group.carried.filter(({ body }) => body.kind === 'page').length
    gathered.bytes.clear()
    group.pass(500)
    expect(isThere()).toBe(true)
    expect(asked).toBeLessThan(10)
    expect([gathered.of.size, gathered.copied.has('o')]).toEqual([0, false])
  })
})
