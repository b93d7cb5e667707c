// The lock's words on the wire, with their limits. Append only: the place in the list is the number on the wire.

import { bool, type Codec, list, type NodeId, struct, text, uint, variants } from '../core/index.ts'

/** Bytes of a lock's name: enough for a path, small enough that a million names fit in memory. */
export const NAME_BYTES_MAX = 200
/** Bytes of a node's name, with the instance of a client. */
export const NODE_BYTES_MAX = 100
/** A day. A longer lease would keep a restarted server waiting for longer than anybody waits. */
export const TTL_MAX = 24 * 60 * 60 * 1000
/** Tokens stay far enough below 2^53 that a client can always add what it may add at once. */
export const TOKEN_MAX = 2 ** 53 - 2 ** 40
/** Leases in one answer to `inspect`: together about 200 kB, well below a frame. */
export const INSPECTED_MAX = 500
/** Waiters shown of one lease, and in one answer: together at most 200 kB more. */
export const WAITERS_SHOWN_MAX = 20
export const INSPECTED_WAITERS_MAX = 2_000
/** Complaints in one answer: together at most 60 kB. */
export const COMPLAINTS_SHOWN_MAX = 100
/** Bytes of what a server is accused of: the client's words for a kind of lie. */
export const WHAT_BYTES_MAX = 100

/** What a client says to a server. */
export type ClientMessage =
  /** Asks for the lock for `ttl`, under `token`. */
  | { kind: 'try'; name: string; attempt: number; token: number; ttl: number }
  /** Lets go. `unused`: the client never believed that it held. */
  | { kind: 'release'; name: string; token: number; unused: boolean }
  | { kind: 'renew'; name: string; attempt: number; token: number; ttl: number }
  | { kind: 'inspect'; query: number }
  /** Waits in the server's list for the lock, in the order of tickets; sent again and again, with a new `ping`. */
  | { kind: 'wait'; name: string; attempt: number; token: number; ttl: number; ticket: number; ping: number }
  /** Gives a grant from the list back, for somebody with an earlier ticket; waits on. */
  | { kind: 'yield'; name: string; grant: number; token: number }
  /** An operator takes the lock from its holder (server/force.ts). */
  | { kind: 'force'; query: number; name: string }
  /** A renewal for `holder`, another instance of the same certificate: from a thread that the holder's work cannot block. */
  | { kind: 'keep'; name: string; attempt: number; token: number; ttl: number; holder: NodeId }
  /** An operator lowers the floor of tokens to this server's wall clock (server/reset.ts). */
  | { kind: 'resetFloor'; query: number }
  /** What `inspect` does not tell: tokens, the clock, and of whom clients complain. */
  | { kind: 'account'; query: number }
  /** `server` said what cannot be true, about this lock. */
  | { kind: 'complain'; server: NodeId; what: string; name: string }

/** One lease, as a server tells of it. */
export interface InspectedLease {
  readonly name: string
  readonly holder: NodeId
  readonly token: number
  /** Milliseconds since it was granted, and until it runs out, by this server's clock. */
  readonly age: number
  readonly remaining: number
  /** The first of those who wait, in the order of tickets. */
  readonly waiters: readonly NodeId[]
}

/** What a server says to a client. */
export type ServerMessage =
  /** For `held` milliseconds from when the request arrived: what was asked for, or the longest that this server grants. */
  | { kind: 'granted'; name: string; attempt: number; token: number; held: number }
  /** Somebody else holds it, or the server still waits after a restart (`recovering`). */
  | { kind: 'locked'; name: string; attempt: number; remaining: number; recovering: boolean }
  /** The token is not above every token granted before. */
  | { kind: 'tooLow'; name: string; attempt: number; maximum: number }
  | { kind: 'renewed'; name: string; attempt: number; token: number; held: number }
  /** Not renewed, for good: another holder, or a token that is over. */
  | { kind: 'notRenewed'; name: string; attempt: number; token: number }
  | {
      kind: 'inspected'
      query: number
      uptime: number
      /** Milliseconds for which this server still grants nothing after its restart. */
      recovering: number
      held: number
      leases: readonly InspectedLease[]
    }
  /** Too many names are locked at once. */
  | { kind: 'full'; name: string; attempt: number }
  /** The lock, to a client that waits: for `held` milliseconds from no earlier than when `ping` was sent. */
  | { kind: 'given'; name: string; attempt: number; token: number; grant: number; ping: number; held: number }
  /** In the list. */
  | { kind: 'queued'; name: string; attempt: number; ping: number }
  /** An earlier ticket came: a client that has not won yet should yield this grant. */
  | { kind: 'inquire'; name: string; grant: number; token: number }
  /** The lock is free here; `holder` had it, under `token` ('' and 0: nobody). */
  | { kind: 'forced'; query: number; holder: NodeId; token: number }
  /** Only operators may. */
  | { kind: 'notAllowed'; query: number }
  /** The token is above `maximum`, the largest that this server's wall clock lets it take. */
  | { kind: 'tooHigh'; name: string; attempt: number; maximum: number }
  /** The floor is `floor` now, and was `was`. */
  | { kind: 'floorReset'; query: number; floor: number; was: number }
  | ({ kind: 'accounted'; query: number } & Account)

