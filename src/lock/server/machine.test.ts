// The lock's server, told as stories (BACKOFF §4, figure 1b; protocols/lock).

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyMessage } from '../../../test/support/lock.ts'
import { Puppet, sent } from '../../../test/support/machine.ts'
import { decode, encode, type Saved } from '../../core/index.ts'

import { FRAME_BYTES_MAX } from '../../runtime/transport/transport.ts'
import { lockDefaults } from '../settings.ts'
import {
  type LockMessage,
  lockVocabulary,
  NAME_BYTES_MAX,
  NODE_BYTES_MAX,
  type ServerRecord,
  serverRecord,
  TTL_MAX,
} from '../wire.ts'
import { lockServer } from './machine.ts'

const settings = { ...lockDefaults, ttlMax: 10_000 }
const on = (record: ServerRecord): Saved => new Map([['', [encode(serverRecord, record)]]])

function server(saved: Saved = on({ kind: 'first' }), ttlMax = settings.ttlMax) {
  const machine = new Puppet(lockServer({ ...settings, ttlMax }), [], saved)
  machine.start()
  let attempt = 0
  const ask = (from: string, body: LockMessage) => {
    const answers = sent(machine.hear(from, body))
    expect(answers.length).toBeLessThanOrEqual(1)
    if (answers[0] !== undefined) expect(answers[0].to).toBe(from)
    return answers[0]?.body
  }
  return {
    machine,
    ask,
    tries: (from: string, token: number, ttl = 1_000, name = 'a') =>
      ask(from, { kind: 'try', name, attempt: ++attempt, token, ttl }),
    renews: (from: string, token: number, ttl = 1_000, name = 'a') =>
      ask(from, { kind: 'renew', name, attempt: ++attempt, token, ttl }),
    releases: (from: string, token: number, unused = false, name = 'a') =>
      ask(from, { kind: 'release', name, token, unused }),
    record: () => {
      const decoded = decode(serverRecord, machine.records.at(-1)!)
      return decoded.ok ? decoded.value : undefined
    },
  }
}

describe('grants (BACKOFF §4; protocols/lock 3)', () => {
  it('a free lock is granted, and the answer names the attempt and the token', () => {
    expect(server().ask('ann', { kind: 'try', name: 'a', attempt: 7, token: 5, ttl: 100 })).toEqual({
      kind: 'granted',
      name: 'a',
      attempt: 7,
      token: 5,
      held: 100,
    })
  })
  it('a held lock is not, and the answer says for how long', () => {
    const { machine, tries } = server()
    tries('ann', 5)
    machine.pass(400)
    expect(tries('bob', 6)).toMatchObject({ kind: 'locked', remaining: 600, recovering: false })
  })
  it('names are apart', () => {
    const { tries } = server()
    tries('ann', 5, 1_000, 'a')
    expect(tries('bob', 5, 1_000, 'b')).toMatchObject({ kind: 'granted' })
  })
  it('a lease ends with its ttl, on the tick', () => {
    const { machine, tries } = server()
    tries('ann', 5)
    machine.pass(999)
    expect(tries('bob', 6)).toMatchObject({ kind: 'locked' })
    machine.pass(1)
    expect(tries('bob', 6)).toMatchObject({ kind: 'granted' })
  })
  it('a ttl above the longest lease is cut', () => {
    const { machine, tries } = server()
    expect(tries('ann', 5, 999_999), 'and the answer says so').toMatchObject({ kind: 'granted', held: 10_000 })
    machine.pass(10_000)
    expect(tries('bob', 6)).toMatchObject({ kind: 'granted' })
  })
  it('a token must be above every token granted before', () => {
    const { machine, tries } = server()
    tries('ann', 5)
    machine.pass(1_000)
    expect(tries('bob', 4)).toMatchObject({ kind: 'tooLow', maximum: 5 })
    expect(tries('bob', 5)).toMatchObject({ kind: 'tooLow', maximum: 5 })
    expect(tries('bob', 6)).toMatchObject({ kind: 'granted' })
  })
  it('the same request twice is answered twice, and counts from its first arrival', () => {
    const { machine, tries } = server()
    tries('ann', 5)
    machine.pass(900)
    expect(tries('ann', 5)).toMatchObject({ kind: 'granted' })
    machine.pass(100)
    expect(tries('bob', 6)).toMatchObject({ kind: 'granted' })
  })
  it('a client that has moved on to a new token replaces its own lease', () => {
    const { tries, releases } = server()
    tries('ann', 5)
    expect(tries('ann', 6)).toMatchObject({ kind: 'granted', token: 6 })
    releases('ann', 5)
    expect(tries('bob', 7), 'the late release of the older one ends nothing').toMatchObject({ kind: 'locked' })
  })
  it('but does not go back to an older one', () => {
    const { tries } = server()
    tries('ann', 6)
    expect(tries('ann', 5)).toMatchObject({ kind: 'tooLow' })
  })
})

