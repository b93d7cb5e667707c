// A matcher beside two brokers (protocols/secret-events 5): what one of them says in a reader's name counts for nothing on the other.

import { describe, expect, it } from 'vitest'
import { channelNames, countedTag } from '../../events/secret/keys.ts'
import { secretRules } from '../../events/secret/rules.ts'
import { encodeFrame, type Frame } from '../../events/secret/wire.ts'
import { opensslCiphers } from '../ciphers.ts'
import type { Carrier, Hear } from './carrier.ts'
import { runMatcher } from './share.ts'

const LAP_MS = 10_000
const channel = new Uint8Array(16).fill(7)
const names = channelNames(channel)

/** A broker that is one: what it makes the matcher hear, and what the matcher had sent. */
class Broker implements Carrier {
  readonly url = 'test://broker'
  readonly sent: string[] = []
  closed = false
  private hear: Hear = () => {}
  private readonly isBroken: boolean

  constructor(isBroken = false) {
    this.isBroken = isBroken
  }

  async open(hear: Hear) {
    if (this.isBroken) throw new Error('it is not there')
    this.hear = hear
    const nothing = () => {}
    const send = (name: string) => void this.sent.push(name)
    const close = async () => {
      this.closed = true
    }
    return { isConnected: true, listen: nothing, leave: nothing, send, flush: async () => {}, close }
  }

  say(frame: Frame): void {
    this.hear(names.matcher, encodeFrame(frame))
  }
}

const key = (number: number) => new Uint8Array(16).fill(number)
const wanting = (box: string, keys: readonly Uint8Array[], first = true): Frame => {
  return { kind: 'trapdoors', box, trapdoors: keys, first }
}

/** An event with the first tag of this trapdoor. */
function event(trapdoor: Uint8Array): Frame {
  const lap = Math.floor(Date.now() / LAP_MS)
  const tags = [countedTag(opensslCiphers, secretRules, trapdoor, lap, 0)]
  return { kind: 'event', epoch: 1, lap, tags, nonce: new Uint8Array(12), sealed: new Uint8Array(80) }
}

async function matching(carriers: readonly Carrier[]) {
  return runMatcher(
    { carriers, channels: [channel], pairing: undefined },
    () => {},
    error => {
      throw error
    },
  )
}

describe('a matcher beside two brokers', () => {
  it('has a table for each: one that takes a box its trapdoors does so for itself', async () => {
    const [honest, lying] = [new Broker(), new Broker()]
    const matcher = await matching([honest, lying])
    for (const broker of [honest, lying]) broker.say(wanting('ann', [key(1)]))
    lying.say(wanting('ann', []))
    for (const broker of [honest, lying]) broker.say(event(key(1)))
    expect(honest.sent).toEqual(['ann'])
    expect(lying.sent).toEqual([])
    await matcher.close()
    expect([honest.closed, lying.closed]).toEqual([true, true])
  })

  it('opens all of them or none', async () => {
    const honest = new Broker()
    await expect(matching([honest, new Broker(true)])).rejects.toThrow('it is not there')
    expect(honest.closed).toBe(true)
  })
})
