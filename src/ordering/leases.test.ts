// Leases: sessions that nobody's process keeps. Servers tell when one was not renewed in its time, and a client ends it.

import { describe, expect, it } from 'vitest'
import { SERVERS, settings, TestGroup, text, utf8 } from '../../test/support/ordering-group.ts'
import { brokenOrderingRules } from './proof/planted.ts'
import type { OrderingSettings } from './settings.ts'

const TTL = 2_000

/** `grant`, `renew ID`, `drop ID`; what ends is written down. */
const leasing: Partial<OrderingSettings> = {
  findApplier: () => ({
    apply(view, body, { leases }) {
      const [word, id = ''] = text(body)!.split(' ')
      if (word === 'grant') return utf8.encode(leases.grant(TTL))
      if (word === 'twice') return utf8.encode(`${leases.grant(TTL)} ${leases.grant(TTL)}`)
      if (word === 'fail') throw new Error(leases.grant(TTL))
      if (word === 'renew') return utf8.encode(`${leases.renew(id)}`)
      if (word === 'drop') leases.drop(id)
      view.set('last', body)
      return utf8.encode(`${leases.has(id)}`)
    },
    ended(view, session) {
      view.set('ended', utf8.encode(session))
    },
  }),
}

class Leasing extends TestGroup {
  private asked = 100

  ask(client: string, words: string, millis = 50): string {
    const id = ++this.asked
    this.do(client, { kind: 'submit', id, object: 'o', body: utf8.encode(words) })
    this.pass(millis)
    const answer = this.heard('answered').find(event => 'id' in event && event.id === id)
    return text((answer as { body: Uint8Array } | undefined)?.body) ?? 'not answered'
  }

  leases(server = 's1'): string[] {
    return [...this.server(server).content.sessions].filter(([, { client }]) => client === '').map(([id]) => id)
  }
}

function begun(change: Partial<OrderingSettings> = leasing, clients = ['c', 'd']): Leasing {
  const group = new Leasing(SERVERS, change)
  for (const [place, client] of clients.entries()) {
    group.join(client, change)
    group.do(client, { kind: 'open', id: place + 1, object: 'o', ttl: 10_000 })
    group.pass(50)
  }
  return group
}

describe('a lease', () => {
  it('ends when nobody renewed it in its time, and not before', () => {
    const group = begun()
    const lease = group.ask('c', 'grant')
    expect(group.leases()).toEqual([lease])
    group.pass(TTL - 200)
    expect(group.leases()).toEqual([lease])
    group.pass(6_000)
    expect(group.leases()).toEqual([])
    expect(text(group.server('s1').content.table.get('ended'))).toBe(lease)
    expect(group.ask('d', `renew ${lease}`)).toBe('false')
  })
  it('lives while any client renews it, also when the one that asked for it is gone', () => {
    const group = begun()
    const lease = group.ask('c', 'grant')
    group.leave('c')
    for (let time = 0; time < 20; time++) {
      group.pass(TTL / 2)
      expect(group.ask('d', `renew ${lease}`)).toBe('true')
    }
    expect(group.leases()).toEqual([lease])
    group.pass(10_000)
    expect(group.leases()).toEqual([])
  })
  it('is one of several of a version, and none where the operation failed', () => {
    const group = begun()
    const [one, two] = group.ask('c', 'twice').split(' ')
    const three = group.ask('c', 'grant')
    expect(new Set([one, two, three]).size).toBe(3)
    group.ask('c', 'fail')
    expect(group.leases().sort()).toEqual([one, two, three].sort())
    expect(group.ask('d', `drop ${two}`)).toBe('false')
    expect(group.leases().sort()).toEqual([one, three].sort())
  })
  it('is nobody to speak for: a session is no lease, and a lease no session', () => {
    const group = begun()
    const lease = group.ask('c', 'grant')
    const session = [...group.server('s1').content.sessions].find(([, { client }]) => client === 'c')![0]
    expect(group.ask('d', `renew ${session}`)).toBe('false')
    group.ask('d', `drop ${session}`)
    expect(group.server('s1').content.sessions.has(session)).toBe(true)
    group.hear('', 's1', { kind: 'ping', object: 'o', session: lease, ping: 1 })
    group.hear('d', 's1', { kind: 'ping', object: 'o', session: lease, ping: 1 })
    group.pass(10_000)
    expect(group.leases()).toEqual([])
  })
  it('is counted from the start of a server that comes back, at the least', () => {
    const group = begun()
    const lease = group.ask('c', 'grant')
    // What is built on it says that it is committed.
    group.ask('c', 'write')
    for (const server of SERVERS) {
      group.leave(server)
      group.serve(server, leasing)
    }
    group.pass(TTL - 200)
    expect(group.leases()).toEqual([lease])
  })
})

