// The lock's client, told as stories (BACKOFF §4, figure 1a; protocols/lock).

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { serverWords } from '../../../test/support/lock.ts'
import { answer, BELIEF, Client, SERVERS } from '../../../test/support/lock-client.ts'
import { sent, told } from '../../../test/support/machine.ts'
import { encode } from '../../core/index.ts'
import { CLOCKS_APART } from '../rules.ts'
import { type LockMessage, lockVocabulary, TOKEN_MAX } from '../wire.ts'

describe('acquisition (protocols/lock 1, 2)', () => {
  it('asks every server at once, with a token guessed from the clock', () => {
    const asked = sent(new Client().acquire())
    expect(asked.map(({ to }) => to)).toEqual(SERVERS)
    for (const { body } of asked) expect(body).toEqual({ kind: 'try', name: 'a', attempt: 1, token: 100, ttl: 1_000 })
  })
  it('holds with the third grant, not with the second, though others have not answered', () => {
    const client = new Client()
    client.acquire()
    expect(told(client.answers('s1', 'granted'))).toEqual([])
    expect(told(client.answers('s4', 'granted'))).toEqual([])
    expect(told(client.answers('s2', 'granted'))).toEqual([
      { kind: 'acquired', id: 1, name: 'a', token: 100, deadline: 1_000 + BELIEF },
    ])
  })
  it('holds although one server refuses', () => {
    const client = new Client()
    client.acquire()
    client.answers('s1', 'locked')
    expect(['s2', 's3', 's4'].flatMap(server => told(client.answers(server, 'granted')))).toMatchObject([
      { kind: 'acquired' },
    ])
  })
  it('enough have answered and too few said yes: those that are missing get a little longer, and the next time more', () => {
    const client = new Client()
    client.acquire()
    const answered = (millis: number) => {
      client.pass(millis)
      for (const server of ['s1', 's2']) client.answers(server, 'granted')
      client.answers('s3', 'locked')
      return client.acquisition.attempt
    }
    let attempt = answered(5)
    client.pass(19)
    expect(client.acquisition.attempt).toBe(attempt)
    client.pass(1)
    expect(client.acquisition.phase).toBe('backing off')
    for (let i = 0; i < 100 && client.acquisition.phase !== 'trying'; i++) client.pass(1)
    attempt = answered(5)
    client.pass(39)
    expect([client.acquisition.phase, client.acquisition.attempt]).toEqual(['trying', attempt])
    client.pass(1)
    expect(client.acquisition.phase).toBe('backing off')
  })
  it('does not wait longer for one that repeats itself', () => {
    const client = new Client()
    client.acquire()
    client.pass(5)
    for (const server of ['s1', 's2']) client.answers(server, 'granted')
    client.answers('s3', 'locked')
    for (let millis = 0; millis < 19; millis++) {
      client.pass(1)
      client.answers('s3', 'locked')
    }
    expect(client.acquisition.phase).toBe('trying')
    client.pass(1)
    expect(client.acquisition.phase).toBe('backing off')
  })
  it('waits for all where it tries only once', () => {
    const client = new Client()
    client.acquire(1, { wait: false })
    for (const server of ['s1', 's2']) client.answers(server, 'granted')
    client.answers('s3', 'locked')
    client.pass(100)
    expect(client.acquisition.phase).toBe('trying')
    expect(told(client.answers('s4', 'granted'))).toMatchObject([{ kind: 'acquired' }])
  })
  it('the lease counts from before the request was sent, not from the answers', () => {
    const client = new Client()
    client.acquire()
    client.pass(300)
    const events = ['s1', 's2', 's3'].flatMap(server => told(client.answers(server, 'granted')))
    expect(events).toMatchObject([{ kind: 'acquired', deadline: 1_000 + BELIEF }])
  })
  it('one server’s grant counts once, however often it is said', () => {
    const client = new Client()
    client.acquire()
    for (let i = 0; i < 5; i++) expect(told(client.answers('s1', 'granted'))).toEqual([])
  })
  it('grants of an earlier attempt do not count (readings BACKOFF 1)', () => {
    const client = new Client()
    client.acquire()
    const { attempt, token } = client.acquisition
    client.answers('s1', 'granted')
    client.pass(600)
    expect(client.acquisition.attempt).toBeGreaterThan(attempt)
    for (const server of ['s1', 's2', 's3']) {
      expect(told(client.hear(server, answer('granted', attempt, token)))).toEqual([])
    }
  })
  it('a grant from somebody who is no server is nothing', () => {
    const client = new Client()
    client.acquire()
    client.answers('s1', 'granted')
    client.answers('s2', 'granted')
    expect(client.answers('stranger', 'granted')).toEqual([])
  })
  it('a lease that is over before the last grant comes is not taken', () => {
    const client = new Client()
    client.acquire(1, { ttl: 100, wait: false })
    client.answers('s1', 'granted')
    client.answers('s2', 'granted')
    client.pass(200)
    const out = client.answers('s3', 'granted')
    expect(told(out)).toMatchObject([{ kind: 'failed' }])
    expect(sent(out).map(({ body }) => body.kind)).toEqual(['release', 'release', 'release', 'release'])
  })
})

