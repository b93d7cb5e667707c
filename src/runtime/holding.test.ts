// A slow disk, and somebody who asks for much meanwhile: what waits for it has a bound for each certificate, and whoever is beyond it
// is not read, while everybody else is.

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { dialTls, framed, hello } from '../../test/support/attacker.ts'
import { recorder, type TlsBed, tlsBed, until } from '../../test/support/transport.ts'
import { bytes, encode, NOTHING_SAVED, type NodeId, type Protocol, struct } from '../core/index.ts'
import { EFFECT_BYTES } from '../core/weight.ts'
import { Driver } from './driver.ts'
import { HELD_BYTES_OF_OWNER_MAX, Holding } from './holding.ts'
import type { Transport } from './transport/index.ts'

const SIZE = 1 << 16

interface Word {
  readonly body: Uint8Array
}
const words = struct<Word>({ body: bytes(SIZE) })
const asked = framed(encode(words, { body: Uint8Array.of(1) }))

/** Saves a byte for each word, and answers with something large. */
const generous: Protocol<{ heard: NodeId[] }, Word, never, never> = {
  name: 'generous',
  init: () => ({ heard: [] }),
  step(state, input, turn) {
    if (input.kind !== 'message') return
    state.heard.push(input.from)
    turn.do({ kind: 'save', record: Uint8Array.of(1) })
    turn.do({ kind: 'send', to: input.from, body: { body: new Uint8Array(SIZE) } })
  },
}

/** A disk that is told when it is done. */
function slowDisk() {
  const waiting: (() => void)[] = []
  let isSlow = true
  return {
    save(_lane: string, _record: Uint8Array, _kind: string, durable?: () => void) {
      if (durable === undefined) return
      if (isSlow) waiting.push(durable)
      else durable()
    },
    forget() {},
    goOn() {
      isSlow = false
      for (const durable of waiting.splice(0)) durable()
    },
  }
}

function driverOver(disk: ReturnType<typeof slowDisk>, log = vi.fn()) {
  const failed = vi.fn()
  const driver = new Driver({
    protocol: generous,
    self: 'a',
    peers: [],
    vocabulary: words,
    clock: () => 0,
    log,
    storage: disk as never,
    saved: NOTHING_SAVED,
    event() {},
    failed,
  })
  return { driver, log, failed }
}

describe('what waits for the disk', () => {
  const counted = () => {
    const calls: string[] = []
    const transport = { hold: (peer: string, isHeld: boolean) => calls.push(`${isHeld ? 'hold' : 'let go'} ${peer}`) }
    const log = vi.fn()
    return { calls, log, holding: new Holding(log, () => transport as unknown as Transport) }
  }

  it('makes its certificate wait beyond its share, over all its processes, until half of that has left', () => {
    const { calls, holding } = counted()
    holding.change('eve#01', HELD_BYTES_OF_OWNER_MAX / 2)
    holding.change('eve#02', HELD_BYTES_OF_OWNER_MAX / 2)
    holding.change('ann#01', HELD_BYTES_OF_OWNER_MAX)
    expect(calls).toEqual([])
    holding.change('eve#02', 1)
    holding.change('eve#01', 1)
    expect(calls).toEqual(['hold eve#02'])
    holding.change('eve#02', -HELD_BYTES_OF_OWNER_MAX / 2)
    expect(calls).toEqual(['hold eve#02'])
    holding.change('eve#01', -2)
    expect(calls).toEqual(['hold eve#02', 'let go eve#01'])
  })
  it("is a server's or a client's of that name, never both", () => {
    const { calls, holding } = counted()
    holding.change('eve', HELD_BYTES_OF_OWNER_MAX)
    holding.change('eve#01', HELD_BYTES_OF_OWNER_MAX)
    expect(calls).toEqual([])
  })
  it('is told once a minute', () => {
    vi.useFakeTimers()
    const { log, holding } = counted()
    const again = () => {
      holding.change('eve#01', HELD_BYTES_OF_OWNER_MAX + 1)
      holding.change('eve#01', -HELD_BYTES_OF_OWNER_MAX - 1)
    }
    for (let i = 0; i < 10; i++) again()
    expect(log.mock.calls).toEqual([
      ['warn', 'peer has to wait for the disk', { peer: 'eve#01', why: expect.stringContaining('8388608') }],
    ])
    vi.advanceTimersByTime(60_000)
    again()
    expect(log).toHaveBeenCalledTimes(2)
    vi.useRealTimers()
  })
})

describe('a driver whose disk is slow', () => {
  let bed: TlsBed
  beforeEach(async () => {
    bed = await tlsBed()
  })
  afterEach(() => bed.end())

  it('reads no more of who asks too much, serves the others, and answers everything in the end', async () => {
    const EACH = 400
    const disk = slowDisk()
    const { driver, failed, log } = driverOver(disk)
    const server = await bed.start('a', driver.events, { stallMs: 60_000 })
    driver.start(server)
    const { heard } = driver.state
    const ofMallory = () => heard.filter(from => from.startsWith('mallory')).length

    const mallory = await bed.credentials('Mallory')
    const greedy = ['00000001', '00000002'].map(instance => {
      const one = dialTls(server.address!, mallory)
      one.socket.write(hello({ instance }))
      one.socket.write(Buffer.concat(Array.from({ length: EACH }, () => asked)))
      return one
    })
    await until('she has to wait', () => log.mock.calls.length > 0)
    const atHonest = recorder()
    const honest = await bed.start('Honest', atHonest)
    honest.send('a', asked.subarray(4))
    await until('the honest one is heard', () => heard.includes(honest.self))
    // She has another process, and that is not read either.
    const third = dialTls(server.address!, mallory)
    third.socket.write(Buffer.concat([hello({ instance: '00000003' }), asked]))
    await until('it is let in', () => server.connected().includes('mallory#00000003'))
    honest.send('a', asked.subarray(4))
    await until('the honest one is heard again', () => heard.filter(from => from === honest.self).length === 2)
    expect(heard).not.toContain('mallory#00000003')
    // One word begins the save, and those that follow weigh what they hold.
    const most = Math.ceil(HELD_BYTES_OF_OWNER_MAX / (SIZE + 2 * EFFECT_BYTES)) + 1
    expect(ofMallory()).toBeLessThanOrEqual(most)
    expect(ofMallory()).toBeGreaterThan(most - 10)
    expect(atHonest.frames).toEqual([])

    disk.goOn()
    await until('all was heard', () => ofMallory() === 2 * EACH + 1)
    await until('the honest one has its answers', () => atHonest.frames.length === 2)
    expect(failed).not.toHaveBeenCalled()
    for (const { socket } of [...greedy, third]) socket.destroy()
  })
})
