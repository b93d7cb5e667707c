// Liars that need to know nothing of what they lie about. A liar may say anything, but only as itself:
// the world stamps the sender. A protocol's folder adds those that know its words (always-yes, two-faced, …).
//
// Each is a wrapper that makes a machine out of the honest one.

import { type AnyProtocol, type Effect, fromHex, type NodeId, type Turn, toHex } from '../core/index.ts'

/** Turns an honest machine into one that lies. */
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
      ...(honest.wire && { wire: honest.wire }),
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

/** Says nothing. */
export const silent: Liar = twisting('silent', () => {})

/** Says everything, but late: after answers to it have lost their meaning. The words wait in the timer's name. */
export const slow: Liar = twisting('slow', (send, turn) => {
  const after = 1 + turn.below(3_000)
  // The delay makes the name another one for the same words said again.
  turn.do({ kind: 'timer', name: `lie:${JSON.stringify([send.to, send.body, after], pack)}`, after })
})

function late(name: string, turn: AnyTurn): void {
  const [to, body] = JSON.parse(name.slice('lie:'.length), unpack) as [NodeId, unknown]
  turn.do({ kind: 'send', to, body })
}

// Messages are plain data; JSON knows neither bytes nor large integers.
function pack(_field: string, value: unknown): unknown {
  if (value instanceof Uint8Array) return { 'lie bytes': toHex(value) }
  if (typeof value === 'bigint') return { 'lie bigint': String(value) }
  return value
}

function unpack(_field: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if ('lie bytes' in value) return fromHex(value['lie bytes'] as string)
  if ('lie bigint' in value) return BigInt(value['lie bigint'] as string)
  return value
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

/** Changes numbers and truth values at random, also inside what another part of a composed node says. */
export const forging: Liar = twisting('forging', (send, turn) => {
  turn.do({ kind: 'send', to: send.to, body: forged(send.body, turn) })
})

function forged(value: unknown, turn: AnyTurn): unknown {
  if (typeof value === 'object' && value !== null) return forgedFields(value, turn)
  if (turn.below(3) > 0) return value
  if (typeof value === 'boolean') return !value
  // It may leave a field's limits: what cannot be put on the wire, the world does not carry.
  if (typeof value === 'number') return Math.max(0, value + turn.below(2_001) - 1_000)
  return value
}

function forgedFields(value: object, turn: AnyTurn): unknown {
  if (value instanceof Uint8Array) return value
  if (Array.isArray(value)) return value.map(item => forged(item, turn))
  return Object.fromEntries(Object.entries(value).map(([field, item]) => [field, forged(item, turn)]))
}

/** Fresh ones for each run: some remember. */
export function generalLiars(): readonly Liar[] {
  return [silent, slow, replaying(), forging]
}
