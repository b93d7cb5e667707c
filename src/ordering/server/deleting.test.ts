// An object that was deleted, and late words of its earlier life.

import { describe, expect, it } from 'vitest'
import { get, propose, rank, SERVERS, settings, TestGroup, utf8 } from '../../../test/support/ordering-group.ts'
import type { Applier } from '../applier.ts'
import { encodeChange } from '../versions/content.ts'
import { nextDigest } from '../versions/digest.ts'
import type { OrderingMessage } from '../wire.ts'
import { MADE_AT_ONCE_MAX } from './state.ts'

const operators = ['admin']
const remove: OrderingMessage = { kind: 'delete', query: 1, object: 'o' }

/** Version 1 writes, version 2 takes it away again; both are committed everywhere. */
function emptied() {
  const made = new TestGroup(SERVERS, { operators })
  const first = propose(5, 1, 'one')
  const change = encodeChange([{ key: 'x', value: undefined }])
  const digest = nextDigest(settings.hash, first.digest, 2, change)
  const second = { ...first, version: 2, parent: first.digest, change, digest }
  const commit = (version: number, of: Uint8Array): OrderingMessage => {
    return { kind: 'commit', object: 'o', rank: rank(5), version, digest: of }
  }
  for (const server of SERVERS) {
    for (const body of [first, second, commit(2, digest)]) made.tell('c', server, body)
  }
  return { made, first, second }
}

describe('deleting', () => {
  it('takes an empty object away, keeps where its name goes on, also after a restart, and is logged', () => {
    const { made, second } = emptied()
    expect(made.tell('admin#1', 's1', remove)).toMatchObject([{ kind: 'deleted', outcome: 'deleted' }])
    expect(made.tell('admin#1', 's1', remove)).toMatchObject([{ outcome: 'absent' }])
    expect(made.events).toMatchObject([{ kind: 'deleted', object: 'o', by: 'admin#1' }])
    made.serve('s1', { operators })
    expect(made.state('s1').objects.size).toBe(0)
    const read: OrderingMessage = { kind: 'read', object: 'o', query: 1, keys: ['x'], content: true }
    expect(made.tell('d', 's1', read)).toMatchObject([{ committed: { version: 2 }, entries: [{ value: undefined }] }])
    expect(made.state('s1').objects.size).toBe(0)
    made.pass(settings.turnMs)
    expect(made.tell('d', 's1', get(6, 'd'))).toMatchObject([
      { kind: 'got', committed: { version: 2, digest: second.digest } },
    ])
    expect(made.state('s1').tombstones.size).toBe(0)
  })
  it('leaves late words of the earlier life without effect', () => {
    const { made, first } = emptied()
    for (const server of SERVERS) made.tell('admin#1', server, remove)
    // A copy of what was proposed first, under a rank that is over: refused, or older than what is known.
    expect(made.tell('c', 's1', { ...first, rank: rank(4) })).toMatchObject([{ kind: 'refused', promised: rank(5) }])
    expect(made.tell('c', 's1', first)).toEqual([])
    made.tell('c', 's1', { kind: 'commit', object: 'o', rank: rank(5), version: 1, digest: first.digest })
    expect(made.server('s1')).toMatchObject({ committed: { version: 2 }, content: { version: 2 } })
    expect(made.server('s1').content.table.size).toBe(0)
  })
  it('is for operators, and for what is empty: nothing written, no session, nothing under way', () => {
    const { made } = emptied()
    for (const somebody of ['c#1', 'admin', 's2']) {
      expect(made.tell(somebody, 's1', remove)).toMatchObject([{ outcome: 'not allowed' }])
    }
    expect(made.events[0]).toMatchObject({ kind: 'deleteRefused', by: 'c#1' })
    made.tell('c', 's2', propose(5, 3, 'x', made.server('s2').committed.digest))
    expect(made.tell('admin#1', 's2', remove)).toMatchObject([{ outcome: 'in use' }])
    const written = new TestGroup(SERVERS, { operators })
    const one = propose(5, 1, 'one')
    written.tell('c', 's1', one)
    written.tell('c', 's1', { kind: 'commit', object: 'o', rank: rank(5), version: 1, digest: one.digest })
    expect(written.tell('admin#1', 's1', remove)).toMatchObject([{ outcome: 'in use' }])
  })
  it('is told to a server that lost its store: it votes on the name as the others do', () => {
    const { made } = emptied()
    for (const server of SERVERS) made.tell('admin#1', server, remove)
    made.disks.delete('s3')
    made.serve('s3', { operators, rejoins: true, attemptMax: 10 })
    made.pass(5_000)
    expect(made.server('s3')).toMatchObject({ promised: rank(5), committed: { version: 2 } })
  })
  it('stays through checkpoints, which forget what stands before them', () => {
    const made = new TestGroup(SERVERS, { operators, checkpointBytesMin: 1 })
    const { disks } = made
    made.tell('c#1', 's1', get(5, 'c#1'))
    made.tell('admin#1', 's1', remove)
    expect(made.state('s1').tombstones.size).toBe(1)
    const before = disks.get('s1')!.length
    made.pass(3_000)
    const checkpoint = disks.get('s1')!.slice(before)
    disks.set('s1', checkpoint)
    made.serve('s1', { operators })
    expect(made.state('s1').tombstones.get('o')).toMatchObject({ promised: rank(5, 'c#1') })
  })
})

