// Liars that need to know nothing of what they lie about. A liar may say anything, but only as itself:
// the world stamps the sender. A protocol's folder adds those that know its words (always-yes, two-faced, …).
//
// Each is a wrapper that makes a machine out of the honest one.

import type { AnyProtocol, Effect, NodeId, Turn } from '../core/index.ts'

export interface Liar {
  readonly name: string
  corrupt(honest: AnyProtocol): AnyProtocol
}

type Send = { kind: 'send'; to: NodeId; body: Record<string, unknown> }
// biome-ignore lint/suspicious/noExplicitAny: liars wrap machines of every vocabulary
type AnyTurn = Turn<any, any>

/** A liar made of what it does with each message that the honest machine would send. */
export function twisting(name: string, twist: (send: Send, turn: AnyTurn) => void): Liar {
  return {
    name,
    corrupt: honest => ({
      name: `${honest.name}, ${name}`,
      init: (self, peers, saved) => honest.init(self, peers, saved),
      step(state, input, turn) {
        if (input.kind === 'timer' && input.name.startsWith('lie:')) return late(input.name, turn)
        honest.step(state, input, {
          now: turn.now,
          below: bound => turn.below(bound),
          bytes: length => turn.bytes(length),
          do(effect: Effect<never, never>) {
            if (effect.kind === 'send') twist(effect as unknown as Send, turn)
            else turn.do(effect)
          },
        })
      },
    }),
  }
}

export const silent: Liar = twisting('silent', () => {})

/** Says everything, but late: after answers to it have lost their meaning. The words wait in the timer's name. */
export const slow: Liar = twisting('slow', (send, turn) => {
  const name = `lie:${JSON.stringify([send.to, send.body])}`
  turn.do({ kind: 'timer', name, after: 1 + turn.below(3_000) })
})

function late(name: string, turn: AnyTurn): void {
  const [to, body] = JSON.parse(name.slice('lie:'.length)) as [NodeId, unknown]
  turn.do({ kind: 'send', to, body })
}

/** Answers with what it once said to anybody, as if nothing had changed. */
export function replaying(): Liar {
  const said: Send['body'][] = []
  return twisting('replaying', (send, turn) => {
    if (said.length < 1000) said.push(send.body)
    const old = said[turn.below(said.length)]!
    turn.do({ kind: 'send', to: send.to, body: old })
    // The stale words about the matter at hand: everything as once said, in answer to the question of today.
    const fresh = { ...old, ...commonFields(old, send.body) }
    turn.do({ kind: 'send', to: send.to, body: fresh })
  })
}

// What ties an answer to its question: without it, nobody would listen.
function commonFields(old: Send['body'], now: Send['body']): Send['body'] {
  const tied: Send['body'] = {}
  for (const field of ['name', 'attempt', 'query', 'token']) if (field in old && field in now) tied[field] = now[field]
  return tied
}

/** Changes numbers and truth values at random. */
export const forging: Liar = twisting('forging', (send, turn) => {
  const body = { ...send.body }
  for (const [field, value] of Object.entries(body)) {
    if (turn.below(3) > 0) continue
    if (typeof value === 'boolean') body[field] = !value
    if (typeof value === 'number') body[field] = Math.max(0, Math.min(value + turn.below(2001) - 1000, 86_400_000))
  }
  turn.do({ kind: 'send', to: send.to, body })
})

/** Fresh ones for each run: some remember. */
export function generalLiars(): readonly Liar[] {
  return [silent, slow, replaying(), forging]
}
