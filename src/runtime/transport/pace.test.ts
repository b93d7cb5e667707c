// How fast a peer is listened to: by numbers, and over a real connection.

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { dialTls, framed, hello } from '../../../test/support/attacker.ts'
import { recorder, type TlsBed, tlsBed, until } from '../../../test/support/transport.ts'
import { Pace } from './pace.ts'

describe('the pace of a peer', () => {
  const limits = { inBytesBurst: 1_000, inBytesPerSecond: 2_000 }

  it('takes a burst whole, and not a byte more', () => {
    expect(new Pace(limits, 0).spend(1_000, 0)).toBe(0)
    expect(new Pace(limits, 0).spend(1_001, 0)).toBeGreaterThan(0)
  })
  it('pauses for as long as what is beyond takes, and listens to its rate for ever', () => {
    const pace = new Pace(limits, 0)
    expect(pace.spend(1_200, 0)).toBe(100)
    expect(pace.spend(200, 200)).toBe(0)
    for (let half = 1; half < 100; half++) expect(pace.spend(1_000, 200 + half * 500)).toBe(0)
  })
  it('silence earns the burst back, and no more', () => {
    const pace = new Pace(limits, 0)
    pace.spend(1_000, 0)
    expect(pace.spend(1_000, 1_000_000)).toBe(0)
    expect(pace.spend(1, 1_000_000)).toBeGreaterThan(0)
  })
})

describe('a peer that says more than is listened to', () => {
  const PER_SECOND = 1 << 20
  let bed: TlsBed
  beforeEach(async () => {
    bed = await tlsBed()
  })
  afterEach(() => bed.end())

  it('is read at its pace, named in the log, and others are heard at once; close does not wait for it', async () => {
    const heard = recorder()
    const a = await bed.start('a', heard, { inBytesBurst: PER_SECOND, inBytesPerSecond: PER_SECOND })
    const { socket } = dialTls(a.address!, await bed.credentials('Carol'))
    const began = performance.now()
    socket.write(hello())
    socket.on('error', () => {})
    const frame = framed(Buffer.alloc(100_000))
    for (let count = 0; count < 500; count++) socket.write(frame)
    await until('the burst is over', () => bed.log.refusals.length > 0)
    const b = await bed.start('b', recorder())
    b.send('a', Buffer.from('in time'))
    await until('another is heard', () => heard.texts().includes('in time'))
    const seconds = (performance.now() - began) / 1_000
    const read = heard.frames.filter(({ frame: it }) => it.length === 100_000).length * 100_000
    // What the socket had read when it was stopped comes on top: far less than a burst.
    expect(read).toBeLessThan(PER_SECOND * (2 + seconds))
    expect(bed.log.refusals).toEqual(['it says more than 1048576 bytes a second'])
    await a.close()
    socket.destroy()
  })

  it('is read far more slowly once it was caught, on the connection that it has and on the next', async () => {
    const heard = recorder()
    const a = await bed.start('a', heard, { caughtBytesPerSecond: PER_SECOND / 4 })
    const liar = await bed.credentials('Carol')
    const first = dialTls(a.address!, liar).socket
    first.on('error', () => {})
    first.write(Buffer.concat([hello(), framed(Buffer.from('hello'))]))
    await until('it is heard', () => heard.texts().includes('hello'))
    a.distrust(heard.frames[0]!.from)
    const frame = framed(Buffer.alloc(100_000))
    for (let count = 0; count < 20; count++) first.write(frame)
    await until('it is slowed', () => bed.log.refusals.length === 1)
    first.destroy()
    const second = dialTls(a.address!, liar).socket
    second.on('error', () => {})
    second.write(hello())
    for (let count = 0; count < 20; count++) second.write(frame)
    await until('it is slowed again', () => bed.log.refusals.length === 2)
    expect(bed.log.refusals).toEqual(Array(2).fill('it says more than 262144 bytes a second'))
    await a.close()
    second.destroy()
  })
})
