// What a lock client remembers, and the words its user speaks to it.

import type { Millis, NodeId, NotAcquiredReason, Turn } from '../core/index.ts'
import type { BackoffName } from './backoff.ts'
import type { InspectedLease, LockMessage } from './messages.ts'

export type ClientCommand =
  | {
      kind: 'acquire'
      id: number
      name: string
      ttl: Millis
      /** False: one try, then `failed`. */
      wait: boolean
      /** Wait in the servers' lists, in the order of tickets; else by backing off. */
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
  /** For operators: takes the lock from whoever has it. */
  | { kind: 'force'; id: number; name: string }
  /** The keeper has proved that enough servers hold until `deadline`, without a break. */
  | { kind: 'sustain'; id: number; name: string; deadline: Millis }

export type ClientEvent =
  /** Held until `deadline` on this process's clock. */
  | { kind: 'acquired'; id: number; name: string; token: number; deadline: Millis }
  | { kind: 'failed'; id: number; name: string; reason: NotAcquiredReason; answers: Answers }
  | { kind: 'extended'; id: number; name: string; deadline: Millis }
  /** No longer held, before anybody else can hold it. */
  | { kind: 'lost'; id: number; name: string; answers: Answers }
  /** Let go by command. */
  | { kind: 'released'; id: number; name: string }
  /** What the servers said of themselves so far; `complete` when all have answered or the time is up. Not complete: refused, nobody was asked. */
  | { kind: 'inspected'; id: number; complete: boolean; servers: readonly InspectedServer[] }
  /** What each server that answered in time did with a lock that was to be freed. */
  | { kind: 'forced'; id: number; servers: readonly ForcedServer[] }

export type ClientTurn = Turn<LockMessage, ClientEvent>

/** What each server said last, in words. */
export type Answers = Readonly<Record<NodeId, string>>

export interface ForcedServer {
  readonly server: NodeId
  /** False: it says that we are no operator. */
  readonly allowed: boolean
  /** Who had it there, and under which token; '' and 0 where nobody had. */
  readonly holder: NodeId
  readonly token: number
}

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
  }
}

export interface ClientState {
  readonly servers: readonly NodeId[]
  /** At most one pursuit a name: a process does not contend with itself, its callers wait in line. */
  readonly pursuits: Map<string, Pursuit>
  /** The last attempt's number; each try and each renewal has one of its own. */
  attempts: number
  /** The largest token this process tried or has good reason to believe in. */
  seen: number
  /** The largest token with which this process ever took a lock, or 0. */
  used: number
  readonly queries: Map<number, Query>
  /** What the servers answered to each `force` under way. */
  readonly forces: Map<number, ForcedServer[]>
}

export interface Pursuit {
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
  /** 'ending': the loss was told, and the deadline is not yet there. */
  phase: 'trying' | 'backing off' | 'waiting' | 'held' | 'ending'
  /** The try or renewal under way, and when it was sent. */
  attempt: number
  sentAt: Millis
  token: number
  /** Failed tries so far: the s of figure 1. */
  tries: number
  /** The last backoff, for strategies that remember it; else 0. */
  waited: Millis
  /** What the servers answered to the attempt under way. */
  readonly answers: Map<NodeId, Answer>
  /** Until when each server is known to hold for us. */
  readonly until: Map<NodeId, Millis>
  /** Held while now < deadline: the g-th largest of `until`. */
  deadline: Millis
  /** Callers of this process who wait for the same name, and since when. */
  readonly line: { readonly asked: ClientCommand & { kind: 'acquire' }; readonly since: Millis }[]
  /** While waiting in the servers' lists: our place in them, */
  ticket: number
  /** when we came into them under this token, */
  beganAt: Millis
  /** the number of the last ping, when the last ones were sent, */
  ping: number
  readonly pings: Map<number, Millis>
  /** the largest grant that was given back to each server, */
  readonly yielded: Map<NodeId, number>
  /** when each server was heard of last, since when we wait, and how often we rested because too few were heard of. */
  readonly heard: Map<NodeId, Millis>
  waitsSince: Millis
  rests: number
}

export interface Query {
  readonly sentAt: Millis
  readonly servers: InspectedServer[]
}
