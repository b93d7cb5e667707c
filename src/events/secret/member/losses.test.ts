// Every loss is told: at the end of an epoch that nobody follows, of epochs whose records never came, of what is refused as
// too old, of lives that did not say their last word, and of what happens after a subscription within an epoch.

import { sha256 } from '@noble/hashes/sha2.js'
import { describe, expect, it } from 'vitest'
import { seededBytes, utf8 } from '../../../../test/support/crypto.ts'
import { Puppet, sent, told } from '../../../../test/support/machine.ts'
import type { Effect } from '../../../core/index.ts'
import { idealCiphers, idealSealing, idealSignatures } from '../../../crypto/index.ts'
import { parseFilter } from '../../filter.ts'
import { brokenSecretRules } from '../../proof/secret/planted.ts'
import { type EpochRecord, encodeRecord, issueRecord, NO_RECORD, RECORDS_MAX } from '../record.ts'
import { type SecretSettings, secretBasics } from '../settings.ts'
import { type CarrierMessage, decodeFrame } from '../wire.ts'
import { secretMember } from './machine.ts'
import type { MemberCommand, MemberEvent, MemberState } from './state.ts'

const WALL = 1_000_000
const SECOND = 1_000
const channel = { group: 'shop', name: 'prices', id: new Uint8Array(16).fill(7) }
const signatures = idealSignatures()
const sealings = idealSealing()
const ciphers = idealCiphers()
const names = ['writer', 'other', 'reader']
let draws = 0

function settingsOf(name: string): SecretSettings {
  return {
    ...secretBasics,
    channel,
    name,
    keeper: signatures.signer('keeper').publicKey,
    signer: signatures.signer(name),
    signatures,
    sealing: sealings(name),
    ciphers,
    hash: sha256,
    wall: now => WALL + now,
  }
}

function recordOf(number: number, from: number, lasts = 20 * SECOND): EpochRecord {
  const keeper = { signer: signatures.signer('keeper'), sealing: sealings('keeper'), random: seededBytes(number) }
  const parties = names.map(name => ({
    name,
    reads: name === 'reader',
    writes: name !== 'reader',
    signingKey: signatures.signer(name).publicKey,
    sealingKey: sealings(name).publicKey,
  }))
  const issued = WALL + from
  const searchable = [{ attribute: 'symbol', search: { kind: 'equal' } }] as const
  const times = { issued, from: issued, until: issued + lasts }
  return issueRecord(keeper, { channel, number, before: NO_RECORD, mode: 'tagged', searchable, ...times }, parties)
}

type Out = Effect<CarrierMessage, MemberEvent>[]

class Node extends Puppet<MemberState, CarrierMessage, MemberCommand, MemberEvent> {
  constructor(name: string, settings: SecretSettings = settingsOf(name)) {
    super(secretMember(settings), ['broker'], undefined, name)
    for (let i = 0; i < 64; i++) this.drawn.push(seededBytes(100 + ++draws)(i === 0 ? 8 : i === 1 ? 16 : 12))
    this.start()
  }

  take(record: EpochRecord): Out {
    return this.command({ kind: 'record', record: encodeRecord(record), share: false })
  }

  publish(id: number, symbol = 'A'): Out {
    const content = { attributes: { symbol }, payload: utf8(String(id)), time: 0, retained: false, expires: 0 }
    return this.command({ kind: 'publish', id, content })
  }

  listen(id = 1): Out {
    return this.command({ kind: 'subscribe', id, filter: parseFilter({ symbol: 'A' }) })
  }

  hearAll(out: Out, but: (kind: string) => boolean = () => false): Out {
    const bodies = sent(out).flatMap(({ body }) => (body.kind === 'send' ? [body] : []))
    return bodies.flatMap(({ name, body }) => {
      const frame = decodeFrame(body)
      return frame.ok && but(frame.value.kind) ? [] : this.hear('broker', { kind: 'came', name, body })
    })
  }
}

const losses = (out: Out) =>
  told(out).flatMap(event =>
    event.kind === 'missed'
      ? [`missed ${event.author} ${event.epoch}: ${event.from}-${event.to}`]
      : event.kind === 'unknown'
        ? [`unknown ${event.epoch}: ${event.authors.join()}`]
        : event.kind === 'ended'
          ? [`ended ${event.epoch}`]
          : [],
  )

/** Past the end of an epoch and its grace. */
const over = (node: Node, lasts = 20 * SECOND) => losses(node.pass(lasts + secretBasics.grace + SECOND))

