// What one server gives another to repair its log, where servers may lie (protocols/events 14): what its author did not sign
// names the giver, and no honest server ever gives that.

import { describe, expect, it } from 'vitest'
import { Puppet } from '../../../test/support/machine.ts'
import { encode, type Saved } from '../../core/index.ts'
import { idealSignatures } from '../../crypto/index.ts'
import { encodeContent } from '../content.ts'
import { eventsDefaults } from '../defaults.ts'
import { encodeFilter, parseFilter } from '../filter.ts'
import type { EventsSettings } from '../settings.ts'
import { apart, signBatch } from '../signed.ts'
import { type EventsMessage, eventsRecord, type Item, type Source } from '../wire.ts'
import { eventsServer } from './machine.ts'

const servers = ['self', 'second', 'third']
const KNOWN = new Map([['', [encode(eventsRecord, { kind: 'known' })]]])
const source: Source = { channel: 'prices', author: 'ann', boot: '0a' }
const terms = { live: false, keep: { age: 1_000_000, bytes: 1_000_000 }, identity: new Uint8Array() }

function item(counter: number, price: number): Item {
  const content = encodeContent({ attributes: { price }, payload: new Uint8Array(), time: 0 })
  return { counter, content, proof: undefined }
}

function started(change: Partial<EventsSettings> = {}, saved: Saved = KNOWN) {
  const server = new Puppet(eventsServer({ ...eventsDefaults, ...change }), servers, saved)
  server.start()
  // Its beat begins with the first that it hears.
  server.hear('third', { kind: 'compare', epoch: '', mark: 0 })
  return server
}

type Server = ReturnType<typeof started>
const sent = (out: ReturnType<Server['hear']>): EventsMessage[] =>
  out.flatMap(effect => (effect.kind === 'send' ? [effect.body] : []))

