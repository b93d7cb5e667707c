// What may be asked of a lock client, and how much of it: nothing is sent that cannot be said on the wire.

import { describe, expect, it } from 'vitest'
import { Client } from '../../../test/support/lock-client.ts'
import { sent, told } from '../../../test/support/machine.ts'
import { encode } from '../../core/index.ts'
import { lockVocabulary, NAME_BYTES_MAX, TOKEN_MAX } from '../wire.ts'
import { QUESTIONS_MAX } from './state.ts'

describe('limits', () => {
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
    expect(client.state.acquisitions.size).toBe(0)
  })
  it('ten thousand callers stand in line, and the next is told that there are too many', () => {
    const client = new Client()
    client.acquire(1)
    for (let id = 2; id <= 10_001; id++) expect(client.acquire(id)).toEqual([])
    expect(told(client.acquire(10_002))).toMatchObject([{ kind: 'failed', id: 10_002, reason: 'crowded' }])
  })
  const questions = {
    inspect: (id: number) => ({ kind: 'inspect', id }) as const,
    force: (id: number) => ({ kind: 'force', id, name: 'a' }) as const,
  }
  it.each(Object.entries(questions))(
    '%s: as many questions are under way as may be, and the next is refused',
    (_kind, question) => {
      const client = new Client()
      for (let id = 1; id <= QUESTIONS_MAX; id++) expect(sent(client.command(question(id))).length).toBe(4)
      for (const next of Object.values(questions)) {
        const out = client.command(next(99))
        expect(sent(out), 'nobody was asked').toEqual([])
        expect(told(out)).toEqual([{ kind: 'refused', id: 99, reason: 'crowded' }])
      }
      client.pass(5_000)
      expect(sent(client.command(question(100))).length, 'once the time for answers is over').toBe(4)
    },
  )
  it.each([
    { kind: 'inspect', id: -1 },
    { kind: 'inspect', id: 0.5 },
    { kind: 'force', id: 2 ** 53, name: 'a' },
    { kind: 'force', id: 1, name: '' },
    { kind: 'force', id: 1, name: 'x'.repeat(NAME_BYTES_MAX + 1) },
    { kind: 'force', id: 1, name: '\ud800' },
  ] as const)('a question that cannot be said on the wire is refused: %j', asked => {
    const out = new Client().command(asked)
    expect(sent(out)).toEqual([])
    expect(told(out)).toEqual([{ kind: 'refused', id: asked.id, reason: 'invalid' }])
  })
  it('a server that grants for less is believed for less', () => {
    const client = new Client()
    client.acquire()
    const { attempt, token } = client.acquisition
    const granted = { kind: 'granted', name: 'a', attempt, token, held: 300 } as const
    const out = ['s1', 's2', 's3'].flatMap(server => told(client.hear(server, granted)))
    expect(out).toMatchObject([{ kind: 'acquired', deadline: 1_000 + Math.floor((300 * 0.99) / 1.01) }])
  })
})