function both(rules = secretBasics.rules): { writer: Node; reader: Node } {
  const writer = new Node('writer')
  const reader = new Node('reader', { ...settingsOf('reader'), rules })
  for (const node of [writer, reader]) node.take(recordOf(1, 2 * SECOND))
  reader.listen()
  return { writer, reader }
}

describe('the end of an epoch (protocols/secret-events 6)', () => {
  it('is judged also where no other follows: seed 418, shrunk', () => {
    const { writer, reader } = both()
    writer.pass(2 * SECOND)
    reader.pass(2 * SECOND)
    writer.publish(1)
    expect(over(reader)).toEqual(['unknown 1: writer,other', 'ended 1'])
    expect(over(reader)).toEqual([])
  })

  it('planted: the last one is not judged', () => {
    const { reader } = both(brokenSecretRules('last-epoch-not-judged'))
    reader.pass(2 * SECOND)
    expect(over(reader)).toEqual([])
  })

  it('is told once, also where the next record comes late', () => {
    const { reader } = both()
    reader.pass(2 * SECOND)
    expect(over(reader)).toEqual(['unknown 1: writer,other', 'ended 1'])
    expect(losses(reader.take(recordOf(2, reader.now, 10 * SECOND)))).toEqual([])
    expect(losses(reader.pass(SECOND))).toEqual([])
    expect(over(reader, 10 * SECOND)).toEqual(['unknown 2: writer,other', 'ended 2'])
  })

  it('a record that comes when its epoch is over is judged as it comes: seed 180', () => {
    const { reader } = both()
    reader.pass(90 * SECOND)
    expect(losses(reader.take(recordOf(2, 5 * SECOND)))).toEqual(['unknown 2: writer,other', 'ended 2'])
  })

  it('a writer says its last word when it hears that an epoch was cut short', () => {
    const { writer } = both()
    writer.pass(5 * SECOND)
    const frames = sent(writer.take(recordOf(2, writer.now - 10))).flatMap(({ body }) =>
      body.kind === 'send' ? [decodeFrame(body.body)] : [],
    )
    expect(frames.flatMap(frame => (frame.ok ? [frame.value.kind] : []))).toEqual(['receipt', 'totals', 'totals'])
  })

  it('who subscribes when the last epoch is over is told at once', () => {
    const reader = new Node('reader')
    reader.take(recordOf(1, 2 * SECOND))
    reader.pass(60 * SECOND)
    expect(losses(reader.listen())).toEqual(['ended 1'])
  })

  it('a writer that closes is known; what it counted and did not come is missed', () => {
    const { writer, reader } = both()
    writer.pass(2 * SECOND)
    reader.pass(2 * SECOND)
    reader.hearAll(writer.publish(1))
    writer.publish(2)
    const last = writer.pass(21 * SECOND)
    reader.now = writer.now
    reader.hearAll(last, kind => kind === 'event')
    expect(over(reader)).toEqual(['missed writer 1: 2-2', 'unknown 1: other', 'ended 1'])
  })

  it('another life of the same author that was heard and did not close leaves it unknown', () => {
    const { writer, reader } = both()
    const second = new Node('writer')
    second.take(recordOf(1, 2 * SECOND))
    for (const node of [writer, reader, second]) node.pass(2 * SECOND)
    reader.hearAll(second.publish(1))
    const last = writer.pass(21 * SECOND)
    reader.now = writer.now
    reader.hearAll(last)
    expect(over(reader)).toEqual(['unknown 1: writer,other', 'ended 1'])
  })

  it('an epoch that has to make room for newer ones is judged before', () => {
    const reader = new Node('reader')
    reader.take(recordOf(1, 0))
    reader.listen()
    const out = Array.from({ length: RECORDS_MAX }, (_, at) => reader.take(recordOf(at + 2, 1, 90 * SECOND))).flat()
    expect(losses(out)).toEqual(['unknown 1: writer,other'])
    expect(reader.state.epochs.size).toBe(RECORDS_MAX)
  })
})

describe('records that never came', () => {
  it('are told, epoch by epoch, to who listens', () => {
    const { reader } = both()
    expect(losses(reader.take(recordOf(4, 9 * SECOND)))).toEqual(['unknown 2: writer,other', 'unknown 3: writer,other'])
    const idle = new Node('reader')
    idle.take(recordOf(1, 2 * SECOND))
    expect(losses(idle.take(recordOf(4, 9 * SECOND)))).toEqual([])
  })

  it('one that comes after a subscription, and had begun before it, leaves its writers unknown', () => {
    const reader = new Node('reader')
    reader.take(recordOf(1, 0))
    reader.pass(5 * SECOND)
    reader.listen()
    const other = recordOf(2, 3 * SECOND)
    reader.take(other)
    reader.state.epochs.get(2)!.closers.add('writer').add('other')
    expect(over(reader)).toContain('unknown 2: writer,other')
  })
})

