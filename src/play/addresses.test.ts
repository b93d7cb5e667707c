// Every address that the project itself gives out is a run with the hash that it carries, and ends as it is said to.

import { describe, expect, it } from 'vitest'
import { isLong } from '../../test/support/long.ts'
import { otherThanCarried, outcomesInNode } from '../../test/support/played.ts'
import { decodeRun, type Play } from '../simulator/index.ts'
import { pinnedAddresses, pinnedWalks } from './addresses.ts'
import { allPlaygrounds } from './all.ts'
import { board } from './board.ts'
import { hashNote, playAddress } from './index.ts'
import { levels } from './levels.ts'
import { zoo } from './zoo.ts'

function played(address: string): Play {
  const play = playAddress(address, allPlaygrounds)
  if (typeof play === 'string') throw new Error(play)
  play.toEnd()
  return play
}

describe('the levels', () => {
  it('are five, and each begins with a question to its traitor', () => {
    expect(levels.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5])
    for (const level of levels) {
      const play = played(level.start)
      expect([level.number, play.status, play.question?.node]).toEqual([level.number, 'asks', level.traitor])
      expect(play.outside).toEqual([])
      expect(level.hints.length).toBeGreaterThan(0)
    }
  })
  it('that can be won are won by the attack that is shown, within the model', () => {
    const won = levels.filter(({ attack }) => attack !== undefined)
    expect(won.map(({ number }) => number)).toEqual([1, 5])
    for (const { attack } of won) {
      const play = played(attack!)
      expect(play.status).toBe('broken')
      expect(play.violations[0]!.what).toMatch(/is held by client-\d/)
      expect(play.outside).toEqual([])
    }
  })
  it('level 1 is won with two clicks: FREE, and FREE again', () => {
    const { start } = levels[0]!
    expect(played(start).question!.answers.map(({ word }) => word.name)).toContain('FREE')
    expect(played(`${start}f`).status).toBe('asks')
    expect(played(`${start}ff`).status).toBe('broken')
  })
  it('with the truth alone nothing breaks', () => {
    for (const { start } of levels) expect(played(`${start}*h`).status).toBe('over')
  })
})

describe('the board', () => {
  it('has attacks that break a promise within the model, as short as they say, shortest first', () => {
    for (const { address, size } of board) {
      const play = played(address)
      expect([play.status, play.size, play.outside]).toEqual(['broken', size, []])
    }
    const sorted = [...board].sort((a, b) => a.level - b.level || a.size - b.size)
    expect(board).toEqual(sorted)
  })
  it('and each attack that a level shows is its first', () => {
    for (const { number, attack } of levels) {
      if (attack !== undefined) expect(board.find(({ level }) => level === number)!.address).toBe(attack)
    }
  })
})

describe('the bug zoo', () => {
  /** In the usual test the lock’s, which run in a moment; the long one looks at all. */
  const looked = zoo.filter(({ protocol }) => isLong || protocol === 'lock')
  it('has every planted bug of the lock, and bugs of four protocols more', () => {
    const lock = allPlaygrounds.find(({ name }) => name === 'lock')!
    expect(zoo.filter(({ protocol }) => protocol === 'lock').map(({ bug }) => bug)).toEqual(lock.bugs)
    expect(new Set(zoo.map(({ protocol }) => protocol)).size).toBeGreaterThanOrEqual(5)
    expect(new Set(zoo.map(({ address }) => address)).size).toBe(zoo.length)
    // Seven of slots only show as somebody who is not served for minutes, longer than a run that is played.
    const slots = zoo.filter(({ protocol }) => protocol === 'slots').map(({ bug }) => bug)
    const planted = allPlaygrounds.find(({ name }) => name === 'slots')!.bugs
    expect(planted.filter(bug => !slots.includes(bug)).length).toBeLessThanOrEqual(7)
  })
  it.each(looked)('$protocol $bug', ({ address, says, bug }) => {
    const play = played(address)
    expect(hashNote(play)).toBeUndefined()
    expect(play.violations[0]?.what).toBe(says)
    expect(play.items.filter(({ on }) => on).length).toBeLessThanOrEqual(play.items.length)
    // The same without the bug is no story.
    const decoded = decodeRun(address)
    expect(decoded.ok && decoded.spec.run.bug).toBe(bug)
    expect(played(address.replace(`.x-${bug}`, '')).status).toBe('over')
  })
})

describe('addresses of every kind', () => {
  it.each(pinnedAddresses.map(address => [address.slice(0, 60), address]))('%s', (_shown, address) => {
    const play = played(address)
    expect(`${address.slice(0, -8)}${play.hash.slice(0, 8)}`).toBe(address)
    expect(hashNote(play)).toBeUndefined()
  })
  it('are, with the lessons and the lock’s zoo, fifty at least, and name every playground', () => {
    const LESSONS = 12
    expect(
      pinnedAddresses.length + zoo.filter(({ protocol }) => protocol === 'lock').length + LESSONS,
    ).toBeGreaterThanOrEqual(50)
    for (const { name } of allPlaygrounds) {
      expect(
        pinnedAddresses.some(address => address.includes(`run=${name}.`)),
        name,
      ).toBe(true)
    }
  })
})

describe('the pinned walks', () => {
  it('have the hashes that they carry; with two steps fewer one of them holds', () => {
    const outcomes = outcomesInNode(pinnedWalks)
    expect(otherThanCarried(pinnedWalks, outcomes)).toEqual([])
    const verdicts = outcomes.map(outcome => (typeof outcome === 'string' ? outcome : outcome.verdict.split(':')[0]))
    expect(verdicts).toEqual(['broken', 'broken', 'no promise was broken in 9 steps', 'broken', 'broken', 'broken'])
  })
})