describe('what another server gives that nobody signed', () => {
  const signatures = idealSignatures()
  // A certificate is a name and the number of its key: after a change of keys there are two of one name.
  const certificate = (name: string, key = 1) => new TextEncoder().encode(`${name} ${key}`)
  const signer = (identity: Uint8Array) => signatures.signer(new TextDecoder().decode(identity))
  const keys = {
    signatures,
    keyOf: (name: string, identity: Uint8Array) => {
      const text = new TextDecoder().decode(identity)
      return text.split(' ')[0] === name ? signatures.signer(text).publicKey : undefined
    },
  }
  const lying = { liars: 1, keys }
  const settings = { ...eventsDefaults, ...lying }
  const ann = certificate('ann')
  const range = (items: readonly Item[], identity = ann) =>
    ({ kind: 'range', source, terms: { ...terms, identity }, base: 0, items }) satisfies EventsMessage
  const signed = (items: Item[], identity = ann) => signBatch(settings, signer(identity), source, items)
  const [first, second] = signed([item(1, 3), item(2, 4)]) as [Item, Item]
  const held = ({ state }: Server) => [...state.streams.values()][0]?.held ?? 0
  const lied = {
    kind: 'emit',
    event: { kind: 'lied', server: 'second', what: 'gave an event nobody signed', channel: 'prices' },
  } as const
  const names = (server: Server, body: EventsMessage) => server.hear('second', body).some(({ kind }) => kind === 'emit')

  it('names that server: to those who run this one, to the other servers, and to who asks', () => {
    const server = started(lying)
    const { what, channel } = lied.event
    const complain = { kind: 'complain', server: 'second', what, channel } as const
    expect(server.hear('second', range([{ ...first, content: second.content }]))).toEqual([
      lied,
      { kind: 'send', to: 'third', body: complain },
    ])
    expect(server.state.streams.size).toBe(0)
    const complaints = [{ client: 'self', server: 'second', what, channel }]
    expect(sent(server.hear('bob', { kind: 'recall', id: 7 }))).toEqual([{ kind: 'recalled', id: 7, complaints }])
  })

  it.each([
    ['no signature', range([item(1, 3)])],
    ["another's signature", range(signed([item(1, 3)], certificate('eve')))],
    ['a certificate that is of another name', range(signed([item(1, 3)], certificate('eve')), certificate('eve'))],
    ['the signature of another event', range([{ ...item(1, 3), proof: apart(second).proof }])],
    ['what was said in another channel', { ...range([first]), source: { ...source, channel: 'orders' } }],
    ['no signature, behind a cut', { ...range([item(8, 3)]), base: 7 }],
    ['a signed one first', range([first, item(2, 4)])],
  ])('has %s', (_name, body) => expect(names(started(lying), body)).toBe(true))

  it('is told once, and once more to the others after a minute: they forget in a restart', () => {
    const server = started(lying)
    const lie = () => {
      const kinds = server.hear('second', range([item(1, 3)])).map(({ kind }) => kind)
      return kinds.filter(kind => kind !== 'timer')
    }
    expect(lie()).toEqual(['emit', 'send'])
    expect(lie()).toEqual([])
    server.pass(59_999)
    expect(lie()).toEqual([])
    server.pass(1)
    expect(lie()).toEqual(['send'])
  })

  it('is no lie where nothing is signed, nor what was signed, nor what is here already', () => {
    expect(names(started(), range([item(1, 3)]))).toBe(false)
    const server = started(lying)
    expect(names(server, range([first, second]))).toBe(false)
    expect(held(server)).toBe(2)
    expect(names(server, range([item(1, 3), item(2, 4)]))).toBe(false)
    const behind = started(lying)
    behind.hear('second', range([apart(first)]))
    expect(names(behind, range([item(1, 3), apart(second)]))).toBe(false)
    expect(held(behind)).toBe(2)
  })

  it('looks at no signature of what is here already, however often it comes', () => {
    let looked = 0
    const verify: typeof signatures.verify = (...given) => {
      looked++
      return signatures.verify(...given)
    }
    const server = started({ liars: 1, keys: { ...keys, signatures: { ...signatures, verify } } })
    server.hear('second', range([first, second]))
    const before = looked
    for (let time = 0; time < 100; time++) server.hear('second', range([first, second]))
    expect([before, looked]).toEqual([1, 1])
  })

  it('is how long events are kept: what is known of a source stays, whatever terms another server gives with the next event', () => {
    const server = started(lying)
    server.hear('ann', { kind: 'publish', source, terms: { ...terms, identity: ann }, accepted: 0, items: [first] })
    const body = range([second])
    server.hear('second', { ...body, terms: { ...body.terms, keep: { age: 0, bytes: 1 } } })
    server.pass(1_000)
    const { base, items } = [...server.state.streams.values()][0]!
    expect([base, held(server), items.size]).toEqual([0, 2, 2])
  })

  // Ann's certificate has another key now, and she goes on under the old name of her life: she lies, and no server does.
  it('is never given by an honest server whose author changed its key', () => {
    const other = certificate('ann', 2)
    const next = signed([item(2, 4)], other)
    const giving = started(lying)
    const publishing = (identity: Uint8Array, items: readonly Item[]) =>
      giving.hear('ann', { kind: 'publish', source, terms: { ...terms, identity }, accepted: 0, items })
    publishing(ann, [first])
    giving.command({ kind: 'flush' })
    publishing(other, next)
    expect(held(giving)).toBe(1)
    expect(names(giving, range(next, other))).toBe(false)
    expect(held(giving)).toBe(1)
    const given = sent(giving.hear('third', { kind: 'want', source, after: 0 }))
    expect(given).toEqual([range([apart(first)])])
    expect(names(started(lying), range([first]))).toBe(false)
  })

  it('is never shown as kept by an honest server that took it while no server could lie', () => {
    const about = { payload: new Uint8Array(), time: 0, retained: true }
    const content = encodeContent({ attributes: { topic: 'a' }, ...about })
    const item = { counter: 1, content, proof: undefined }
    const record = encode(eventsRecord, { kind: 'retained', source, identity: new Uint8Array(), item })
    const saved = new Map([['', [...KNOWN.get('')!, record]]])
    const filter = encodeFilter(parseFilter({ topic: 'a' }))
    const shown = (server: Server) => {
      const [page] = sent(server.hear('eve', { kind: 'remind', id: 1, channel: 'prices', filter, after: undefined }))
      return (page as EventsMessage & { kind: 'reminded' }).events.length
    }
    expect([shown(started({}, saved)), shown(started(lying, saved))]).toEqual([1, 0])
  })

  it('is never given by an honest server that took it while no server could lie, or cannot know who signed', () => {
    const server = started()
    server.hear('ann', { kind: 'publish', source, terms, accepted: 0, items: [item(1, 3), item(2, 4)] })
    const careful = started(lying, server.saved())
    const want = { kind: 'want', source, after: 0 } as const
    expect(sent(careful.hear('second', want))).toEqual([])
    // It is gone, and subscriptions are told: none of their servers can show it.
    const heads = sent(careful.hear('second', { kind: 'compare', epoch: '', mark: 0 }))
    expect(heads).toMatchObject([{ entries: [{ ...source, counter: 2, base: 2 }] }])
    const forgetful = started(lying)
    forgetful.hear('second', range([first]))
    const unknown = started({ liars: 1, keys: { ...keys, keyOf: () => undefined } }, forgetful.saved())
    expect(sent(unknown.hear('second', want))).toEqual([])
  })
})
