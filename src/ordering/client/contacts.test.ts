// Which servers a client speaks to, and in how many round trips it is served.

import { describe, expect, it } from 'vitest'
import { opened, SERVERS, TestGroup, utf8 } from '../../../test/support/ordering-group.ts'
import type { NodeId } from '../../core/index.ts'
import type { OrderingMessage } from '../wire.ts'

const put = (id: number) => ({ kind: 'submit', id, object: 'o', body: utf8.encode(`put ${id}`) }) as const

/** Clients with sessions; the last has the turn. */
function groupOf(clients: readonly NodeId[], wall?: number): TestGroup {
  const group = new TestGroup(SERVERS)
  for (const id of clients) {
    group.join(id)
    group.do(id, {
      kind: 'open',
      id: 1,
      object: 'o',
      ttl: 10_000,
      ...(wall !== undefined && { wall: wall + group.now }),
    })
    group.pass(200)
  }
  return group
}

function kinds(group: TestGroup, from: NodeId, since: number): string[] {
  return group.carried
    .slice(since)
    .filter(message => message.from === from)
    .map(({ body }) => body.kind)
}

describe('the turn after a pause', () => {
  it('is taken in one round trip by who follows the wall clock, whatever others did meanwhile', () => {
    const group = groupOf(['d', 'c', 'e'], 1_000_000)
    expect(getsInTurn(group, ['c', 'd', 'e'])).toEqual([3, 3, 3, 3, 3, 3])
  })

  it('costs who has no clock, or one that is slow, a refusal more', () => {
    const group = groupOf(['d', 'c', 'e'])
    expect(getsInTurn(group, ['c', 'd', 'e'])).toContain(6)
  })

  /** How many gets each put took, when each client puts twice, always another than before. */
  function getsInTurn(group: TestGroup, clients: readonly NodeId[]): number[] {
    const found: number[] = []
    for (let round = 1; round <= 3; round++) {
      for (const id of clients) {
        group.pass(200)
        const since = group.carried.length
        group.do(id, put(round))
        // At first nobody knows that others come by too.
        if (round > 1) found.push(kinds(group, id, since).filter(kind => kind === 'get').length)
      }
    }
    expect(group.heard('answered')).toHaveLength(3 * clients.length)
    return found
  }
})

describe('contacts', () => {
  const submits = (group: TestGroup, since: number) =>
    group.carried.slice(since).filter(({ body }) => body.kind === 'submit')
  const answers = (group: TestGroup, since: number) =>
    group.carried.slice(since).filter(({ body, to }) => body.kind === 'answered' && to === 'd')

  it('one of three hears an operation and brings its answer, while another client has the turn', () => {
    const group = groupOf(['d', 'c'])
    group.do('c', put(2))
    // The first time it asks everybody, and hears that another has the turn.
    group.do('d', put(2))
    const since = group.carried.length
    group.do('d', put(3))
    expect(group.heard('answered').filter(({ who }) => who === 'd')).toHaveLength(2)
    expect(submits(group, since)).toHaveLength(1)
    expect(answers(group, since)).toHaveLength(1)
  })

  it('where it is silent all are asked, and another is the contact from then on', () => {
    const group = groupOf(['d', 'c'])
    group.do('c', put(2))
    group.do('d', put(2))
    const contact = firstContact(group)
    const gone = ({ from, to }: { from: NodeId; to: NodeId; body: OrderingMessage }) =>
      from === contact || to === contact
    group.command('d', put(3))
    group.carry(gone)
    expect(group.heard('answered').filter(({ who }) => who === 'd')).toHaveLength(2)
    group.leave(contact)
    group.pass(30)
    expect(group.heard('answered').filter(({ who }) => who === 'd')).toHaveLength(3)
    const since = group.carried.length
    group.do('d', put(4))
    expect(group.heard('answered').filter(({ who }) => who === 'd')).toHaveLength(4)
    expect(submits(group, since).map(({ to }) => to)).not.toContain(contact)
  })

  function firstContact(group: TestGroup): NodeId {
    const since = group.carried.length
    group.do('d', put(99))
    return submits(group, since)[0]!.to
  }
})

describe('one client alone', () => {
  it('speaks to nobody but with its proposals', () => {
    const group = opened()
    const since = group.carried.length
    group.do('c', put(2))
    expect(kinds(group, 'c', since)).toEqual(['propose', 'propose', 'propose', 'commit', 'commit', 'commit'])
  })
})
