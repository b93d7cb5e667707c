// What a client knows already costs no signature, however often a server says it; and a changed event under a known id is never
// handed over.

import { beforeEach, describe, expect, it } from 'vitest'
import {
  enlisted,
  heads,
  item,
  type Out,
  sent,
  settings,
  signatures,
  source,
  subscribed,
} from '../../../test/support/events-bounds.ts'
import { decode, encode } from '../../core/index.ts'
import { apart, digestOf, signBatch } from '../signed.ts'
import { type EventsMessage, eventsVocabulary, type Item, sourceKey } from '../wire.ts'

const OFTEN = 100
let looked = 0
beforeEach(() => {
  looked = 0
})
const counting = {
  keys: {
    ...settings.keys,
    signatures: {
      ...signatures,
      verify: (...given: Parameters<typeof signatures.verify>) => {
        looked++
        return signatures.verify(...given)
      },
    },
  },
}

const [first, second, third, fourth] = [1, 2, 3, 4].map(counter => item(source, counter)) as [Item, Item, Item, Item]
/** Of other words, with the signature of what was said. */
const altered = (one: Item): Item => ({ ...one, content: item(source, one.counter, 9).content })
const told = (out: Out) => out.flatMap(effect => (effect.kind === 'emit' ? [effect.event] : []))
const found = (after: number, through: number, ...items: Item[]): EventsMessage => ({
  kind: 'found',
  sub: 1,
  version: 1,
  source,
  identity: new Uint8Array(),
  after,
  through,
  items,
})

/** A subscription whose sender has shown two events. */
function shown() {
  const { eve, lead, witness } = subscribed(counting)
  heads(eve, lead, [source])
  heads(eve, witness, [source])
  eve.hear(lead, found(0, 2, first, second))
  const digest = (...items: Item[]): EventsMessage => {
    const hash = digestOf(settings.hash, source, items)
    return { kind: 'digest', sub: 1, version: 1, source, after: 0, to: 2, count: items.length, hash }
  }
  return { eve, lead, witness, digest }
}

describe('what the sender shows again', () => {
  it('costs no signature', () => {
    const { eve, lead } = shown()
    expect(looked).toBe(2)
    for (let time = 0; time < OFTEN; time++) eve.hear(lead, found(0, 2, first, second))
    expect(looked).toBe(2)
    eve.hear(lead, found(0, 3, first, second, third))
    expect(looked).toBe(3)
  })

  it('is not kept beside what is new', () => {
    const { eve, lead } = shown()
    const decoded = decode(eventsVocabulary, encode(eventsVocabulary, found(0, 3, first, second, third)))
    eve.hear(lead, decoded.ok ? decoded.value : found(0, 0))
    const kept = eve.state.subscriptions.get(1)!.tracked.get(sourceKey(source))!.items.get(3)!
    expect(kept.content.buffer.byteLength).toBe(third.content.length)
  })

  it('leaves everything where it is, if it is less than was shown', () => {
    const { eve, lead } = shown()
    eve.hear(lead, found(0, 1, first))
    const { through, items } = eve.state.subscriptions.get(1)!.tracked.get(sourceKey(source))!
    expect([through, items.size]).toEqual([2, 2])
  })

  it('in other words is ignored: what was signed is handed over', () => {
    const { eve, lead, witness, digest } = shown()
    expect(told(eve.hear(lead, found(0, 2, altered(first), altered(second))))).toEqual([])
    expect(told(eve.hear(lead, found(0, 3, altered(first), altered(second), third)))).toEqual([])
    expect(told(eve.hear(witness, digest(first, second)))).toMatchObject([
      { kind: 'handed', counter: 1, content: { payload: new Uint8Array() } },
    ])
  })

  it('names it where an event that is new was not signed, or stands out of order', () => {
    const wrong = [
      [found(0, 3, first, second, altered(third)), 'showed an event nobody signed'],
      [found(0, 4, first, second, third, altered(fourth)), 'showed an event nobody signed'],
      [found(0, 3, second, first, third), 'showed events out of order'],
      [found(2, 3, { ...third, counter: 4 }), 'showed more than it said'],
    ] as const
    for (const [body, what] of wrong) {
      const { eve, lead } = shown()
      expect(told(eve.hear(lead, body))).toMatchObject([{ kind: 'lied', server: lead, what }])
    }
  })
})

