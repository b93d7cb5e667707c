// The checkers themselves: what they must notice, and what they must not.

import { describe, expect, it } from 'vitest'
import { SeatChecker } from './checkers.ts'

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
