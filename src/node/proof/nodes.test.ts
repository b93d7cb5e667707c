// The nodes as they ship, under faults and liars; and the test of the test: bugs planted in the composition are found.

import { describe, expect, it } from 'vitest'
import { sized } from '../../../test/support/long.ts'
import { readPins } from '../../../test/support/pins.ts'
import { trust } from '../../core/index.ts'
import { type AnyScenario, type PlantedRun, runOnce } from '../../simulator/index.ts'
import { memberScenario, plantedLivesBugs, plantedNodeBugs, plantedWireBugs, serverScenario } from './index.ts'
import { plantedNodeRuns } from './runs.ts'

function keepsItsPromises(scenario: AnyScenario, seeds: readonly number[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const seed of seeds) {
    const { violations, drawn, trace } = runOnce(scenario, seed, {}, true)
    expect(violations, `seed ${seed} ${JSON.stringify(drawn)}`).toEqual([])
    for (const { kind, what } of trace) {
      const thing =
        kind === 'emit' ? /part=(\w+) body=\{(\w+)(?:.* body=\{(\w+))?/.exec(what)?.slice(1).join(' ') : kind
      counts.set(thing!.trim(), (counts.get(thing!.trim()) ?? 0) + 1)
    }
  }
  return counts
}

const pins = readPins(import.meta.dirname)
const upTo = (last: number) => Array.from({ length: last }, (_, place) => place + 1)

/** The bugs that are pinned for servers, or for members. */
function pinnedFor(kind: 'server' | 'member'): [bug: string, seed: number][] {
  const of = Object.entries(pins).filter(([name]) => name.startsWith(`${kind}/`))
  return of.map(([name, seed]) => [name.slice(kind.length + 1), seed])
}

function finds({ scenario, sound, says }: PlantedRun, seed: number): void {
  expect(runOnce(sound(), seed).violations).toEqual([])
  const found = runOnce(scenario(), seed)
  expect(found.violations[0]?.what).toMatch(says)
  expect(runOnce(scenario(), seed).traceHash).toBe(found.traceHash)
}

describe('servers and clients: locks and objects in one node', () => {
  it.each([
    [0, upTo(sized(13, 30))],
    [1, upTo(sized(5, 15))],
  ])('%i liars, seeds %j, and both are busy', (liars, seeds) => {
    const counts = keepsItsPromises(serverScenario(trust({ liars })), seeds)
    for (const thing of ['lock acquired', 'lock extended', 'ordering answered', 'ordering value', 'restart', 'pause']) {
      expect(counts.get(thing) ?? 0, thing).toBeGreaterThanOrEqual(sized(1, seeds.length / 5))
    }
  })

  const pinned = pinnedFor('server')
  it('no planted bug is forgotten here', () => {
    const planted = Object.keys({ ...plantedNodeBugs, ...plantedLivesBugs })
    expect(pinned.map(([bug]) => bug).sort()).toEqual(planted.sort())
  })
  it.each(pinned)('%s is found by seed %i', (bug, seed) => finds(plantedNodeRuns[`server/${bug}`]!, seed))
})

describe('members: gossip, election, slots and events in one node', () => {
  it.each([
    [3, 0, sized([3, 6, 10, 11, 12], upTo(12))],
    [5, 1, upTo(sized(4, 8))],
  ])('%i members, %i liars, seeds %j, and all are busy', (members, liars, seeds) => {
    const counts = keepsItsPromises(memberScenario({ members, liars }), seeds)
    for (const thing of [
      'election elected',
      'hints tell',
      'membership changed',
      'slots said seat',
      'routing handed',
      'restart',
    ]) {
      expect(counts.get(thing) ?? 0, thing).toBeGreaterThanOrEqual(sized(1, seeds.length / 5))
    }
  })

  // A guest was admitted, and everybody published before the new trees were ready: its receipt was asked for by nobody.
  it('once broken, now sound: 70118', () => {
    expect(runOnce(memberScenario({ members: 5, liars: 1 }), 70118).violations).toEqual([])
  })

  const pinned = pinnedFor('member')
  it('no planted bug is forgotten here', () => {
    const planted = Object.keys({ ...plantedNodeBugs, ...plantedWireBugs })
    expect(pinned.map(([bug]) => bug).sort()).toEqual(planted.sort())
  })
  it.each(pinned)('%s is found by seed %i, which is fine without it', (bug, seed) => {
    finds(plantedNodeRuns[`member/${bug}`]!, seed)
  })
})
