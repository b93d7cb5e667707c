// What the connections of one certificate may make us hold: the sums, and then over real sockets, with another client that is
// served all the while.

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { dialTls, framed, header, hello } from '../../../test/support/attacker.ts'
import { type Recorder, recorder, type TlsBed, tlsBed, until } from '../../../test/support/transport.ts'
import type { Credentials } from '../certificates/authority.ts'
import { HEADER_BYTES } from './frames.ts'
import type { TlsTransport } from './index.ts'
import { BLOCK_BYTES, BlockPool, Outbox } from './outbox.ts'
import { Room } from './room.ts'

const FRAME = 1 << 17
const WHOLE = HEADER_BYTES + FRAME
const LIMITS = {
  frameBytesMax: FRAME,
  queueBytesMax: 4 * WHOLE,
  queueBytesOfOwnerMax: 6 * WHOLE,
  readingBytesOfOwnerMax: WHOLE,
  frameMs: 300,
  sweepMs: 20,
}

describe('what waits to be sent', () => {
  const outboxIn = (room: Room) => {
    const outbox = new Outbox(new BlockPool(), LIMITS.queueBytesMax)
    outbox.enter(room)
    return outbox
  }
  const fill = (outbox: Outbox, frame = new Uint8Array(FRAME)) => {
    let taken = 0
    while (outbox.push(frame)) taken++
    return taken
  }

  it('has one bound for all, beside that of each', () => {
    const room = new Room(LIMITS)
    expect([fill(outboxIn(room)), fill(outboxIn(room)), fill(outboxIn(room))]).toEqual([4, 2, 0])
    expect(fill(outboxIn(new Room(LIMITS)))).toBe(4)
  })
  it('leaves a block to each, for small words', () => {
    const room = new Room(LIMITS)
    for (let i = 0; i < 2; i++) fill(outboxIn(room))
    const late = outboxIn(room)
    expect(fill(late, new Uint8Array(1020))).toBe(BLOCK_BYTES / 1024)
    expect(late.bytes).toBe(BLOCK_BYTES)
  })
  it('counts until it was written, not only until its turn came', () => {
    const room = new Room(LIMITS)
    const [first, second] = [outboxIn(room), outboxIn(room)]
    fill(first)
    const block = first.shift()!
    expect(room.queuedBytes).toBe(4 * WHOLE)
    first.gone(block)
    expect(room.queuedBytes).toBe(4 * WHOLE - BLOCK_BYTES)
    fill(second)
    first.clear()
    second.clear()
    expect(room.queuedBytes).toBe(0)
  })
  it('counts from when it is known whose it is', () => {
    const room = new Room(LIMITS)
    const [waiting, outbox] = [new Outbox(new BlockPool(), 1000), new Outbox(new BlockPool(), 1000)]
    waiting.push(new Uint8Array(100))
    outbox.push(new Uint8Array(10))
    outbox.enter(room)
    waiting.moveInto(outbox)
    expect(room.queuedBytes).toBe(110 + 2 * HEADER_BYTES)
  })
})

describe('room for large frames', () => {
  const reader = (given: string[], name: string) => ({ roomGiven: () => given.push(name) })

  it('is given one after the other, and never a small one before a large one that waits', () => {
    const given: string[] = []
    const room = new Room({ ...LIMITS, readingBytesOfOwnerMax: 10 })
    const [ann, bob, eve, zoe] = ['ann', 'bob', 'eve', 'zoe'].map(name => reader(given, name))
    expect([room.enter(ann!, 6), room.enter(bob!, 6), room.enter(eve!, 4), room.enter(zoe!, 9)]).toEqual([
      true,
      false,
      false,
      false,
    ])
    room.leave(6)
    expect(given).toEqual(['bob', 'eve'])
    room.leave(6)
    room.leave(4)
    expect(given).toEqual(['bob', 'eve', 'zoe'])
  })
  it('goes to the next where one that waits has gone', () => {
    const given: string[] = []
    const room = new Room({ ...LIMITS, readingBytesOfOwnerMax: 10 })
    const [ann, bob, eve] = ['ann', 'bob', 'eve'].map(name => reader(given, name))
    room.enter(ann!, 6)
    room.enter(bob!, 10)
    room.enter(eve!, 4)
    room.forget(bob!)
    expect(given).toEqual(['eve'])
    room.forget(bob!)
    expect(given).toEqual(['eve'])
  })
})

describe('many connections of one certificate', () => {
  let bed: TlsBed
  let atServer: Recorder
  let server: TlsTransport
  let honest: TlsTransport
  let mallory: Credentials

  beforeEach(async () => {
    bed = await tlsBed()
    atServer = recorder()
    server = await bed.start('a', atServer, LIMITS)
    honest = await bed.start('Honest', recorder())
    mallory = await bed.credentials('Mallory')
    await until('the honest client is connected', () => honest.connected().length === 1)
  })
  afterEach(() => bed.end())

  const heardOf = (name: string) => atServer.frames.filter(({ from }) => from.startsWith(name))
  async function dial(place: number) {
    const instance = `0000000${place}`
    const one = dialTls(server.address!, mallory)
    one.socket.write(hello({ instance }))
    const id = `mallory#${instance}`
    await until('she is let in', () => atServer.changes.includes(`up ${id}`))
    return { ...one, id }
  }

  it('that do not read have one queue', async () => {
    const all = [await dial(0), await dial(1), await dial(2), await dial(3)]
    // In one turn of the event loop: nothing leaves in between.
    const sent = (id: string, times: number) => {
      const before = server.dropped()['queue full']
      for (let i = 0; i < times; i++) server.send(id, new Uint8Array(FRAME))
      return times - (server.dropped()['queue full'] - before)
    }
    expect(all.map(({ id }) => sent(id, 5))).toEqual([4, 2, 0, 0])
    expect(sent(honest.self, 4)).toBe(4)
    // When she has read, there is room again.
    await until('all has left', () => all[0]!.heard().length > 4 * FRAME && all[1]!.heard().length > 2 * FRAME)
    await until('it is known', () => sent(all[3]!.id, 1) === 1)
    for (const { socket } of all) socket.destroy()
  })

  it('with half a large frame each are read one after the other', async () => {
    const [first, second, third] = [await dial(0), await dial(1), await dial(2)]
    // The large one begins in the piece in which the small one is.
    first.socket.write(Buffer.concat([framed(Buffer.from('small')), header(FRAME), Buffer.alloc(FRAME - 1)]))
    await until('its room is taken', () => heardOf(first.id).length === 1)
    second.socket.write(framed(Buffer.alloc(FRAME)))
    // Small ones need no room, and neither does anybody else.
    third.socket.write(framed(Buffer.alloc(1000)))
    honest.send('a', new Uint8Array(FRAME))
    await until('the small one is heard', () => heardOf(third.id).length === 1)
    await until('the honest one is heard', () => heardOf('honest').length === 1)
    await until('the large one is heard', () => heardOf(second.id).length === 1)
    expect(atServer.changes).toContain(`down ${first.id}`)
    expect(bed.log.refusals).toEqual([expect.stringMatching(/half a frame, then silence/)])
    // And again: the room was left.
    for (const again of [1, 2, 3]) {
      second.socket.write(framed(Buffer.alloc(FRAME)))
      await until('more are heard', () => heardOf(second.id).length === 1 + again)
      third.socket.write(framed(Buffer.alloc(FRAME)))
      await until('those of the other are heard', () => heardOf(third.id).length === 1 + again)
    }
    for (const { socket } of [first, second, third]) socket.destroy()
  })
})
