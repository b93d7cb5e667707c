// A client of events by hand: what it publishes, whom it believes, whom it passes over.

import { describe, expect, it } from 'vitest'
import { Puppet } from '../../../test/support/machine.ts'
import { idealSignatures } from '../../crypto/index.ts'
import { encodeContent } from '../content.ts'
import { eventsDefaults } from '../defaults.ts'
import { encodeFilter, parseFilter } from '../filter.ts'
import { eventsRules } from '../rules.ts'
import { CLIENT_FOLLOWERS_MAX, SILENT_BEATS } from '../server/state.ts'
import { leafOf, sizeOf } from '../signed.ts'
import { type EventsMessage, ITEMS_BYTES_MAX } from '../wire.ts'
import { eventsClient } from './machine.ts'
import { OUTBOX_MAX, SHOW_BEATS, SUBSCRIPTIONS_A_BEAT, WAITING_MAX } from './state.ts'

const servers = ['first', 'second', 'third']
const content = { attributes: { price: 3 }, payload: new Uint8Array([1]), time: 0, retained: false, expires: 0 }
const terms = { live: false, keep: { age: 1_000_000, bytes: 1_000_000 } }
const { hash } = eventsDefaults

function started() {
  const client = new Puppet(eventsClient(eventsDefaults), servers, undefined, 'ann#1')
  client.drawn.push(new Uint8Array(16).fill(7))
  client.start()
  return client
}

type Client = ReturnType<typeof started>
type Out = ReturnType<Client['hear']>
const sent = (out: Out) => out.flatMap(effect => (effect.kind === 'send' ? [effect.body] : []))
const told = (out: Out) => out.flatMap(effect => (effect.kind === 'emit' ? [effect.event] : []))
const publish = (client: Client, id: number) =>
  client.command({ kind: 'publish', id, channel: 'prices', content, ...terms })

