// A server that was away when the last version was decided, on an object that nobody writes to any more.

import { describe, expect, it } from 'vitest'
import { SERVERS, TestGroup, utf8 } from '../../../test/support/ordering-group.ts'
import { LOOK_EVERY_MS } from './quiet.ts'

const ROUND = LOOK_EVERY_MS + 1_000

/** The client writes while `away` hears nothing of it, and leaves. */
function written(servers: readonly string[], away: string, change = {}): TestGroup {
  const group = new TestGroup(servers, change)
  group.join('c', change)
  const lost = group.lost
  group.lost = message => message.to === away
  group.do('c', { kind: 'open', id: 1, object: 'o', ttl: 10_000 })
  group.do('c', { kind: 'submit', id: 2, object: 'o', body: utf8.encode('last') })
  group.leave('c')
  group.lost = lost
  return group
}

const SEVEN = ['s1', 's2', 's3', 's4', 's5', 's6', 's7']
const LIES = { liars: 1, crashes: 1 }

describe('a quiet object', () => {
  it('is brought to its last version at a server that was away', () => {
    const group = written(SERVERS, 's3')
    const { version } = group.server('s1').content
    expect(version).toBeGreaterThan(0)
    expect(group.state('s3').objects.get('o')?.content.version ?? 0).toBe(0)
    group.pass(ROUND)
    expect(group.server('s3').content.version).toBe(version)
    expect(group.server('s3').content.digest).toEqual(group.server('s1').content.digest)
  })
  it('is not where one server alone says that there is more, which may lie', () => {
    const group = written(SEVEN, 's7', LIES)
    group.pass(LOOK_EVERY_MS - 1_000)
    const newest = group.server('s1').committed.version
    group.lost = ({ from, to, body }) => to === 's7' && body.kind === 'recalled' && from !== 's1'
    group.pass(ROUND)
    expect(group.state('s7').objects.get('o')?.committed.version ?? 0).toBe(0)
    group.lost = ({ from, to, body }) => to === 's7' && body.kind === 'recalled' && from !== 's1' && from !== 's2'
    group.pass(ROUND)
    expect(group.server('s7').committed.version).toBe(newest)
  })
  it('hears one answer from each server, and none that was not asked for', () => {
    const group = written(SEVEN, 's7', LIES)
    const invented = { version: 99, digest: new Uint8Array(32) }
    const objects = [{ object: 'o', promised: { counter: 0, client: '' }, committed: invented, proposed: undefined }]
    group.pass(ROUND)
    const { query } = group.state('s7').look
    for (let time = 0; time < 3; time++) group.hear('s1', 's7', { kind: 'recalled', query, objects, more: false })
    group.hear('s2', 's7', { kind: 'recalled', query: query + 1, objects, more: false })
    group.hear('c', 's7', { kind: 'recalled', query, objects, more: false })
    expect(group.server('s7').committed.version).toBe(group.server('s1').committed.version)
  })
})
