// protocols/slots 8: a round is not sealed while an earlier one may still deal the same slot.

import { describe, expect, it } from 'vitest'
import { overtakes } from './dealing.ts'
import { type Epoch, NEVER, type Round } from './state.ts'

const round = (number: number, slots: readonly number[], sharedAt: number) => ({ number, slots, sharedAt }) as Round
const epoch = (next: number, ...rounds: Round[]) =>
  ({ next, rounds: new Map(rounds.map(one => [one.number, one])) }) as unknown as Epoch

describe('a round overtakes', () => {
  const second = round(2, [0, 1], NEVER)
  it('one with a slot of its own in which we may still give our shares', () => {
    expect(overtakes(epoch(3, round(1, [1, 2], NEVER), second), second)).toBe(true)
  })
  it('and none where we gave them: from then on the lease counts', () => {
    expect(overtakes(epoch(3, round(1, [1, 2], 70), second), second)).toBe(false)
  })
  it('nor one with other slots, nor one that comes later', () => {
    expect(overtakes(epoch(3, round(1, [2], NEVER), second), second)).toBe(false)
    expect(overtakes(epoch(4, second, round(3, [0, 1], NEVER)), second)).toBe(false)
  })
  it('and perhaps one whose header we do not have', () => {
    expect(overtakes(epoch(2, round(1, [1], 70), second), second)).toBe(true)
    expect(overtakes(epoch(1, second), second)).toBe(true)
  })
})