describe('publishing', () => {
  const source = { channel: 'prices', author: 'ann', boot: '07'.repeat(16) }
  const leaf = leafOf(hash, source, 1, encodeContent(content))
  const held = (counter: number, last = leaf): EventsMessage => ({ kind: 'held', source, counter, leaf: last })

  it('goes to all, and is accepted once n - f hold it', () => {
    const client = started()
    expect(sent(publish(client, 5))).toMatchObject(servers.map(() => ({ kind: 'publish', source })))
    expect(told(client.hear('first', held(1)))).toEqual([])
    expect(told(client.hear('first', held(1)))).toEqual([])
    expect(told(client.hear('second', held(1)))).toEqual([{ kind: 'accepted', id: 5, source, counter: 1 }])
  })

  it('goes at once when nothing is under way; what comes meanwhile gathers to a batch', () => {
    const client = started()
    const batches = (out: Out) => sent(out).flatMap(body => (body.kind === 'publish' ? [body.items.length] : []))
    expect(batches(publish(client, 1))).toEqual([1, 1, 1])
    for (let id = 2; id <= 64; id++) expect(batches(publish(client, id))).toEqual([])
    // A full batch does not wait.
    expect(batches(publish(client, 65))).toEqual([64, 64, 64])
    expect(batches(publish(client, 66))).toEqual([])
    const last = leafOf(hash, source, 65, encodeContent(content))
    client.hear('first', held(65, last))
    expect(batches(client.hear('second', held(65, last)))).toEqual([1, 1, 1])
  })

  it('sends a batch that the window would divide as a whole, once there is room for all of it', () => {
    const settings = { ...eventsDefaults, liars: 1, signer: idealSignatures().signer('ann') }
    const client = new Puppet(eventsClient(settings), [...servers, 'fourth'], undefined, 'ann#1')
    client.drawn.push(new Uint8Array(16).fill(7))
    client.start()
    // Of each message to one server: how many events, and how many of them are of a batch that is not there as a whole.
    const parts = (out: Out) =>
      out.flatMap(effect => {
        if (effect.kind !== 'send' || effect.to !== 'first' || effect.body.kind !== 'publish') return []
        const { items } = effect.body
        return [[items.length, items.filter(({ proof }) => proof!.count !== items.length).length]]
      })
    const all: number[][] = []
    for (let id = 1; id <= 321; id++) all.push(...parts(publish(client, id)))
    // One and three batches are 193 events; the fourth would end at 257, and the window is 256.
    expect(all).toEqual([
      [1, 0],
      [64, 0],
      [64, 0],
      [64, 0],
    ])
    expect(parts(client.hear('first', held(1)))).toEqual([[64, 0]])
  })

  it('signs no more together than one message has: its batch goes as a whole, without paths', () => {
    const settings = { ...eventsDefaults, liars: 1, signer: idealSignatures().signer('ann') }
    const client = new Puppet(eventsClient(settings), [...servers, 'fourth'], undefined, 'ann#1')
    client.start()
    const large = { ...content, payload: new Uint8Array(100_000) }
    const counts: number[] = []
    for (let id = 1; id <= 9; id++) {
      for (const body of sent(client.command({ kind: 'publish', id, channel: 'prices', content: large, ...terms }))) {
        if (body.kind !== 'publish') continue
        const { items } = body
        expect(items.map(({ proof }) => proof!.count)).toEqual(items.map(() => items.length))
        expect(items.reduce((sum, item) => sum + sizeOf(item), 0)).toBeLessThanOrEqual(ITEMS_BYTES_MAX)
        counts.push(items.length)
      }
    }
    // To four servers each; what is left waits for the first to be accepted.
    expect(counts).toEqual([1, 2, 2, 2].flatMap(count => [count, count, count, count]))
  })

  it('counts only its own events: another event, or more than was sent, names the server', () => {
    const client = started()
    publish(client, 5)
    const caught = client.hear('first', held(1, new Uint8Array(32)))
    expect(told(caught)).toMatchObject([{ kind: 'lied', server: 'first', channel: 'prices' }])
    const complain = { kind: 'complain', server: 'first', what: 'holds other events than were sent', channel: 'prices' }
    expect(sent(caught)).toEqual([complain, complain])
    // The same is not said at every turn.
    expect(sent(client.hear('first', held(1, new Uint8Array(32))))).toEqual([])
    expect(told(client.hear('second', held(2)))).toMatchObject([{ kind: 'lied', server: 'second' }])
    expect(told(client.hear('third', held(1)))).toEqual([])
    expect(client.hear('stranger', held(1))).toEqual([])
  })

  it('is said again to who does not answer', () => {
    const client = started()
    publish(client, 5)
    client.hear('first', held(1))
    const again = client.pass(250).flatMap(effect => (effect.kind === 'send' ? [effect.to] : []))
    expect(again).toEqual(['second', 'third'])
  })

  it('is said again, under the same id, also when nobody waits for it any more', () => {
    const client = started()
    publish(client, 5)
    client.command({ kind: 'cancel', id: 5 })
    const again = sent(client.pass(250)).flatMap(body => (body.kind === 'publish' ? [body] : []))
    expect(again.map(({ source: of, items }) => [of.boot, items.map(({ counter }) => counter)])).toEqual(
      servers.map(() => [source.boot, [1]]),
    )
    client.hear('second', held(1))
    expect(told(client.hear('third', held(1)))).toMatchObject([{ kind: 'accepted', id: 5, counter: 1 }])
    expect(sent(client.pass(250)).filter(({ kind }) => kind === 'publish')).toEqual([])
  })

  it('refuses what is too large, without a name, or one too many', () => {
    const client = started()
    const refused = [{ kind: 'refused', id: 1 }]
    const large = { ...content, payload: new Uint8Array((1 << 20) + 1) }
    expect(told(client.command({ kind: 'publish', id: 1, channel: 'a', content: large, ...terms }))).toMatchObject(
      refused,
    )
    expect(told(client.command({ kind: 'publish', id: 1, channel: '', content, ...terms }))).toMatchObject(refused)
    for (let id = 1; id <= OUTBOX_MAX; id++) publish(client, id)
    const last = { kind: 'publish', id: 1, channel: 'prices', content, ...terms } as const
    expect(told(client.command({ ...last, wait: false }))).toMatchObject(refused)
    for (let id = OUTBOX_MAX; id < WAITING_MAX; id++) expect(told(publish(client, id))).toEqual([])
    expect(told(publish(client, 1))).toMatchObject(refused)
  })

  it('fails when more than f have no room, and what follows is of another life', () => {
    const client = started()
    publish(client, 5)
    expect(told(client.hear('first', { kind: 'full', source, counter: 0 }))).toEqual([])
    client.drawn.push(new Uint8Array(16).fill(8))
    expect(told(client.hear('second', { kind: 'full', source, counter: 0 }))).toMatchObject([{ kind: 'failed', id: 5 }])
    expect(sent(publish(client, 6))[0]).toMatchObject({ source: { boot: '08'.repeat(16) } })
  })
})

