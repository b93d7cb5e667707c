// A copy of an object's whole content, page by page, from a source that goes on, crashes and comes back meanwhile.

import { describe, expect, it } from 'vitest'
import { rank, SERVERS, settings, TestGroup, text, utf8 } from '../../../test/support/ordering-group.ts'
import { type NodeId, seededRandom } from '../../core/index.ts'
import type { Head, OrderingMessage, Write } from '../wire.ts'
import { encodeChange } from './content.ts'
import { agreed, type Copying, chooseSources, hearCopy, newCopying, nextSources, patience } from './copying.ts'
import { FIRST_DIGEST, nextDigest } from './digest.ts'

const write = (key: string, value: string): Write => ({ key, value: utf8.encode(value) })
/** Two of them do not fit in one page. */
const large = (key: string): Write => ({ key, value: new Uint8Array(700_000) })

// One source was silent, another lagged itself: drawn anew each time, one of them was among the two for ten times in a
// row (seven servers, seed 930406).
it('sources that did not bring the last copy so far are asked last', () => {
  const servers = ['s1', 's2', 's3', 's4']
  const before = newCopying(1, ['s1', 's2', 's3'], 0)
  const page = (version: number) => ({
    kind: 'entries' as const,
    object: 'o',
    query: 1,
    applied: { version, digest: new Uint8Array(32) },
    entries: [],
    more: false,
  })
  hearCopy(before, 's2', page(3), settings.hash, 0)
  hearCopy(before, 's3', page(9), settings.hash, 0)
  expect(chooseSources(servers, 2, 0, undefined, 9)).toEqual(['s1', 's2'])
  for (const first of [0, 1, 2]) expect(chooseSources(servers, 2, first, before, 9)).toEqual(['s3', 's4'])
  expect(chooseSources(servers, 2, 3, before, 9)).toEqual(['s4', 's3'])
  expect(chooseSources(servers, 4, 3, before, 9)).toEqual(['s4', 's3', 's1', 's2'])
})

describe('the pages of a copy', () => {
  const head = (version: number): Head => ({ version, digest: new Uint8Array(32).fill(version) })

  function copyOf(first: number, second: number) {
    const copying = newCopying(1, ['s2'], 0)
    const hear = (version: number, entries: Write[], more: boolean) =>
      hearCopy(
        copying,
        's2',
        { kind: 'entries', object: 'o', query: 1, applied: head(version), entries, more },
        settings.hash,
        0,
      )
    hear(first, [write('a', 'of the first')], true)
    hear(second, [write('z', 'of the second')], false)
    return agreed(copying, head(4), 1)
  }

  it('are of one version, or older than the one they are taken for', () => {
    expect(copyOf(4, 4)?.version).toBe(4)
  })
  // The source went on between two pages: z is of version 5, and whatever else 5 wrote is on a page that came before it.
  it('do not give a version that one of them is past', () => {
    expect(copyOf(4, 5)).toBeUndefined()
  })
  // The source crashed between two pages and came back a version behind, where z was another.
  it('do not go back', () => {
    expect(copyOf(4, 3)).toBeUndefined()
  })
})

/** Versions from 1 on, as one client proposes them. */
function proposals(...versions: readonly Write[][]) {
  let parent = FIRST_DIGEST
  return versions.map((writes, place) => {
    const change = encodeChange(writes)
    const digest = nextDigest(settings.hash, parent, place + 1, change)
    const made = { kind: 'propose' as const, object: 'o', rank: rank(1), version: place + 1, parent, digest, change }
    parent = digest
    return made
  })
}
type Proposed = ReturnType<typeof proposals>[number]
const commit = ({ version, digest }: Proposed): OrderingMessage => {
  return { kind: 'commit', object: 'o', rank: rank(1), version, digest }
}

function decide(group: TestGroup, servers: readonly NodeId[], versions: readonly Proposed[]): void {
  for (const server of servers) {
    for (const proposed of versions) group.tell('c', server, proposed)
    group.tell('c', server, commit(versions.at(-1)!))
  }
}

describe('a server that takes a copy', () => {
  // s1 and s2 are at version 4. A commit has no record of its own: the source that crashes between two pages comes back
  // at version 3, where z was old, and what it handed out before was of version 4.
  it('does not put two lives of its source together', () => {
    const change = { recentChangesMax: 1 }
    const group = new TestGroup(SERVERS, change, seededRandom(1))
    const versions = proposals([large('a')], [large('b')], [write('z', 'old')], [write('z', 'new')])
    decide(group, ['s1', 's2'], versions)
    let source: NodeId | undefined
    group.lost = ({ from, to, body }) => {
      if (source !== undefined || from !== 's3' || body.kind !== 'page' || body.after === '') return false
      source = to
      group.leave(source)
      group.serve(source, change)
      return false
    }
    group.tell('c', 's3', commit(versions.at(-1)!))
    group.pass(30_000)
    expect(SERVERS).toContain(source)
    const { version, table } = group.server('s3').content
    expect({ version, z: text(table.get('z')) }).toEqual({ version: 4, z: 'new' })
  })

  // The last page for its first life is late. Its second life asks the same source for a copy of a later version, in
  // which there is a key more.
  it('takes no page that an earlier life asked for', () => {
    const change = { recentChangesMax: 3 }
    const group = new TestGroup(SERVERS, change, { ...seededRandom(1), below: () => 0 })
    const small = ['c', 'd', 'e', 'f'].map(key => [write(key, key)])
    const versions = proposals([large('a')], [large('b')], ...small)
    decide(group, ['s1', 's2'], versions.slice(0, 5))
    let late: { readonly from: NodeId; readonly body: OrderingMessage } | undefined
    group.lost = ({ from, to, body }) => {
      if (to !== 's3' || body.kind !== 'entries' || body.more) return false
      late ??= { from, body }
      return true
    }
    group.tell('c', 's3', commit(versions[4]!))
    group.leave('s3')
    group.serve('s3', change)
    decide(group, ['s1', 's2'], versions.slice(5))
    let came = false
    group.lost = ({ from, to, body }) => {
      if (came || late === undefined || from !== 's3' || to !== late.from || body.kind !== 'page') return false
      came = true
      group.hear(late.from, 's3', late.body)
      return false
    }
    group.tell('c', 's3', commit(versions[5]!))
    group.pass(30_000)
    expect(came).toBe(true)
    const { version, table } = group.server('s3').content
    expect({ version, keys: [...table.keys()].sort() }).toEqual({ version: 6, keys: ['a', 'b', 'c', 'd', 'e', 'f'] })
  })
})

