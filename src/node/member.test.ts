// What a member's node hears, and from whom.

import { describe, expect, it } from 'vitest'
import type { AnyProtocol, Input } from '../core/index.ts'
import { type MemberCommand, type MemberParts, memberOf } from './member.ts'

const PARTS = ['membership', 'election', 'questions', 'slots', 'hints', 'bandits', 'routing', 'interest']

/** A node of parts that note what they are given. */
function listening() {
  const heard: string[] = []
  const part = (name: string): AnyProtocol => ({
    name,
    init: () => ({}),
    step(_state, input: Input<unknown, unknown>) {
      if (input.kind === 'message') heard.push(`${name} from ${input.from}`)
    },
  })
  const node = memberOf(Object.fromEntries(PARTS.map(name => [name, part(name)])) as unknown as MemberParts)
  const state = node.init('self', [], new Map())
  const turn = { now: 0, below: () => 0, bytes: () => new Uint8Array(), do: () => {} }
  const hear = (from: string) => {
    for (const name of PARTS) {
      const body = { part: name, body: {} } as unknown as MemberCommand
      node.step(state, { kind: 'message', from, body } as never, turn)
    }
    return heard.splice(0)
  }
  return hear
}

describe('a client that is let in', () => {
  it('asks, and has no part in what members do: each of its processes would be another peer in gossip', () => {
    const hear = listening()
    expect(hear('ann')).toEqual(PARTS.map(name => `${name} from ann`))
    for (const process of ['billing#3f9a01c2d4e5f607', 'ann#0000000000000000', '#']) {
      expect(hear(process)).toEqual([`questions from ${process}`])
    }
  })
})