describe('what is refused as too old', () => {
  it('is missed, though the rest of its bundle came', () => {
    const { writer, reader } = both()
    for (const node of [writer, reader]) node.pass(2 * SECOND)
    writer.publish(1, 'B')
    const bundles: Out = [writer.publish(2), writer.publish(3, 'B'), writer.publish(4), writer.pass(2)].flat()
    const [late, soon] = sent(bundles).flatMap(({ body }) => (body.kind === 'send' ? [body] : []))
    // The reader wants both, so that the counters of one forget those of the other.
    reader.command({ kind: 'subscribe', id: 2, filter: parseFilter({ symbol: 'B' }) })
    reader.hear('broker', { ...soon!, kind: 'came' })
    const floor = reader.state.seen.values().next().value!
    floor.counters.clear()
    floor.floor = 3
    const out = reader.hear('broker', { ...late!, kind: 'came' })
    expect(told(out).filter(({ kind }) => kind === 'handed')).toHaveLength(1)
    expect(losses(reader.pass(3 * SECOND))).toContain('missed writer 1: 1-1')
  })
})

describe('a subscription within an epoch', () => {
  const within = () => {
    const { writer, reader } = both()
    reader.command({ kind: 'unsubscribe', id: 1 })
    for (const node of [writer, reader]) node.pass(5 * SECOND)
    writer.publish(1)
    for (const node of [writer, reader]) node.pass(5 * SECOND)
    return { writer, reader }
  }

  it('asks, and follows what comes after the answer: an event that was before is not missed, one after it is', () => {
    const { writer, reader } = within()
    reader.hearAll(writer.hear('broker', came(reader.listen())))
    writer.publish(2)
    const last = writer.pass(20 * SECOND)
    reader.now = writer.now
    reader.hearAll(last, kind => kind === 'event')
    expect(over(reader)).toEqual(['missed writer 1: 2-2', 'unknown 1: other', 'ended 1'])
  })

  it('a tag that had no events at the answer is counted from the first', () => {
    const { writer, reader } = both()
    reader.command({ kind: 'unsubscribe', id: 1 })
    for (const node of [writer, reader]) node.pass(5 * SECOND)
    reader.hearAll(writer.hear('broker', came(reader.listen())))
    writer.publish(1)
    reader.pass(SECOND)
    writer.pass(SECOND)
    reader.hearAll(writer.publish(2))
    expect(losses(reader.pass(5 * SECOND))).toContain('missed writer 1: 1-1')
  })

  it('who does not answer in time is unknown at the end, whatever comes later', () => {
    const { writer, reader } = within()
    reader.listen()
    writer.publish(2)
    reader.pass(3 * SECOND)
    const last = writer.pass(20 * SECOND)
    reader.now = writer.now
    reader.hearAll(last, kind => kind === 'event')
    expect(over(reader)).toEqual(['unknown 1: writer,other', 'ended 1'])
  })

  it('an answer costs a signature: a broker that asks without end gets two a second', () => {
    const { writer, reader } = within()
    const ask = came(reader.listen())
    let answers = 0
    for (let at = 0; at < 1_000; at++) answers += sent([...writer.hear('broker', ask), ...writer.pass(1)]).length
    expect(answers).toBeGreaterThan(0)
    expect(answers).toBeLessThanOrEqual(3)
  })

  it('five hundred subscriptions at once ask a few times', () => {
    const { reader } = within()
    const out = Array.from({ length: 500 }, (_, at) => [...reader.listen(at + 1), ...reader.pass(2)]).flat()
    expect(sent(out).filter(({ body }) => body.kind === 'send').length).toBeLessThanOrEqual(5)
    expect(reader.state.asks.length).toBeLessThanOrEqual(5)
  })
})

function came(out: Out): CarrierMessage {
  const [body] = sent(out).flatMap(({ body }) => (body.kind === 'send' ? [body] : []))
  return { ...body!, kind: 'came' } as CarrierMessage
}

describe('lives of authors', () => {
  it('are forgotten with the last epoch that they spoke in', () => {
    const { writer, reader } = both()
    for (const node of [writer, reader]) node.pass(2 * SECOND)
    reader.hearAll(writer.publish(1))
    expect(reader.state.seen.size).toBe(1)
    reader.take(recordOf(2, 9 * SECOND, 200 * SECOND))
    reader.pass(60 * SECOND)
    expect(reader.state.seen.size).toBe(0)
  })
})
