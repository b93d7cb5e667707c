// Servers that lie about locks, knowing the words. Used by the simulator, the explorer and the lab.

import { type AnyProtocol, type NodeId, type Protocol, type Turn, timers } from '../../core/index.ts'
import { generalLiars, type Liar, twisting } from '../../simulator/index.ts'
import type { ServerState } from '../server/state.ts'
import { type ClientMessage, type LockMessage, TOKEN_MAX, TTL_MAX } from '../wire.ts'

type Reply = (from: NodeId, asked: ClientMessage) => LockMessage | undefined

/** A server that remembers nothing and answers as it likes. */
function answering(name: string, reply: Reply): AnyProtocol {
  const machine: Protocol<Record<string, never>, LockMessage, never, never> = {
    name: `lock server, ${name}`,
    init: () => ({}),
    step(_state, input, turn) {
      if (input.kind !== 'message') return
      const body = reply(input.from, input.body as ClientMessage)
      if (body !== undefined) turn.do({ kind: 'send', to: input.from, body })
    },
  }
  return machine
}

type Asking = Extract<ClientMessage, { kind: 'try' | 'renew' | 'keep' | 'wait' }>

/** Larger than honest numbers of a first life, so that one yield does not end the lie. */
const LIED_GRANT = 2 ** 40

function echo({ name, attempt, token, ttl }: Asking) {
  return { name, attempt, token, held: ttl }
}

export function yes(asked: ClientMessage): LockMessage | undefined {
  if (asked.kind === 'try') return { kind: 'granted', ...echo(asked) }
  if (asked.kind === 'renew' || asked.kind === 'keep') return { kind: 'renewed', ...echo(asked) }
  if (asked.kind === 'wait') return { kind: 'given', ...echo(asked), grant: LIED_GRANT + asked.ping, ping: asked.ping }
  return undefined
}

export function no(asked: ClientMessage): LockMessage | undefined {
  if (asked.kind === 'wait') return { kind: 'queued', name: asked.name, attempt: asked.attempt, ping: asked.ping }
  if (asked.kind !== 'try' && asked.kind !== 'renew' && asked.kind !== 'keep') return undefined
  return { kind: 'locked', name: asked.name, attempt: asked.attempt, remaining: 1_000, recovering: false }
}

/** Grants everything to everybody. */
export const alwaysYes: Liar = {
  name: 'always-yes',
  corrupt: () => answering('always-yes', (_from, asked) => yes(asked)),
}

/** Yes to some clients, no to the others. */
export const equivocating: Liar = {
  name: 'equivocating',
  corrupt: () =>
    answering('equivocating', (from, asked) => (from.charCodeAt(from.length - 1) % 2 === 0 ? yes(asked) : no(asked))),
}

/** Said again and again, about as often as a peer may speak. */
const BURN_EVERY = 2
const BURNED_MAX = 8

/**
 * Says that every token is too low, by as much as it can: to everybody who asks, and again and again to those who asked
 * last. Asked for its floor by one that lost its store, it says the same.
 */
export const tokenBurner: Liar = {
  name: 'token-burner',
  corrupt: () => {
    const machine: Protocol<Map<NodeId, LockMessage>, LockMessage, never, never> = {
      name: 'lock server, token-burner',
      init: () => new Map(),
      step(asked, input, turn) {
        if (input.kind === 'start') return burnerTimers.set(turn, 'burn', BURN_EVERY)
        if (input.kind === 'timer') {
          for (const [to, body] of asked) turn.do({ kind: 'send', to, body })
          return burnerTimers.set(turn, 'burn', BURN_EVERY)
        }
        if (input.kind !== 'message') return
        const { from, body } = input
        if (body.kind === 'askFloor')
          return turn.do({ kind: 'send', to: from, body: { kind: 'floor', query: body.query, floor: TOKEN_MAX } })
        if (body.kind === 'release') asked.delete(from)
        if (body.kind !== 'try' && body.kind !== 'wait') return
        const lie = { kind: 'tooLow', name: body.name, attempt: body.attempt, maximum: TOKEN_MAX } as const
        turn.do({ kind: 'send', to: from, body: lie })
        if (asked.size < BURNED_MAX || asked.has(from)) asked.set(from, lie)
      },
    }
    return machine
  },
}

