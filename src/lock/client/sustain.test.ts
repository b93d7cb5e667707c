// The client's side of renewal by a keeper (protocols/lock 7): what the keeper proved moves the deadline, and nothing else.

import { describe, expect, it } from 'vitest'
import { Puppet, sent, told } from '../../../test/support/machine.ts'
import { lockDefaults } from '../settings.ts'
import { lockClient } from './machine.ts'

const SERVERS = ['s1', 's2', 's3']
const BELIEF = Math.floor((1_000 * 0.99) / 1.01)

function holder() {
  const client = new Puppet(lockClient({ ...lockDefaults, ttlMax: 10_000 }), SERVERS)
  client.start()
  client.command({ kind: 'acquire', id: 1, name: 'a', ttl: 1_000, wait: true, renew: true, hint: 100 })
  const { attempt, token } = client.state.acquisitions.get('a')!
  for (const server of SERVERS) client.hear(server, { kind: 'granted', name: 'a', attempt, token, held: 1_000 })
  const sustain = (deadline: number, id = 1) => told(client.command({ kind: 'sustain', id, name: 'a', deadline }))
  return { client, sustain, start: client.now }
}

describe('sustain', () => {
  it('moves the deadline, and says so', () => {
    const { sustain, start } = holder()
    expect(sustain(start + 2 * BELIEF)).toEqual([{ kind: 'extended', id: 1, name: 'a', deadline: start + 2 * BELIEF }])
  })
  it('puts off the loss and the client’s own renewal', () => {
    const { client, sustain, start } = holder()
    client.pass(100)
    sustain(start + 100 + BELIEF)
    expect(sent(client.pass(Math.floor(BELIEF / 3) - 1))).toEqual([])
    expect(sent(client.pass(1)).map(({ body }) => body.kind)).toEqual(['renew', 'renew', 'renew'])
    const lost = told(client.pass(BELIEF))
    expect(lost.map(({ kind }) => kind)).toEqual(['lost'])
  })
  it('does not disturb a renewal under way', () => {
    const { client, sustain, start } = holder()
    client.command({ kind: 'extend', id: 1, name: 'a', ttl: 5_000 })
    sustain(start + BELIEF + 10)
    const { attempt, token } = client.state.acquisitions.get('a')!
    const out = SERVERS.flatMap(server =>
      client.hear(server, { kind: 'renewed', name: 'a', attempt, token, held: 5_000 }),
    )
    expect(told(out)).toEqual([
      { kind: 'extended', id: 1, name: 'a', deadline: start + Math.floor((5_000 * 0.99) / 1.01) },
    ])
  })
  it.each([
    ['an earlier deadline', BELIEF - 1, 1],
    ['another lease', 2 * BELIEF, 2],
    ['a deadline that is past', -1, 1],
  ])('is nothing with %s', (_what, deadline, id) => {
    const { sustain, start } = holder()
    expect(sustain(start + deadline, id)).toEqual([])
  })
  it('comes too late once the loss was told', () => {
    const { client, sustain, start } = holder()
    client.pass(BELIEF - 10)
    expect(client.state.acquisitions.get('a')?.phase).toBe('ending')
    expect(sustain(start + 5_000)).toEqual([])
  })
  it('for a name that is not held is nothing', () => {
    const { client, sustain } = holder()
    client.command({ kind: 'release', id: 1, name: 'a' })
    expect(sustain(99_999)).toEqual([])
  })
})