/** What a server says of its tokens and of those whom clients accuse. */
export interface Account {
  /** No token above it was granted. */
  readonly highest: number
  /** Its wall clock in microseconds, or 0 where it knows none. */
  readonly clock: number
  /** It lost its store, and has not yet heard from enough others which tokens were granted. */
  readonly asking: boolean
  /** Names kept, and how many of them belong to the client that has most. */
  readonly names: number
  readonly namesOfOne: number
  readonly complaints: readonly LockComplaint[]
}

/** A client's word that a server lied about a lock. */
export interface LockComplaint {
  readonly client: NodeId
  readonly server: NodeId
  readonly what: string
  /** The lock. */
  readonly name: string
}

/** What servers say to each other. */
export type PeerMessage =
  /** From one that lost its store: which tokens were granted? */
  { kind: 'askFloor'; query: number } | { kind: 'floor'; query: number; floor: number }

/** What clients and servers of a lock say to each other. */
export type LockMessage = ClientMessage | ServerMessage | PeerMessage

const name = text(NAME_BYTES_MAX)
const attempt = uint()
const token = uint(TOKEN_MAX)
const ttl = uint(TTL_MAX)

const lease: Codec<InspectedLease> = struct<InspectedLease>({
  name,
  holder: text(NODE_BYTES_MAX),
  token,
  age: uint(),
  remaining: ttl,
  waiters: list(text(NODE_BYTES_MAX), WAITERS_SHOWN_MAX),
})

const complaint: Codec<LockComplaint> = struct<LockComplaint>({
  client: text(NODE_BYTES_MAX),
  server: text(NODE_BYTES_MAX),
  what: text(WHAT_BYTES_MAX),
  name,
})

/** The messages of the lock on the wire. */
export const lockVocabulary: Codec<LockMessage> = variants<LockMessage>({
  try: { name, attempt, token, ttl },
  release: { name, token, unused: bool },
  renew: { name, attempt, token, ttl },
  inspect: { query: uint() },
  granted: { name, attempt, token, held: ttl },
  locked: { name, attempt, remaining: ttl, recovering: bool },
  tooLow: { name, attempt, maximum: token },
  renewed: { name, attempt, token, held: ttl },
  notRenewed: { name, attempt, token },
  inspected: { query: uint(), uptime: uint(), recovering: ttl, held: uint(), leases: list(lease, INSPECTED_MAX) },
  full: { name, attempt },
  wait: { name, attempt, token, ttl, ticket: token, ping: uint() },
  yield: { name, grant: uint(), token },
  given: { name, attempt, token, grant: uint(), ping: uint(), held: ttl },
  queued: { name, attempt, ping: uint() },
  inquire: { name, grant: uint(), token },
  force: { query: uint(), name },
  forced: { query: uint(), holder: text(NODE_BYTES_MAX), token },
  notAllowed: { query: uint() },
  keep: { name, attempt, token, ttl, holder: text(NODE_BYTES_MAX) },
  askFloor: { query: uint() },
  floor: { query: uint(), floor: token },
  tooHigh: { name, attempt, maximum: token },
  resetFloor: { query: uint() },
  floorReset: { query: uint(), floor: token, was: token },
  account: { query: uint() },
  accounted: {
    query: uint(),
    highest: token,
    clock: uint(),
    asking: bool,
    names: uint(),
    namesOfOne: uint(),
    complaints: list(complaint, COMPLAINTS_SHOWN_MAX),
  },
  complain: { server: text(NODE_BYTES_MAX), what: text(WHAT_BYTES_MAX), name },
})

/** Restarts of one server that can be told apart: grants are numbered by life, then by order. */
export const LIVES_MAX = 2 ** 21 - 1

/** What a server keeps on disk. The last record counts. */
export type ServerRecord =
  /** Left by `coterie init`: this server has never granted anything. */
  | { kind: 'first' }
  /** No token above `reserved` was ever granted. Leases may be out: after this, wait. */
  | { kind: 'running'; reserved: number; life: number }
  /** A clean stop: exactly these leases are out. */
  | { kind: 'stopped'; floor: number; life: number; leases: readonly StoppedLease[] }
  /** Its store was lost, and it does not know yet which tokens were granted. */
  | { kind: 'lost'; life: number }

export interface StoppedLease {
  readonly name: string
  readonly holder: NodeId
  readonly token: number
  readonly remaining: number
}

/**
 * Leases that a clean stop can hand to the next start; with more, the next start waits as after a crash.
 * With the longest names they take 15.8 MB: a stored record has at most 16.
 */
export const STOPPED_LEASES_MAX = 50_000

/** What a server saves, as bytes. */
export const serverRecord: Codec<ServerRecord> = variants<ServerRecord>({
  first: {},
  running: { reserved: token, life: uint(LIVES_MAX) },
  stopped: {
    floor: token,
    life: uint(LIVES_MAX),
    leases: list(
      struct<StoppedLease>({ name, holder: text(NODE_BYTES_MAX), token, remaining: ttl }),
      STOPPED_LEASES_MAX,
    ),
  },
  lost: { life: uint(LIVES_MAX) },
})
