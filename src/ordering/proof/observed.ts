// The machines as the explorer looks at them: what users know is part of the state, and so is a broken invariant.
//
// Time stands still, for no step of the order depends on it. A client's timers fire at any moment, whatever their delay,
// but only a few times: each attempt has a rank of its own, and two clients that overtake each other never come to an end.

import type { NodeId, Protocol, Saved } from '../../core/index.ts'
import type { OrderingCommand, OrderingEvent, OrderingTurn } from '../client/commands.ts'
import { orderingClient } from '../client/machine.ts'
import type { ClientState } from '../client/state.ts'
import { orderingServer } from '../server/machine.ts'
import type { ServerState } from '../server/state.ts'
import type { OrderingSettings } from '../settings.ts'
import type { Operation, OrderingMessage } from '../wire.ts'
import { decodeWords, type RegisterResult } from './register.ts'

/** What a client's user has done, and knows. */
export interface UserLog {
  asked: number
  /** How often its timers have fired. */
  fired: number
  gone: boolean
  /** By operation: the version that answered, and with what. */
  readonly answers: Map<number, { readonly version: number; readonly result: RegisterResult }>
  /** What this client saw a quorum take, by version. */
  readonly decided: Map<number, Uint8Array>
  /** The version from which another user was answered, by word of mouth. */
  heard: number
  /** The version that a read must not stand before. */
  readsFrom: number
  readonly reads: { readonly version: number; readonly value: string; readonly from: number }[]
  readonly blamed: NodeId[]
}

export interface ObservedClient {
  readonly machine: ClientState
  readonly user: UserLog
}

export interface ObservedServer {
  readonly machine: ServerState
  /** It has come back from a crash. */
  readonly again: boolean
  /** An invariant of the machine's own that does not hold. */
  broken: string | undefined
}

/** What users tell each other, by other ways than the servers. */
export interface Word {
  readonly kind: 'word'
  readonly version: number
}

export type ObservedCommand = OrderingCommand | { readonly kind: 'die' }
type Client = Protocol<ObservedClient, OrderingMessage | Word, ObservedCommand, never>
type Server = Protocol<ObservedServer, OrderingMessage, never, never>

/** Where nobody crashes nobody reads a disk: `keeps` false leaves it empty. */
export function observedServer(settings: OrderingSettings, keeps: boolean): Server {
  const server = orderingServer(settings)
  return {
    name: server.name,
    init: (self, peers, saved) => ({
      machine: server.init(self, peers, saved),
      again: (saved.get('')?.length ?? 0) > 1,
      broken: undefined,
    }),
    step(state, input, turn) {
      server.step(state.machine, input, {
        now: turn.now,
        below: bound => turn.below(bound),
        bytes: length => turn.bytes(length),
        do(effect) {
          if (effect.kind !== 'emit' && (keeps || effect.kind !== 'save')) turn.do(effect)
        },
      })
      try {
        server.check?.(state.machine)
      } catch (error) {
        state.broken = String(error)
      }
    },
  }
}

export interface Observation {
  /** How often the timers of one client fire. */
  readonly timers: number
  /** Who hears of the answers that this client's user was given, and of its end. */
  readonly tells: NodeId | undefined
  /** A get asks all servers for content, not f + b + 1 of them. */
  readonly asksAll: boolean
  /** Brings a new machine to where the system begins. */
  begin(machine: ClientState): void
}

export function observedClient(settings: OrderingSettings, observation: Observation): Client {
  const client = orderingClient(settings)
  return {
    name: client.name,
    init(self: NodeId, peers: readonly NodeId[], saved: Saved) {
      const machine = client.init(self, peers, saved)
      observation.begin(machine)
      return { machine, user: nothingYet() }
    },
    step({ machine, user }, input, turn) {
      if (user.gone) return
      const heard = listening(user, observation, machine.servers, turn)
      switch (input.kind) {
        case 'command':
          if (input.body.kind === 'die') end(user, observation, turn)
          else client.step(machine, { kind: 'command', body: asked(user, input.body) }, heard)
          return
        case 'message':
          if (input.body.kind === 'word') user.heard = Math.max(user.heard, input.body.version)
          else client.step(machine, { ...input, body: input.body }, heard)
          return
        case 'timer':
          if (user.fired++ < observation.timers) client.step(machine, input, heard)
          return
        case 'start':
        case 'stop':
          return client.step(machine, input, heard)
      }
    },
  }
}

function end(user: UserLog, { tells }: Observation, turn: ClientTurn): void {
  user.gone = true
  if (tells !== undefined) turn.do({ kind: 'send', to: tells, body: { kind: 'word', version: 1 } })
}

function nothingYet(): UserLog {
  return {
    asked: 0,
    fired: 0,
    gone: false,
    answers: new Map(),
    decided: new Map(),
    heard: 0,
    readsFrom: 0,
    reads: [],
    blamed: [],
  }
}

function asked(user: UserLog, body: OrderingCommand): OrderingCommand {
  if (body.kind === 'submit') user.asked++
  const own = [...user.answers.values()].map(({ version }) => version)
  if (body.kind === 'read') user.readsFrom = Math.max(user.heard, ...own)
  return body
}

type ClientTurn = Parameters<Client['step']>[2]

function listening(
  user: UserLog,
  { timers, tells, asksAll }: Observation,
  servers: readonly NodeId[],
  turn: ClientTurn,
): OrderingTurn {
  let submitted: readonly Operation[] | undefined
  return {
    now: turn.now,
    below: bound => turn.below(bound),
    bytes: length => turn.bytes(length),
    do(effect) {
      switch (effect.kind) {
        case 'emit':
          hear(user, effect.event)
          if (tells !== undefined && effect.event.kind === 'answered') {
            turn.do({ kind: 'send', to: tells, body: { kind: 'word', version: effect.event.version } })
          }
          return
        case 'timer':
          if (user.fired < timers) turn.do({ ...effect, after: 0 })
          return
        case 'send': {
          const { body } = effect
          if (asksAll && body.kind === 'get') turn.do({ ...effect, body: { ...body, content: true } })
          else if (body.kind !== 'submit') turn.do(effect)
          // A client's contacts follow from its name. Here all servers are: what the others hear may be lost.
          else if (body.operations !== submitted) for (const to of servers) turn.do({ ...effect, to })
          if (body.kind === 'submit') submitted = body.operations
          return
        }
        default:
          turn.do(effect)
      }
    },
  }
}

function hear(user: UserLog, event: OrderingEvent): void {
  switch (event.kind) {
    case 'answered':
      user.answers.set(event.id, { version: event.version, result: decodeWords<RegisterResult>(event.body) })
      return
    case 'decided':
      user.decided.set(event.head.version, event.head.digest)
      return
    case 'value': {
      const stored = event.entries[0]?.value
      const value = stored === undefined ? '' : decodeWords<string>(stored)
      user.reads.push({ version: event.version, value, from: user.readsFrom })
      return
    }
    case 'lied':
      user.blamed.push(event.server)
      return
    default:
  }
}