describe('refusals', () => {
  it('fails as soon as three grants are out of reach, and gives back what was or may be granted', () => {
    const client = new Client()
    client.acquire(1, { wait: false })
    client.answers('s1', 'granted')
    client.answers('s2', 'locked')
    const out = client.answers('s3', 'locked')
    expect(told(out)).toEqual([
      {
        kind: 'failed',
        id: 1,
        name: 'a',
        reason: 'contended',
        answers: { s1: 'granted', s2: 'held by another', s3: 'held by another', s4: 'no answer' },
      },
    ])
    expect(sent(out)).toEqual(
      ['s1', 's4'].map(to => ({ to, body: { kind: 'release', name: 'a', token: 100, unused: true } })),
    )
    expect(client.state.acquisitions.size).toBe(0)
  })
  it('says unreachable where too few answer in time', () => {
    const client = new Client()
    client.acquire(1, { wait: false })
    client.answers('s1', 'granted')
    expect(told(client.pass(500))).toMatchObject([{ kind: 'failed', reason: 'unreachable' }])
  })
  it('says recovering where servers wait after a restart', () => {
    const client = new Client()
    client.acquire(2, { wait: false })
    client.answers('s1', 'granted')
    client.answers('s2', 'granted')
    client.answers('s3', 'recovering')
    expect(told(client.answers('s4', 'recovering'))).toMatchObject([
      { reason: 'recovering', answers: { s3: 'recovering for 1 s after a restart' } },
    ])
  })
  it('two refusals are enough to know why, though the other two had no time to answer', () => {
    const reasons = (['locked', 'recovering'] as const).map(refusal => {
      const client = new Client()
      client.acquire(1, { wait: false })
      client.answers('s1', refusal)
      return told(client.answers('s2', refusal))[0]
    })
    expect(reasons).toMatchObject([{ reason: 'contended' }, { reason: 'recovering' }])
  })
  it('waits between tries, longer each time, and tries with a higher token (figure 1a)', () => {
    const client = new Client()
    client.acquire()
    client.chance.push(999, 999, 999)
    const delays: number[] = []
    const tokens = [client.acquisition.token]
    for (let i = 0; i < 3; i++) {
      client.answers('s1', 'locked')
      client.answers('s2', 'locked')
      expect(client.acquisition.phase).toBe('backing off')
      delays.push(client.timers.get('backoff:a')! - client.now)
      client.pass(delays[i]!)
      tokens.push(client.acquisition.token)
    }
    expect(delays).toEqual([4, 8, 16])
    expect(tokens).toEqual([...tokens].sort((a, b) => a - b))
    expect(new Set(tokens).size).toBe(4)
  })
  it('a token that was too low is raised and tried again at once, three times', () => {
    const client = new Client()
    client.acquire()
    for (let i = 1; i <= 3; i++) {
      client.answers('s1', 1_000 * i)
      const again = sent(client.answers('s2', 1_000 * i)).filter(({ body }) => body.kind === 'try')
      expect(again.length).toBe(4)
      expect(client.acquisition.token).toBeGreaterThan(1_000 * i)
    }
    client.answers('s1', 9_000)
    client.answers('s2', 9_000)
    expect(client.acquisition.phase).toBe('backing off')
  })
  it('one liar’s token is followed as far as clocks are apart, however often it is told', () => {
    const client = new Client()
    client.acquire(1, { strategy: 'none' })
    let most = 0
    for (let round = 0; round < 2_000; round++) {
      client.answers('s1', TOKEN_MAX)
      client.answers('s2', 'locked')
      client.pass(10)
      most = Math.max(most, client.acquisition.token)
    }
    expect(client.acquisition.tries).toBeGreaterThan(1_000)
    expect(most).toBeGreaterThan(CLOCKS_APART)
    expect(most, 'the hint, the minute, the 20 s that passed, and one more each try').toBeLessThan(
      100 + 80_000_000 + 2_000,
    )
  })
  it('what b + 1 report is followed at once, but not what no honest server would take by our clock', () => {
    const client = new Client()
    client.acquire()
    client.answers('s1', 86_400_000_000)
    client.answers('s2', 86_400_000_000)
    expect(client.acquisition.token).toBe(86_400_000_001)
    client.answers('s1', 86_400_000_101)
    client.answers('s2', 86_400_000_101)
    expect(client.acquisition.token, 'a day and the hint').toBe(86_400_000_002)
  })
  it('a token that is too far above the servers’ clocks is refused in words', () => {
    const client = new Client()
    client.acquire(1, { wait: false })
    const refuse = (from: string) =>
      client.hear(from, { kind: 'tooHigh', name: 'a', attempt: client.acquisition.attempt, maximum: 5 })
    refuse('s1')
    const [failed] = told(refuse('s2'))
    expect(failed?.kind === 'failed' && failed.answers.s1).toContain('compare the clocks')
  })
})