describe('release (protocols/lock 3, 5)', () => {
  it('frees the lock at once', () => {
    const { tries, releases } = server()
    tries('ann', 5)
    releases('ann', 5)
    expect(tries('bob', 6)).toMatchObject({ kind: 'granted' })
  })
  it.each([
    ['another client', 'bob', 5],
    ['its holder with an older token', 'ann', 4],
    ['its holder with a token it does not have yet', 'ann', 6],
  ])('by %s ends nothing', (_who, from, token) => {
    const { tries, releases } = server()
    tries('ann', 5)
    releases(from, token)
    expect(tries('bob', 9)).toMatchObject({ kind: 'locked' })
  })
  it('of a name that nobody ever locked is nothing', () => {
    const { machine, releases } = server()
    expect(releases('ann', 5)).toBeUndefined()
    expect(machine.state.locks.size).toBe(0)
  })
  it('unused takes the token back: tries that fail do not drive the tokens up', () => {
    const { tries, releases } = server()
    tries('ann', 50)
    releases('ann', 50, true)
    expect(tries('bob', 6)).toMatchObject({ kind: 'granted' })
  })
  it('used keeps the token: the next holder is above it', () => {
    const { tries, releases } = server()
    tries('ann', 50)
    releases('ann', 50, false)
    expect(tries('bob', 6)).toMatchObject({ kind: 'tooLow', maximum: 50 })
  })
  // On the wire the copy of a try can arrive after its release: it must not lock everybody out for the whole ttl.
  it('a second copy of a try that was given back is not granted again', () => {
    const { tries, releases } = server()
    tries('ann', 5)
    releases('ann', 5, true)
    expect(tries('ann', 5)).toMatchObject({ kind: 'tooLow' })
    expect(tries('bob', 4)).toMatchObject({ kind: 'granted' })
  })
})

describe('renewal by another thread of the holder (protocols/lock 7)', () => {
  const keep = (from: string, holder: string, token: number, ttl = 1_000) =>
    ({ from, body: { kind: 'keep', name: 'a', attempt: 9, token, ttl, holder } }) as const
  const held = () => {
    const made = server()
    made.tries('ann#1', 5)
    return { ...made, keeps: ({ from, body }: ReturnType<typeof keep>) => made.ask(from, body) }
  }
  it('lengthens the holder’s lease, and answers who asked', () => {
    const { machine, tries, keeps } = held()
    machine.pass(800)
    expect(keeps(keep('ann#2', 'ann#1', 5))).toEqual({ kind: 'renewed', name: 'a', attempt: 9, token: 5, held: 1_000 })
    machine.pass(999)
    expect(tries('bob#1', 6)).toMatchObject({ kind: 'locked' })
    machine.pass(1)
    expect(tries('bob#1', 6)).toMatchObject({ kind: 'granted' })
  })
  it('leaves the lease to the holder, who can let go', () => {
    const { machine, keeps, releases } = held()
    keeps(keep('ann#2', 'ann#1', 5))
    expect(machine.state.locks.get('a')).toMatchObject({ holder: 'ann#1', won: true })
    releases('ann#2', 5)
    expect(machine.state.locks.get('a')).toMatchObject({ holder: 'ann#1' })
    releases('ann#1', 5)
    expect(machine.state.locks.get('a')).toMatchObject({ holder: '' })
  })
  it('a server that restarted joins the holder’s servers', () => {
    const { machine, ask } = server()
    const { from, body } = keep('ann#2', 'ann#1', 5)
    expect(ask(from, body)).toMatchObject({ kind: 'renewed' })
    expect(machine.state.locks.get('a')).toMatchObject({ holder: 'ann#1' })
  })
  it('comes too late after the release', () => {
    const { tries, releases, keeps } = held()
    releases('ann#1', 5)
    expect(keeps(keep('ann#2', 'ann#1', 5))).toMatchObject({ kind: 'notRenewed' })
    expect(tries('bob#1', 6)).toMatchObject({ kind: 'granted' })
  })
  it.each([
    ['another certificate', keep('bob#1', 'ann#1', 5)],
    ['a certificate whose name begins with it', keep('ann-b#2', 'ann#1', 5)],
    ['the same certificate, for an instance that does not hold it', keep('ann#2', 'ann#3', 5)],
    ['the same certificate with an older token', keep('ann#2', 'ann#1', 4)],
  ])('is refused to %s', (_who, asked) => {
    const { machine, tries, keeps } = held()
    expect(keeps(asked)).toMatchObject({ kind: 'notRenewed' })
    machine.pass(1_000)
    expect(tries('bob#1', 6), 'and nothing has become longer').toMatchObject({ kind: 'granted' })
  })
})

