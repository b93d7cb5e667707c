// Every map that somebody else's message can fill has a bound for each peer: the list in docs/reference/limits.md, filled
// to the bound and beyond. Of a server it is `eve`, a client with as many processes as she likes, who fills; of a client
// it is the server `s1`.

import { describe, expect, it } from 'vitest'
import { bytesIn, type Growing, gapsIn, listedUnder } from '../../test/support/limits.ts'
import { Client, SERVERS } from '../../test/support/lock-client.ts'
import { Puppet, sent } from '../../test/support/machine.ts'
import { encode } from '../core/index.ts'
import { BLAMED_MAX, QUESTIONS_MAX } from './client/state.ts'
import { lockServer } from './server/machine.ts'
import { NAMES_OF_CLIENT_MAX } from './server/state.ts'
import { IN_LINE_OF_CLIENT_MAX, WAITERS_OF_CLIENT_MAX } from './server/waiters.ts'
import { lockDefaults } from './settings.ts'
import {
  COMPLAINTS_SHOWN_MAX,
  INSPECTED_MAX,
  type LockMessage,
  NAME_BYTES_MAX,
  NODE_BYTES_MAX,
  serverRecord,
  TTL_MAX,
} from './wire.ts'

/** What one client takes of a server, with the longest names and the longest names of processes. */
const BYTES_OF_CLIENT = 64 * 2 ** 20
/** What one server takes of a client that waits for one name. */
const BYTES_OF_SERVER = 4 * 2 ** 10

const longName = (number: number) => `${number}`.padStart(NAME_BYTES_MAX, 'n')
const process = (client: string, number: number) => `${client}#${number}`.padEnd(NODE_BYTES_MAX, 'p')

function server() {
  const saved = new Map([['', [encode(serverRecord, { kind: 'first' })]]])
  const machine = new Puppet(lockServer({ ...lockDefaults, ttlMax: 3_600_000 }), SERVERS, saved, 's1')
  machine.start()
  const ask = (from: string, body: LockMessage) => sent(machine.hear(from, body))[0]?.body.kind
  let token = 1
  const tries = (from: string, name: string) =>
    ask(from, { kind: 'try', name, attempt: 1, token: token++, ttl: 3_600_000 })
  const waits = (from: string, name: string) =>
    ask(from, { kind: 'wait', name, attempt: 1, token: token++, ttl: 9, ticket: token, ping: 1 })
  return { machine, tries, waits, ask }
}

/** Everything that a server may say to a client about a name, with the largest numbers. */
function wordsAbout(name: string, attempt: number, ping: number, held = 1): LockMessage[] {
  const about = { name, attempt }
  return [
    { kind: 'granted', ...about, token: ping, held },
    { kind: 'locked', ...about, remaining: held, recovering: true },
    { kind: 'tooLow', ...about, maximum: ping },
    { kind: 'tooHigh', ...about, maximum: ping },
    { kind: 'full', ...about },
    { kind: 'renewed', ...about, token: ping, held },
    { kind: 'notRenewed', ...about, token: ping },
    { kind: 'queued', ...about, ping },
    { kind: 'given', ...about, token: ping, grant: ping, ping, held },
    { kind: 'inquire', name, grant: ping, token: ping },
  ]
}

