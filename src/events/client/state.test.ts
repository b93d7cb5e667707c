// What a client's check looks at, and how often: all of a few subscriptions after every step, all of many once a beat.

import { describe, expect, it } from 'vitest'
import type { EventsClientSettings } from '../settings.ts'
import { type ClientState, checkClient, LOOKED_AT_MAX, type Subscription } from './state.ts'

const settings = { shareBytesMax: 1_000 } as EventsClientSettings

/** A client with so many subscriptions, the last of which counts wrong. */
function client(count: number): { readonly state: ClientState; looks(): number } {
  let looks = 0
  const subscription = (place: number) => ({
    tracked: new Map(),
    get unhanded() {
      looks++
      return place === count - 1 ? -1 : 0
    },
  })
  const subscriptions = new Map(
    Array.from({ length: count }, (_, place) => [place, subscription(place) as unknown as Subscription]),
  )
  const state = { beats: 1, shares: new Map(), outgoing: new Map(), subscriptions } as unknown as ClientState
  return { state, looks: () => looks }
}

describe('the check of a client', () => {
  it('looks at a few subscriptions after every step', () => {
    const { state } = client(LOOKED_AT_MAX)
    for (let step = 0; step < 3; step++) expect(() => checkClient(state, settings)).toThrow(/is counted/)
  })

  it('looks at many once a beat', () => {
    const { state, looks } = client(LOOKED_AT_MAX + 1)
    for (let beat = 1; beat <= 3; beat++) {
      state.beats = beat
      expect(() => checkClient(state, settings)).toThrow(/is counted/)
      for (let step = 0; step < 100; step++) checkClient(state, settings)
      expect(looks()).toBe(beat * (LOOKED_AT_MAX + 1))
    }
  })
})
