// Leaders that fail are waited for less and less often, and forgiven when they lead again.

import { describe, expect, it } from 'vitest'
import {
  type Failures,
  isPassedOver,
  type Known,
  leaderOf,
  nextPace,
  noteCertified,
  noteVoters,
  PATIENCE_MIN,
  patienceOf,
  type Quiet,
} from './leaders.ts'

const TURN = 16
const group = (servers: number, crashes: number) => ({ servers: Array.from({ length: servers }), crashes })
const four = group(4, 1)
/** All voted in every height, and nobody was caught. */
const failed = (failures: Failures): Known => ({ failures, quiet: new Map(), self: -1, isLiar: () => false })

/** Heights from one to another, each certified in the attempt that `certified` says; which first attempts were not passed over. */
function play(
  failures: Failures,
  from: number,
  to: number,
  isGone: (height: number) => boolean,
  about = four,
): number[] {
  const waited: number[] = []
  for (let height = from; height <= to; height++) {
    const gone = isGone(height)
    const passed = isPassedOver(failed(failures), height, 1, about)
    if (gone && !passed) waited.push(height)
    noteCertified(failed(failures), height, gone || passed ? 2 : 1, about)
  }
  return waited
}

/** The one that leads the turn of the first heights. */
const FIRST = leaderOf(1, 1, 4)
const isFirst = (height: number) => leaderOf(height, 1, 4) === FIRST

