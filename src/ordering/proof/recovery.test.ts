// Recovery of objects (protocols/ordering: durable, rejoin, exactly once; LECTURE: watches): stores are lost, logs are cut
// short, a server is paused for ten minutes, clients watch, cancel, close and end.

import { describe, expect, it } from 'vitest'
import { sized } from '../../../test/support/long.ts'
import { trust } from '../../core/index.ts'
import { runOnce } from '../../simulator/index.ts'
import { recoveryScenario } from './recovery.ts'

const three = trust({ servers: 3 })
const seven = trust({ liars: 1 })
const nine = trust({ servers: 9, liars: 1, crashes: 2 })

describe('recovery', () => {
  it.each([
    ['3 servers, none lies', three, sized(5, 12)],
    ['7 servers, one lies', seven, sized(2, 5)],
  ] as const)('%s', (_name, group, seeds) => {
    for (let seed = 1; seed <= seeds; seed++) {
      const { violations, drawn } = runOnce(recoveryScenario(group), seed)
      expect(violations, `seed ${seed} ${JSON.stringify(drawn)}`).toEqual([])
    }
  })

  // A crash while the log was being shortened: the version was there, and what its commit had changed was not.
  it('a checkpoint that was not finished leaves out no commit (seeds 57, 96)', () => {
    for (const seed of [57, 96]) expect(runOnce(recoveryScenario(three), seed).violations).toEqual([])
  })

  // Committed by a word that has no record, then a proposal that is not built on it: the log led past a version.
  it('the log leads to every version (seed 103; with a liar 65)', () => {
    expect(runOnce(recoveryScenario(three), 103).violations).toEqual([])
    expect(runOnce(recoveryScenario(seven), 65).violations).toEqual([])
  })

  // Two servers had the change and did not know that it is committed; the third knew, and lacked it. All clients waited.
  it('who knows that a version is committed tells those who have it (seed 327)', () => {
    expect(runOnce(recoveryScenario(three), 327).violations).toEqual([])
  })

  // The one server that still had a change did not know that it was committed, and took the next but one in its place.
  it('a change that may be committed is not thrown away for a later one (seed 502086)', () => {
    expect(
      runOnce(recoveryScenario(three), 502086, { only: [11, 12, 13, 17, 18, 41, 49, 53, 61, 63, 65] }).violations,
    ).toEqual([])
  })

  // A server took 5, heard that 6 was committed, and took 6: its log says that 5 was committed, and it stood at 4. The
  // checkpoint of 4 that it wrote then was put over 5 at the restart.
  it('a server does not stand behind its own log (seed 701427)', () => {
    expect(runOnce(recoveryScenario(nine), 701427).violations).toEqual([])
  })

  // The log was cut between a proposal and what led to it: the checkpoint of the version after it was put over the version
  // before it, and what the proposal had removed was there again.
  it('a checkpoint begins with nothing where the log does not lead to it (seed 710096)', () => {
    expect(runOnce(recoveryScenario(nine), 710096, { only: [142] }).violations).toEqual([])
  })

  // 43 operations on one register at one time: a search for their order took more than ten minutes.
  it('that all stand in one order is seen by the order in which they stand (seed 701738)', () => {
    expect(runOnce(recoveryScenario(three), 701738).violations).toEqual([])
  })

  // One began to watch when its replica was at the newest version, another gave up a copy without asking again.
  it('whoever watches hears of everything in the end (seeds 13, 47)', () => {
    for (const seed of [13, 47]) expect(runOnce(recoveryScenario(three), seed).violations).toEqual([])
  })

  // Two servers knew that a version was committed and had lost its change; the third had the change and did not know.
  it('what b + 1 call committed is told to those who have it (seed 201962)', () => {
    expect(runOnce(recoveryScenario(three), 201962).violations).toEqual([])
  })

  it('and all of it happens: stores lost, long pauses, watches, sessions that run out, copies of pages', () => {
    const counts = new Map<string, number>()
    const some = [21, 22, 24, 29, 32]
    const all = Array.from({ length: 16 }, (_, place) => 20 + place)
    for (const seed of sized(some, all)) {
      const { trace, drawn } = runOnce(recoveryScenario(three), seed, {}, true)
      if (drawn.long === 'yes') counts.set('long', (counts.get('long') ?? 0) + 1)
      for (const { kind, what } of trace) {
        const thing = kind === 'emit' || kind === 'deliver' ? what.split(' ')[0]! : kind
        counts.set(thing, (counts.get(thing) ?? 0) + 1)
      }
    }
    const least = {
      watching: 10,
      changed: 100,
      skipped: 1,
      copied: 5,
      recalled: 4,
      ended: 2,
      lost: 1,
      gone: 1,
      long: 1,
    }
    for (const [thing, count] of Object.entries(least)) {
      expect(counts.get(thing) ?? 0, thing).toBeGreaterThanOrEqual(count)
    }
  })
})
