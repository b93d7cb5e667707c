// Where too few servers are connected for events, whoever waits is told, once, which ones are missing.

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { lackingOf } from './group-events.ts'
import { EventsHub } from './hub.ts'

const servers = ['s1', 's2', 's3', 's4']
const away = new Set<string>()
const whyAway = (server: string) => (away.has(server) ? 'ECONNREFUSED' : undefined)
const lacking = () => lackingOf({ servers, needed: 3, whyAway })
const MISSING = '2 of 4 servers are connected, and events take 3. s2: ECONNREFUSED; s4: ECONNREFUSED.'

const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
const sentences = () => warned.mock.calls.map(([sentence]) => sentence)

function hubOf(): EventsHub {
  let ids = 0
  return new EventsHub(
    () => {},
    () => ++ids,
    lacking,
  )
}

beforeEach(() => {
  vi.useFakeTimers()
  warned.mockClear()
  away.clear()
})
afterEach(() => {
  vi.useRealTimers()
})

describe('too few servers for events', () => {
  it('is so where fewer are connected than must hold an event', () => {
    expect(lacking()).toBeUndefined()
    away.add('s2')
    expect(lacking()).toBeUndefined()
    away.add('s4')
    expect(lacking()).toBe(MISSING)
  })

  it('is told to a subscription that is not open, once', () => {
    const hub = hubOf()
    away.add('s2').add('s4')
    hub.listen(1, { event() {}, ended() {} })
    vi.advanceTimersByTime(5_000)
    expect(sentences()).toEqual([])
    vi.advanceTimersByTime(60_000)
    expect(sentences()).toEqual([`Events wait: ${MISSING}`])
    hub.close()
  })

  it('is not told where nobody waits, where the subscription is open, or where a server is away for a moment', () => {
    const hub = hubOf()
    hub.listen(1, { event() {}, ended() {} })
    hub.listen(2, { event() {}, ended() {} })
    hub.event({ kind: 'subscribed', id: 1 })
    away.add('s2').add('s4')
    vi.advanceTimersByTime(5_000)
    away.clear()
    vi.advanceTimersByTime(60_000)
    away.add('s2').add('s4')
    hub.unlisten(2)
    vi.advanceTimersByTime(60_000)
    expect(sentences()).toEqual([])
    expect(vi.getTimerCount()).toBe(0)
  })

  it('is told by a call whose time is up', async () => {
    const hub = hubOf()
    away.add('s2').add('s4')
    const asked = hub.survey('prices', { timeout: 2_000 })
    const said = expect(asked).rejects.toThrow(`its time was up after 2000 ms. ${MISSING}`)
    await vi.advanceTimersByTimeAsync(2_000)
    await said
    hub.close()
  })

  it('is no more told of what was closed', () => {
    const hub = hubOf()
    away.add('s2').add('s4')
    hub.listen(1, { event() {}, ended() {} })
    hub.close()
    vi.advanceTimersByTime(60_000)
    expect(sentences()).toEqual([])
    expect(vi.getTimerCount()).toBe(0)
  })
})
