// Level 3, and random visitors: words and acts within the model. At the bound nothing breaks; each of five planted bugs is found.
// `npm run test:long` sends ten thousand.

import { describe, expect, it } from 'vitest'
import { sized } from '../../test/support/long.ts'
import { encodeRun, Play, type RunName } from '../simulator/index.ts'
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

/** How many visitors it took to break it, of so many; and how. */
function firstBroken(
  visited: Visited,
  visitors: number,
): { visitor: number; what: string; address: string } | undefined {
  const playable = openRun(visited.run)
  if (typeof playable === 'string') throw new Error(playable)
  for (let number = 1; number <= visitors; number++) {
    const spec = visitor(visited, number)
    const play = new Play(spec, playable, NOTHING)
    play.toEnd()
    if (play.outside.length > 0) throw new Error(`visitor ${number} left the model: ${play.outside[0]}`)
    if (play.status === 'asks' || play.stopped !== undefined) throw new Error(`visitor ${number}: ${play.status}`)
    if (play.status === 'broken') return { visitor: number, what: play.violations[0]!.what, address: encodeRun(spec) }
  }
  return undefined
}

describe('random visitors of level 3', () => {
  it(`${VISITORS} of them break nothing`, { timeout: 3_600_000 }, () => {
    expect(firstBroken(level3(), VISITORS)).toBeUndefined()
  })
  it.each([
    'one-grant-too-few',
    'expired-lease-returned',
    'loss-noticed-late',
    'release-of-any-holder',
    'grant-after-restart',
  ])('find the planted bug %s', { timeout: 3_600_000 }, bug => {
    const found = firstBroken(level3({ bug }), 10_000)
    expect(found, `${bug} was not found`).toBeDefined()
  })
})