describe('emptying', () => {
  const eraser: Applier = {
    alone: true,
    apply(view) {
      for (const key of [...view.keys('')]) view.remove(key)
      return new Uint8Array(0)
    },
  }
  it('removes entries and ends the sessions of others, whose operations certainly do not happen', () => {
    const made = new TestGroup(SERVERS, { operators })
    made.join('c')
    made.do('c', { kind: 'open', id: 1, object: 'o', ttl: 10_000 })
    made.do('c', { kind: 'submit', id: 2, object: 'o', body: utf8.encode('kept') })
    made.join('admin#1', { findApplier: () => eraser })
    made.pass(1_000)
    made.do('admin#1', { kind: 'open', id: 3, object: 'o', ttl: 10_000 })
    made.pass(1_000)
    made.do('admin#1', { kind: 'submit', id: 4, object: 'o', body: new Uint8Array([1]) })
    made.pass(2_000)
    expect(made.heard('answered').find(({ who }) => who === 'admin#1')).toMatchObject({ id: 4, ok: true })
    made.do('admin#1', { kind: 'end', id: 5, object: 'o' })
    made.pass(1_000)
    expect(made.heard('lost')).toMatchObject([{ who: 'c' }])
    made.do('admin#1', { kind: 'delete', id: 6, object: 'o' })
    made.pass(3_000)
    const [event] = made.heard('deleted').filter(({ who }) => who === 'admin#1')
    expect(event?.kind === 'deleted' && 'outcomes' in event && [...event.outcomes.values()]).toEqual(
      SERVERS.map(() => 'deleted'),
    )
    // The name goes on: a new session, with nothing of what was there.
    made.do('c', { kind: 'open', id: 7, object: 'o', ttl: 10_000 })
    made.pass(1_000)
    made.do('c', { kind: 'read', id: 8, object: 'o', keys: ['last'], stale: false })
    made.pass(1_000)
    expect(made.heard('value')).toMatchObject([{ id: 8, entries: [{ key: 'last', value: undefined }] }])
  })
})

describe('a flood of new names', () => {
  it('30,000 by one client: so many records a second, and another is served between any two of them', () => {
    const made = new TestGroup(SERVERS)
    const named = (object: string, client: string): OrderingMessage =>
      ({ ...get(1, client), object }) as OrderingMessage
    let served = 0
    for (let i = 0; i < 30_000; i++) {
      made.hear('flood#1', 's1', named(`n${i}`, 'flood#1'))
      if (i % 1_000 !== 0) continue
      const [answer] = made.tell('d#1', 's1', named(`mine ${i}`, 'd#1'))
      if (answer?.kind === 'got') served++
      made.now += 100
    }
    expect(served).toBe(30)
    const seconds = made.now / 1_000
    expect(made.state('s1').objects.size).toBeLessThanOrEqual((seconds + 1) * MADE_AT_ONCE_MAX + served)
    // One record for each name that was made, none for those that were refused.
    expect(made.disks.get('s1')).toHaveLength(made.state('s1').objects.size)
  })
})
