// What every transport keeps, run over each of them.

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Bed, memoryBed, recorder, tlsBed, until } from '../../../test/support/transport.ts'
import { isClient } from './instance.ts'
import { FRAME_BYTES_MAX, type Transport } from './transport.ts'

const bytes = (text: string) => Buffer.from(text)

/** Sends until the first frame arrives: before the connection is made, a frame may be dropped. */
async function reach(from: Transport, to: string, arrived: () => boolean): Promise<void> {
  await until(`${from.self} reaches ${to}`, () => {
    if (!arrived()) from.send(to, bytes('knock'))
    return arrived()
  })
}

describe.each([
  { name: 'memory', create: async (): Promise<Bed> => memoryBed() },
  { name: 'tls', create: tlsBed as () => Promise<Bed> },
])('transport over $name', ({ create }) => {
  let bed: Bed
  beforeEach(async () => {
    bed = await create()
  })
  afterEach(() => bed.end())

  it('delivers in both directions, with the sender’s identity', async () => {
    const [atA, atB] = [recorder(), recorder()]
    const a = await bed.start('a', atA)
    const b = await bed.start('b', atB)
    a.send('b', bytes('question'))
    await until('the question is there', () => atB.frames.length === 1)
    b.send('a', bytes('answer'))
    await until('the answer is there', () => atA.frames.length === 1)
    expect([atB.frames[0]!.from, atB.texts()]).toEqual(['a', ['question']])
    expect([atA.frames[0]!.from, atA.texts()]).toEqual(['b', ['answer']])
    expect(atA.changes).toEqual(['up b'])
    expect(a.connected()).toEqual(['b'])
  })

  it('gives a client an identity with its instance, under which it is answered', async () => {
    const [atA, atC] = [recorder(), recorder()]
    const a = await bed.start('a', atA)
    const c = await bed.start('Carol', atC)
    await until('the client is connected', () => c.connected().length === 1)
    c.send('a', bytes('question'))
    await until('the question is there', () => atA.frames.length === 1)
    const { from } = atA.frames[0]!
    expect(from).toBe(c.self)
    expect(from).toMatch(/^carol#[0-9a-f]{16}$/)
    expect(isClient(from) && !isClient('a')).toBe(true)
    a.send(from, bytes('answer'))
    await until('the answer is there', () => atC.frames.length === 1)
    expect(atC.frames[0]!.from).toBe('a')
  })

  it('keeps the order of one connection, through batches and cut blocks', async () => {
    const atB = recorder()
    const a = await bed.start('a', recorder())
    await bed.start('b', atB)
    await reach(a, 'b', () => atB.frames.length > 0)
    const knocks = atB.frames.length
    const sizes = [0, 1, 7, 1000, 65_531, 70_000]
    const sent = Array.from({ length: 600 }, (_, i) => new Uint8Array(sizes[i % 6]!).fill(i))
    for (let i = 0; i < sent.length; i++) {
      a.send('b', sent[i]!)
      if (i % 30 === 29) await until('they are there', () => atB.frames.length === knocks + i + 1)
    }
    const got = atB.frames.slice(knocks)
    expect(got.every(({ frame }, i) => Buffer.compare(frame, sent[i]!) === 0)).toBe(true)
  })

  it('takes the bytes over: the sender may reuse its buffer', async () => {
    const atB = recorder()
    const a = await bed.start('a', recorder())
    await bed.start('b', atB)
    const buffer = bytes('1')
    for (const digit of '123') {
      buffer.write(digit)
      a.send('b', buffer)
    }
    await until('three frames are there', () => atB.frames.length === 3)
    expect(atB.texts()).toEqual(['1', '2', '3'])
  })

  it('does not deliver from inside send', async () => {
    const atB = recorder()
    const a = await bed.start('a', recorder())
    await bed.start('b', atB)
    a.send('b', bytes('x'))
    expect(atB.frames).toEqual([])
    await until('it is there', () => atB.frames.length === 1)
  })

  it('carries the largest frame, and drops and counts a larger one', async () => {
    const atB = recorder()
    const a = await bed.start('a', recorder())
    await bed.start('b', atB)
    const largest = new Uint8Array(FRAME_BYTES_MAX).fill(9)
    a.send('b', new Uint8Array(FRAME_BYTES_MAX + 1))
    a.send('b', largest)
    await until('it is there', () => atB.frames.length === 1)
    expect(Buffer.compare(atB.frames[0]!.frame, largest)).toBe(0)
    expect(a.dropped()['too large']).toBe(1)
  })

  it('drops and counts what goes to nobody, to itself, and what does not fit the queue', async () => {
    const a = await bed.start('a', recorder())
    await bed.start('b', recorder())
    a.send('nobody', bytes('x'))
    a.send('a', bytes('x'))
    expect(a.dropped().unreachable).toBe(2)
    for (let i = 0; i < 20; i++) a.send('b', new Uint8Array(FRAME_BYTES_MAX))
    expect(a.dropped()['queue full']).toBeGreaterThan(5)
  })

  it('finds a peer again that was restarted, and says what happened', async () => {
    const [atA, atB] = [recorder(), recorder()]
    const a = await bed.start('a', atA)
    const b = await bed.start('b', recorder())
    const c = await bed.start('Carol', recorder())
    await until('the client sees both', () => c.connected().length === 2)
    a.send('b', bytes('x'))
    await until('b is up', () => atA.changes.includes('up b'))
    await b.close()
    await until('b is down', () => atA.changes.includes('down b'))
    expect(a.connected()).not.toContain('b')
    await bed.start('b', atB)
    await reach(a, 'b', () => atB.frames.length > 0)
    expect(atA.changes.filter(change => change.endsWith(' b'))).toEqual(['up b', 'down b', 'up b'])
    await until('the client came back by itself', () => c.connected().length === 2)
  })

  it('sends what is queued before it closes, and nothing and nobody after', async () => {
    const [atA, atB] = [recorder(), recorder()]
    const a = await bed.start('a', atA)
    const b = await bed.start('b', atB)
    await reach(a, 'b', () => atB.frames.length > 0)
    for (let i = 0; i < 50; i++) a.send('b', new Uint8Array(20_000))
    a.send('b', bytes('last'))
    b.send('a', bytes('too late'))
    await a.close()
    await a.close()
    await until('the last is there', () => atB.texts().includes('last'))
    a.send('b', bytes('after'))
    expect(a.connected()).toEqual([])
    await until('b knows', () => atB.changes.includes('down a'))
    expect(atA.texts()).not.toContain('too late')
    expect(atB.texts()).not.toContain('after')
  })

  it('leaves no handle after close', async () => {
    const before = handles()
    const a = await bed.start('a', recorder())
    const c = await bed.start('Carol', recorder())
    await until('connected', () => c.connected().length === 1)
    await Promise.all([a.close(), c.close()])
    await until(`nothing is left but ${before}`, () => handles() === before)
  })
})

function handles(): string {
  const kinds = process.getActiveResourcesInfo().filter(kind => /TLS|TCP|Immediate/.test(kind))
  return kinds.sort().join(' ')
}
