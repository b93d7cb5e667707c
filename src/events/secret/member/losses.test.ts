// Every loss is told: at the end of an epoch that nobody follows, of epochs whose records never came, of what is refused as
// too old, of lives that did not say their last word, and of what happens after a subscription within an epoch.

import { describe, expect, it } from 'vitest'
import { sent, told } from '../../../../test/support/machine.ts'
import { type Out, recordOf, SECOND, SecretNode, settingsOf } from '../../../../test/support/secret-node.ts'
import { parseFilter } from '../../filter.ts'
import { brokenSecretRules } from '../../proof/secret/planted.ts'
import { RECORDS_MAX } from '../record.ts'
import { secretBasics } from '../settings.ts'
import { type CarrierMessage, decodeFrame } from '../wire.ts'

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
const over = (node: SecretNode, lasts = 20 * SECOND) => losses(node.pass(lasts + secretBasics.grace + SECOND))

function both(rules = secretBasics.rules): { writer: SecretNode; reader: SecretNode } {
  const writer = new SecretNode('writer')
  const reader = new SecretNode('reader', { ...settingsOf('reader'), rules })
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
    const reader = new SecretNode('reader')
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
    const second = new SecretNode('writer')
    second.take(recordOf(1, 2 * SECOND))
    for (const node of [writer, reader, second]) node.pass(2 * SECOND)
    reader.hearAll(second.publish(1))
    const last = writer.pass(21 * SECOND)
    reader.now = writer.now
    reader.hearAll(last)
    expect(over(reader)).toEqual(['unknown 1: writer,other', 'ended 1'])
  })

  it('an epoch that has to make room for newer ones is judged before', () => {
    const reader = new SecretNode('reader')
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
    const idle = new SecretNode('reader')
    idle.take(recordOf(1, 2 * SECOND))
    expect(losses(idle.take(recordOf(4, 9 * SECOND)))).toEqual([])
  })

  it('one that comes after a subscription, and had begun before it, leaves its writers unknown', () => {
    const reader = new SecretNode('reader')
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
