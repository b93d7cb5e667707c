// Routers held by hand: what each message may not do, and where the limits are.

import { describe, expect, it } from 'vitest'
import { decode, type Effect, encode, type NodeId } from '../../core/index.ts'
import { idealSignatures } from '../../crypto/index.ts'
import { eventsDefaults } from '../defaults.ts'
import { parseFilter } from '../filter.ts'
import { CLAUSES_A_LINK, SUBSCRIPTIONS_MAX, WAITING_MAX } from './limits.ts'
import { routing } from './machine.ts'
import { orderOf } from './overlay.ts'
import { routingBasics } from './settings.ts'
import type { RoutingCommand, RoutingEvent } from './state.ts'
import { type RoutingMessage, routingVocabulary } from './wire.ts'

const RECORD = { number: 1, members: ['a', 'b', 'c'] }
const [MIDDLE, LEFT, RIGHT] = orderOf(eventsDefaults.hash, RECORD) as [NodeId, NodeId, NodeId]

/** A few routers, and the messages between them. */
class Trio {
  readonly signatures = idealSignatures()
  readonly told: [NodeId, RoutingEvent][] = []
  readonly sent: { from: NodeId; to: NodeId; body: RoutingMessage }[] = []
  now = 0
  private readonly nodes = new Map<
    NodeId,
    { machine: ReturnType<typeof routing>; state: ReturnType<ReturnType<typeof routing>['init']> }
  >()

  constructor(overlay = true, grace = routingBasics.grace) {
    for (const id of RECORD.members) {
      const machine = routing({
        ...routingBasics,
        grace,
        group: 'g',
        hash: eventsDefaults.hash,
        signatures: this.signatures,
        signer: this.signatures.signer(id),
        keyOf: ({ member }) => this.signatures.signer(member).publicKey,
      })
      this.nodes.set(id, { machine, state: machine.init(id, [], new Map()) })
      this.step(id, { kind: 'start' })
      for (const member of RECORD.members)
        this.command(id, { kind: 'changed', view: { member, identity: new Uint8Array() } })
      if (overlay) this.command(id, { kind: 'overlay', record: RECORD })
    }
    this.run()
  }

  state(id: NodeId) {
    return this.nodes.get(id)!.state
  }

  step(id: NodeId, input: Parameters<ReturnType<typeof routing>['step']>[1]): void {
    const { machine, state } = this.nodes.get(id)!
    machine.step(state, input, {
      now: this.now,
      below: () => 0,
      bytes: length => new Uint8Array(length).fill(id.charCodeAt(0)),
      do: (effect: Effect<RoutingMessage, RoutingEvent>) => {
        if (effect.kind === 'send') this.sent.push({ from: id, to: effect.to, body: effect.body })
        if (effect.kind === 'emit') this.told.push([id, effect.event])
      },
    })
  }

  command(id: NodeId, body: RoutingCommand): void {
    this.step(id, { kind: 'command', body })
  }

  message(from: NodeId, to: NodeId, body: RoutingMessage): void {
    this.step(to, { kind: 'message', from, body })
  }

  /** Delivers what is under way, as bytes. */
  run(): void {
    for (let next = this.sent.shift(); next !== undefined; next = this.sent.shift()) {
      const read = decode(routingVocabulary, encode(routingVocabulary, next.body))
      if (!read.ok) throw new Error(read.refusal)
      this.message(next.from, next.to, read.value)
    }
  }

  subscribe(node: NodeId, id: number, filter: unknown): void {
    this.command(node, { kind: 'subscribe', id, channel: 'c', filter: parseFilter(filter) })
    this.run()
  }

  publish(node: NodeId, price: number, id = 1, receipts = false): void {
    this.command(node, {
      kind: 'publish',
      id,
      channel: 'c',
      content: { attributes: { price }, payload: new Uint8Array(), time: 0 },
      receipts,
    })
    this.step(node, { kind: 'timer', name: 'batch' })
  }

  count(kind: RoutingEvent['kind'], node?: NodeId): number {
    return this.told.filter(([id, event]) => event.kind === kind && (node === undefined || id === node)).length
  }
}