describe('a client that kept its turn and has nothing to do', () => {
  it('ends what came after it: a lease, and a session, that it never heard of', () => {
    const group = begun(leasing, ['c'])
    group.ask('c', 'write')
    group.join('e', leasing)
    // Nothing of what the others do reaches c, but for what servers say in answer to its pings.
    group.lost = ({ to, body }) => to === 'c' && body.kind !== 'pong'
    group.do('e', { kind: 'open', id: 9, object: 'o', ttl: 3_000 })
    group.pass(500)
    const lease = group.ask('e', 'grant', 500)
    const renewed = group.ask('e', `renew ${lease}`, 500)
    expect([group.leases(), renewed]).toEqual([[lease], 'true'])
    group.leave('e')
    group.lost = () => false
    group.pass(20_000)
    expect(group.leases()).toEqual([])
    expect([...group.server('s1').content.sessions.values()].map(({ client }) => client)).toEqual(['c'])
  })
})

describe('word of silence', () => {
  /** Servers name the lease as silent; it is renewed; then the word comes to a client with the turn. */
  function renewedAfterWord(change: Partial<OrderingSettings>): { group: Leasing; lease: string } {
    const group = begun(change)
    const lease = group.ask('c', 'grant')
    group.ask('d', 'write')
    const { next } = group.server('s1').content.sessions.get(lease)!
    expect(group.ask('d', `renew ${lease}`, 0)).toBe('true')
    // What servers would have said a moment before it was renewed, late on its way.
    for (const client of ['c', 'd']) {
      const { silent } = group.clientObject(client)
      for (const server of SERVERS) silent.set(server, { sentAt: group.now, sessions: [`${lease}@${next}`] })
    }
    group.ask('d', 'write', 0)
    return { group, lease }
  }
  it('of an older renewal ends nothing', () => {
    const { group, lease } = renewedAfterWord(leasing)
    expect(group.leases()).toEqual([lease])
  })
  it('lease-ends-on-old-word: would end what its keeper counts on', () => {
    const rules = brokenOrderingRules('lease-ends-on-old-word')
    const { group } = renewedAfterWord({ ...settings, ...leasing, rules })
    expect(group.leases()).toEqual([])
  })
  it.each(['@', 'x@1', '1.0@', '1.0@NaN', '1.0@-1'])('that makes no sense, %j, does nothing', name => {
    const group = begun()
    const lease = group.ask('c', 'grant')
    for (const server of SERVERS) group.clientObject('c').silent.set(server, { sentAt: group.now, sessions: [name] })
    group.ask('c', 'write')
    expect(group.leases()).toEqual([lease])
  })
  it('of a session that has the form of a lease does not end the session', () => {
    const group = begun()
    const session = [...group.server('s1').content.sessions].find(([, { client }]) => client === 'c')![0]
    const { next } = group.server('s1').content.sessions.get(session)!
    group.ask('d', 'write')
    for (const client of ['c', 'd']) {
      const { silent } = group.clientObject(client)
      for (const server of SERVERS) silent.set(server, { sentAt: group.now, sessions: [`${session}@${next}`] })
    }
    group.ask('d', 'write', 0)
    expect(group.server('s1').content.sessions.has(session)).toBe(true)
  })
})