const burnerTimers = timers('burn')

/** Tells one that lost its store that nothing was ever granted; otherwise honest. */
export const floorDenier: Liar = twisting('floor-denier', (send, turn) => {
  const body = send.body.kind === 'floor' ? { ...send.body, floor: 0 } : send.body
  turn.do({ ...send, body })
})

/** As often as it may, within the shortest lease of the scenario. */
const GRAB_EVERY = 50
/** Names that it remembers: the newest. */
const GRABBED_MAX = 8

/**
 * Honest to clients. Of the other servers it asks for every lock that it hears of, as a client would: first in every line,
 * above every token, for as long as can be.
 */
export const usurping: Liar = {
  name: 'usurping',
  corrupt: honest => {
    const names = new Map<string, number>()
    return {
      ...honest,
      name: `${honest.name}, usurping`,
      step(state: ServerState, input, turn: Turn<LockMessage, never>) {
        if (input.kind === 'start') usurperTimers.set(turn, 'lie', GRAB_EVERY)
        if (input.kind === 'timer' && input.name === 'lie') {
          for (const [name, token] of names) grab(state.others, name, token + 1, turn)
          return usurperTimers.set(turn, 'lie', GRAB_EVERY)
        }
        if (input.kind === 'message') {
          const { kind, name, token } = input.body as ClientMessage & { kind: 'try' }
          if (['try', 'wait', 'renew'].includes(kind)) remember(names, name, token)
        }
        honest.step(state, input, turn)
      },
    }
  },
}

const usurperTimers = timers('lie')

function remember(names: Map<string, number>, name: string, token: number): void {
  const before = names.get(name) ?? 0
  names.delete(name)
  names.set(name, Math.max(before, token))
  if (names.size > GRABBED_MAX) names.delete(names.keys().next().value!)
}

function grab(others: readonly NodeId[], name: string, token: number, turn: Turn<LockMessage, never>): void {
  const asked = { name, attempt: 1, token, ttl: TTL_MAX }
  for (const to of others) {
    turn.do({ kind: 'send', to, body: { kind: 'wait', ...asked, ticket: 0, ping: 1 } })
    turn.do({ kind: 'send', to, body: { kind: 'renew', ...asked } })
  }
}

/** Liars that agree on two favourites: the last two clients that came. */
export function colluding(): Liar {
  const favourites: NodeId[] = []
  return {
    name: 'colluding',
    corrupt: () =>
      answering('colluding', (from, asked) => {
        if ((asked.kind === 'try' || asked.kind === 'wait') && !favourites.includes(from)) favourites.push(from)
        if (favourites.length > 2) favourites.shift()
        return favourites.includes(from) ? yes(asked) : no(asked)
      }),
  }
}

/** Asks everybody who waits for its grants back, in the name of somebody earlier who does not exist. */
export const inquisitor: Liar = {
  name: 'inquisitor',
  corrupt: () =>
    answering('inquisitor', (_from, asked) =>
      asked.kind === 'wait' ? { kind: 'inquire', name: asked.name, grant: LIED_GRANT, token: asked.token } : yes(asked),
    ),
}

/** Fresh ones for each run: some remember. */
export function lockLiars(): readonly Liar[] {
  return [alwaysYes, equivocating, tokenBurner, floorDenier, inquisitor, colluding(), ...generalLiars()]
}

/** Yes and no to everything, without memory: under the explorer the network chooses what arrives, and in which order. */
export const twoFaced: Liar = {
  name: 'two-faced',
  corrupt: () => ({
    name: 'lock server, two-faced',
    init: () => ({}),
    step(_state, input, turn) {
      if (input.kind !== 'message') return
      for (const body of [yes(input.body), no(input.body)]) {
        if (body !== undefined) turn.do({ kind: 'send', to: input.from, body })
      }
    },
  }),
}