describe('a path of three routers', () => {
  it('an event goes where it is wanted, and nowhere else', () => {
    const trio = new Trio()
    trio.subscribe(RIGHT, 1, { price: { lte: 5 } })
    trio.publish(LEFT, 3)
    trio.run()
    expect(trio.count('handed', RIGHT)).toBe(1)
    trio.publish(LEFT, 7)
    expect(trio.sent).toEqual([])
  })

  it('its author has its own events too, and other channels none', () => {
    const trio = new Trio()
    trio.subscribe(LEFT, 1, {})
    trio.command(RIGHT, { kind: 'subscribe', id: 2, channel: 'other', filter: parseFilter({}) })
    trio.run()
    trio.publish(LEFT, 3)
    trio.run()
    expect(trio.count('handed', LEFT)).toBe(1)
    expect(trio.count('handed', RIGHT)).toBe(0)
  })

  it('what covers is told instead, and what a removal uncovers comes in the same message', () => {
    const trio = new Trio()
    trio.subscribe(RIGHT, 1, { price: { lte: 5 } })
    trio.subscribe(RIGHT, 2, { price: { lte: 10 } })
    const heard = () => trio.state(MIDDLE).overlays[0]!.links.find(({ peer }) => peer === RIGHT)!.heard
    expect(heard().size).toBe(1)
    trio.command(RIGHT, { kind: 'unsubscribe', id: 2 })
    expect(trio.sent).toHaveLength(1)
    expect(trio.sent[0]!.body).toMatchObject({ kind: 'announce', whole: false })
    const { add, remove } = trio.sent[0]!.body as RoutingMessage & { kind: 'announce' }
    expect([add.length, remove.length]).toEqual([1, 1])
  })

  it('a link has at most so many clauses, and still everything comes', () => {
    const trio = new Trio()
    for (let id = 1; id <= 60; id++) trio.subscribe(RIGHT, id, { price: { gte: 10 * id, lte: 10 * id + 5 } })
    const { heard } = trio.state(MIDDLE).overlays[0]!.links.find(({ peer }) => peer === RIGHT)!
    expect(heard.size).toBeLessThanOrEqual(CLAUSES_A_LINK)
    for (let id = 1; id <= 60; id++) trio.publish(LEFT, 10 * id + 2, id)
    trio.run()
    expect(trio.count('handed', RIGHT)).toBe(60)
  })

  it('lists that are long together are told as what a message holds, and still everything comes', () => {
    const trio = new Trio()
    const names = (id: number) => Array.from({ length: 30 }, (_, at) => `${id} ${at} `.padEnd(100, 'x'))
    for (let id = 1; id <= CLAUSES_A_LINK + 8; id++) trio.subscribe(RIGHT, id, { name: names(id) })
    const { heard } = trio.state(LEFT).overlays[0]!.links[0]!
    expect(heard.size).toBeLessThanOrEqual(CLAUSES_A_LINK)
    for (let id = 1; id <= CLAUSES_A_LINK + 8; id++) {
      const content = { attributes: { name: names(id)[7]! }, payload: new Uint8Array(), time: 0 }
      trio.command(LEFT, { kind: 'publish', id, channel: 'c', content, receipts: false })
    }
    trio.step(LEFT, { kind: 'timer', name: 'batch' })
    trio.run()
    expect(trio.count('handed', RIGHT)).toBe(CLAUSES_A_LINK + 8)
  })

  it('without trees an event waits, and beyond the limit it is refused', () => {
    const trio = new Trio(false)
    for (let id = 1; id <= WAITING_MAX + 1; id++) trio.publish(LEFT, 1, id)
    expect([trio.count('published'), trio.count('refused')]).toEqual([0, 1])
    trio.command(LEFT, { kind: 'overlay', record: { number: 1, members: [LEFT] } })
    expect(trio.count('published')).toBeGreaterThan(0)
  })

  it('who is not in the list is told so', () => {
    const trio = new Trio()
    trio.command(LEFT, { kind: 'overlay', record: { number: 2, members: [MIDDLE, RIGHT] } })
    trio.publish(LEFT, 1)
    expect(trio.told.at(-1)).toEqual([
      LEFT,
      { kind: 'refused', id: 1, why: 'this member is not in the list that the trees are made of' },
    ])
  })

  it('subscriptions have a limit', () => {
    const trio = new Trio()
    for (let id = 1; id <= SUBSCRIPTIONS_MAX; id++)
      trio.command(LEFT, { kind: 'subscribe', id, channel: 'c', filter: parseFilter({}) })
    expect(trio.count('refused')).toBe(0)
    trio.subscribe(LEFT, SUBSCRIPTIONS_MAX + 1, {})
    expect(trio.count('refused')).toBe(1)
  })

  it('strangers, forgers and repeaters are not heard, and the true event still is', () => {
    const trio = new Trio()
    trio.subscribe(RIGHT, 1, {})
    trio.publish(LEFT, 3)
    const [{ body }] = trio.sent.splice(0) as unknown as [{ body: RoutingMessage & { kind: 'event' } }]
    const forged = { ...body, item: { ...body.item, content: new Uint8Array(body.item.content).fill(1, 3, 5) } }
    trio.message('stranger', MIDDLE, body)
    trio.message(LEFT, MIDDLE, forged)
    trio.message(LEFT, MIDDLE, { ...body, source: { ...body.source, author: 'nobody' } })
    expect([trio.sent.length, trio.count('dropped', MIDDLE)]).toEqual([0, 2])
    trio.message(LEFT, MIDDLE, body)
    trio.message(LEFT, MIDDLE, body)
    expect(trio.sent).toHaveLength(1)
    expect(trio.state(MIDDLE).repeats).toBe(1)
    trio.run()
    expect(trio.count('handed', RIGHT)).toBe(1)
  })

  it('what is older than the window is refused and told: just before its end a copy is known, just after it is late', () => {
    for (const [after, late] of [
      [routingBasics.window - 1, 0],
      [routingBasics.window, 1],
    ] as const) {
      const trio = new Trio()
      trio.subscribe(RIGHT, 1, {})
      trio.publish(LEFT, 3)
      const [{ body }] = trio.sent.splice(0) as unknown as [{ body: RoutingMessage }]
      trio.message(LEFT, MIDDLE, body)
      trio.now = after
      trio.step(MIDDLE, { kind: 'timer', name: 'beat' })
      trio.message(LEFT, MIDDLE, body)
      expect(trio.count('late', MIDDLE)).toBe(late)
    }
  })

  it('who asks for everything again and again gets it a few times a beat', () => {
    const trio = new Trio()
    for (let i = 0; i < 50; i++) trio.message(LEFT, MIDDLE, { kind: 'again', place: { overlay: 1, tree: 0 } })
    expect(trio.sent.length).toBeLessThanOrEqual(8)
  })

  it('a neighbour of new trees that says nothing is passed over, and not before', () => {
    const { patience } = routingBasics
    for (const [after, open] of [
      [patience - 1, false],
      [patience, true],
    ] as const) {
      const trio = new Trio(false)
      trio.command(MIDDLE, { kind: 'overlay', record: RECORD })
      trio.now = after
      trio.step(MIDDLE, { kind: 'timer', name: 'beat' })
      expect(trio.state(MIDDLE).overlays[0]!.openAt !== undefined).toBe(open)
    }
  })
})