describe('renewal (protocols/lock 5)', () => {
  it('counts from its own arrival', () => {
    const { machine, tries, renews } = server()
    tries('ann', 5)
    machine.pass(800)
    expect(renews('ann', 5)).toMatchObject({ kind: 'renewed', token: 5 })
    machine.pass(999)
    expect(tries('bob', 6)).toMatchObject({ kind: 'locked' })
    machine.pass(1)
    expect(tries('bob', 6)).toMatchObject({ kind: 'granted' })
  })
  it('never shortens', () => {
    const { machine, tries, renews } = server()
    tries('ann', 5, 1_000)
    renews('ann', 5, 1)
    machine.pass(999)
    expect(tries('bob', 6)).toMatchObject({ kind: 'locked' })
  })
  it('brings back a lease that ran out, as long as nobody came after', () => {
    const { machine, tries, renews } = server()
    tries('ann', 5)
    machine.pass(2_000)
    expect(renews('ann', 5)).toMatchObject({ kind: 'renewed' })
    expect(tries('bob', 6)).toMatchObject({ kind: 'locked' })
  })
  it('a server that missed the try joins the holder’s servers', () => {
    const { tries, renews } = server()
    expect(renews('ann', 5)).toMatchObject({ kind: 'renewed' })
    expect(tries('bob', 6)).toMatchObject({ kind: 'locked' })
  })
  it.each([
    ['after somebody with a higher token', 6],
    ['while somebody with a lower token holds', 4],
  ])('is refused %s', (_when, other) => {
    const { tries, renews } = server()
    tries('bob', other)
    expect(renews('ann', 5)).toMatchObject({ kind: 'notRenewed', token: 5 })
  })
  it('is refused after somebody with a higher token came and went', () => {
    const { tries, renews, releases } = server()
    tries('bob', 6)
    releases('bob', 6)
    expect(renews('ann', 5)).toMatchObject({ kind: 'notRenewed' })
  })
  it('that arrives after its release is refused: it would lock for nobody', () => {
    const { tries, renews, releases } = server()
    tries('ann', 5)
    releases('ann', 5)
    expect(renews('ann', 5)).toMatchObject({ kind: 'notRenewed' })
    expect(tries('bob', 6)).toMatchObject({ kind: 'granted' })
  })
  it('of another client’s token is refused', () => {
    const { tries, renews } = server()
    tries('ann', 5)
    expect(renews('bob', 5)).toMatchObject({ kind: 'notRenewed' })
  })
})