describe('subscribing', () => {
  const command = { kind: 'subscribe', id: 1, channel: 'prices', name: 'all', from: 'start', parallel: 1 } as const
  const filter = parseFilter({ price: { lt: 5 } })
  const subscribe = (client: Client) => client.command({ ...command, filter, ackWait: 1_000 })
  const loaded = { kind: 'loaded', sub: 1, cursor: undefined, entries: [] } as const

  it('asks n - f where the name stands, and writes to n - f before it is open', () => {
    const client = started()
    expect(sent(subscribe(client)).map(({ kind }) => kind)).toEqual(['load', 'load', 'load'])
    expect(client.hear('first', loaded)).toEqual([])
    expect(client.hear('first', loaded)).toEqual([])
    expect(sent(client.hear('second', loaded)).map(({ kind }) => kind)).toEqual(['save', 'save', 'save'])
    expect(told(client.hear('first', { kind: 'saved', sub: 1, generation: 1, serial: 1 }))).toEqual([])
    const out = client.hear('third', { kind: 'saved', sub: 1, generation: 1, serial: 1 })
    expect(told(out)).toEqual([{ kind: 'subscribed', id: 1 }])
    expect(sent(out)).toMatchObject([{ kind: 'follow', sub: 1 }])
  })

  /** How many words of how many subscriptions go out on each of so many beats, when as many were opened as said. */
  function words(count: number, beats: number) {
    const client = started()
    for (let id = 1; id <= count; id++)
      client.command({ ...command, id, name: '', from: 'now', filter, ackWait: 1_000 })
    return Array.from({ length: beats }, () => {
      const out = sent(client.pass(eventsDefaults.beat))
      return out.flatMap(body => ('sub' in body ? [body.sub] : []))
    })
  }

  it('many take turns: no beat has more than so many of them, none is left out, and few speak on every beat', () => {
    const turns = 3
    const beats = words(turns * SUBSCRIPTIONS_A_BEAT - 1, 2 * turns)
    for (const subs of beats) expect(new Set(subs).size).toBeLessThanOrEqual(SUBSCRIPTIONS_A_BEAT)
    for (const first of [0, 1, turns])
      expect(new Set(beats.slice(first, first + turns).flat()).size).toBe(turns * SUBSCRIPTIONS_A_BEAT - 1)
    for (const subs of words(SUBSCRIPTIONS_A_BEAT, 3)) expect(new Set(subs).size).toBe(SUBSCRIPTIONS_A_BEAT)
  })
  it('and as many as one client may have still speak twice before servers forget them', () => {
    expect(2 * Math.ceil(CLIENT_FOLLOWERS_MAX / SUBSCRIPTIONS_A_BEAT)).toBeLessThan(SILENT_BEATS)
  })
  it('waits for no more than b + 1 say that they hold: one that boasts keeps nobody waiting', () => {
    const { waitedFor } = eventsRules
    expect(waitedFor([3, 1_000_000, 2], 1)).toBe(3)
    expect(waitedFor([3], 1)).toBe(0)
    expect(waitedFor([3, 2], 0)).toBe(3)
  })
})

