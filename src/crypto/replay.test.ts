// The replay window against a twin that remembers everything (protocols/filters: no false negatives, older is refused).

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { admit, REPLAY_WINDOW, type ReplayWindow } from './replay.ts'

type Verdict = 'fresh' | 'replayed' | 'too old' | 'an earlier boot'

type Messages = readonly (readonly [boot: number, counter: number])[]

function run(messages: Messages, width = REPLAY_WINDOW): Verdict[] {
  let window: ReplayWindow | undefined
  return messages.map(([boot, counter]) => {
    const admission = admit(window, boot, counter, width)
    if (!admission.fresh) return admission.why
    window = admission.window
    return 'fresh'
  })
}

function twin(messages: Messages, width = REPLAY_WINDOW): Verdict[] {
  const seen = new Set<number>()
  let last = -1
  return messages.map(([boot, counter]) => {
    if (boot < last) return 'an earlier boot'
    if (boot > last) seen.clear()
    last = boot
    if (seen.size > 0 && counter <= Math.max(...seen) - width) return 'too old'
    if (seen.has(counter)) return 'replayed'
    seen.add(counter)
    return 'fresh'
  })
}

describe('a replay window', () => {
  it.each([32, 64, REPLAY_WINDOW])('of %i counters decides as a twin that remembers everything', width => {
    const near = fc.integer({ min: 0, max: 60 })
    const far = fc.integer({ min: 0, max: 5_000 })
    const huge = fc.integer({ min: Number.MAX_SAFE_INTEGER - 3_000, max: Number.MAX_SAFE_INTEGER })
    const counter = fc.oneof({ weight: 4, arbitrary: near }, { weight: 4, arbitrary: far }, huge)
    const boot = fc.oneof({ weight: 9, arbitrary: fc.constant(1) }, fc.integer({ min: 0, max: 3 }))
    fc.assert(
      fc.property(fc.array(fc.tuple(boot, counter), { maxLength: 120 }), messages => {
        expect(run(messages, width)).toEqual(twin(messages, width))
      }),
      { numRuns: 300 },
    )
  })
  it('takes the oldest of the window late, once, and nothing older', () => {
    expect(
      run([
        [1, 2_000],
        [1, 2_000 - 1_023],
        [1, 2_000 - 1_023],
        [1, 2_000 - 1_024],
      ]),
    ).toEqual(['fresh', 'fresh', 'replayed', 'too old'])
  })
  it('a place that comes round again belongs to the new counter', () => {
    expect(
      run([
        [1, 5],
        [1, 1_028],
        [1, 1_029],
        [1, 1_029],
      ]),
    ).toEqual(['fresh', 'fresh', 'fresh', 'replayed'])
  })
  it('a later boot starts anew, and an earlier one is over', () => {
    expect(
      run([
        [4, 900],
        [5, 0],
        [4, 901],
        [5, 0],
      ]),
    ).toEqual(['fresh', 'fresh', 'an earlier boot', 'replayed'])
  })
  it('keeps its width in a later boot, and has whole words only', () => {
    const first = admit(undefined, 1, 1, 64)
    if (!first.fresh) throw new Error('the first is fresh')
    const second = admit(first.window, 2, 1)
    expect(second.fresh && second.window.seen).toHaveLength(2)
    expect(() => admit(undefined, 1, 1, 33)).toThrow('whole words')
    expect(() => admit(undefined, 1, 1, 0)).toThrow('whole words')
  })
  it('is plain data, and is not changed by asking', () => {
    const first = admit(undefined, 1, 1)
    if (!first.fresh) throw new Error('the first is fresh')
    const before = structuredClone(first.window)
    admit(first.window, 1, 700)
    expect(first.window).toEqual(before)
    expect(first.window.seen.length * 32).toBe(REPLAY_WINDOW)
  })
})
