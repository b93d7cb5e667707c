// Which servers a client speaks to, and in how many round trips it is served.

import { describe, expect, it } from 'vitest'
import { opened, Room, SERVERS, utf8 } from '../../test/support/ordering-room.ts'
import type { NodeId } from '../core/index.ts'
import type { OrderingMessage } from './messages.ts'

const put = (id: number) => ({ kind: 'submit', id, object: 'o', body: utf8.encode(`put ${id}`) }) as const

/** Clients with sessions; the last has the turn. */
function roomOf(clients: readonly NodeId[], wall?: number): Room {
  const room = new Room(SERVERS)
  for (const id of clients) {
    room.join(id)
    room.do(id, { kind: 'open', id: 1, object: 'o', ttl: 10_000, ...(wall !== undefined && { wall: wall + room.now }) })
    room.pass(200)
  }
  return room
}

function kinds(room: Room, from: NodeId, since: number): string[] {
  return room.carried
    .slice(since)
    .filter(message => message.from === from)
    .map(({ body }) => body.kind)
}

describe('the turn after a pause', () => {
  it('is taken in one round trip by who follows the wall clock, whatever others did meanwhile', () => {
    const room = roomOf(['d', 'c', 'e'], 1_000_000)
    expect(getsInTurn(room, ['c', 'd', 'e'])).toEqual([3, 3, 3, 3, 3, 3])
  })

  it('costs who has no clock, or one that is slow, a refusal more', () => {
    const room = roomOf(['d', 'c', 'e'])
    expect(getsInTurn(room, ['c', 'd', 'e'])).toContain(6)
  })

  /** How many gets each put took, when each client puts twice, always another than before. */
  function getsInTurn(room: Room, clients: readonly NodeId[]): number[] {
    const found: number[] = []
    for (let round = 1; round <= 3; round++) {
      for (const id of clients) {
        room.pass(200)
        const since = room.carried.length
        room.do(id, put(round))
        // At first nobody knows that others come by too.
        if (round > 1) found.push(kinds(room, id, since).filter(kind => kind === 'get').length)
      }
    }
    expect(room.heard('answered')).toHaveLength(3 * clients.length)
    return found
  }
})

describe('speakers', () => {
  const submits = (room: Room, since: number) => room.carried.slice(since).filter(({ body }) => body.kind === 'submit')
  const answers = (room: Room, since: number) =>
    room.carried.slice(since).filter(({ body, to }) => body.kind === 'answered' && to === 'd')

  it('one of three hears an operation and brings its answer, while another client has the turn', () => {
    const room = roomOf(['d', 'c'])
    room.do('c', put(2))
    // The first time it asks everybody, and hears that another has the turn.
    room.do('d', put(2))
    const since = room.carried.length
    room.do('d', put(3))
    expect(room.heard('answered').filter(({ who }) => who === 'd')).toHaveLength(2)
    expect(submits(room, since)).toHaveLength(1)
    expect(answers(room, since)).toHaveLength(1)
  })

  it('where it is silent everybody is told, and another speaks from then on', () => {
    const room = roomOf(['d', 'c'])
    room.do('c', put(2))
    room.do('d', put(2))
    const speaker = firstSpeaker(room)
    const gone = ({ from, to }: { from: NodeId; to: NodeId; body: OrderingMessage }) =>
      from === speaker || to === speaker
    room.command('d', put(3))
    room.carry(gone)
    expect(room.heard('answered').filter(({ who }) => who === 'd')).toHaveLength(2)
    room.leave(speaker)
    room.pass(30)
    expect(room.heard('answered').filter(({ who }) => who === 'd')).toHaveLength(3)
    const since = room.carried.length
    room.do('d', put(4))
    expect(room.heard('answered').filter(({ who }) => who === 'd')).toHaveLength(4)
    expect(submits(room, since).map(({ to }) => to)).not.toContain(speaker)
  })

  function firstSpeaker(room: Room): NodeId {
    const since = room.carried.length
    room.do('d', put(99))
    return submits(room, since)[0]!.to
  }
})

describe('one client alone', () => {
  it('speaks to nobody but with its proposals', () => {
    const room = opened()
    const since = room.carried.length
    room.do('c', put(2))
    expect(kinds(room, 'c', since)).toEqual(['propose', 'propose', 'propose', 'commit', 'commit', 'commit'])
  })
})