describe('lists that come faster than their trees get ready', () => {
  const { patience, retireAfter } = routingBasics
  const SOON = patience / 2
  const listed = (number: number) => ({ number, members: RECORD.members })
  const beat = (trio: Trio, ...nodes: NodeId[]) => {
    for (const id of nodes) trio.step(id, { kind: 'timer', name: 'beat' })
    trio.run()
  }

  /** The author heard of a list that the others never hear of, since they hear of the newer one first; one of them says nothing. */
  function halfMade(trio: Trio, number: number) {
    const [hub, author, silent] = orderOf(eventsDefaults.hash, listed(number + 1)) as [NodeId, NodeId, NodeId]
    trio.command(author, { kind: 'overlay', record: listed(number) })
    trio.now += SOON
    for (const id of [author, hub]) trio.command(id, { kind: 'overlay', record: listed(number + 1) })
    trio.sent.splice(0, trio.sent.length, ...trio.sent.filter(({ from, to }) => from !== silent && to !== silent))
    trio.run()
    return { author, hub }
  }

  it('without older trees an event waits for those of the newest list', () => {
    const trio = new Trio(false)
    const { author, hub } = halfMade(trio, 1)
    trio.subscribe(hub, 1, {})
    trio.publish(author, 3)
    trio.now = patience
    beat(trio, author)
    expect(trio.state(author).overlays.map(({ openAt }) => openAt)).toEqual([patience, undefined])
    expect(trio.count('published')).toBe(0)
    trio.now = SOON + patience
    beat(trio, hub, author)
    expect([trio.count('published'), trio.count('handed', hub)]).toEqual([1, 1])
  })

  it('an event goes out in the older trees too, and no longer once those of the newest list are ready', () => {
    const trio = new Trio(true, 0)
    const { author, hub } = halfMade(trio, 2)
    trio.subscribe(hub, 1, {})
    trio.now = patience
    beat(trio, author)
    trio.publish(author, 3)
    trio.run()
    expect(trio.count('handed', hub)).toBe(1)
    trio.now = SOON + patience
    beat(trio, hub, author)
    trio.publish(author, 3)
    expect(trio.sent.map(({ body }) => 'place' in body && body.place.overlay)).toEqual([3])
  })

  it('the trees that everybody has are kept for as long as that goes on', () => {
    const trio = new Trio(true, 0)
    trio.subscribe(RIGHT, 1, {})
    for (let number = 2; trio.now < patience + 2 * retireAfter; number++) {
      trio.command(LEFT, { kind: 'overlay', record: listed(number) })
      trio.now += SOON
      trio.step(LEFT, { kind: 'timer', name: 'beat' })
      trio.sent.splice(0)
    }
    const numbers = () => trio.state(LEFT).overlays.map(({ number }) => number)
    const newest = trio.state(LEFT).overlays.findLast(({ openAt }) => openAt !== undefined)!.number
    expect(newest).toBeGreaterThan(1)
    for (let more = 1; more <= 3; more++) trio.command(LEFT, { kind: 'overlay', record: listed(numbers().at(-1)! + 1) })
    expect(numbers().slice(0, 2)).toEqual([1, newest])
    trio.sent.splice(0)
    trio.publish(LEFT, 3)
    trio.run()
    expect(trio.count('handed', RIGHT)).toBe(1)
  })
})