describe('late grants', () => {
  it('of a try that was given up are given back', () => {
    const client = new Client()
    client.acquire(1, { wait: false })
    const { attempt, token } = client.acquisition
    client.pass(500)
    expect(sent(client.hear('s4', answer('granted', attempt, token)))).toMatchObject([
      { to: 's4', body: { kind: 'release', token } },
    ])
  })
  it('of the token that is held are not: that would end the lease', () => {
    const client = new Client()
    client.holds()
    const { attempt, token } = client.acquisition
    client.pass(400)
    expect(client.acquisition.attempt, 'a renewal is under way').not.toBe(attempt)
    expect(sent(client.hear('s4', answer('granted', attempt, token)))).toEqual([])
  })
  // Ann held with s1, s2, s3. Her release to s1 is lost; a second copy of its grant arrives late. If she gave it back as
  // unused, s1 would take the token back, and the next holder could have a lower one: the guard would refuse it.
  it('of a token that was held are given back as used', () => {
    const client = new Client()
    client.holds()
    const { attempt, token } = client.acquisition
    client.command({ kind: 'release', id: 1, name: 'a' })
    expect(sent(client.hear('s1', answer('granted', attempt, token)))).toEqual([
      { to: 's1', body: { kind: 'release', name: 'a', token, unused: false } },
    ])
  })
})

