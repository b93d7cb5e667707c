// What a lock client remembers, and the words its user speaks to it.

import { assert, type Millis, type NodeId, type NotAcquiredReason, type Scene, timers } from '../../core/index.ts'
import type { BackoffName } from '../backoff.ts'
import type { LockSettings } from '../settings.ts'
import { type Account, type InspectedLease, type LockMessage, TTL_MAX } from '../wire.ts'

/** What a user asks of the lock. */
export type ClientCommand =
  | {
      kind: 'acquire'
      id: number
      name: string
      ttl: Millis
      /** False: one try, then `failed`. */
      wait: boolean
      /** Wait in the servers' lists, in the order of tickets; otherwise back off between tries. */
      fair?: boolean
      /** How to back off; the group's setting by default. */
      strategy?: BackoffName
      /** Renew by itself while held. */
      renew: boolean
      /** A first guess for the token: the wall clock in microseconds, or 0. */
      hint: number
    }
  /** Lets go, or gives up the attempt. */
  | { kind: 'release'; id: number; name: string }
  | { kind: 'extend'; id: number; name: string; ttl: Millis }
  | { kind: 'inspect'; id: number }
  /** For operators: takes the lock from its holder. */
  | { kind: 'force'; id: number; name: string }
  /** What servers say of their tokens and of each other. */
  | { kind: 'account'; id: number }
  /** For operators: lowers the floor of tokens to the servers' wall clocks. */
  | { kind: 'resetFloor'; id: number }
  /** The keeper has proved that enough servers hold until `deadline`, without a break. */
  | { kind: 'sustain'; id: number; name: string; deadline: Millis }

/** What the lock tells its user. */
export type ClientEvent =
  /** Held until `deadline` on this process's clock. */
  | { kind: 'acquired'; id: number; name: string; token: number; deadline: Millis }
  | { kind: 'failed'; id: number; name: string; reason: NotAcquiredReason; answers: Answers }
  | { kind: 'extended'; id: number; name: string; deadline: Millis }
  /** No longer held, before anybody else can hold it. */
  | { kind: 'lost'; id: number; name: string; answers: Answers }
  /** Let go by command. */
  | { kind: 'released'; id: number; name: string }
  /** What each server that answered in time says of itself. */
  | { kind: 'inspected'; id: number; servers: readonly InspectedServer[] }
  /** What each server that answered in time did with a lock that was to be freed. */
  | { kind: 'forced'; id: number; servers: readonly ForcedServer[] }
  | { kind: 'accounted'; id: number; servers: readonly AccountedServer[] }
  | { kind: 'floorReset'; id: number; servers: readonly ResetServer[] }
  /** A server said what cannot be true: told once for each server and kind of lie. */
  | { kind: 'lied'; server: NodeId; what: string; name: string }
  /** A question that was not sent to any server: too many are under way, or it cannot be said on the wire. */
  | { kind: 'refused'; id: number; reason: 'crowded' | 'invalid' }

export type ClientScene = Scene<ClientState, LockSettings, LockMessage, ClientEvent>

/** The first six are about a lock's name, the others about the number of a question. */
export const clientTimers = timers(
  'answers',
  'backoff',
  'ping',
  'renew',
  'end',
  'over',
  'inspect',
  'force',
  'account',
  'resetFloor',
)

/** Callers of one process who wait for one name: at 1 ms a turn the last waits for ten seconds. */
export const CALLERS_MAX = 10_000
/** Questions under way at once: each keeps up to n answers of some 200 kB for a second. */
export const QUESTIONS_MAX = 64
/** Pings whose time is remembered: a grant may echo one that is a few old. */
export const PINGS_KEPT = 16

/** Kinds of lies that a server can be caught at. */
export const BLAMED_MAX = 10

/** What each server said last, in words. */
export type Answers = Readonly<Record<NodeId, string>>

/** What one server answered to a forced release. */
export interface ForcedServer {
  readonly server: NodeId
  /** False: it says that we are no operator. */
  readonly allowed: boolean
  /** Who had it there, and under which token; '' and 0 where nobody had. */
  readonly holder: NodeId
  readonly token: number
}

