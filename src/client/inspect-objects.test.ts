// Who lied, and who lags, as far as a group that may hold a liar can tell.

import { describe, expect, it } from 'vitest'
import {
  type ObjectServerInfo,
  repairableVersion,
  spoiledObjects,
  tallyComplaints,
  tallyLedgerLies,
  versionsBehind,
} from './inspect-objects.ts'

const told = (server: string, complaints: ObjectServerInfo['complaints']): ObjectServerInfo => ({
  server,
  objects: [],
  complaints,
  rejoining: 0,
})
const complaint = (server: string, version = 3) => ({ client: 'ann', server, object: 'stock', version, what: 'forged' })

describe('servers that were caught at a ledger', () => {
  const what = ['proposed what cannot be'] as const
  const names = ['s1', 's2', 's3', 's4']
  const tally = (told: Record<string, { server: string; what: typeof what }[]>) =>
    tallyLedgerLies(new Map(Object.entries(told)), names, 1).map(({ server, clients, lied }) => ({
      server,
      clients,
      lied,
    }))

  it('lied where more servers say so than can lie, and are accused by fewer', () => {
    const caught = [{ server: 's4', what }]
    expect(tally({ s1: caught, s2: [] })).toEqual([{ server: 's4', clients: ['s1'], lied: false }])
    expect(tally({ s1: caught, s2: caught })).toEqual([{ server: 's4', clients: ['s1', 's2'], lied: true }])
  })
  it('are none by their own word, nor by a name that is no server', () => {
    const stranger = { server: 'ghost', what }
    expect(tally({ s4: [{ server: 's4', what }, stranger], s1: [stranger] })).toEqual([])
  })
})

describe('an accusation', () => {
  it('counts where more servers pass it on than can lie', () => {
    const servers = [told('server-1', [complaint('server-3')]), told('server-2', [complaint('server-3')])]
    expect(tallyComplaints(servers, [], 1)).toEqual([
      { server: 'server-3', what: 'forged', object: 'stock', version: 3, clients: ['ann'], lied: false },
    ])
  })

  it('of one server alone is nothing: it may have invented the client as well', () => {
    expect(tallyComplaints([told('server-3', [complaint('server-1'), complaint('server-1')])], [], 1)).toEqual([])
  })

  it('is not strengthened by the accused', () => {
    const servers = [told('server-1', [complaint('server-3')]), told('server-3', [complaint('server-3')])]
    expect(tallyComplaints(servers, [], 1)).toEqual([])
  })

  it('that this client saw itself needs nobody else; the last one of a kind is shown', () => {
    const lies = [2, 5, 4].map(version => complaint('server-2', version))
    expect(tallyComplaints([], lies, 1)).toEqual([
      { server: 'server-2', what: 'forged', object: 'stock', version: 5, clients: ['this client'], lied: true },
    ])
  })
})

describe('who lied', () => {
  const by = (client: string) => ({ ...complaint('server-3'), client })
  const verdict = (...clients: string[]) => {
    const complaints = clients.map(by)
    return tallyComplaints([told('server-1', complaints), told('server-2', complaints)], [], 1)[0]?.lied
  }
  it('is said by more clients than servers may lie; one alone accuses', () => {
    expect(verdict('ann#1')).toBe(false)
    expect(verdict('ann#1', 'bob#1')).toBe(true)
  })
  it('is said by more servers than may lie, and not by one of them with one client', () => {
    const verdictOf = (...accusers: string[]) => {
      const complaints = accusers.map(by)
      const servers = ['server-1', 'server-2', 'server-3', 'server-4']
      return tallyComplaints([told('server-1', complaints), told('server-2', complaints)], [], 1, servers)[0]?.lied
    }
    expect(verdictOf('server-1')).toBe(false)
    expect(verdictOf('server-1', 'ann#1')).toBe(false)
    expect(verdictOf('server-1', 'server-2')).toBe(true)
    expect(verdictOf('server-1', 'ann#1', 'bob#1')).toBe(true)
  })
  it('is not said twice by two processes of one client', () => expect(verdict('ann#1', 'ann#2')).toBe(false))
  it('is believed where servers were told in other words: they keep the last of each accuser', () => {
    const servers = [told('server-1', [by('ann#1')]), told('server-2', [{ ...by('ann#1'), what: 'stale', version: 9 }])]
    expect(tallyComplaints(servers, [], 1).map(({ what }) => what)).toEqual(['forged', 'stale'])
  })
})

describe('an object that stands still', () => {
  const DAY = 24 * 60 * 60 * 1000
  const has = (server: string, counter: number, committed: number, applied = committed): ObjectServerInfo => {
    const head = { version: committed, digest: new Uint8Array(32) }
    const rest = { rank: { counter, client: '' }, proposed: 0, entries: 0, sessions: 0, pending: 0 }
    return { ...told(server, []), objects: [{ object: 'stock', committed: head, applied, ...rest }] }
  }
  it('has turns promised far into the future, as more servers say than can lie', () => {
    const high = (count: number, counter = 2 * DAY + 1, aheadMax = DAY) =>
      spoiledObjects(
        ['a', 'b', 'c'].map((name, at) => has(name, at < count ? counter : 0, 5)),
        1,
        0,
        aheadMax,
      )
    expect(high(1)).toEqual([])
    expect(high(2)).toMatchObject([{ object: 'stock', why: 'its turns are promised far into the future' }])
    expect(high(2, 2 * DAY)).toEqual([])
    // What the group's config says counts, not a day.
    expect(high(2, 2_001, 1_000)).toHaveLength(1)
    expect(high(2, 2_000, 1_000)).toEqual([])
    expect(high(2, 2 * DAY + 1, 2 * DAY)).toEqual([])
  })
  it('or a version that no server has', () => {
    const servers = [has('a', 0, 2 ** 40, 5), has('b', 0, 2 ** 40, 4), has('c', 0, 5)]
    expect(spoiledObjects(servers, 1, 0, DAY)).toMatchObject([{ why: 'it is at a version that no server has' }])
    expect(spoiledObjects([has('a', 0, 6, 5), has('b', 0, 6, 6), has('c', 0, 6, 5)], 1, 0, DAY)).toEqual([])
  })
  it('is repaired at the newest version that more servers have than can lie', () => {
    expect(repairableVersion([has('a', 0, 9, 9), has('b', 0, 9, 5), has('c', 0, 9, 4)], 'stock', 1)).toBe(5)
    expect(repairableVersion([], 'stock', 1)).toBe(0)
  })
})

describe('versions behind', () => {
  const has = (server: string, committed: number, applied = committed): ObjectServerInfo => {
    const head = { version: committed, digest: new Uint8Array(32) }
    const rest = { rank: { counter: 0, client: '' }, proposed: 0, entries: 0, sessions: 0, pending: 0 }
    return { ...told(server, []), objects: [{ object: 'stock', committed: head, applied, ...rest }] }
  }

  it('are counted from what somebody beyond the liars has', () => {
    const servers = [has('server-1', 10), has('server-2', 7), has('server-3', 10, 4), has('server-4', 1_000_000)]
    expect(servers.map(({ server }) => versionsBehind(servers, server, 1))).toEqual([0, 3, 6, 0])
  })

  it('are all, of an object that a server does not have', () => {
    const servers = [has('server-1', 10), has('server-2', 10), told('server-3', [])]
    expect(versionsBehind(servers, 'server-3', 1)).toBe(10)
  })
})
