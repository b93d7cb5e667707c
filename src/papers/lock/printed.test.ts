// BACKOFF §4, figure 1: the machines, one input at a time, and the schedule that gives n = 5b two holders.

import { describe, expect, it } from 'vitest'
import {
  createHost,
  decode,
  type Effect,
  encode,
  type Input,
  NOTHING_SAVED,
  type Protocol,
  type Saved,
} from '../../core/index.ts'
import {
  type PrintedCommand,
  type PrintedEvent,
  type PrintedMessage,
  type PrintedSettings,
  printedAlwaysYes,
  printedClient,
  printedServer,
  printedVocabulary,
} from './index.ts'

const SETTINGS: PrintedSettings = { liars: 1, crashes: 1, hold: 100, delayMax: 10 }

type Machine<State> = Protocol<State, PrintedMessage, PrintedCommand, PrintedEvent>

/** A machine outside of any world: chance always draws `drawn`. */
function lone<State>(machine: unknown, servers: readonly string[] = [], saved: Saved = NOTHING_SAVED) {
  const protocol = machine as Machine<State>
  const state = protocol.init('self', servers, saved)
  const bounds: number[] = []
  return {
    bounds,
    step(now: number, input: Input<PrintedMessage, PrintedCommand>, drawn = 0) {
      const effects: Effect<PrintedMessage, PrintedEvent>[] = []
      const below = (bound: number) => {
        bounds.push(bound)
        return Math.min(drawn, bound - 1)
      }
      protocol.step(state, input, { now, below, bytes: n => new Uint8Array(n), do: effect => effects.push(effect) })
      return effects
    },
  }
}

const tryAt = (attempt = 1) => ({ kind: 'message', from: 'client', body: { kind: 'try', attempt } }) as const
const SIX = ['s1', 's2', 's3', 's4', 's5', 's6']
const contendOne = { kind: 'command', body: { kind: 'contend', id: 7 } } as const
const wake = { kind: 'timer', name: 'wake' } as const

function answers(from: string, locked: boolean, attempt = 1) {
  return { kind: 'message', from, body: { kind: 'status', attempt, locked } } as const
}

describe('try (figure 1b)', () => {
  const said = (effects: readonly Effect<PrintedMessage, PrintedEvent>[]) =>
    effects.map(effect => (effect.kind === 'send' && effect.body.kind === 'status' ? effect.body.locked : effect.kind))

  it('says FREE at first, then LOCKED up to and at Δ + 2δ, then FREE', () => {
    const server = lone(printedServer(SETTINGS))
    server.step(0, { kind: 'start' })
    expect(said(server.step(5, tryAt()))).toEqual([false])
    expect(said(server.step(6, tryAt()))).toEqual([true])
    expect(said(server.step(125, tryAt()))).toEqual([true])
    expect(said(server.step(125.001, tryAt()))).toEqual([false])
    expect(said(server.step(126, tryAt()))).toEqual([true])
  })

  it('marks its disk before the first FREE, and after a restart stays locked for the longest lease', () => {
    const first = lone(printedServer(SETTINGS))
    const [save] = first.step(0, { kind: 'start' })
    expect(save?.kind).toBe('save')
    const record = save?.kind === 'save' ? save.record : new Uint8Array()
    const again = lone(printedServer(SETTINGS), [], new Map([['', [record]]]))
    expect(again.step(1_000, { kind: 'start' })).toEqual([])
    expect(said(again.step(1_120, tryAt()))).toEqual([true])
    expect(said(again.step(1_121, tryAt()))).toEqual([false])
  })

  it("does not answer a server's word", () => {
    const server = lone(printedServer(SETTINGS))
    expect(server.step(0, answers('s1', false))).toEqual([])
  })
})