/** What one server says of its tokens and complaints. */
export type AccountedServer = { readonly server: NodeId } & Account

/** What one server did about its floor of tokens. */
export interface ResetServer {
  readonly server: NodeId
  /** False: it says that we are no operator. */
  readonly allowed: boolean
  readonly floor: number
  readonly was: number
}

/** What one server says of its locks. */
export interface InspectedServer {
  readonly server: NodeId
  readonly roundTrip: Millis
  readonly uptime: Millis
  readonly recovering: Millis
  readonly held: number
  readonly leases: readonly InspectedLease[]
}

export type Answer =
  | { readonly kind: 'granted' }
  | { readonly kind: 'locked'; readonly remaining: Millis }
  | { readonly kind: 'recovering'; readonly remaining: Millis }
  | { readonly kind: 'tooLow'; readonly maximum: number }
  | { readonly kind: 'full' }
  | { readonly kind: 'tooHigh' }

export function describeAnswer(answer: Answer | undefined): string {
  switch (answer?.kind) {
    case undefined:
      return 'no answer'
    case 'granted':
      return 'granted'
    case 'locked':
      return 'held by another'
    case 'recovering':
      return `recovering for ${Math.ceil(answer.remaining / 1000)} s after a restart`
    case 'tooLow':
      return 'has granted a higher token'
    case 'full':
      return 'has too many names locked'
    case 'tooHigh':
      return 'takes no token so far above its own wall clock: compare the clocks of this machine and of the servers'
  }
}

export interface ClientState {
  readonly servers: readonly NodeId[]
  /** By name, at most one each: a process does not contend with itself, its callers wait for each other. */
  readonly acquisitions: Map<string, Acquisition>
  /** The last attempt's number; each try and each renewal has one of its own. */
  attempts: number
  /** The largest token this process tried or has good reason to believe in. */
  seen: number
  /** The newest word of a caller about the wall clock: with it an answer is judged that comes when its attempt is over. */
  clock: Clock | undefined
  /** The largest token with which this process ever took a lock, or 0. */
  used: number
  /** By the command's id. */
  readonly questions: Map<number, Question>
  /** What each server was caught at, and when that was last told. */
  readonly blamed: Map<string, Millis>
  /** The name that the last input was about: the one whose invariants a step can have broken. */
  latest: string
}

type Phase =
  /** Asked all servers once, and counts their answers. */
  | 'trying'
  /** Waits for its next try, or to come back into the lists. */
  | 'backing off'
  /** In the servers' lists. */
  | 'waiting'
  | 'held'
  /** The loss was told, and the deadline is not yet there. */
  | 'ending'

/** One caller's way to one lock: from the command, through tries or waiting, until what was held is let go. */
export interface Acquisition {
  readonly name: string
  id: number
  ttl: Millis
  wait: boolean
  fair: boolean
  strategy: BackoffName
  renew: boolean
  /** The wall clock's microseconds when the caller asked, or 0, and our clock then. */
  hint: number
  hintedAt: Millis
  phase: Phase
  /** The try or renewal under way, and when it was sent. */
  attempt: number
  sentAt: Millis
  token: number
  /** Failed tries: the s of figure 1. */
  tries: number
  /** The last backoff, for strategies that remember it; else 0. */
  waited: Millis
  /** What the servers answered to the attempt under way. */
  readonly answers: Map<NodeId, Answer>
  /** Until when each server is known to hold for us. */
  readonly until: Map<NodeId, Millis>
  /** Held while now < deadline: the g-th largest of `until`. */
  deadline: Millis
  /** Other callers of this process who wait for the same name, in order. */
  readonly callers: Caller[]
  /** While waiting in the servers' lists: our place in them, */
  ticket: number
  /** when we came into them under this token, */
  beganAt: Millis
  /** the number of the last ping, when the last ones were sent, */
  ping: number
  readonly pings: Map<number, Millis>
  /** the largest grant that was given back to each server, */
  readonly yielded: Map<NodeId, number>
  /** when each server last answered, since when we wait, and how many times we left the lists because too few answered. */
  readonly heardAt: Map<NodeId, Millis>
  waitsSince: Millis
  cutOffs: number
}

