// What may be asked of a lock client, and how much of it: whatever comes, nothing is sent that cannot be said.

import { describe, expect, it } from 'vitest'
import { Client } from '../../test/support/lock-client.ts'
import { sent, told } from '../../test/support/machine.ts'
import { encode } from '../core/index.ts'
import { lockVocabulary, TOKEN_MAX } from './messages.ts'

describe('limits (HOUSE 7)', () => {
  it.each([
    ['a fraction of a millisecond', { ttl: 0.5 }],
    ['a ttl that is no number', { ttl: Number.NaN }],
    ['no time at all', { ttl: 0 }],
    ['more than a day', { ttl: 86_400_001 }],
    ['no name', { name: '' }],
    ['a name of more than 200 bytes', { name: 'ä'.repeat(101) }],
    ['half a character', { name: '\ud800' }],
    ['a hint above every token', { hint: 2 ** 53 }],
    ['a hint that is no whole number', { hint: 0.1 }],
  ])('%s fails at once, and nothing is sent', (_what, wish) => {
    for (const fair of [true, false]) {
      const out = new Client().acquire(1, { ...wish, fair })
      expect(told(out)).toMatchObject([{ kind: 'failed', id: 1, reason: 'invalid' }])
      expect(sent(out)).toEqual([])
    }
  })
  it('an extension that cannot be said changes nothing', () => {
    const client = new Client()
    client.holds()
    expect(client.command({ kind: 'extend', id: 1, name: 'a', ttl: 1.5 })).toEqual([])
  })
  it.each([true, false])('above the largest token nothing is asked, and the whole line fails (fair: %s)', fair => {
    const client = new Client()
    client.acquire(1, { fair, wait: true })
    client.acquire(2)
    const out = ['s1', 's2'].flatMap(server => client.answers(server, TOKEN_MAX))
    for (const { body } of sent(out)) encode(lockVocabulary, body)
    for (const { body } of sent(client.pass(5_000))) encode(lockVocabulary, body)
    client.state.seen = TOKEN_MAX
    client.command({ kind: 'release', id: 1, name: 'a' })
    expect(sent(client.acquire(3, { fair }))).toEqual([])
    expect(client.state.pursuits.size).toBe(0)
  })
  it('ten thousand callers stand in line, and the next is told that there are too many', () => {
    const client = new Client()
    client.acquire(1)
    for (let id = 2; id <= 10_001; id++) expect(client.acquire(id)).toEqual([])
    expect(told(client.acquire(10_002))).toMatchObject([{ kind: 'failed', id: 10_002, reason: 'crowded' }])
  })
  it('sixty-four questions are under way, and the next is refused: nobody was asked', () => {
    const client = new Client()
    for (let id = 1; id <= 64; id++) expect(sent(client.command({ kind: 'inspect', id })).length).toBe(4)
    const out = client.command({ kind: 'inspect', id: 65 })
    expect(sent(out)).toEqual([])
    expect(told(out)).toEqual([{ kind: 'inspected', id: 65, complete: false, servers: [] }])
  })
  it('a server that grants for less is believed for less', () => {
    const client = new Client()
    client.acquire()
    const { attempt, token } = client.pursuit
    const granted = { kind: 'granted', name: 'a', attempt, token, held: 300 } as const
    const out = ['s1', 's2', 's3'].flatMap(server => told(client.hear(server, granted)))
    expect(out).toMatchObject([{ kind: 'acquired', deadline: 1_000 + Math.floor((300 * 0.99) / 1.01) }])
  })
})
