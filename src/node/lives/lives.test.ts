// A store that was put back from an old copy, in virtual time: the others notice, and nothing is granted twice.

import { beforeEach, describe, expect, it } from 'vitest'
import { Puppet, sent, told } from '../../../test/support/machine.ts'
import { createHost, decode, encode, type Host, KeptLane, type NodeId, type Saved } from '../../core/index.ts'
import { encodeDescriptor } from '../../ledger/light.ts'
import { ideals, makeLedger } from '../../ledger/proof/actors.ts'
import type { LedgerServerState } from '../../ledger/server/state.ts'
import type { LockMessage } from '../../lock/wire.ts'
import { firstStart, nodeVocabulary, type ServerNode, type ServerNodeEvent, serverNode } from '../index.ts'
import { GROW_EVERY, HOLD_MAX, lives, RAISE_EVERY } from './machine.ts'
import { livesRecord } from './wire.ts'

const TTL_MAX = 10_000
type Message = Parameters<Parameters<ServerNode['step']>[2]['do']>[0] extends infer E
  ? E extends { kind: 'send'; body: infer B }
    ? B
    : never
  : never

/** Servers over one network, each with its disk; clients are the test. */
class Servers {
  now = 1_000
  readonly disks = new Map<NodeId, Map<string, KeptLane>>()
  readonly events: { readonly who: NodeId; readonly event: ServerNodeEvent }[] = []
  private readonly hosts = new Map<NodeId, Host<unknown, Message, never>>()
  private queue: { from: NodeId; to: NodeId; body: Message }[] = []
  private readonly timers = new Map<string, { due: number; fire: () => void }>()
  readonly answers: { from: NodeId; to: NodeId; body: LockMessage }[] = []
  private draws = 0

  private readonly names: readonly NodeId[]
  private readonly hails: boolean
  private readonly liars: number

  private readonly actors = ideals()

  constructor(names: readonly NodeId[], hails = true, liars = 0) {
    this.names = names
    this.hails = hails
    this.liars = liars
    for (const name of names) this.serve(name, firstStart)
  }

  serve(id: NodeId, saved: Saved = this.copy(id)): void {
    const disk = new Map([...saved].map(([lane, records]) => [lane, new KeptLane(records)]))
    this.disks.set(id, disk)
    const trust = { servers: this.names.length, liars: this.liars, crashes: 1, orderingQuorum: undefined } as never
    const node = serverNode(
      { trust, lock: { ttlMax: TTL_MAX, drift: 0.01 }, operators: [] },
      {
        hash: bytes => bytes,
        hails: this.hails,
        ledgerCrypto: this.actors.suite,
        voter: this.actors.voter(id),
      },
    )
    const host = createHost(node, id, this.names, saved, {
      now: () => this.now,
      below: bound => ++this.draws % bound,
      bytes: length => new Uint8Array(length).fill(++this.draws),
      send: (to, body) => this.queue.push({ from: id, to, body: body as Message }),
      timer: (name, after) =>
        this.timers.set(`${id} ${name}`, { due: this.now + after, fire: () => host.input({ kind: 'timer', name }) }),
      cancel: name => this.timers.delete(`${id} ${name}`),
      save: (lane, record, kind, durable) => {
        const kept = disk.get(lane) ?? new KeptLane()
        disk.set(lane, kept)
        kept.save(record, kind)
        durable?.()
      },
      forget: lane => disk.get(lane)?.forget(),
      emit: event => this.events.push({ who: id, event }),
    })
    this.hosts.set(id, host as never)
    host.input({ kind: 'start' })
  }

  ledgersOf(id: NodeId): LedgerServerState {
    return (this.hosts.get(id)!.state as { readonly ledger: LedgerServerState }).ledger
  }

  /** A ledger of all servers, made by a client. */
  createLedger(name: string): string {
    const salts = (server: NodeId) => this.ledgersOf(server).salt!
    const coins = makeLedger(
      this.actors,
      { name, servers: this.names, crashes: 1, liars: 0, balances: { alice: 9n } },
      salts,
    )
    const body = { kind: 'create' as const, query: 1, genesis: encodeDescriptor(coins) }
    for (const to of this.names) this.queue.push({ from: 'client', to, body: { part: 'ledger', body } })
    this.carry()
    return coins.hex
  }

  /** What the disk holds now. */
  copy(id: NodeId): Saved {
    return new Map([...(this.disks.get(id) ?? [])].map(([lane, { records }]) => [lane, [...records]]))
  }

  stop(id: NodeId, clean = true): void {
    if (clean) this.hosts.get(id)!.input({ kind: 'stop' })
    this.hosts.get(id)!.end()
    this.hosts.delete(id)
    for (const name of [...this.timers.keys()]) if (name.startsWith(`${id} `)) this.timers.delete(name)
  }

  carry(): void {
    for (let one = this.queue.shift(); one !== undefined; one = this.queue.shift()) {
      const decoded = decode(nodeVocabulary, encode(nodeVocabulary, one.body))
      if (!decoded.ok) throw new Error(decoded.refusal)
      this.hosts.get(one.to)?.input({ kind: 'message', from: one.from, body: decoded.value as never })
      if (one.body.part === 'lock' && !this.names.includes(one.to)) this.answers.push({ ...one, body: one.body.body })
    }
  }

