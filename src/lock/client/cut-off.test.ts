// Waiters that cannot win: they see too few servers, or are not answered. They must not keep others from the lock
// (protocols/lock 1: live while n - f servers can be reached).

import { describe, expect, it } from 'vitest'
import { encode } from '../../core/index.ts'
import { calm, World } from '../../simulator/index.ts'
import { lockServer } from '../server/machine.ts'
import { lockDefaults } from '../settings.ts'
import { lockVocabulary, serverRecord } from '../wire.ts'
import { lockClient } from './machine.ts'
import type { ClientEvent } from './state.ts'

const SERVERS = ['s1', 's2', 's3', 's4', 's5']
const SECOND = 1_000_000

type Links = readonly (readonly [from: string, to: string])[]
const both = (client: string, ...servers: string[]): Links =>
  servers.flatMap(server => [[client, server] as const, [server, client] as const])

/** Ann comes first, Bob a second later; who has it, and when. */
function contest(cuts: Links, seconds = 30) {
  const world = new World({ seed: 1, network: calm })
  const entries: { who: string; at: number }[] = []
  world.listen((node, heard) => {
    const event = heard as ClientEvent
    if (event.kind !== 'acquired') return
    entries.push({ who: node.spec.id, at: world.now / SECOND })
    world.at(world.now + SECOND / 10, () => world.command(node.spec.id, { kind: 'release', id: 1, name: 'a' }))
  })
  const saved = new Map([['', [encode(serverRecord, { kind: 'first' })]]])
  const vocabulary = lockVocabulary
  for (const id of SERVERS) world.add({ id, protocol: lockServer(lockDefaults), peers: [], vocabulary, saved })
  for (const id of ['ann', 'bob']) world.add({ id, protocol: lockClient(lockDefaults), peers: SERVERS, vocabulary })
  for (const id of [...SERVERS, 'ann', 'bob']) world.start(id)
  const links = cuts.map(([from, to]) => [world.node(from).index, world.node(to).index] as const)
  for (const [from, to] of links) world.network.cut(from, to)
  for (const [place, who] of ['ann', 'bob'].entries()) {
    const asked = { kind: 'acquire', id: 1, name: 'a', ttl: 2_000, wait: true, fair: true, renew: true }
    world.at(place * SECOND, () => world.command(who, { ...asked, hint: 1_000_000 + world.now }))
  }
  world.at((seconds * SECOND) / 2, () => {
    for (const [from, to] of links) world.network.mend(from, to)
  })
  world.run(seconds * SECOND)
  return entries
}

const bobsSide = both('bob', 's1', 's2')

describe('a waiter that cannot win lets others in, and is served when it is whole again', () => {
  it.each([
    ['it sees two servers of five', [...both('ann', 's1', 's4', 's5'), ...bobsSide]],
    ['it sees one that the other needs', [...both('ann', 's1', 's2', 's4', 's5'), ...bobsSide]],
    ['it is heard by all and answered by none', SERVERS.map(server => [server, 'ann'] as const)],
    ['it is heard by all and answered by two', SERVERS.slice(0, 3).map(server => [server, 'ann'] as const)],
    ['it is heard by one', both('ann', 's1', 's2', 's3', 's4')],
  ] as const)('%s', (_, cuts) => {
    const entries = contest(cuts)
    const bob = entries.find(entry => entry.who === 'bob')
    expect(bob?.at, 'the other is let in soon').toBeLessThan(6)
    const ann = entries.find(entry => entry.who === 'ann')
    expect(ann?.at, 'and this one after healing').toBeGreaterThan(15)
    expect(ann?.at).toBeLessThan(25)
  })
  it('with nothing cut both are served at once, in order', () => {
    const entries = contest([])
    expect(entries.map(entry => entry.who)).toEqual(['ann', 'bob'])
    expect(entries[1]!.at).toBeLessThan(1.1)
  })
})