/** By the constant: filled to the bound, and beyond. */
const cases: Record<string, () => void> = {
  NAMES_OF_CLIENT_MAX() {
    const { machine, tries } = server()
    for (let number = 0; number < NAMES_OF_CLIENT_MAX + 500; number++) {
      expect(tries(process('eve', number), `${number}`)).toBe(number < NAMES_OF_CLIENT_MAX ? 'granted' : 'full')
    }
    expect([machine.state.locks.size, machine.state.shares.get('eve')]).toEqual([50_000, NAMES_OF_CLIENT_MAX])
    expect(tries('ann#1', 'hers')).toBe('granted')
  },
  WAITERS_OF_CLIENT_MAX() {
    const { machine, tries, waits } = server()
    tries('ann#1', 'a')
    for (let number = 0; number < WAITERS_OF_CLIENT_MAX + 50; number++) {
      expect(waits(process('eve', number), 'a')).toBe(number < WAITERS_OF_CLIENT_MAX ? 'queued' : 'full')
    }
    expect(machine.state.locks.get('a')!.waiters).toHaveLength(WAITERS_OF_CLIENT_MAX)
    expect(waits('bob#1', 'a')).toBe('queued')
  },
  IN_LINE_OF_CLIENT_MAX() {
    const { machine, tries, waits } = server()
    const names = Math.ceil(IN_LINE_OF_CLIENT_MAX / WAITERS_OF_CLIENT_MAX) + 1
    for (let name = 0; name < names; name++) tries('ann#1', `${name}`)
    for (let name = 0; name < names; name++) {
      for (let number = 0; number < WAITERS_OF_CLIENT_MAX; number++) waits(process('eve', number), `${name}`)
    }
    expect(machine.state.inLine.get('eve')).toBe(IN_LINE_OF_CLIENT_MAX)
    const lines = [...machine.state.locks.values()].reduce((sum, { waiters }) => sum + (waiters?.length ?? 0), 0)
    expect(lines).toBe(IN_LINE_OF_CLIENT_MAX)
    expect(waits('bob#1', '0')).toBe('queued')
  },
  BYTES_OF_CLIENT() {
    const { machine, tries, waits, ask } = server()
    const before = bytesIn(machine.state)
    const held = Math.ceil(IN_LINE_OF_CLIENT_MAX / WAITERS_OF_CLIENT_MAX) + 1
    for (let number = 0; number < 1.1 * NAMES_OF_CLIENT_MAX; number++) tries(process('eve', number), longName(number))
    for (let name = 0; name < held; name++) {
      for (let number = 0; number < WAITERS_OF_CLIENT_MAX; number++) waits(process('eve', 1e6 + number), longName(name))
    }
    const complaint = { kind: 'complain', server: 's2', what: 'x'.repeat(100), name: longName(1) } as const
    for (let number = 0; number < 1_000; number++) ask(process('eve', number), complaint)
    const kept = bytesIn(machine.state) - before
    expect(kept).toBeGreaterThan(BYTES_OF_CLIENT / 2)
    expect(kept).toBeLessThan(BYTES_OF_CLIENT)
    // Timers are the driver's: one for each name with a line at most, and two that are always there.
    expect(machine.timers.size).toBeLessThanOrEqual(held + 2)
  },
  COMPLAINTS_SHOWN_MAX() {
    const { machine, ask } = server()
    const complain = (from: string, accused: string) =>
      ask(from, { kind: 'complain', server: accused, what: 'x', name: 'a' })
    for (let number = 0; number < 500; number++) {
      complain(process('eve', number), 's2')
      complain('eve#1', `nobody-${number}`)
    }
    expect(machine.state.complaints.lines.size).toBe(1)
    for (let number = 0; number <= COMPLAINTS_SHOWN_MAX; number++) complain(`client-${number}`, 's2')
    expect(machine.state.complaints.lines.size).toBe(COMPLAINTS_SHOWN_MAX)
  },
  QUESTIONS_MAX() {
    const client = new Client()
    for (let id = 0; id <= QUESTIONS_MAX; id++) client.command({ kind: 'inspect', id })
    expect(client.state.questions.size).toBe(QUESTIONS_MAX)
    const waiter = { name: 'a', holder: 'x', token: 1, remaining: 1, since: 1, waiters: [] }
    const leases = Array.from({ length: INSPECTED_MAX }, () => waiter)
    for (let again = 0; again < 20; again++) {
      const about = { uptime: again, recovering: 0, held: 1, leases: leases as never }
      for (let query = 0; query <= QUESTIONS_MAX; query++) client.hear('s1', { kind: 'inspected', query, ...about })
    }
    expect([...client.state.questions.values()].map(({ servers }) => servers.length)).toEqual(
      Array.from({ length: QUESTIONS_MAX }, () => 1),
    )
    client.pass(lockDefaults.answerMax)
    expect(client.state.questions.size).toBe(0)
  },
  BLAMED_MAX() {
    const client = new Client()
    for (let place = 0; place < wordsAbout('', 0, 0).length; place++) {
      for (const [later, number, held] of [
        [0, 0, 1],
        [0, 0, TTL_MAX],
        [0, 1, 1],
        [0, 2 ** 40, TTL_MAX],
        [9, 0, 1],
      ] as const) {
        const name = `${place} ${later} ${number} ${held}`
        client.acquire(client.state.attempts + 1, { name })
        const { attempt, token } = client.state.acquisitions.get(name)!
        client.hear('s1', wordsAbout(name, attempt + later, token + number, held)[place]!)
        client.hear('s1', wordsAbout(name, attempt + later, token - number, held)[place]!)
      }
    }
    const kinds = [...client.state.blamed.keys()]
    expect(kinds.length).toBeGreaterThan(BLAMED_MAX / 2)
    expect(kinds.length).toBeLessThanOrEqual(BLAMED_MAX)
    expect(kinds.every(key => key.startsWith('s1 '))).toBe(true)
  },
  BYTES_OF_SERVER() {
    const client = new Client()
    client.acquire(1)
    const before = bytesIn(client.state)
    for (let round = 1; round <= 500; round++) {
      for (const body of wordsAbout('a', client.state.attempts, round)) client.hear('s1', body)
      for (const body of wordsAbout(`never asked ${round}`, round, round)) client.hear('s1', body)
      client.pass(20)
    }
    expect(client.state.acquisitions.size).toBe(1)
    expect(bytesIn(client.state) - before).toBeLessThan(BYTES_OF_SERVER)
  },
}

describe('what a peer can fill', () => {
  it('is listed, and each has its case', () =>
    expect(Object.keys(cases).sort()).toEqual(listedUnder('What a peer can fill: locks')))
  it.each(Object.keys(cases))('%s', name => cases[name]!())
})

// A new field that can grow belongs into this list, with its bound.
describe('the list is whole: nothing that grows is without a bound', () => {
  const GROWING: Growing = {
    'ServerState.others': 'one for each server',
    'ServerState.locks': 'NAMES_OF_CLIENT_MAX',
    'ServerState.shares': 'one for each client',
    'ServerState.asking': 'one for each server',
    'LockEntry.waiters': 'WAITERS_OF_CLIENT_MAX',
    'InspectedServer.leases': 'INSPECTED_MAX',
    'ClientState.servers': 'one for each server',
    'ClientState.acquisitions': 'its own: what its user asked for',
    'ClientState.questions': 'QUESTIONS_MAX',
    'ClientState.blamed': 'BLAMED_MAX',
    'Acquisition.answers': 'one for each server',
    'Acquisition.until': 'one for each server',
    'Acquisition.callers': 'CALLERS_MAX',
    'Acquisition.pings': 'its own: what its user asked for',
    'Acquisition.yielded': 'one for each server',
    'Acquisition.heardAt': 'one for each server',
  }

  it('of the states', () => expect(gapsIn(['lock/server/state.ts', 'lock/client/state.ts'], GROWING)).toEqual([]))
})
