// How long a server of a subscription may be silent, and for how long it is passed over then: just before the end of each, and
// just after it (protocols/events 13).

import { describe, expect, it } from 'vitest'
import { heads, SERVERS, subscribed } from '../../../test/support/events-bounds.ts'
import { PASSED_BEATS, PATIENCE_BEATS } from './state.ts'

const BEAT_MS = 100

/** A subscription, and a beat on which everybody speaks but one. */
function followed() {
  const { eve, lead, witness } = subscribed()
  const members = () => eve.state.subscriptions.get(1)!.members.map(({ server }) => server)
  const beat = (silent = '', count = 1) => {
    for (let at = 0; at < count; at++) {
      for (const server of SERVERS) if (server !== silent) heads(eve, server, [], 0)
      eve.pass(BEAT_MS)
    }
  }
  beat()
  return { lead, witness, members, beat }
}

describe('a server that is silent', () => {
  it('is passed over after three beats, and not before', () => {
    const { witness, members, beat } = followed()
    // With the beat on which it spoke last.
    beat(witness, PATIENCE_BEATS - 1)
    beat('', 2)
    beat(witness, PATIENCE_BEATS - 1)
    expect(members()).toContain(witness)
    beat(witness)
    expect(members()).not.toContain(witness)
    expect(members()).toHaveLength(2)
  })

  it.each([
    ['not yet', PASSED_BEATS - 1, false],
    ['again', PASSED_BEATS, true],
  ])('is chosen %s, when the next one is passed over after so many beats', (_what, beats, isChosen) => {
    const { lead, witness, members, beat } = followed()
    beat(witness, PATIENCE_BEATS)
    expect(members()).not.toContain(witness)
    beat('', beats - PATIENCE_BEATS)
    beat(lead, PATIENCE_BEATS)
    expect(members()).not.toContain(lead)
    expect(members().includes(witness)).toBe(isChosen)
  })
})
