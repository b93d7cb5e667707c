// Level 3, and random visitors: words and acts within the model. At the bound nothing breaks; each of five planted bugs is found.
// `npm run test:long` sends ten thousand.

import { describe, expect, it } from 'vitest'
import { isLong, sized } from '../../test/support/long.ts'
import { encodeRun, Play, type Playable, type RunName } from '../simulator/index.ts'
import { openRun } from './index.ts'
import { names } from './sizes.ts'
import { type Visited, visitor } from './visitors.ts'

const NOTHING = { from: -1, to: -1 }
const VISITORS = sized(150, 10_000)

function level3(run: Partial<RunName> = {}): Visited {
  return {
    run: { name: 'lock', servers: 4, liars: 1, crashes: 1, story: 'duel', ...run },
    traitor: 'server-4',
    letters: ['y', 'n', 't', '-', 'h', 'h'],
    servers: names('server', 3),
    clients: names('client', 2),
    commands: ['use', 'long', 'try', 'once'],
    kinds: ['hold', 'drop', 'twice', 'cut', 'slow', 'pause', 'crash', 'drift', 'do', 'do'],
    until: 6_000_000,
    drift: 0.05,
  }
}

/** The first visitor that breaks it, and how. */
function firstBroken(visited: Visited, from: number, to: number) {
  const playable = openRun(visited.run)
  if (typeof playable === 'string') throw new Error(playable)
  for (let number = from; number <= to; number++) {
    const spec = visitor(visited, number)
    const play = new Play(spec, playable, NOTHING)
    play.toEnd()
    if (play.outside.length > 0) throw new Error(`visitor ${number} left the model: ${play.outside[0]}`)
    if (play.status === 'asks' || play.stopped !== undefined) throw new Error(`visitor ${number}: ${play.status}`)
    if (play.status === 'broken') return { visitor: number, what: play.violations[0]!.what, address: encodeRun(spec) }
  }
  return undefined
}

/** The visitor that found it when it was looked for. The usual test begins shortly before it, the long one at the first. */
const FOUND_BY: Readonly<Record<string, number>> = {
  'one-grant-too-few': 1,
  'expired-lease-returned': 1,
  'loss-noticed-late': 31,
  'release-of-any-holder': 16,
  'no-drift-factor': 781,
  'grant-after-restart': 2_052,
}

describe('random visitors of level 3', () => {
  it(`${VISITORS} of them break nothing`, () => {
    expect(firstBroken(level3(), 1, VISITORS)).toBeUndefined()
  })
  it.each(Object.entries(FOUND_BY))('find the planted bug %s', (bug, by) => {
    const from = isLong ? 1 : Math.max(1, by - 5)
    expect(firstBroken(level3({ bug }), from, 10_000), `${bug} was not found`).toBeDefined()
  })
  it('visitor 6,080: tokens burned up to what clocks explain, and a server that restarts and spends its reserve', () => {
    const play = new Play(visitor(level3(), 6_080), openRun(level3().run) as Playable, NOTHING)
    expect(play.toEnd()).toBe('over')
    const tokens = play.trace.flatMap(({ what }) => /^acquired .* token=(\d+)/.exec(what)?.[1] ?? []).map(Number)
    // A minute ahead by the lie, five seconds more by the restart.
    expect(Math.max(...tokens)).toBeGreaterThan(65_000_000)
  })
})
