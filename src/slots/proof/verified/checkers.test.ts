// The checkers themselves: what they must notice, and what they must not.

import { describe, expect, it } from 'vitest'
import type { SlotsMessage } from '../../verified/wire.ts'
import { SeatChecker, ServedChecker } from './checkers.ts'

describe('distinct slots', () => {
  const seated = () => {
    const checker = new SeatChecker()
    checker.seated('north', 1, 'anna', 0, 100)
    return checker
  }
  it('two at one time are found, also if the holder took back another request meanwhile', () => {
    const checker = seated()
    expect(checker.left(2, 10)).toBe(false)
    checker.seated('south', 3, 'bela', 20, 120)
    expect(checker.violations()).toEqual([])
    checker.seated('north', 4, 'bela', 20, 120)
    expect(checker.violations()).toEqual([{ what: "slot 'north' is held by bela and by anna", at: 20 }])
  })
  it('one after the other is fine: let go, or over', () => {
    const checker = seated()
    expect(checker.left(1, 10)).toBe(true)
    checker.seated('north', 2, 'bela', 10, 110)
    checker.seated('north', 3, 'cleo', 110, 210)
    expect([checker.seats, checker.violations()]).toEqual([3, []])
  })
  it('whoever is told late, however late, is found', () => {
    const checker = seated()
    checker.told(1, 100)
    checker.told(9, 500)
    expect(checker.violations()).toEqual([])
    checker.told(1, 101)
    checker.told(1, 90_000)
    expect(checker.violations().map(({ what }) => what)).toEqual(
      Array(2).fill('anna was told too late that its seat is over'),
    )
  })
})

describe('served', () => {
  // As many slots as members: one round serves everybody.
  const dealing = () => {
    const checker = new ServedChecker()
    const say = (kind: string, author: string, round: number, at: number, openedLate = false) => {
      const said = { kind, author, round, epoch: new Uint8Array(), slots: [0, 1, 2], check: 0 }
      checker.saw(said as unknown as SlotsMessage, at, openedLate)
    }
    for (const name of ['anna', 'bela', 'cleo']) say('key', name, 0, 0)
    checker.demand('anna', false, 0)
    const round = (number: number, at: number, openedLate: boolean) => {
      say('header', 'bela', number, at)
      say('vote', 'anna', number, at, openedLate)
    }
    return { checker, round }
  }
  it('a round that was dealt and gave nothing is found', () => {
    const { checker, round } = dealing()
    round(1, 10, false)
    expect(checker.violations()).toEqual([{ what: 'anna was not served in 1 rounds', at: 10 }])
  })
  it('a round while it has a seat is no such round, until it lets go of it (seed 137)', () => {
    const { checker, round } = dealing()
    checker.got('anna', 40)
    checker.demand('anna', false, 5)
    round(1, 10, false)
    checker.left('anna', 20)
    expect(checker.violations()).toEqual([])
    round(2, 30, false)
    expect(checker.violations()).toEqual([{ what: 'anna was not served in 1 rounds', at: 30 }])
  })
  it('a ticket that opened after its lease is no such round, and no sign of life', () => {
    const { checker, round } = dealing()
    for (let number = 1; number < 60; number++) round(number, number * 1_000_000, true)
    expect([checker.look(59_000_000), checker.violations()]).toEqual([false, []])
    expect(checker.look(60_000_000)).toBe(true)
  })
})