describe('a batch of which a part is known', () => {
  const batch = signBatch(
    settings,
    signatures.signer('ann'),
    source,
    [1, 2, 3].map(counter => bare(counter)),
  )
  /** As it comes over the wire: without its tree, and without paths. */
  const whole = (...contents: Uint8Array[]): Item[] =>
    contents.map((content, place) => {
      return { counter: 1 + place, content, proof: { first: 1, count: 3, signature: batch[0]!.proof!.signature } }
    })
  const [one, two, three] = batch.map(({ content }) => content) as [Uint8Array, Uint8Array, Uint8Array]

  function bare(counter: number): Item {
    return { counter, content: item(source, counter).content, proof: undefined }
  }

  function begun() {
    const { eve, lead, witness } = subscribed(counting)
    heads(eve, lead, [source])
    heads(eve, witness, [source])
    expect(told(eve.hear(lead, found(0, 2, ...batch.slice(0, 2).map(apart))))).toEqual([])
    return { eve, lead }
  }

  it('may be shown as a whole: the sender is not blamed', () => {
    const { eve, lead } = begun()
    expect(told(eve.hear(lead, found(0, 3, ...whole(one, two, three))))).toEqual([])
    expect(eve.state.subscriptions.get(1)!.tracked.get(sourceKey(source))!.through).toBe(3)
  })

  it('names the sender where what is known was changed: nobody signed such a batch', () => {
    const { eve, lead } = begun()
    const other = item(source, 1, 9).content
    const what = 'showed an event nobody signed'
    expect(told(eve.hear(lead, found(0, 3, ...whole(other, two, three))))).toMatchObject([
      { kind: 'lied', server: lead, what },
    ])
  })
})

describe('what a witness shows', () => {
  it('is not looked at unless it is in doubt, and asked', () => {
    const { eve, witness } = shown()
    for (let time = 0; time < OFTEN; time++) eve.hear(witness, found(0, 2, altered(first), altered(second)))
    expect(looked).toBe(2)
  })

  it('costs no signature where the sender has shown the same, and names it: its hash was of other events', () => {
    const { eve, witness, digest } = shown()
    expect(sent(eve.hear(witness, digest(first)))).toMatchObject([{ kind: 'fetch', after: 0, to: 2 }])
    const what = 'gave a hash of other events than it has'
    expect(told(eve.hear(witness, found(0, 2, first, second)))).toMatchObject([{ kind: 'lied', server: witness, what }])
    expect(looked).toBe(2)
  })

  it('names it where the words are others than the sender has shown, and nobody signed them', () => {
    const { eve, witness, digest } = shown()
    eve.hear(witness, digest(first))
    const what = 'showed an event nobody signed'
    const out = eve.hear(witness, found(0, 2, first, altered(second)))
    expect(told(out)).toMatchObject([{ kind: 'lied', server: witness, what }])
  })
})

describe('a task that is given again', () => {
  const task = (one: Item): EventsMessage => ({
    kind: 'task',
    sub: 1,
    source,
    identity: new Uint8Array(),
    item: one,
    attempt: 1,
    dead: false,
  })

  it('costs no signature, while the handler has it and after, whatever its words', () => {
    const { eve, first: server } = enlisted(counting)
    expect(told(eve.hear(server, task(first)))).toMatchObject([{ kind: 'handed', counter: 1 }])
    for (let time = 0; time < OFTEN; time++) expect(told(eve.hear(server, task(altered(first))))).toEqual([])
    expect(looked).toBe(1)
    eve.command({ kind: 'ack', id: 1, source, counter: 1 })
    // The word that it is done was lost: it is said again.
    expect(sent(eve.hear(server, task(first)))).toMatchObject([{ kind: 'done' }, {}, {}, {}])
    expect(looked).toBe(1)
    const what = 'handed out an event nobody signed'
    expect(told(eve.hear(server, task(altered(second))))).toMatchObject([{ kind: 'lied', server, what }])
  })
})
