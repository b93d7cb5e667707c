// A client that means no good: it was let in, and calls versions committed that nobody has. Of what it says, some is far away
// (version 2^40), some is the very next version in another state, and some hangs as a proposal on a version that never was.
// Believed, nobody has what leads there, and nobody goes on. The rule `mayTake` stands against it.

import { type Millis, type Protocol, timers } from '../../core/index.ts'
import type { Hash } from '../settings.ts'
import { encodeChange } from '../versions/content.ts'
import { nextDigest } from '../versions/digest.ts'
import { DIGEST_BYTES, type OrderingMessage } from '../wire.ts'

interface SpoilerState {
  readonly self: string
  readonly servers: readonly string[]
  questions: number
}

/** Often enough that some of it comes between any two versions. */
const SPOIL_EVERY: Millis = 100
const FAR = 2 ** 40
const spoilerTimers = timers('spoil')

export function spoilerClient(
  objects: readonly string[],
  hash: Hash,
): Protocol<SpoilerState, OrderingMessage, never, never> {
  const garbage = new Uint8Array(DIGEST_BYTES).fill(7)
  const change = encodeChange([{ key: 'key x', value: new Uint8Array([34, 34]) }])
  return {
    name: 'ordering client, a spoiler',
    init: (self, servers) => ({ self, servers, questions: 0 }),
    step(state, input, turn) {
      if (input.kind === 'start' || input.kind === 'timer') {
        for (const object of objects) {
          const body = { kind: 'read', object, query: ++state.questions, keys: [], content: false } as const
          for (const to of state.servers) turn.do({ kind: 'send', to, body })
        }
        return spoilerTimers.set(turn, 'spoil', SPOIL_EVERY)
      }
      if (input.kind !== 'message' || input.body.kind !== 'readings') return
      const { object, committed, proposed } = input.body
      const rank = { counter: (proposed?.rank.counter ?? 0) + 1, client: state.self }
      const to = input.from
      for (const version of [committed.version + 1, committed.version + 2, FAR]) {
        turn.do({ kind: 'send', to, body: { kind: 'commit', object, rank, version, digest: garbage } })
        const digest = nextDigest(hash, garbage, version + 1, change)
        turn.do({
          kind: 'send',
          to,
          body: { kind: 'propose', object, rank, version: version + 1, parent: garbage, digest, change },
        })
      }
    },
  }
}