describe('contend (figure 1a)', () => {
  it('asks all servers and enters with q = n - f answers of which at most b are LOCKED', () => {
    const client = lone(printedClient(SETTINGS), SIX)
    const asked = client.step(0, contendOne)
    expect(asked.map(effect => effect.kind === 'send' && effect.to)).toEqual(SIX)
    expect(client.step(1, answers('s1', true))).toEqual([])
    for (const server of ['s2', 's3', 's4']) expect(client.step(2, answers(server, false))).toEqual([])
    const entered = client.step(3, answers('s5', false))
    expect(entered).toContainEqual({ kind: 'emit', event: { kind: 'entered', id: 7, deadline: 103, attempts: 1 } })
    expect(client.step(4, contendOne)).toEqual([{ kind: 'emit', event: { kind: 'busy', id: 7 } }])
    expect(client.step(103, wake)).toEqual([{ kind: 'emit', event: { kind: 'left', id: 7 } }])
  })

  it('backs off with b + 1 LOCKED, between Δ + 4δ and 2^s (Δ + 4δ)', () => {
    const client = lone(printedClient(SETTINGS), SIX)
    client.step(0, contendOne)
    for (let s = 1; s <= 5; s++) {
      const spoke = (drawn: number) =>
        ['s1', 's2', 's3', 's4', 's5'].flatMap(from => client.step(s, answers(from, from < 's3', s), drawn))
      expect(spoke(s % 2 === 0 ? 0 : 1e9)).toEqual([
        { kind: 'timer', name: 'wake', after: s % 2 === 0 ? 140 : 140 * 2 ** s },
      ])
      expect(client.step(s, wake)).toHaveLength(6)
    }
    expect(client.bounds).toEqual([1, 2, 3, 4, 5].map(s => 140 * (2 ** s - 1) + 1))
  })

  it('resets the statuses for every attempt and ignores answers to old ones', () => {
    const client = lone(printedClient(SETTINGS), SIX)
    client.step(0, contendOne)
    for (const server of SIX.slice(0, 5)) client.step(1, answers(server, true))
    client.step(200, wake)
    for (const server of SIX) expect(client.step(201, answers(server, false, 1))).toEqual([])
    for (const server of SIX.slice(0, 4)) expect(client.step(202, answers(server, false, 2))).toEqual([])
    expect(client.step(203, answers('s6', false, 2))).toHaveLength(2)
  })

  it.each([
    ['a server that answers again', answers('s1', false)],
    ['a stranger', answers('s9', false)],
    ['an attempt to come', answers('s6', false, 2)],
    ["a client's word", tryAt()],
  ])('does not count %s', (_, input) => {
    const client = lone(printedClient(SETTINGS), SIX)
    client.step(0, contendOne)
    for (const server of ['s1', 's2', 's3', 's4']) client.step(1, answers(server, false))
    expect(client.step(2, input)).toEqual([])
    expect(client.step(3, answers('s6', false))).not.toEqual([])
  })
})

describe('the vocabulary', () => {
  it('gives back what it was given', () => {
    for (const body of [tryAt(3).body, answers('s', true, 2 ** 53 - 1).body]) {
      expect(decode(printedVocabulary, encode(printedVocabulary, body))).toEqual({ ok: true, value: body })
    }
  })

  it.each([
    ['nothing', []],
    ['an unknown kind', [2, 1]],
    ['no attempt', [0]],
    ['neither locked nor free', [1, 1, 2]],
    ['a byte too many', [0, 1, 0]],
    ['an attempt above 2^53', [0, 255, 255, 255, 255, 255, 255, 255, 127]],
  ])('refuses %s', (_, bytes) => {
    expect(decode(printedVocabulary, new Uint8Array(bytes)).ok).toBe(false)
  })
})

/** One message of a hand-made run: it leaves when its sender speaks, and arrives at `at`. */
type Arrival = readonly [at: number, from: string, to: string]