describe('renewal (protocols/lock 5)', () => {
  it('is sent when a third of the belief is over, and extends from its own sending', () => {
    const client = new Client()
    client.holds()
    const out = client.pass(Math.floor(BELIEF / 3))
    expect(sent(out).map(({ body }) => body)).toMatchObject(
      SERVERS.map(() => ({ kind: 'renew', token: 100, ttl: 1_000 })),
    )
    const sentAt = client.now
    client.pass(20)
    client.answers('s1', 'renewed')
    client.answers('s2', 'renewed')
    expect(told(client.answers('s4', 'renewed'))).toEqual([
      { kind: 'extended', id: 1, name: 'a', deadline: sentAt + BELIEF },
    ])
  })
  it('with two renewals nothing is extended: the third server’s old grant sets the end', () => {
    const client = new Client()
    client.holds()
    client.pass(Math.floor(BELIEF / 3))
    client.answers('s1', 'renewed')
    expect(told(client.answers('s2', 'renewed'))).toEqual([])
  })
  it('is repeated while it is not answered', () => {
    const client = new Client()
    client.holds()
    const renewals = sent(client.pass(900)).filter(({ body, to }) => body.kind === 'renew' && to === 's1')
    expect(renewals.length).toBe(2)
  })
  it('does not happen where nobody asked for it', () => {
    const client = new Client()
    client.holds(1, { renew: false })
    expect(sent(client.pass(900))).toEqual([])
  })
  it('extend renews at once, with another ttl', () => {
    const client = new Client()
    client.holds(1, { renew: false })
    expect(sent(client.command({ kind: 'extend', id: 1, name: 'a', ttl: 99_999 }))[0]!.body).toMatchObject({
      kind: 'renew',
      ttl: 10_000,
    })
    expect(client.command({ kind: 'extend', id: 2, name: 'a', ttl: 5 }), 'somebody else’s lease').toEqual([])
  })
})

describe('loss (protocols/lock 7)', () => {
  it('is told before the deadline, and says what the servers said', () => {
    const client = new Client()
    client.holds()
    client.pass(Math.floor(BELIEF / 3))
    client.answers('s1', 'notRenewed')
    let lostAt = 0
    while (lostAt === 0 && client.now < 5_000)
      if (told(client.pass(1)).some(event => event.kind === 'lost')) lostAt = client.now
    expect(lostAt).toBeLessThan(1_000 + BELIEF)
    expect(lostAt).toBeGreaterThan(1_000 + BELIEF * 0.9)
  })
  // A release at the warning would let somebody else in while the last holder is still stopping.
  it('and until the deadline nothing is given back, and nobody else of this process tries', () => {
    const client = new Client()
    client.holds(1, { renew: false })
    client.acquire(2)
    expect(told(client.pass(BELIEF - 1))).toMatchObject([{ kind: 'lost', id: 1 }])
    expect(client.acquisition.phase).toBe('ending')
    expect(sent(client.answers('s4', 'granted'))).toEqual([])
    const out = client.pass(1)
    expect(sent(out).map(({ body }) => body.kind)).toEqual([
      ...SERVERS.map(() => 'release'),
      ...SERVERS.map(() => 'try'),
    ])
    expect(client.acquisition.id).toBe(2)
  })
  it('a process that was stopped over its deadline does not believe an answer that waited for it', () => {
    const client = new Client()
    client.holds()
    client.pass(Math.floor(BELIEF / 3))
    client.now += 5_000
    const out = client.answers('s1', 'renewed')
    expect(told(out)).toMatchObject([{ kind: 'lost' }])
    expect(sent(out).map(({ body }) => body)).toMatchObject(SERVERS.map(() => ({ kind: 'release', unused: false })))
  })
})

describe('release', () => {
  it('the belief ends before the first release leaves', () => {
    const client = new Client()
    client.holds()
    const out = client.command({ kind: 'release', id: 1, name: 'a' })
    expect(told(out)).toEqual([{ kind: 'released', id: 1, name: 'a' }])
    expect(out.findIndex(effect => effect.kind === 'emit')).toBeLessThan(
      out.findIndex(effect => effect.kind === 'send'),
    )
    expect(sent(out).map(({ body }) => body)).toEqual(
      SERVERS.map(() => ({ kind: 'release', name: 'a', token: 100, unused: false })),
    )
    expect([...client.timers.keys()]).toEqual([])
  })
  it('before it is held gives up, and takes back what may have been granted', () => {
    const client = new Client()
    client.acquire()
    client.answers('s1', 'granted')
    const out = client.command({ kind: 'release', id: 1, name: 'a' })
    expect(told(out)).toMatchObject([{ kind: 'failed', id: 1 }])
    expect(sent(out).map(({ body }) => body)).toMatchObject(SERVERS.map(() => ({ kind: 'release', unused: true })))
  })
  it('of something that is over is nothing', () => {
    expect(new Client().command({ kind: 'release', id: 1, name: 'a' })).toEqual([])
  })
  it('a stop lets everything go', () => {
    const client = new Client()
    client.holds()
    expect(sent(client.stop()).length).toBe(4)
    expect(client.state.acquisitions.size).toBe(0)
  })
})