describe('restart (protocols/lock 6)', () => {
  it('a first start, marked by init, is ready at once', () => {
    expect(server().tries('ann', 5)).toMatchObject({ kind: 'granted' })
  })
  it('an empty store waits for the longest lease: it may be a store that was lost', () => {
    const { machine, tries } = server(new Map())
    expect(tries('ann', 5)).toMatchObject({ kind: 'locked', recovering: true, remaining: 10_000 })
    machine.pass(9_999)
    expect(tries('ann', 5)).toMatchObject({ kind: 'locked', recovering: true, remaining: 1 })
    machine.pass(1)
    expect(tries('ann', 5)).toMatchObject({ kind: 'granted' })
  })
  it('a store that cannot be read waits too', () => {
    const { tries } = server(new Map([['', [Uint8Array.of(99)]]]))
    expect(tries('ann', 5)).toMatchObject({ kind: 'locked', recovering: true })
  })
  it('after a crash it neither grants nor renews for the longest lease', () => {
    const { machine, tries, renews } = server()
    tries('ann', 5)
    machine.restart()
    expect(tries('bob', 9_000_000)).toMatchObject({ kind: 'locked', recovering: true })
    expect(renews('ann', 5)).toMatchObject({ kind: 'locked', recovering: true })
    machine.pass(10_000)
    expect(tries('bob', 9_000_000)).toMatchObject({ kind: 'granted' })
  })
  it('a first start that crashes is no first start any more', () => {
    const { machine, tries } = server()
    machine.restart()
    expect(tries('ann', 5)).toMatchObject({ kind: 'locked', recovering: true })
  })
  it('the token floor was reserved ahead: after a crash no token comes again', () => {
    const { machine, tries } = server()
    tries('ann', 777)
    machine.restart()
    machine.pass(10_000)
    expect(tries('bob', 777)).toMatchObject({ kind: 'tooLow' })
    const answer = tries('bob', 778)
    expect(answer).toMatchObject({ kind: 'tooLow' })
    expect(answer?.kind === 'tooLow' && tries('bob', answer.maximum + 1)).toMatchObject({ kind: 'granted' })
  })
  it('many grants cost one save, and a token beyond the reserve is saved before it is promised', () => {
    const { machine } = server()
    const effects = (token: number) =>
      machine.hear('ann', { kind: 'try', name: `n${token}`, attempt: 1, token, ttl: 1 }).map(effect => effect.kind)
    for (let token = 1; token < 100; token++) expect(effects(token)).toEqual(['send'])
    expect(effects(50_000_000)).toEqual(['snapshot', 'send'])
    expect(effects(50_000_001)).toEqual(['send'])
  })
  it('a clean stop keeps the leases that are out, and the next start is ready at once', () => {
    const { machine, tries, renews, record } = server()
    tries('ann', 5, 2_000)
    tries('bob', 6, 100, 'over')
    machine.pass(500)
    machine.stop()
    expect(record()).toEqual({
      kind: 'stopped',
      floor: 6,
      life: 1,
      leases: [{ name: 'a', holder: 'ann', token: 5, remaining: 1_500 }],
    })
    machine.restart()
    expect(record(), 'from here on a crash must wait').toMatchObject({ kind: 'running' })
    expect(tries('bob', 7)).toMatchObject({ kind: 'locked', remaining: 1_500, recovering: false })
    expect(tries('bob', 7, 100, 'b')).toMatchObject({ kind: 'granted' })
    expect(tries('bob', 6, 100, 'c'), 'tokens of names that are free again are not given twice').toMatchObject({
      kind: 'tooLow',
      maximum: 6,
    })
    expect(renews('ann', 5, 3_000)).toMatchObject({ kind: 'renewed' })
  })
  it('a clean stop while it waits after a crash changes nothing: the next start waits as well', () => {
    const { machine, tries } = server(new Map())
    machine.pass(5_000)
    machine.stop()
    machine.restart()
    expect(tries('ann', 5)).toMatchObject({ recovering: true, remaining: 10_000 })
  })
  it('nothing is granted after the stop', () => {
    const { machine, tries } = server()
    machine.stop()
    expect(tries('ann', 5)).toBeUndefined()
  })
  it('unused release after a clean restart takes nothing back that was granted before', () => {
    const { machine, tries, releases } = server()
    tries('ann', 5)
    machine.stop()
    machine.restart()
    releases('ann', 5, true)
    expect(tries('bob', 5)).toMatchObject({ kind: 'tooLow', maximum: 5 })
  })
})

describe('memory', () => {
  it('names that are free for a while are swept, and their tokens raise the floor for all', () => {
    const { machine, tries } = server()
    tries('ann', 50)
    machine.pass(30_000)
    expect(machine.state.locks.size, 'not at once').toBe(1)
    machine.pass(60_000)
    expect(machine.state.locks.size).toBe(0)
    expect(tries('bob', 50)).toMatchObject({ kind: 'tooLow', maximum: 50 })
  })
  it('names that are held are not', () => {
    const { machine, tries, renews } = server()
    tries('ann', 50, 10_000)
    for (let i = 0; i < 20; i++) {
      machine.pass(9_000)
      renews('ann', 50, 10_000)
    }
    expect(tries('bob', 51)).toMatchObject({ kind: 'locked' })
  })
  it('with too many names it says so, and goes on serving those it has', () => {
    const { machine, tries, renews } = server()
    const never = { owner: 'many', holder: '', token: 0, since: 0, until: 0, maximum: 0, before: 0, closed: 0 }
    const free = { ...never, lease: undefined, grant: 0, won: false, waiters: undefined }
    for (let i = 0; i < 500_000; i++) {
      machine.state.locks.set(`n${i}`, { ...free })
    }
    expect(tries('ann', 5)).toMatchObject({ kind: 'full' })
    expect(renews('ann', 5)).toMatchObject({ kind: 'full' })
    expect(tries('ann', 5, 100, 'n7')).toMatchObject({ kind: 'granted' })
  })
})

