// Who lied, and who lags, as far as a group that may hold a liar can tell.

import { describe, expect, it } from 'vitest'
import { type ObjectServerInfo, tallyComplaints, versionsBehind } from './inspect-objects.ts'

const told = (server: string, complaints: ObjectServerInfo['complaints']): ObjectServerInfo => ({
  server,
  objects: [],
  complaints,
  rejoining: 0,
})
const complaint = (server: string, version = 3) => ({ client: 'ann', server, object: 'stock', version, what: 'forged' })

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