describe('callers of one process', () => {
  it('wait in line, and the next one’s turn comes with the release', () => {
    const client = new Client()
    client.holds(1)
    expect(client.acquire(2)).toEqual([])
    const out = client.command({ kind: 'release', id: 1, name: 'a' })
    expect(sent(out).filter(({ body }) => body.kind === 'try').length).toBe(4)
    expect(['s1', 's2', 's3'].flatMap(server => told(client.answers(server, 'granted')))).toMatchObject([
      { kind: 'acquired', id: 2 },
    ])
  })
  it('or with the loss', () => {
    const client = new Client()
    client.holds(1, { renew: false })
    client.acquire(2)
    expect(told(client.pass(BELIEF))).toMatchObject([{ kind: 'lost', id: 1 }])
    expect(client.acquisition.id).toBe(2)
  })
  it('who will not wait fail at once', () => {
    const client = new Client()
    client.holds(1)
    expect(told(client.acquire(2, { wait: false }))).toMatchObject([{ kind: 'failed', id: 2, reason: 'contended' }])
  })
  it('may leave the line', () => {
    const client = new Client()
    client.holds(1)
    client.acquire(2)
    client.acquire(3)
    expect(told(client.command({ kind: 'release', id: 2, name: 'a' }))).toMatchObject([{ kind: 'failed', id: 2 }])
    client.command({ kind: 'release', id: 1, name: 'a' })
    expect(client.acquisition.id).toBe(3)
  })
})

describe('inspection', () => {
  const inspected = (query: number): LockMessage => ({
    kind: 'inspected',
    query,
    uptime: 5,
    recovering: 0,
    held: 0,
    leases: [],
  })
  it('is over when all have answered', () => {
    const client = new Client()
    client.command({ kind: 'inspect', id: 9 })
    client.pass(30)
    const events = SERVERS.flatMap(server => told(client.hear(server, inspected(9))))
    expect(events).toMatchObject([{ kind: 'inspected', id: 9 }])
    expect(events[0]?.kind === 'inspected' && events[0].servers.map(server => server.roundTrip)).toEqual([
      30, 30, 30, 30,
    ])
  })
  it('or when the time is up, with those who did; twice the same is once', () => {
    const client = new Client()
    client.command({ kind: 'inspect', id: 9 })
    client.hear('s1', inspected(9))
    client.hear('s1', inspected(9))
    client.hear('s2', inspected(8))
    const [event] = told(client.pass(500))
    expect(event?.kind === 'inspected' && event.servers.map(server => server.server)).toEqual(['s1'])
    expect(client.hear('s3', inspected(9)), 'too late').toEqual([])
  })
})

describe('bad input', () => {
  it('no sequence of answers makes it throw, say what cannot be sent, or hold without three grants', () => {
    const happening = fc.record({
      from: fc.constantFrom(...SERVERS, 'stranger'),
      body: serverWords,
      pass: fc.nat(400),
      current: fc.boolean(),
    })
    fc.assert(
      fc.property(fc.array(happening, { maxLength: 50 }), story => {
        const client = new Client()
        client.acquire()
        client.command({ kind: 'inspect', id: 3 })
        for (const { from, body, pass, current } of story) {
          const attempt = client.state.acquisitions.get('a')?.attempt
          const said = current && attempt !== undefined && 'attempt' in body ? { ...body, name: 'a', attempt } : body
          const out = [...client.pass(pass), ...client.hear(from, said)]
          for (const { body: words } of sent(out)) encode(lockVocabulary, words)
          for (const event of told(out)) {
            if (event.kind !== 'acquired') continue
            const granting = [...client.acquisition.until].filter(([, until]) => until >= event.deadline)
            expect(granting.length).toBeGreaterThanOrEqual(3)
          }
        }
      }),
      { numRuns: 300 },
    )
  })
})