  pass(millis: number): void {
    const until = this.now + millis
    this.carry()
    for (;;) {
      const next = [...this.timers].sort((a, b) => a[1].due - b[1].due)[0]
      if (next === undefined || next[1].due > until) break
      this.now = Math.max(this.now, next[1].due)
      this.timers.delete(next[0])
      next[1].fire()
      this.carry()
    }
    this.now = until
  }

  /** What these servers answer to a try for the lock 'a'. */
  tries(client: NodeId, token: number, servers: readonly NodeId[]): LockMessage['kind'][] {
    const body: LockMessage = { kind: 'try', name: 'a', attempt: token, token, ttl: TTL_MAX }
    const before = this.answers.length
    for (const to of servers) this.queue.push({ from: client, to, body: { part: 'lock', body } })
    this.carry()
    return this.answers.slice(before).map(({ body }) => body.kind)
  }

  old(): NodeId[] {
    return this.events.flatMap(({ who, event }) => (event.part === 'lives' && event.body.kind === 'old' ? [who] : []))
  }
}

const NAMES = ['X', 's1', 's2']

describe('a server whose folder was put back from an old copy', () => {
  /** X stops cleanly with nothing out, and its folder is copied. It starts, grants to ann, is gone, and the copy is put back. */
  function story(hails: boolean) {
    const group = new Servers(NAMES, hails)
    group.pass(HOLD_MAX)
    group.stop('X')
    const copy = group.copy('X')
    group.pass(RAISE_EVERY)
    group.serve('X')
    group.pass(HOLD_MAX)
    expect(group.tries('ann', 1_000, ['X', 's1'])).toEqual(['granted', 'granted'])
    group.stop('X', false)
    group.serve('X', copy)
    return group
  }

  it('granted a second time before: X and s2 make a second holder under a smaller token', () => {
    const group = story(false)
    expect(group.tries('bob', 900, ['X', 's2'])).toEqual(['granted', 'granted'])
  })
  it('grants nothing, is told, and waits as after a lost store', () => {
    const group = story(true)
    expect(group.tries('bob', 900, ['X', 's2'])).toEqual(['locked', 'granted'])
    group.pass(HOLD_MAX)
    expect(group.old()).toEqual(['X'])
    group.pass(TTL_MAX - HOLD_MAX - 1)
    expect(group.tries('bob', 2_000, ['X'])).toEqual(['locked'])
    group.pass(1_000)
    expect(group.tries('bob', 900, ['X'])).toEqual(['tooLow'])
    expect(group.tries('bob', 2_000, ['X'])).toEqual(['granted'])
  })
  it('is told so once: from then on its life is a later one, and its next starts are as ever', () => {
    const group = story(true)
    group.pass(TTL_MAX + 1_000)
    group.stop('X')
    group.serve('X')
    group.pass(HOLD_MAX)
    expect(group.old()).toEqual(['X'])
    expect(group.tries('bob', 1_500_000_000, ['X'])).toEqual(['granted'])
  })
  it('is noticed though it crashed before anybody answered, and started again', () => {
    const group = story(true)
    for (let time = 0; time < 3; time++) {
      group.stop('X', false)
      group.serve('X')
    }
    group.pass(HOLD_MAX)
    expect(group.old()).toEqual(['X'])
  })
  it('is noticed too where the copy is of a running server, and a while old', () => {
    const group = new Servers(NAMES)
    group.pass(HOLD_MAX)
    const copy = group.copy('X')
    group.pass(GROW_EVERY + 1_000)
    group.stop('X', false)
    group.serve('X', copy)
    group.pass(HOLD_MAX)
    expect(group.old()).toEqual(['X'])
  })
  it('is noticed where the mark of a first start came back with no store', () => {
    const group = story(true)
    group.stop('X', false)
    group.events.length = 0
    group.serve('X', firstStart)
    expect(group.tries('bob', 900, ['X'])).toEqual(['locked'])
    group.pass(HOLD_MAX)
    expect(group.old()).toEqual(['X'])
    expect(group.tries('bob', 900, ['X'])).toEqual(['locked'])
  })
})

