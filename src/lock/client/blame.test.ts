// Which words of a server prove a lie, and which do not; who is told.

import { describe, expect, it } from 'vitest'
import { answer, Client } from '../../../test/support/lock-client.ts'
import { sent, told } from '../../../test/support/machine.ts'
import { type LockMessage, TOKEN_MAX } from '../wire.ts'

function hears(body: (client: Client) => LockMessage, wish: Parameters<Client['acquire']>[1] = {}) {
  const client = new Client()
  client.acquire(1, wish)
  const out = client.hear('s1', body(client))
  const lies = told(out).flatMap(event => (event.kind === 'lied' ? [event.what] : []))
  return { client, out, lies }
}

const to = { name: 'a', attempt: 1 }

describe('a lie is proved by', () => {
  it.each<[string, LockMessage, boolean]>([
    ['answered what was never asked', { kind: 'granted', name: 'a', attempt: 2, token: 100, held: 1_000 }, false],
    ['granted a token that was never asked for', { kind: 'granted', ...to, token: 101, held: 1_000 }, false],
    ['granted another token than was asked for', { kind: 'granted', ...to, token: 99, held: 1_000 }, false],
    ['granted for longer than the longest lease', { kind: 'granted', ...to, token: 100, held: 10_001 }, false],
    ['heard a ping that was never sent', { kind: 'given', ...to, token: 100, held: 9, grant: 1, ping: 2 }, true],
    ['heard a ping that was never sent', { kind: 'queued', ...to, ping: 2 }, true],
    ['told of a lease beyond', { kind: 'locked', ...to, remaining: 10_001, recovering: false }, false],
    ['called a token too low that is above', { kind: 'tooLow', ...to, maximum: 99 }, false],
    ['claims a token that no clock explains', { kind: 'tooLow', ...to, maximum: TOKEN_MAX }, false],
    ['asked a grant back that was never asked for', { kind: 'inquire', name: 'a', grant: 1, token: 101 }, true],
  ])('%s', (what, body, fair) => {
    const { lies } = hears(() => body, { fair })
    expect(lies).toEqual([expect.stringContaining(what)])
  })
  it.each<[string, LockMessage, boolean]>([
    ['a grant as asked', answer('granted', 1, 100), false],
    ['a grant for less', { kind: 'granted', ...to, token: 100, held: 999 }, false],
    ['a lease as long as the longest', { kind: 'locked', ...to, remaining: 10_000, recovering: true }, false],
    ['a token that was granted already', { kind: 'tooLow', ...to, maximum: 100 }, false],
    ['an inquiry about a grant that is under way', { kind: 'inquire', name: 'a', grant: 1, token: 100 }, true],
    ['the list', { kind: 'queued', ...to, ping: 1 }, true],
  ])('but not by %s', (_what, body, fair) => {
    const asked = body.kind === 'granted' ? { ...body, held: Math.min(body.held, 1_000) } : body
    expect(hears(() => asked, { fair }).lies).toEqual([])
  })
})

it('a token that no clock explains is one also when the attempt is over, and never by an honest clock', () => {
  const hearsLate = (maximum: number) => {
    const client = new Client()
    client.acquire(1)
    for (const server of ['s1', 's2', 's3']) client.answers(server, 'granted')
    client.command({ kind: 'release', id: 1, name: 'a' })
    client.pass(1_000)
    const late: LockMessage = { kind: 'tooLow', name: 'a', attempt: 1, maximum }
    return told(client.hear('s4', late)).flatMap(event => (event.kind === 'lied' ? [event.what] : []))
  }
  // The caller's clock showed 100 µs; a second later it is a second later, and two days beyond are explained.
  const explained = 100 + 1_000_000 + 2 * 86_400_000_000
  expect(hearsLate(explained)).toEqual([])
  expect(hearsLate(explained + 1)).toEqual([expect.stringContaining('claims a token that no clock explains')])
})

it('the other servers are told, the accused is not; the same again after a minute, and the caller once', () => {
  const lie: LockMessage = { kind: 'granted', ...to, token: 101, held: 1_000 }
  const { client, out } = hears(() => lie)
  const complaints = (effects: typeof out) =>
    sent(effects).flatMap(({ to: who, body }) => (body.kind === 'complain' ? [[who, body.server]] : []))
  expect(complaints(out)).toEqual([
    ['s2', 's1'],
    ['s3', 's1'],
    ['s4', 's1'],
  ])
  expect(complaints(client.hear('s1', lie))).toEqual([])
  client.pass(59_999)
  const late: LockMessage = { ...lie, attempt: client.acquisition.attempt, token: TOKEN_MAX }
  expect(complaints(client.hear('s1', late))).toEqual([])
  client.pass(1)
  const again = client.hear('s1', { ...late, attempt: client.acquisition.attempt })
  expect(complaints(again)).toHaveLength(3)
  expect(told(again).filter(({ kind }) => kind === 'lied')).toEqual([])
})
