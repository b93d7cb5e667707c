// Waits end when their time is up, when the signal fires, or never; and each ends once.

import { getEventListeners } from 'node:events'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { SettingsError } from '../core/index.ts'
import { NOW_MS, onWaitEnd, type WaitEnd, within } from './waiting.ts'

const DAY = 24 * 3_600_000
/** The platform's longest timer. */
const LONGEST = 2 ** 31 - 1

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

describe('the end of a wait', () => {
  it.each([1, 2, LONGEST - 1, LONGEST, LONGEST + 1, 30 * DAY, 3 * LONGEST])('comes after %d ms, no sooner', timeout => {
    const ends: WaitEnd[] = []
    onWaitEnd({ timeout }, why => ends.push(why))
    vi.advanceTimersByTime(timeout - 1)
    expect(ends).toEqual([])
    vi.advanceTimersByTime(1)
    expect(ends).toEqual(['timeout'])
    expect(vi.getTimerCount()).toBe(0)
  })

  it('is the first of time, signal and stop, whichever that is, once', () => {
    const moment = fc.integer({ min: 1, max: 4 * LONGEST })
    const option = fc.option(moment, { nil: undefined })
    fc.assert(
      fc.property(option, option, option, (timeout, fires, stops) => {
        const controller = new AbortController()
        const ends: WaitEnd[] = []
        const options = { signal: controller.signal, ...(timeout === undefined ? {} : { timeout }) }
        const stop = onWaitEnd(options, why => ends.push(why))
        const acts = [
          { at: fires, act: () => controller.abort() },
          { at: stops, act: stop },
        ].filter((one): one is { at: number; act: () => void } => one.at !== undefined)
        let now = 0
        for (const { at, act } of acts.sort((one, other) => one.at - other.at)) {
          vi.advanceTimersByTime(at - now)
          now = at
          act()
        }
        vi.advanceTimersByTime(5 * LONGEST)
        const never = Number.POSITIVE_INFINITY
        const [time, signal, stopped] = [timeout ?? never, fires ?? never, stops ?? never]
        const first: WaitEnd[] =
          time <= Math.min(signal, stopped) ? ['timeout'] : signal <= stopped ? ['cancelled'] : []
        const expected = Math.min(time, signal, stopped) === never ? [] : first
        expect(ends).toEqual(expected)
        expect(vi.getTimerCount()).toBe(0)
        expect(getEventListeners(controller.signal, 'abort')).toEqual(
          expected[0] === undefined && stops === undefined ? [expect.anything()] : [],
        )
      }),
    )
  })

  it('is there at once where the signal has fired', () => {
    const ends: WaitEnd[] = []
    onWaitEnd({ timeout: 5, signal: AbortSignal.abort() }, why => ends.push(why))
    expect(ends).toEqual(['cancelled'])
    expect(vi.getTimerCount()).toBe(0)
  })

  it('never comes where there is no limit', () => {
    for (const options of [{}, { timeout: Number.POSITIVE_INFINITY }]) onWaitEnd(options, () => expect.unreachable())
    expect(vi.getTimerCount()).toBe(0)
  })

  it('is not in this very moment where "now" is asked for: the servers have the time to answer', () => {
    const ends: WaitEnd[] = []
    onWaitEnd({ timeout: 0 }, why => ends.push(why))
    vi.advanceTimersByTime(NOW_MS - 1)
    expect(ends).toEqual([])
    vi.advanceTimersByTime(1)
    expect(ends).toEqual(['timeout'])
  })

  it("tells the signal's reason, and none where the time is up", () => {
    const causes: unknown[] = []
    const controller = new AbortController()
    const ended = (_why: WaitEnd, cause?: unknown) => causes.push(cause)
    onWaitEnd({ signal: controller.signal }, ended)
    onWaitEnd({ timeout: 5 }, ended)
    vi.advanceTimersByTime(5)
    controller.abort('enough')
    onWaitEnd({ signal: controller.signal }, ended)
    expect(causes).toEqual([undefined, 'enough', 'enough'])
  })

  it.each([-1, Number.NaN])('a timeout of %d is refused', timeout => {
    expect(() => onWaitEnd({ timeout }, () => {})).toThrow(SettingsError)
  })
})

describe('a promise within a wait', () => {
  const failure = (why: WaitEnd) => new Error(why)

  it('brings its own outcome, and nothing is left over', async () => {
    const { signal } = new AbortController()
    await expect(within(Promise.resolve(1), { timeout: 30 * DAY, signal }, failure)).resolves.toBe(1)
    await expect(within(Promise.reject(new Error('no')), { timeout: 1, signal }, failure)).rejects.toThrow('no')
    await expect(within(Promise.resolve(2), {}, failure)).resolves.toBe(2)
    expect(vi.getTimerCount()).toBe(0)
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })

  it('fails where the wait ends first', async () => {
    const never = new Promise<void>(() => {})
    const late = within(never, { timeout: 30 * DAY }, failure)
    const outcome = vi.fn()
    late.catch(outcome)
    await vi.advanceTimersByTimeAsync(30 * DAY - 1)
    expect(outcome).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1)
    expect(outcome).toHaveBeenCalledWith(new Error('timeout'))
    await expect(within(never, { signal: AbortSignal.abort() }, failure)).rejects.toThrow('cancelled')
    await expect(within(never, { timeout: -1 }, failure)).rejects.toThrow(SettingsError)
  })
})