// One of the two sources of a copy lies: it goes on for ever, with a word whenever its time is nearly over.
describe('a copy from a source that never ends', () => {
  const servers = ['s1', 's2', 's3', 's4', 's5', 's6', 's7']
  const change = { recentChangesMax: 1, liars: 1, crashes: 1 }
  const versions = proposals([large('a')], [large('b')], [write('c', 'c')], [write('d', 'd')])

  /** Whether it ends within a minute, where `s1` says to who copies that there is more. */
  function ends(who: NodeId, seed: number): { ends: boolean; lies: number } {
    const group = new TestGroup(servers, change, seededRandom(seed))
    decide(group, servers.slice(1, 6), versions)
    let lies = 0
    let asked: { readonly query: number; readonly at: number } | undefined
    group.lost = ({ from, to, body }) => {
      if (from === who && to === 's1' && body.kind === 'page') asked = { query: body.query, at: group.now }
      return from === 's1' || to === 's1'
    }
    if (who === 's7') group.tell('c', 's7', commit(versions.at(-1)!))
    else {
      group.join(who, change)
      group.do(who, { kind: 'copy', id: 3, object: 'o' })
    }
    const isThere = () => (who === 's7' ? group.server(who).content.version === 4 : group.heard('copied').length > 0)
    while (!isThere() && group.now < 60_000) {
      group.pass(100)
      if (asked === undefined || group.now < asked.at + 1_900) continue
      const { query } = asked
      asked = undefined
      lies++
      const applied = { version: 0, digest: FIRST_DIGEST }
      group.hear('s1', who, { kind: 'entries', object: 'o', query, applied, entries: [], more: true })
      group.carry()
    }
    return { ends: isThere(), lies }
  }

  it.each([
    ['s7', 'a server'],
    ['d', 'a client'],
  ])('%s: is given up by %s, which takes it from others', who => {
    const runs = Array.from({ length: 8 }, (_, seed) => ends(who, seed + 1))
    expect(runs.map(run => run.ends)).toEqual(runs.map(() => true))
    expect(runs.filter(({ lies }) => lies > 0).length).toBeGreaterThan(2)
  })
})

describe('the patience with a source', () => {
  const page = (key: string, bytes: number, more: boolean) => {
    const applied = { version: 1, digest: FIRST_DIGEST }
    const entries = [{ key, value: new Uint8Array(bytes) }]
    return { kind: 'entries' as const, object: 'o', query: 1, applied, entries, more }
  }
  const head = { version: 1, digest: FIRST_DIGEST }
  const begun = () => newCopying(1, ['s1', 's2'], 0)
  const hear = (copying: Copying, source: NodeId, now: number, answer = page(`${now}`.padStart(9, '0'), 9, true)) => {
    hearCopy(copying, source, answer, settings.hash, now)
    nextSources(copying, now, () => true)
  }

  it('is two seconds for a page, whatever the other says', () => {
    const copying = begun()
    expect(patience(copying, 0)).toBe(2_000)
    for (let now = 100; now < 2_000; now += 100) hear(copying, 's1', now)
    expect(patience(copying, 1_999)).toBe(1)
    expect(patience(copying, 2_001)).toBe(0)
  })
  it('goes on while both do, at whatever pace', () => {
    const copying = begun()
    for (let now = 1_900; now < 60_000; now += 1_900) {
      for (const source of ['s1', 's2']) hear(copying, source, now)
      expect(patience(copying, now)).toBe(2_000)
    }
  })
  it('is five times as long as the other took for all, and two seconds', () => {
    const copying = begun()
    hear(copying, 's1', 1_000, page('a', 9, false))
    const none = { kind: 'changes' as const, object: 'o', query: 1, from: 1, base: FIRST_DIGEST, changes: [] }
    hearCopy(copying, 's1', { ...none, committed: head, known: true }, settings.hash, 1_000)
    for (let now = 1_000; now < 7_000; now += 1_000) hear(copying, 's2', now)
    expect(patience(copying, 6_999)).toBe(1)
  })
  // The other waits for it: that time is not the other's own.
  it('is no longer where the other is far ahead, and waits', () => {
    const copying = begun()
    for (let at = 1; at <= 32; at++) hear(copying, 's1', at, page(`${at}`.padStart(9, '0'), 2 ** 20, true))
    for (let now = 1_000; now < 3_000; now += 1_000) hear(copying, 's2', now)
    expect(patience(copying, 2_000)).toBe(5 * 32)
  })
})