export interface Caller {
  readonly asked: AcquireCommand
  readonly since: Millis
}

export type AcquireCommand = ClientCommand & { kind: 'acquire' }

/** Something that all servers were asked, and what they have answered. */
export type Question =
  | { readonly kind: 'inspect'; readonly sentAt: Millis; readonly servers: InspectedServer[] }
  | { readonly kind: 'force'; readonly servers: ForcedServer[] }
  | { readonly kind: 'account'; readonly servers: AccountedServer[] }
  | { readonly kind: 'resetFloor'; readonly servers: ResetServer[] }

export function newClient(servers: readonly NodeId[]): ClientState {
  return {
    servers,
    acquisitions: new Map(),
    attempts: 0,
    seen: 0,
    clock: undefined,
    used: 0,
    questions: new Map(),
    blamed: new Map(),
    latest: '',
  }
}

/** The acquisition of that name, where it is in that phase: a timer may be late for what it was set for. */
export function inPhase(state: ClientState, name: string, phase: Phase): Acquisition | undefined {
  const acquisition = state.acquisitions.get(name)
  return acquisition?.phase === phase ? acquisition : undefined
}

/** What a caller said of the wall clock, and when. */
export type Clock = Pick<Acquisition, 'hint' | 'hintedAt'>

/** The wall clock in microseconds, as the caller's hint and the time since then tell it. */
export function clockOf({ hint, hintedAt }: Clock, now: Millis): number {
  return hint + Math.floor((now - hintedAt) * 1000)
}

/**
 * What the next token must exceed, or 0: what no honest server would take, as seen by our clock, is not followed. It would
 * be of no use, and this process would remember it when an operator has long mended the servers.
 */
export function raisedToken(
  { settings, turn }: ClientScene,
  acquisition: Acquisition,
  reported: readonly number[],
): number {
  const { rules, liars, tokenAheadMax } = settings
  const clock = clockOf(acquisition, turn.now)
  const higher = rules.raiseToken(acquisition.token, reported, liars, clock)
  return higher > rules.tokenMax(clock, tokenAheadMax) ? 0 : higher
}

/** Whether the caller has the lock, or had it a moment ago and is still stopping. */
export function isHolder({ phase }: Acquisition): boolean {
  return phase === 'held' || phase === 'ending'
}

export function checkClient(state: ClientState): void {
  assert(state.used <= state.seen, 'a token was used that was never tried')
  assert(state.questions.size <= QUESTIONS_MAX, 'too many questions under way')
  assert(state.blamed.size <= BLAMED_MAX * state.servers.length, 'more kinds of lies than there are words for')
  const acquisition = state.acquisitions.get(state.latest)
  if (acquisition !== undefined) checkAcquisition(state, acquisition)
}

function checkAcquisition(state: ClientState, acquisition: Acquisition): void {
  const { name, ttl, token, attempt, answers, until, yielded, heardAt } = acquisition
  assert(name === state.latest, `the acquisition of '${name}' is kept as '${state.latest}'`)
  assert(ttl >= 1 && ttl <= TTL_MAX, `a ttl of ${ttl} ms for '${name}'`)
  assert(attempt >= 1 && attempt <= state.attempts, `'${name}' is in an attempt that never began`)
  assert(token <= state.seen, `'${name}' is tried under a token that the next try could repeat`)
  assert(!isHolder(acquisition) || token <= state.used, `the token of '${name}' is held under and called unused`)
  assert(acquisition.phase !== 'waiting' || acquisition.fair, `'${name}' is in lists that its caller did not choose`)
  for (const known of [answers, until, yielded, heardAt])
    assert(known.size <= state.servers.length, `more servers than there are answered for '${name}'`)
  assert(acquisition.pings.size <= PINGS_KEPT, `too many pings of '${name}' are remembered`)
  assert(acquisition.callers.length <= CALLERS_MAX, `too many callers wait for '${name}'`)
}