/** Lets the messages arrive as listed, to the letter, and gives back who entered when. */
function play(servers: readonly string[], liar: string, arrivals: readonly Arrival[]): [string, number][] {
  const entered: [string, number][] = []
  const onTheWay = new Map<string, { sentAt: number; body: PrintedMessage }>()
  let now = 0
  const host = (id: string, protocol: unknown, peers: readonly string[]) =>
    createHost(protocol as Machine<unknown>, id, peers, NOTHING_SAVED, {
      now: () => now,
      below: () => 0,
      bytes: length => new Uint8Array(length),
      send: (to, body) => onTheWay.set(`${id} to ${to}`, { sentAt: now, body }),
      timer: () => {},
      cancel: () => {},
      save: (_lane, _record, _kind, durable) => durable?.(),
      forget: () => {},
      emit: event => event.kind === 'entered' && entered.push([id, now]),
    })
  const clients = ['alice', 'bob'].map(id => [id, host(id, printedClient(SETTINGS), servers)] as const)
  const honest = printedServer(SETTINGS)
  const hosts = new Map(clients)
  for (const id of servers) hosts.set(id, host(id, id === liar ? printedAlwaysYes.corrupt(honest) : honest, []))
  for (const running of hosts.values()) running.input({ kind: 'start' })
  for (const [, client] of clients) client.input(contendOne)
  for (const [at, from, to] of arrivals) {
    const message = onTheWay.get(`${from} to ${to}`)!
    expect(at).toBeGreaterThanOrEqual(now)
    expect(at - message.sentAt).toBeLessThanOrEqual(SETTINGS.delayMax)
    now = at
    hosts.get(to)!.input({ kind: 'message', from, body: message.body })
  }
  return entered
}

describe('n = 5b is unsafe (readings BACKOFF 2)', () => {
  it('gives two holders to five servers, one of which says FREE to everybody, with every message within δ', () => {
    // Servers 1 and 2 hear Alice first, servers 3 and 4 hear Bob first, server 5 lies.
    // Each client then misses the answer of one server that refused it: four answers are a quorum.
    const entered = play(['s1', 's2', 's3', 's4', 's5'], 's5', [
      [1, 'alice', 's1'],
      [1, 'alice', 's2'],
      [1, 'bob', 's3'],
      [1, 'bob', 's4'],
      [2, 'alice', 's5'],
      [2, 'bob', 's5'],
      [3, 'alice', 's3'],
      [3, 'alice', 's4'],
      [3, 'bob', 's1'],
      [3, 'bob', 's2'],
      [4, 's1', 'alice'], // FREE
      [4, 's2', 'alice'], // FREE
      [4, 's5', 'alice'], // FREE, a lie to one of the two
      [4, 's3', 'alice'], // LOCKED: one is allowed
      [5, 's3', 'bob'], // FREE
      [5, 's4', 'bob'], // FREE
      [5, 's5', 'bob'], // FREE, a lie to the other
      [5, 's1', 'bob'], // LOCKED: one is allowed
      [6, 's4', 'alice'], // LOCKED, too late to matter
      [6, 's2', 'bob'], // LOCKED, too late to matter
    ])
    expect(entered).toEqual([
      ['alice', 4],
      ['bob', 5],
    ])
  })

  /** Every way in which honest servers hear one of the two first, and in which each client misses one answer. */
  function everySchedule(count: number): number {
    const servers = Array.from({ length: count }, (_, place) => `s${place + 1}`)
    let most = 0
    for (let first = 0; first < 2 ** (count - 1); first++) {
      const order = (place: number): readonly [string, string] =>
        (first >> place) % 2 === 0 ? ['alice', 'bob'] : ['bob', 'alice']
      const asks = servers.flatMap((to, place) => order(place).map((from): Arrival => [1, from, to]))
      for (const missedByAlice of servers) {
        for (const missedByBob of servers) {
          const tells = (client: string, missed: string) =>
            servers.filter(server => server !== missed).map((server): Arrival => [2, server, client])
          const schedule = [...asks, ...tells('alice', missedByAlice), ...tells('bob', missedByBob)]
          most = Math.max(most, play(servers, servers.at(-1)!, schedule).length)
        }
      }
    }
    return most
  }

  it('is found among all orders of two clients at five servers, and not among those at six', () => {
    expect(everySchedule(5)).toBe(2)
    expect(everySchedule(6)).toBe(1)
  })
})