describe('a queue', () => {
  const filter = parseFilter({ price: { lt: 5 } })
  const wider = parseFilter({ price: { lt: 50 } })
  const source = { channel: 'prices', author: 'bob', boot: '0a' }
  const part = { channel: 'prices', name: 'work', parallel: 1, ackWait: 1_000, attempts: 2, start: true } as const
  const enlisted = () => {
    const client = new Puppet(eventsClient({ ...eventsDefaults, liars: 1 }), [...servers, 'fourth'], undefined, 'ann#1')
    client.start()
    const out = client.command({ kind: 'enlist', id: 1, filter, version: 5, ...part })
    const mine = out.flatMap(effect => (effect.kind === 'send' && effect.body.kind === 'enlist' ? [effect.to] : []))
    return { client, mine: mine as [string, string] }
  }
  const terms = (version: number, of?: typeof filter): EventsMessage => {
    return { kind: 'terms', sub: 1, version, filter: of === undefined ? new Uint8Array() : encodeFilter(of) }
  }

  it('is open when its servers have answered, and a change is made when all of them know it', () => {
    const { client, mine } = enlisted()
    expect(told(client.hear(mine[0], terms(5)))).toEqual([])
    expect(told(client.hear(mine[1], terms(5)))).toEqual([{ kind: 'subscribed', id: 1 }])
    const out = client.command({ kind: 'change', id: 1, filter: wider, version: 9 })
    expect(sent(out)).toMatchObject([9, 9].map(version => ({ kind: 'enlist', version, filter: encodeFilter(wider) })))
    // An answer to what was said before.
    expect(told(client.hear(mine[0], terms(5)))).toEqual([])
    expect(told(client.hear(mine[0], terms(9)))).toEqual([])
    expect(told(client.hear(mine[1], terms(9)))).toEqual([{ kind: 'subscribed', id: 1 }])
  })

  it('takes over a later filter that all its servers name, and not what one invents', () => {
    const { client, mine } = enlisted()
    const filterNow = () => client.state.queues.get(1)!.encoded
    client.hear(mine[0], terms(1_000, wider))
    expect(told(client.hear(mine[1], terms(5)))).toEqual([{ kind: 'subscribed', id: 1 }])
    expect(filterNow()).toEqual(encodeFilter(filter))
    client.hear(mine[1], terms(1_000, wider))
    expect(filterNow()).toEqual(encodeFilter(wider))
    expect(client.hear('stranger', terms(2_000, filter))).toEqual([])
  })

  it('believes that events were cut when all its servers say so', () => {
    const { client, mine } = enlisted()
    const skipped = (from: number, to: number): EventsMessage => ({ kind: 'skipped', sub: 1, source, from, to })
    expect(told(client.hear(mine[0], skipped(1, 1_000_000)))).toEqual([])
    expect(told(client.hear(mine[1], skipped(3, 5)))).toEqual([{ kind: 'missed', id: 1, source, from: 3, to: 5 }])
    expect(told(client.hear(mine[1], skipped(6, 7)))).toEqual([{ kind: 'missed', id: 1, source, from: 6, to: 7 }])
  })
})

describe('a name that another process has opened', () => {
  const options = { channel: 'prices', name: 'audit', from: 'now', parallel: 1, ackWait: 1_000 } as const
  const beats = (count: number) => count * eventsDefaults.beat

  /** An open subscription of which nothing moves. */
  function idle() {
    const client = started()
    client.command({ kind: 'subscribe', id: 1, ...options, filter: parseFilter({ price: { lt: 5 } }) })
    let cursor: (EventsMessage & { kind: 'save' })['cursor'] | undefined
    for (const from of servers) {
      for (const body of sent(client.hear(from, { kind: 'loaded', sub: 1, cursor: undefined, entries: [] })))
        if (body.kind === 'save') cursor = body.cursor
    }
    const { generation, serial } = cursor!
    for (const from of servers) client.hear(from, { kind: 'saved', sub: 1, generation, serial })
    return { client, cursor: cursor! }
  }

  it('is told within seconds, although nothing comes: the cursor is shown to each server in turn', () => {
    const { client, cursor } = idle()
    const shown = new Set<string>()
    for (let beat = 0; beat < SHOW_BEATS * (servers.length + 1); beat++) {
      for (const effect of client.pass(beats(1)))
        if (effect.kind === 'send' && effect.body.kind === 'save') {
          expect(effect.body.cursor).toEqual(cursor)
          shown.add(effect.to)
        }
    }
    expect([...shown].sort()).toEqual([...servers].sort())
    const later = { ...cursor, generation: cursor.generation + 1, instance: 'bb' }
    expect(told(client.hear('second', { kind: 'passed', sub: 1, cursor: later }))).toEqual([{ kind: 'lost', id: 1 }])
  })
})