describe('inspection', () => {
  it('tells what is out', () => {
    const { machine, tries, ask } = server()
    tries('ann', 5)
    tries('bob', 6, 10, 'b')
    machine.pass(250)
    expect(ask('eve', { kind: 'inspect', query: 3 })).toEqual({
      kind: 'inspected',
      query: 3,
      uptime: 250,
      recovering: 0,
      held: 1,
      leases: [{ name: 'a', holder: 'ann', token: 5, age: 250, remaining: 750, waiters: [] }],
    })
  })
  it('shows at most 500 leases, and how many there are', () => {
    const { tries, ask } = server()
    for (let i = 0; i < 600; i++) tries('ann', 5, 1_000, `n${i}`)
    const answer = ask('eve', { kind: 'inspect', query: 1 })
    expect(answer).toMatchObject({ held: 600 })
    expect(answer?.kind === 'inspected' && answer.leases.length).toBe(500)
  })
})

describe('inspection of who waits', () => {
  const wait = (ticket: number): LockMessage => {
    return { kind: 'wait', name: 'a', attempt: 1, token: 100 + ticket, ttl: 1_000, ticket, ping: 1 }
  }
  const waiters = (answer: LockMessage | undefined) => answer?.kind === 'inspected' && answer.leases[0]?.waiters

  it('names them in the order of tickets, and not those that have fallen silent', () => {
    const { machine, tries, ask } = server()
    tries('ann', 5, 10_000)
    for (const [who, ticket] of [
      ['bob', 3],
      ['eve', 1],
      ['joe', 2],
    ] as const)
      ask(who, wait(ticket))
    expect(waiters(ask('sue', { kind: 'inspect', query: 1 }))).toEqual(['eve', 'joe', 'bob'])
    machine.pass(800)
    ask('joe', { ...wait(2), ping: 2 } as LockMessage)
    machine.pass(800)
    expect(waiters(ask('sue', { kind: 'inspect', query: 2 }))).toEqual(['joe'])
  })
  it('names the first twenty', () => {
    const { tries, ask } = server()
    tries('ann', 5, 10_000)
    for (let ticket = 30; ticket > 0; ticket--) ask(`w${ticket}`, wait(ticket))
    expect(waiters(ask('sue', { kind: 'inspect', query: 1 }))).toEqual(
      Array.from({ length: 20 }, (_, i) => `w${i + 1}`),
    )
  })
  it('and an answer with all it may hold fits into a frame', () => {
    const { tries, ask } = server()
    for (let i = 0; i < 500; i++) {
      const name = `${i}`.padStart(NAME_BYTES_MAX, 'n')
      tries('h'.repeat(NODE_BYTES_MAX), 5, 10_000, name)
      for (let w = 0; w < 20; w++) ask(`${w}`.padStart(NODE_BYTES_MAX, 'w'), { ...wait(w), name } as LockMessage)
    }
    const answer = ask('sue', { kind: 'inspect', query: 1 })!
    expect(encode(lockVocabulary, answer).length).toBeLessThan(FRAME_BYTES_MAX)
  })
})

describe('bad input', () => {
  it('no sequence of messages makes it throw or say what cannot be sent', () => {
    const happening = fc.record({
      from: fc.constantFrom('ann', 'bob', 'eve'),
      body: anyMessage,
      pass: fc.oneof(fc.constant(0), fc.double({ min: 0, max: 100_000, noNaN: true })),
    })
    fc.assert(
      fc.property(fc.array(happening, { maxLength: 60 }), fc.constantFrom(10_000, TTL_MAX), (story, ttlMax) => {
        const { machine } = server(undefined, ttlMax)
        for (const { from, body, pass } of story) {
          for (const { body: answer } of sent([...machine.pass(pass), ...machine.hear(from, body)])) {
            encode(lockVocabulary, answer)
          }
        }
        machine.stop()
      }),
      { numRuns: 300 },
    )
  })
  it('a server’s words are not answered', () => {
    const { ask } = server()
    expect(ask('eve', { kind: 'granted', name: 'a', attempt: 1, token: 1, held: 1 })).toBeUndefined()
    expect(ask('eve', { kind: 'full', name: 'a', attempt: 1 })).toBeUndefined()
  })
  it('the longest lease can be told and saved, whatever fraction the clock shows', () => {
    const { machine, tries, ask } = server(undefined, TTL_MAX)
    for (const fraction of [0.1, 0.3, 0.7, 1e-7]) {
      machine.pass(1_000 + fraction)
      const name = `n${fraction}`
      tries('ann', 5, TTL_MAX, name)
      encode(lockVocabulary, tries('bob', 6, TTL_MAX, name)!)
    }
    encode(lockVocabulary, ask('eve', { kind: 'inspect', query: 1 })!)
    machine.stop()
  })
})
