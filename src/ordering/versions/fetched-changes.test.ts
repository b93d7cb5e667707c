// How long one source of changes is waited for.

import { describe, expect, it } from 'vitest'
import { settings, TestGroup, text, utf8 } from '../../../test/support/ordering-group.ts'
import { type NodeId, seededRandom } from '../../core/index.ts'
import { ANSWER_BYTES_MAX, CHANGES_MAX, type OrderingMessage } from '../wire.ts'
import { encodeChange } from './content.ts'
import { FIRST_DIGEST, nextDigest } from './digest.ts'
import { patienceWith } from './fetched-changes.ts'

describe('the patience with a source of changes', () => {
  const given = (count: number, bytes: number) =>
    Array.from({ length: count }, (_, version) => ({ version, digest: FIRST_DIGEST, change: new Uint8Array(bytes) }))
  const left = (count: number, bytes: number, before = 0, now = 1_090) =>
    patienceWith(
      { source: 's1', query: 1, changes: given(count, bytes), began: { at: 1_000, changes: before } },
      100,
      now,
    )

  it('is its time, also where it gives a little', () => {
    expect(left(0, 0)).toBe(10)
    expect(left(8, 8)).toBeLessThan(12)
    expect(left(8, 8, 0, 1_200)).toBe(0)
  })
  it('is longer by half an answer, by bytes or by number', () => {
    expect(left(1, ANSWER_BYTES_MAX / 2)).toBeGreaterThan(109)
    expect(left(CHANGES_MAX / 2, 0)).toBe(110)
  })
  it('is not longer for what others gave', () => {
    expect(left(CHANGES_MAX, 0, CHANGES_MAX)).toBe(10)
  })
})

// Seven servers, one of which lies: it is chosen as a source now and then, and gives one change whenever its time is nearly over.
describe('a source that gives one change at a time', () => {
  const servers = ['s1', 's2', 's3', 's4', 's5', 's6', 's7']
  const change = { liars: 1, crashes: 1 }
  const VERSIONS = 200

  /** All servers have so many versions of one object. */
  function settled(seed: number) {
    const group = new TestGroup(servers, change, seededRandom(seed))
    let parent = FIRST_DIGEST
    let last: OrderingMessage | undefined
    for (let version = 1; version <= VERSIONS; version++) {
      const change = encodeChange([{ key: 'x', value: utf8.encode(`${version}`) }])
      const digest = nextDigest(settings.hash, parent, version, change)
      const rank = { counter: 1, client: 'c' }
      for (const to of servers) {
        group.hear('c', to, { kind: 'propose', object: 'o', rank, version, parent, digest, change })
      }
      last = { kind: 'commit', object: 'o', rank, version, digest }
      parent = digest
    }
    for (const to of servers) group.tell('c', to, last!)
    return group
  }

  /** How long it takes until `done`, and how often `s1` lied. */
  function besieged(group: TestGroup, done: () => boolean, ask: () => void): { took: number; lies: number } {
    let lies = 0
    const due: { readonly at: number; readonly to: NodeId; readonly body: OrderingMessage }[] = []
    group.lost = ({ from, to, body }) => {
      if (from !== 's1' || body.kind !== 'changes') return false
      due.push({ at: group.now + 90, to, body: { ...body, changes: body.changes.slice(0, 1) } })
      return true
    }
    const began = group.now
    ask()
    while (!done() && group.now < began + 30_000) {
      group.pass(10)
      while (due.length > 0 && due[0]!.at <= group.now) {
        const { to, body } = due.shift()!
        lies++
        group.hear('s1', to, body)
        group.carry()
      }
    }
    return { took: group.now - began, lies }
  }

  it('does not keep a client from where the others are', () => {
    const runs = Array.from({ length: 8 }, (_, seed) => {
      const group = settled(seed + 1)
      group.join('d', change)
      const done = () => group.heard('copied').length > 0
      return besieged(group, done, () => group.do('d', { kind: 'copy', id: 3, object: 'o' }))
    })
    expect(runs.filter(({ lies }) => lies > 0).length).toBeGreaterThan(0)
    expect(Math.max(...runs.map(({ took }) => took))).toBeLessThan(2_000)
  })
  it('does not keep a watch from what it missed', () => {
    const runs = Array.from({ length: 8 }, (_, seed) => {
      const group = settled(seed + 1)
      group.join('d', change)
      group.do('d', { kind: 'copy', id: 3, object: 'o' })
      group.pass(1_000)
      const shown = () => group.events.flatMap(event => (event.kind === 'changed' ? event.writes : []))
      const done = () => shown().length === VERSIONS - 1
      const result = besieged(group, done, () => group.do('d', { kind: 'watch', id: 7, object: 'o', from: 1 }))
      expect(text(shown().at(-1)?.value)).toBe(`${VERSIONS}`)
      return result
    })
    expect(runs.filter(({ lies }) => lies > 0).length).toBeGreaterThan(0)
    expect(Math.max(...runs.map(({ took }) => took))).toBeLessThan(2_000)
  })
})