describe('the ledgers of a server whose folder was put back', () => {
  const FOUR = ['X', 's1', 's2', 's3']
  const order = ({ events }: Servers) =>
    events.flatMap(({ who, event }) =>
      who === 'X' && ['storeLost', 'lossKept', 'old'].includes(event.body.kind)
        ? [`${event.part} ${event.body.kind}`]
        : [],
    )

  function story() {
    const group = new Servers(FOUR)
    group.pass(HOLD_MAX)
    const early = group.createLedger('early')
    group.stop('X')
    const copy = group.copy('X')
    group.pass(RAISE_EVERY)
    group.serve('X')
    group.pass(HOLD_MAX)
    const late = group.createLedger('late')
    const votes = () => group.ledgersOf('X')
    const forgotten = () => [early, late].map(id => votes().ledgers.get(id)?.lost !== undefined)
    group.stop('X', false)
    group.serve('X', copy)
    return { group, votes, forgotten }
  }

  it('vote on nothing before the others have told, and have forgotten their votes then: of ledgers in the copy, and of later ones', () => {
    const { group, votes, forgotten } = story()
    expect(votes().held).toBe(true)
    group.pass(2 * HOLD_MAX + 1_000)
    expect(votes().held).toBe(false)
    expect(group.old()).toEqual(['X'])
    expect(forgotten()).toEqual([true, true])
  })
  it('have it on disk before a later life begins, and at the next start', () => {
    const { group, forgotten } = story()
    group.pass(2 * HOLD_MAX + 1_000)
    expect(order(group)).toEqual(['lives old', 'lock storeLost', 'ledger lossKept'])
    group.stop('X', false)
    group.serve('X')
    group.pass(HOLD_MAX + 1_000)
    expect(group.old()).toEqual(['X'])
    expect(forgotten()).toEqual([true, true])
  })
  it('and one that starts as ever has forgotten nothing', () => {
    const group = new Servers(FOUR)
    group.pass(HOLD_MAX)
    const coins = group.createLedger('coins')
    group.stop('X', false)
    group.serve('X')
    group.pass(2 * HOLD_MAX)
    const { held, ledgers } = group.ledgersOf('X')
    expect([held, ledgers.get(coins)!.lost]).toEqual([false, undefined])
  })
})

describe('a server that starts as ever', () => {
  it('grants as soon as the others have answered, and after the wait where they do not', () => {
    const group = new Servers(NAMES)
    group.carry()
    expect(group.tries('ann', 1, ['X'])).toEqual(['granted'])
    group.stop('s1')
    group.stop('s2')
    group.stop('X')
    group.serve('X')
    group.pass(HOLD_MAX - 1)
    expect(group.tries('bob', 2, ['X'])).toEqual(['locked'])
    group.pass(1)
    // ann's lease was written down at the stop.
    expect(group.tries('ann', 2, ['X'])).toEqual(['granted'])
  })
  it('is never called old, however often it starts, cleanly or not, with others gone', () => {
    const group = new Servers(NAMES)
    for (let time = 0; time < 20; time++) {
      const who = NAMES[time % 3]!
      const other = NAMES[(time + 1) % 3]!
      group.stop(other, time % 2 === 0)
      group.stop(who, time % 4 < 2)
      group.serve(who)
      group.pass(100 * (time % 7))
      group.serve(other)
      group.pass(HOLD_MAX)
    }
    expect(group.old()).toEqual([])
  })
})

describe('what others say of a life', () => {
  const servers = ['X', 's1', 's2', 's3', 's4']
  let machine: Puppet<ReturnType<ReturnType<typeof lives>['init']>, never, never, never>
  const make = (liars: number) => new Puppet(lives({ liars }) as never, servers, new Map(), 'X') as typeof machine
  const hear = (from: NodeId, body: unknown) => machine.hear(from, body as never)
  beforeEach(() => {
    machine = make(1)
    machine.chance.push(7)
    machine.start()
  })

  it('counts when more than may lie say it: one liar cannot call a store old', () => {
    expect(told(hear('s1', { kind: 'older', mark: 7, life: 5 }))).toEqual([])
    expect(told(hear('s1', { kind: 'older', mark: 7, life: 6 }))).toEqual([])
    expect(told(hear('eve', { kind: 'older', mark: 7, life: 6 }))).toEqual([])
    expect(told(hear('s2', { kind: 'older', mark: 8, life: 6 }))).toEqual([])
    expect(told(hear('s2', { kind: 'older', mark: 7, life: 9 }))).toEqual([
      { kind: 'old', life: 1, seen: 6, by: ['s1', 's2'] },
    ])
  })
  it('is written down before it is answered, the largest of each, and not too often', () => {
    const seen = () => {
      const decoded = decode(livesRecord, machine.records.at(-1)!)
      return decoded.ok ? decoded.value.seen : []
    }
    const answer = (life: number, mark: number, from = 's1') =>
      sent(hear(from, { kind: 'hail', life, mark })).map(({ body }) => body)
    expect(answer(4, 1)).toEqual([{ kind: 'welcome', mark: 1 }])
    expect(answer(4, 1)).toEqual([{ kind: 'welcome', mark: 1 }])
    expect(answer(4, 2)).toEqual([{ kind: 'older', mark: 2, life: 4 }])
    expect(answer(3, 3)).toEqual([{ kind: 'older', mark: 3, life: 4 }])
    expect(answer(5, 4)).toEqual([])
    machine.pass(RAISE_EVERY)
    expect(answer(5, 4)).toEqual([{ kind: 'welcome', mark: 4 }])
    expect(answer(5, 4, 'eve')).toEqual([])
    expect(seen()).toEqual([{ server: 's1', life: 5, mark: 4 }])
    machine.restart()
    expect(answer(4, 1)).toEqual([{ kind: 'older', mark: 1, life: 5 }])
  })
})