describe('leaders', () => {
  it('take turns of sixteen heights, and the next one leads the next attempt', () => {
    expect([1, 15, 16, 31, 32].map(height => leaderOf(height, 1, 4))).toEqual([1, 1, 2, 2, 3])
    expect([1, 2, 3, 4].map(attempt => leaderOf(1, attempt, 4))).toEqual([1, 2, 3, 0])
  })
  it('nobody is passed over who did not fail, and only whose attempt came to nothing', () => {
    const failures: Failures = new Map()
    play(failures, 1, 200, () => false)
    expect(failures.size).toBe(0)
    noteCertified(failed(failures), 3, 2, four)
    expect([...failures.keys()]).toEqual([leaderOf(3, 1, 4)])
    expect([1, 2].map(attempt => isPassedOver(failed(failures), 4, attempt, four))).toEqual([true, false])
  })
  it('after one failure for the rest of its turn, to its last height, and no more', () => {
    const failures: Failures = new Map()
    noteCertified(failed(failures), 3, 2, four)
    expect([4, 15, 16, 63, 64].map(height => isPassedOver(failed(failures), height, 1, four))).toEqual([
      true,
      true,
      false,
      false,
      false,
    ])
  })
  it('who never leads is waited for in its turns 0, 1, 5, 21, 37, and so on once in sixteen', () => {
    const waited = play(new Map(), 1, 60 * 4 * TURN, isFirst)
    expect(waited.map(height => Math.floor(height / TURN) / 4)).toEqual([0, 1, 5, 21, 37, 53])
  })
  it('who comes back is forgiven one failure for every eight turns of its own, at the last height of the eighth', () => {
    const failures: Failures = new Map()
    const turns = (count: number) => count * 4 * TURN
    play(failures, 1, turns(2) - 1, isFirst)
    // Passed over in its turns 2, 3 and 4.
    expect(failures.get(FIRST)).toEqual({ times: 2, until: 16 })
    const last = turns(4 + 8) + TURN - 1
    play(failures, turns(2), last - 1, () => false)
    expect(failures.get(FIRST)?.times).toBe(2)
    play(failures, last, last, () => false)
    expect(failures.get(FIRST)?.times).toBe(1)
    expect(isPassedOver(failed(failures), turns(13), 1, four)).toBe(false)
    play(failures, last + 1, turns(20) + TURN - 2, () => false)
    expect(failures.size).toBe(1)
    play(failures, turns(20) + TURN - 1, turns(20) + TURN - 1, () => false)
    expect(failures.size).toBe(0)
  })
  it.each([2, 3, 8, 9])(
    'one that fails once in %i of the turns that it is given costs no more than one wait in nine',
    every => {
      const failures: Failures = new Map()
      let given = 0
      const waited = play(failures, 1, 400 * 4 * TURN, height => {
        if (!isFirst(height)) return false
        if (height % TURN === 0 && !isPassedOver(failed(failures), height, 1, four)) given++
        return given % every === 0
      })
      expect(waited.length).toBeGreaterThan(400 / 25)
      expect(waited.length).toBeLessThanOrEqual(400 / 9 + 3)
    },
  )
  it('where more attempts failed than servers may be gone, the network did: nobody is remembered for it', () => {
    const failures: Failures = new Map()
    noteCertified(failed(failures), 3, 3, four)
    expect(failures.size).toBe(0)
    noteCertified(failed(failures), 3, 3, group(7, 2))
    expect([...failures.keys()]).toEqual([1, 2])
  })
  it('who has not voted for a whole turn is passed over until it votes, and not one height sooner', () => {
    const quiet: Quiet = new Map()
    const known = { ...failed(new Map()), quiet }
    const others = new Map([0, 2, 3].map(place => [place, true]))
    for (let height = 1; height < TURN; height++) noteVoters(quiet, others, four)
    expect(isPassedOver(known, TURN * 4, 1, four)).toBe(false)
    noteVoters(quiet, others, four)
    const leads = [0, 1, 2, 3].map(turn => leaderOf(TURN * turn, 1, 4))
    expect(leads.map((_, turn) => isPassedOver(known, TURN * turn, 1, four))).toEqual(leads.map(place => place === 1))
    noteVoters(quiet, new Map([[1, true]]), four)
    expect(isPassedOver(known, TURN * 4, 1, four)).toBe(false)
  })
  it('who was passed over because it was silent, or caught, could not lead: that is no failure of its own', () => {
    const failures: Failures = new Map()
    const quiet = (heights: number) => ({ ...failed(failures), quiet: new Map([[1, heights]]) })
    noteCertified(quiet(TURN), 64, 2, four)
    noteCertified({ ...failed(failures), isLiar: place => place === 1 }, 64, 2, four)
    expect(failures.size).toBe(0)
    // It is heard, and was waited for.
    noteCertified(quiet(TURN - 1), 64, 2, four)
    expect(failures.get(1)).toEqual({ times: 1, until: 4 })
    noteCertified(quiet(TURN - 1), 65, 2, four)
    expect(failures.get(1)).toEqual({ times: 1, until: 4 })
  })
  it('nobody remembers a failure of its own: why others passed it over it cannot know', () => {
    const failures: Failures = new Map()
    noteCertified({ ...failed(failures), self: 1 }, 64, 3, group(7, 2))
    expect([...failures.keys()]).toEqual([leaderOf(64, 1, 7), leaderOf(64, 2, 7)].filter(place => place !== 1))
    noteCertified({ ...failed(failures), self: leaderOf(64, 1, 4) }, 64, 2, four)
    expect(failures.has(leaderOf(64, 1, 4))).toBe(false)
  })
  it('and the turns that it does not lead forgive it nothing', () => {
    const failures: Failures = new Map()
    noteCertified(failed(failures), 16, 2, four)
    const place = leaderOf(16, 1, 4)
    const silent = { ...failed(failures), quiet: new Map([[place, TURN]]) }
    for (let height = 64; height < 64 * 20; height++) {
      const isOwn = leaderOf(height, 1, 4) === place
      noteCertified(silent, height, isOwn && isPassedOver(silent, height, 1, four) ? 2 : 1, four)
    }
    expect(failures.get(place)).toEqual({ times: 1, until: 4 * 19 + 1 })
  })
  it('who was caught at a lie is passed over', () => {
    const known = { ...failed(new Map()), isLiar: (place: number) => place === 2 }
    expect([0, 1, 2, 3].map(turn => isPassedOver(known, TURN * turn, 1, four))).toEqual([false, true, false, false])
  })
  it.each([
    ['failed', { ...failed(new Map([0, 1, 2, 3].map(place => [place, { times: 3, until: 99 }]))) }],
    ['is silent', { ...failed(new Map()), quiet: new Map([0, 1, 2, 3].map(place => [place, 99])) }],
    ['was caught', { ...failed(new Map()), isLiar: () => true }],
  ])('no more attempts are passed over than servers may be gone, whoever %s', (_why, known) => {
    expect([1, 2, 3].map(attempt => isPassedOver(known, 5, attempt, four))).toEqual([true, false, false])
    expect([1, 2, 3].map(attempt => isPassedOver(known, 5, attempt, group(4, 2)))).toEqual([true, true, false])
  })
})

describe('patience', () => {
  const MAX = 1_000
  it('is ten times the pace, between its least and the setting, and twice as long in each later attempt', () => {
    expect([0, 5, 20, 30, 99, 100, 5_000].map(pace => patienceOf(pace, 1, MAX))).toEqual([
      PATIENCE_MIN,
      PATIENCE_MIN,
      PATIENCE_MIN,
      300,
      990,
      MAX,
      MAX,
    ])
    expect([1, 2, 3, 11, 12, 40].map(attempt => patienceOf(30, attempt, MAX) / 300)).toEqual([
      1, 2, 4, 1_024, 1_024, 1_024,
    ])
  })
  it('is never longer than the setting, also where that is short', () => {
    expect(patienceOf(5, 1, 60)).toBe(60)
  })
  it('grows at once with one slow height, and is back after some quick ones', () => {
    let pace = nextPace(5, 90)
    expect(patienceOf(pace, 1, MAX)).toBe(900)
    let heights = 0
    for (; patienceOf(pace, 1, MAX) > PATIENCE_MIN; heights++) pace = nextPace(pace, 5)
    expect(heights).toBe(12)
    expect(nextPace(pace, 5)).toBeGreaterThanOrEqual(5)
  })
  it('a group that has just begun waits as long as the setting says', () => {
    expect(patienceOf(MAX, 1, MAX)).toBe(MAX)
  })
})
