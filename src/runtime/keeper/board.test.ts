// Two sides of one memory. Here both run in one thread, one step at a time, in every order that matters.

import { describe, expect, it } from 'vitest'
import { openBoard, SLOTS_MAX } from './board.ts'
import { HolderSide } from './holder-side.ts'
import { KeeperSide } from './keeper-side.ts'

function sides() {
  const time = { now: 1_000 }
  const clock = () => time.now
  const board = openBoard()
  const holder = new HolderSide(board, clock)
  const keeper = new KeeperSide(openBoard(board.buffer), clock)
  const lease = (id: number, name = 'a', ttl = 1_000) => ({ id, name, token: 100 + id, ttl, deadline: 2_000 })
  /** What the keeper sees, without the sign of life. */
  const look = () => keeper.look().filter(command => command.kind !== 'alive')
  return { time, holder, keeper, lease, look }
}

describe('a lease on the board', () => {
  it.each(['a', 'ä€𝄞', '\ufeffbom', 'x'.repeat(200)])('is seen as it is: %j', name => {
    const { holder, lease, look } = sides()
    holder.offer(lease(1, name))
    expect(look()).toEqual([{ kind: 'hold', id: 1, name, token: 101, ttl: 1_000, deadline: 2_000 }])
    expect(look()).toEqual([])
  })
  it('is not seen where it was let go before the keeper looked', () => {
    const { holder, lease, look } = sides()
    for (let id = 1; id <= 3 * SLOTS_MAX; id++) {
      expect(holder.offer(lease(id))).toBe(true)
      holder.drop(id)
    }
    expect(look()).toEqual([])
  })
  it('is seen to go, and its slot is used again only then', () => {
    const { holder, keeper, lease, look } = sides()
    holder.offer(lease(1))
    look()
    holder.drop(1)
    holder.offer(lease(2))
    keeper.publish(1, 5_000)
    expect(holder.deadline(1)).toBe(Number.NEGATIVE_INFINITY)
    expect(holder.deadline(2), 'the last word on the first is not taken for the second').toBe(2_000)
    expect(holder.news()).toEqual([])
    expect(look()).toEqual([{ kind: 'drop', id: 1, name: 'a' }, expect.objectContaining({ kind: 'hold', id: 2 })])
    keeper.publish(1, 5_000)
    holder.offer(lease(3))
    expect(holder.deadline(3)).toBe(2_000)
  })
  it('has no place on a full board, until another goes', () => {
    const { holder, lease, look } = sides()
    for (let id = 1; id <= SLOTS_MAX; id++) expect(holder.offer(lease(id))).toBe(true)
    expect(holder.offer(lease(9_999))).toBe(false)
    expect(look()).toHaveLength(SLOTS_MAX)
    holder.drop(7)
    expect(holder.offer(lease(9_999)), 'the keeper has not looked').toBe(false)
    look()
    expect(holder.offer(lease(9_999))).toBe(true)
  })
  it('is looked at more often where it is short', () => {
    const { holder, keeper, lease, look } = sides()
    look()
    expect(keeper.lookAfter).toBe(100)
    holder.offer(lease(1, 'a', 200))
    look()
    expect(keeper.lookAfter).toBe(25)
    holder.drop(1)
    look()
    expect(keeper.lookAfter).toBe(100)
  })
})

describe('deadlines', () => {
  it('that the keeper proves are news once, and count at once', () => {
    const { holder, keeper, lease, look } = sides()
    holder.offer(lease(1))
    look()
    keeper.publish(1, 3_000)
    expect(holder.deadline(1)).toBe(3_000)
    expect(holder.news()).toEqual([{ id: 1, name: 'a', deadline: 3_000 }])
    expect(holder.news()).toEqual([])
    expect(look(), 'its own word is no news to the keeper').toEqual([])
  })
  it('never go back', () => {
    const { holder, keeper, lease, look } = sides()
    holder.offer(lease(1))
    look()
    keeper.publish(1, 1_500)
    holder.extended(1, 1_600)
    expect(holder.deadline(1)).toBe(2_000)
    expect(holder.news()).toEqual([])
  })
  it('that are over stay over', () => {
    const { time, holder, keeper, lease, look } = sides()
    holder.offer(lease(1))
    look()
    time.now = 2_000
    keeper.publish(1, 9_000)
    holder.extended(1, 9_000)
    expect(holder.deadline(1)).toBe(2_000)
  })
  it('and lengths that the holder changes reach the keeper', () => {
    const { holder, lease, look } = sides()
    holder.offer(lease(1))
    look()
    holder.extended(1, 2_500)
    holder.setTtl(1, 5_000)
    expect(look()).toEqual([{ kind: 'hold', id: 1, name: 'a', token: 101, ttl: 5_000, deadline: 2_500 }])
  })
  it('are all read when there was more news than the ring holds', () => {
    const { holder, keeper, lease, look } = sides()
    holder.offer(lease(1, 'a'))
    holder.offer(lease(2, 'b'))
    look()
    keeper.publish(1, 3_000)
    for (let round = 1; round <= 2 * SLOTS_MAX; round++) keeper.publish(2, 2_000 + round / 16)
    expect(holder.news().map(({ id }) => id)).toEqual([1, 2])
  })
})

it('signs of life reach the keeper', () => {
  const { time, holder, keeper } = sides()
  expect(keeper.look()).toEqual([{ kind: 'alive', at: 1_000 }])
  expect(keeper.look()).toEqual([])
  time.now = 1_700
  holder.alive()
  expect(keeper.look()).toEqual([{ kind: 'alive', at: 1_700 }])
})
