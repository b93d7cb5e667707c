// The shares of certificates in a turn of the event loop, in virtual time.

import { describe, expect, it } from 'vitest'
import { Share, Turns } from './turns.ts'

const TURN_MS = 10

/** A loop of events whose work takes as long as it says. */
class Loop {
  now = 0
  /** Whose words were worked at, one after the other, with a line between the turns. */
  readonly done: string[] = []
  readonly turns = new Turns(
    { turnMs: TURN_MS },
    () => this.now,
    next => this.planned.push(next),
  )
  private readonly planned: (() => void)[] = []

  get isIdle(): boolean {
    return this.planned.length === 0
  }

  /** A connection with so many words, of so many milliseconds each. */
  connection(name: string, words: number, millis = 1) {
    let left = words
    return {
      rests: 0,
      add(more: number) {
        left += more
      },
      step: () => {
        if (left === 0) return false
        left--
        this.now += millis
        this.done.push(name)
        return true
      },
      rest() {
        this.rests++
      },
    }
  }

  turn(): void {
    this.done.push('-')
    for (const next of this.planned.splice(0)) next()
  }

  /** How long each name was worked at in each turn. */
  counted(): Record<string, number>[] {
    const turns = this.done.join(' ').split('-')
    return turns.map(turn => {
      const names = turn.trim().split(' ').filter(Boolean)
      return Object.fromEntries([...new Set(names)].map(name => [name, names.filter(one => one === name).length]))
    })
  }
}

describe('turns', () => {
  it('a certificate with many connections has one share', () => {
    const loop = new Loop()
    const share = new Share()
    for (let place = 0; place < 256; place++) loop.turns.work(share, loop.connection('eve', 20))
    expect(loop.now).toBe(TURN_MS)
    loop.turn()
    expect(loop.now).toBe(2 * TURN_MS)
    loop.turns.work(new Share(), loop.connection('ann', 5))
    loop.turn()
    loop.turn()
    expect(loop.counted().slice(0, 4)).toEqual([{ eve: 10 }, { eve: 10, ann: 5 }, { eve: 10 }, { eve: 10 }])
  })

  it('of its connections each comes to a turn, and all is done', () => {
    const loop = new Loop()
    const share = new Share()
    for (const name of ['a', 'b', 'c']) loop.turns.work(share, loop.connection(name, 15))
    for (let turn = 0; !loop.isIdle && turn < 20; turn++) loop.turn()
    expect(loop.counted()).toEqual([{ a: 10 }, { a: 5, b: 5 }, { c: 10 }, { b: 10 }, { c: 5 }, {}])
    expect(loop.now).toBe(45)
    expect(loop.isIdle).toBe(true)
  })

  it('a word that takes long is ended, and the next one waits', () => {
    const loop = new Loop()
    const slow = loop.connection('slow', 2, 500)
    loop.turns.work(new Share(), slow)
    expect([loop.now, slow.rests]).toEqual([500, 1])
    loop.turn()
    expect(loop.now).toBe(1_000)
  })

  it('what comes while it waits is behind it, and two certificates do not wait for each other', () => {
    const loop = new Loop()
    const [eve, ann] = [new Share(), new Share()]
    loop.turns.work(eve, loop.connection('first', 20))
    loop.turns.work(eve, loop.connection('second', 1))
    loop.turns.work(ann, loop.connection('ann', 10))
    expect(loop.done).toEqual([...Array(10).fill('first'), ...Array(10).fill('ann')])
    loop.turn()
    loop.turn()
    expect(loop.done.slice(20)).toEqual(['-', ...Array(10).fill('first'), '-', 'second'])
  })

  it('who says little plans no turn of its own, and never waits', () => {
    const loop = new Loop()
    const share = new Share()
    const ann = loop.connection('ann', 0, 0.5)
    for (let words = 0; words < 1_000; words++) {
      ann.add(1)
      loop.turns.work(share, ann)
      if (words === 0) expect(loop.isIdle).toBe(true)
      if (words % 10 === 9) loop.turn()
    }
    expect([ann.rests, loop.now]).toEqual([0, 500])
  })

  it('the share of a turn is the whole of it, no less and no more', () => {
    const loop = new Loop()
    const ann = loop.connection('ann', TURN_MS)
    loop.turns.work(new Share(), ann)
    expect([loop.now, ann.rests]).toEqual([TURN_MS, 1])
    loop.turn()
    expect(loop.now).toBe(TURN_MS)
    expect(loop.isIdle).toBe(true)
  })
})
