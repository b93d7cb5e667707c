// The one that sends lies: it shows an event at a time. Or it is honest, and far away.

import { describe, expect, it } from 'vitest'
import { item, type Out, settings, source, subscribed } from '../../../test/support/events-bounds.ts'
import { digestOf } from '../signed.ts'
import type { EventsMessage, Item } from '../wire.ts'
import { UNHANDED_MAX } from './state.ts'

const TICK = 10
const BEAT = 100
const ITEMS = Array.from({ length: 12_000 }, (_, place) => item(source, place + 1))

interface Case {
  /** How many events the one that sends first shows with an answer. */
  readonly step: (after: number) => number
  /** What it says that it holds; else what all hold. */
  readonly says?: (held: number, shown: number) => number
  /** How many events there are at that time. */
  readonly held: (now: number) => number
  /** For a way there and back. */
  readonly roundTrip?: number
}

/** So many beats of a subscription whose handler is quick: up to where it has come, and whether others were chosen. */
function run(beats: number, { step, says = held => held, held, roundTrip = TICK }: Case) {
  const { eve, lead } = subscribed()
  const subscription = () => eve.state.subscriptions.get(1)!
  const start = eve.now
  const way: { readonly to: string; readonly body: EventsMessage; readonly at: number }[] = []
  const hear = (out: Out) => {
    for (const effect of out) {
      if (effect.kind === 'send') way.push({ to: effect.to, body: effect.body, at: eve.now + roundTrip })
    }
  }
  const items = (after: number, through: number): Item[] => ITEMS.slice(after, through)
  let shown = 0
  const answer = (to: string, body: EventsMessage): EventsMessage | undefined => {
    // It left the server half of the way there ago.
    const there = Math.min(ITEMS.length, held(Math.max(0, eve.now - start - roundTrip / 2)))
    const told = to === lead ? says(there, shown) : there
    if (body.kind === 'follow') {
      const entries = [{ ...source, counter: told, base: 0 }]
      return { kind: 'heads', sub: 1, epoch: to, mark: told, alone: false, entries }
    }
    if (body.kind === 'ask') return { kind: 'told', source, counter: told }
    if (body.kind === 'fetch' && body.after < there) {
      const through = Math.min(there, body.after + (to === lead ? step(body.after) : 256))
      shown = Math.max(shown, through)
      const about = { kind: 'found', sub: 1, version: 1, source, identity: new Uint8Array() } as const
      return { ...about, after: body.after, through, items: items(body.after, through) }
    }
    if (body.kind !== 'check' || body.to > there) return undefined
    const { after, to: end } = body
    const hash = digestOf(settings.hash, source, items(after, end))
    return { kind: 'digest', sub: 1, version: 1, source, after, to: end, count: end - after, hash }
  }
  while (eve.now < start + beats * BEAT) {
    hear(eve.pass(TICK))
    for (const one of way.splice(0)) {
      if (one.at > eve.now) way.push(one)
      else {
        const body = answer(one.to, one.body)
        if (body !== undefined) hear(eve.hear(one.to, body))
        // It waits there for the next one.
        else if (one.body.kind === 'fetch' || one.body.kind === 'check') way.push({ ...one, at: eve.now + TICK })
      }
    }
    for (const one of subscription().tracked.values()) {
      for (const counter of [...one.items.keys()]) {
        if (counter <= one.checked) hear(eve.command({ kind: 'ack', id: 1, source, counter }))
      }
    }
  }
  const { checked } = [...subscription().tracked.values()][0]!
  return { checked, isKept: subscription().passed.size === 0 }
}

describe('one that shows an event at a time', () => {
  const all = () => ITEMS.length

  it('is passed over within two seconds, and what is missing comes from others', () => {
    expect(run(19, { step: () => 1, held: all })).toMatchObject({ isKept: true })
    const { checked, isKept } = run(60, { step: () => 1, held: all })
    expect(isKept).toBe(false)
    expect(checked).toBe(ITEMS.length)
  })
  it('the same where it says that it holds no more', () => {
    expect(run(60, { step: () => 1, says: (_held, shown) => shown + 1, held: all })).toEqual({
      checked: ITEMS.length,
      isKept: false,
    })
  })
  it('is not where every second answer is long', () => {
    let turn = 0
    expect(run(40, { step: () => (turn++ % 2 === 0 ? 1 : 130), held: all, roundTrip: 100 }).isKept).toBe(true)
    expect(2 * 130).toBeLessThan(UNHANDED_MAX)
  })
})

describe('an honest one is kept', () => {
  it.each([
    ['near', TICK],
    ['far', 200],
    ['at the other end of the world', 300],
  ])('%s: while events come all the time', (_where, roundTrip) => {
    expect(run(80, { step: () => 256, held: now => Math.floor(now / 10), roundTrip }).isKept).toBe(true)
  })
})