describe('receipts while the list changes', () => {
  const NEWER = { number: 2, members: RECORD.members }
  const [HUB, AUTHOR, NEWCOMER] = orderOf(eventsDefaults.hash, NEWER) as [NodeId, NodeId, NodeId]
  const OLDER = { number: 1, members: [HUB, AUTHOR] }

  /** The trees of the first list are ready. */
  function begun(): Trio {
    const trio = new Trio(false)
    for (const id of OLDER.members) trio.command(id, { kind: 'overlay', record: OLDER })
    trio.subscribe(NEWCOMER, 1, {})
    expect(trio.state(AUTHOR).overlays[0]!.openAt).toBe(0)
    return trio
  }

  function receiptsOf(trio: Trio): RoutingEvent[] {
    trio.step(AUTHOR, { kind: 'timer', name: 'ask' })
    trio.run()
    return trio.told.filter(([, { kind }]) => kind === 'received').map(([, event]) => event)
  }

  it('who is new in a list whose trees are not ready is asked as well, and sent what it lacks', () => {
    const trio = begun()
    // The hub says nothing in the new trees: they are not ready, and the author goes on in the old ones.
    for (const id of [AUTHOR, NEWCOMER]) trio.command(id, { kind: 'overlay', record: NEWER })
    trio.run()
    trio.publish(AUTHOR, 3, 7, true)
    trio.run()
    expect([trio.state(AUTHOR).overlays[1]!.openAt, trio.count('handed')]).toEqual([undefined, 0])
    expect(receiptsOf(trio)).toEqual([{ kind: 'received', id: 7, members: [NEWCOMER], silent: [] }])
    expect(trio.count('handed', NEWCOMER)).toBe(1)
  })

  it('a list that the author is not in adds nobody to what it published before', () => {
    const trio = begun()
    const content = { attributes: {}, payload: new Uint8Array(), time: 0 }
    // The second waits for its batch, and meanwhile the author is put out.
    for (const id of [7, 8]) trio.command(AUTHOR, { kind: 'publish', id, channel: 'c', content, receipts: true })
    trio.command(AUTHOR, { kind: 'overlay', record: { number: 2, members: [HUB, NEWCOMER] } })
    trio.step(AUTHOR, { kind: 'timer', name: 'batch' })
    expect(receiptsOf(trio).map(event => 'id' in event && event.id)).toEqual([7, 8])
    expect(trio.count('handed')).toBe(0)
  })
})

describe('the words', () => {
  it('a clause is one clause, in its one form', () => {
    const place = { overlay: 1, tree: 0 }
    const clause = parseFilter({ x: 1 }).$any[0]!
    const body = {
      kind: 'announce',
      place,
      life: 'l',
      number: 1,
      whole: true,
      add: [{ id: 1, clause }],
      remove: [],
    } as const
    const bytes = encode(routingVocabulary, body)
    expect(decode(routingVocabulary, bytes)).toEqual({ ok: true, value: body })
    for (let at = 0; at < bytes.length; at++) expect(decode(routingVocabulary, bytes.slice(0, at)).ok).toBe(false)
  })
})
