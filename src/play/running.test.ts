// A run in slices is the run at once; one that takes too long is stopped, and what was reached can be looked at.

import { describe, expect, it } from 'vitest'
import type { Play } from '../simulator/index.ts'
import { hashNote, playAddress } from './index.ts'
import { RUN_MS_MAX, Running } from './running.ts'
import { verdictOf } from './verdict.ts'

const ADDRESS = 'v=1&run=lock.n4.b1&seed=23&calm=1&h=517c5af8'
const opened = () => playAddress(ADDRESS) as Play

/** A clock that goes on by so much whenever it is looked at. */
function clock(by: number): () => number {
  let now = 0
  return () => (now += by)
}

describe('a run in slices', () => {
  it('comes to the same as the run at once', () => {
    const running = new Running(opened(), clock(1))
    let slices = 0
    while (!running.slice(40)) slices++
    expect(slices).toBeGreaterThan(2)
    const whole = opened()
    whole.toEnd()
    expect([running.play.hash, running.play.status]).toEqual([whole.hash, whole.status])
    expect(hashNote(running.play)).toBeUndefined()
  })
  it('is stopped after its time, in however many slices, and no sooner', () => {
    for (const slice of [100, 1_000, 100_000]) {
      const running = new Running(opened(), clock(50))
      while (!running.slice(slice));
      const { play } = running
      expect([play.status, play.stopped]).toEqual(['over', 'patience'])
      expect(verdictOf(play)).toBe('stopped here: it took too long')
      // Two looks at the clock for eight events.
      const looks = RUN_MS_MAX / 50 / 2
      expect(play.trace.length).toBeGreaterThan(looks * 2)
      expect(play.trace.length).toBeLessThan(looks * 100)
      expect(play.stateAt(play.trace.length - 1, 'server-1')).toMatch(/^{/)
      // Its hash is that of a part: it says nothing about the version.
      expect(hashNote(play)).toBeUndefined()
    }
  })
  it('that has ended is not stopped any more', () => {
    const play = opened()
    play.toEnd()
    play.stopHere()
    expect(play.stopped).toBeUndefined()
  })
})
