// The rule of the popular lock on several Redis servers, as two machines: what its algorithm says, without Redis. lab/redlock runs
// the real package on real servers; this is for runs that one can step through.
//
// A client asks all n servers to set the lock if nobody has it. It holds if more than half did, for the lease less the time that
// asking took less an allowance for drift. Otherwise it takes back what it got and tries again after a random pause.
// A majority is enough while all servers tell the truth and keep what they said. One that says yes to two is a majority twice.

import {
  bool,
  type Codec,
  type Millis,
  type NodeId,
  type Protocol,
  type Turn,
  timers,
  uint,
  variants,
} from '../../core/index.ts'

/** What the clients ask, and what a server answers. */
export type RedlockMessage =
  | { kind: 'set'; attempt: number; lease: number }
  | { kind: 'unset'; attempt: number }
  | { kind: 'answer'; attempt: number; ok: boolean }

/** The messages of the rule on the wire. */
export const redlockVocabulary: Codec<RedlockMessage> = variants<RedlockMessage>({
  set: { attempt: uint(), lease: uint() },
  unset: { attempt: uint() },
  answer: { attempt: uint(), ok: bool },
})

/** What a user asks. */
export type RedlockCommand = { kind: 'acquire' | 'release'; id: number }

/** What a client tells its user. */
export type RedlockEvent =
  | { kind: 'acquired'; id: number; deadline: Millis }
  | { kind: 'released'; id: number }
  | { kind: 'busy'; id: number }

/** The numbers of the package's documentation: an allowance of 1 % and 2 ms, a pause of 200 ms, give or take 200. */
export interface RedlockSettings {
  readonly lease: Millis
  readonly driftPart: number
  readonly driftMs: Millis
  readonly pause: Millis
  readonly jitter: number
}

export const redlockDefaults: RedlockSettings = { lease: 1_000, driftPart: 0.01, driftMs: 2, pause: 200, jitter: 200 }

interface ServerState {
  holder: { readonly client: NodeId; readonly attempt: number; readonly until: Millis } | undefined
}

/** Sets the lock if nobody has it; lets go only for the one that set it. */
export function redlockServer(): Protocol<ServerState, RedlockMessage, never, never> {
  return {
    name: 'redlock server',
    init: () => ({ holder: undefined }),
    step(state, input, turn) {
      if (input.kind !== 'message') return
      const { from, body } = input
      if (state.holder !== undefined && state.holder.until <= turn.now) state.holder = undefined
      if (body.kind === 'unset' && state.holder?.client === from && state.holder.attempt === body.attempt) {
        state.holder = undefined
      }
      if (body.kind !== 'set') return
      const ok = state.holder === undefined
      if (ok) state.holder = { client: from, attempt: body.attempt, until: turn.now + body.lease }
      turn.do({ kind: 'send', to: from, body: { kind: 'answer', attempt: body.attempt, ok } })
    },
  }
}

interface ClientState {
  readonly servers: readonly NodeId[]
  phase: 'idle' | 'asking' | 'pausing' | 'inside'
  id: number
  attempt: number
  askedAt: Millis
  readonly answers: Map<NodeId, boolean>
}

type ClientTurn = Turn<RedlockMessage, RedlockEvent>
const clientTimers = timers('wake')

/** Asks all, and believes a majority. */
export function redlockClient(
  settings: RedlockSettings = redlockDefaults,
): Protocol<ClientState, RedlockMessage, RedlockCommand, RedlockEvent> {
  return {
    name: 'redlock client',
    init: (_self, servers) => ({ servers, phase: 'idle', id: 0, attempt: 0, askedAt: 0, answers: new Map() }),
    step(state, input, turn) {
      if (input.kind === 'command') return onCommand(state, settings, input.body, turn)
      if (input.kind === 'timer' && state.phase !== 'inside') return ask(state, settings, turn)
      if (input.kind === 'timer') return letGo(state, turn)
      if (input.kind !== 'message' || input.body.kind !== 'answer') return
      const { from, body } = input
      if (state.phase !== 'asking' || body.attempt !== state.attempt || !state.servers.includes(from)) return
      if (!state.answers.has(from)) state.answers.set(from, body.ok)
      decide(state, settings, turn)
    },
  }
}

function onCommand(
  state: ClientState,
  settings: RedlockSettings,
  { kind, id }: RedlockCommand,
  turn: ClientTurn,
): void {
  if (kind === 'release') return state.phase === 'inside' && state.id === id ? letGo(state, turn) : undefined
  if (state.phase !== 'idle') return turn.do({ kind: 'emit', event: { kind: 'busy', id } })
  state.id = id
  ask(state, settings, turn)
}

function ask(state: ClientState, settings: RedlockSettings, turn: ClientTurn): void {
  state.phase = 'asking'
  state.attempt++
  state.askedAt = turn.now
  state.answers.clear()
  const body = { kind: 'set', attempt: state.attempt, lease: settings.lease } as const
  for (const to of state.servers) turn.do({ kind: 'send', to, body })
  // Servers that do not answer in time are as good as against it.
  clientTimers.set(turn, 'wake', settings.lease)
}

function decide(state: ClientState, settings: RedlockSettings, turn: ClientTurn): void {
  const yes = [...state.answers.values()].filter(Boolean).length
  const majority = Math.floor(state.servers.length / 2) + 1
  const deadline = state.askedAt + settings.lease - settings.lease * settings.driftPart - settings.driftMs
  if (yes >= majority && turn.now < deadline) {
    state.phase = 'inside'
    clientTimers.set(turn, 'wake', deadline - turn.now)
    return turn.do({ kind: 'emit', event: { kind: 'acquired', id: state.id, deadline } })
  }
  if (state.answers.size - yes <= state.servers.length - majority) return
  state.phase = 'pausing'
  unset(state, turn)
  clientTimers.set(turn, 'wake', settings.pause + turn.below(settings.jitter))
}

function letGo(state: ClientState, turn: ClientTurn): void {
  state.phase = 'idle'
  clientTimers.cancel(turn, 'wake')
  turn.do({ kind: 'emit', event: { kind: 'released', id: state.id } })
  unset(state, turn)
}

function unset(state: ClientState, turn: ClientTurn): void {
  for (const to of state.servers) turn.do({ kind: 'send', to, body: { kind: 'unset', attempt: state.attempt } })
}
