// The words of objects on the wire, with their limits. Append only: the place in the list is the number on the wire.
//
// A version travels as its change: the writes that lead from its parent to it, as bytes that nobody encodes twice.

import {
  bool,
  bytes,
  type Codec,
  list,
  type Millis,
  type NodeId,
  oneOf,
  option,
  struct,
  text,
  uint,
  variants,
} from '../core/index.ts'

/** Bytes of an object's name: enough for a path. */
export const OBJECT_BYTES_MAX = 200
/** Bytes of a node's name, with the instance of a client. */
const NODE_BYTES_MAX = 100
/** Bytes of a key, and of a value. A record of the store and a frame hold 16 MiB, a change must fit into both. */
export const KEY_BYTES_MAX = 1024
/** Bytes of a value. */
export const VALUE_BYTES_MAX = 8 * 2 ** 20
/** Bytes of a change: all that one operation puts and removes. */
export const CHANGE_BYTES_MAX = 15 * 2 ** 20
/** Bytes of an operation's body and of a response: what is larger belongs into values. */
export const BODY_BYTES_MAX = 8 * 2 ** 20
export const RESPONSE_BYTES_MAX = 2 ** 18
/** Writes in one change: a million entries can be laid down in a few of them. */
export const WRITES_MAX = 100_000
/** Operations in one message: more than a version takes. */
export const OPERATIONS_MAX = 4_096
/** Bytes of operations, changes and entries in one answer, beyond the first: well below a frame. */
export const ANSWER_BYTES_MAX = 2 ** 20
/** Changes, entries and keys in one answer. */
export const CHANGES_MAX = 1_024
export const ENTRIES_MAX = 16_384
/** Keys in one read. */
export const KEYS_MAX = 1_024
/** Sessions named as silent in one answer; the others are named when these have ended. */
export const SILENT_MAX = 64
/** Responses that wait for their client's acknowledgement, in one session: no client has more in flight. */
export const UNACKNOWLEDGED_MAX = 1_024
/** A day: an object that is bound to a session of a dead client should not stay for longer. */
export const SESSION_TTL_MAX = 24 * 60 * 60 * 1000
/** Ranks and versions stay far enough below 2^53 that one can always add to them. */
export const COUNTER_MAX = 2 ** 53 - 2 ** 40
export const DIGEST_BYTES = 32
const SIGNATURE_BYTES_MAX = 128
const NONCE_BYTES = 16
const WORDS_BYTES_MAX = 500
/** Objects in one answer to `inspect`. */
export const INSPECTED_MAX = 500
export const COMPLAINTS_SHOWN_MAX = 100

/** Unique per client; larger is later. Compared by counter, then by client. */
export interface Rank {
  readonly counter: number
  readonly client: NodeId
}

/** A version of an object, and the digest of its history. */
export interface Head {
  readonly version: number
  readonly digest: Uint8Array
}

/** A version that somebody proposed, without what it changes. */
export interface ProposedHead extends Head {
  readonly rank: Rank
  readonly parent: Uint8Array
}

/** A key's new value, or nothing where the key is removed. */
export interface Write {
  readonly key: string
  readonly value: Uint8Array | undefined
}

/** What is put in order: an operation of a client, or the beginning or end of its session. */
export type Operation =
  | { kind: 'open'; client: NodeId; nonce: Uint8Array; ttl: number }
  /** `ack`: the client has the responses to everything before. */
  | { kind: 'apply'; client: NodeId; session: string; seq: number; ack: number; body: Uint8Array }
  | { kind: 'end'; client: NodeId; session: string; seq: number; ack: number }

export interface Response {
  readonly seq: number
  /** The version that answered. */
  readonly version: number
  /** False: `apply` threw, and `body` says what. */
  readonly ok: boolean
  readonly body: Uint8Array
}

export interface VersionChange {
  readonly version: number
  readonly change: Uint8Array
}

/** One object, as a server tells of it. */
export interface InspectedObject {
  readonly object: string
  readonly rank: Rank
  readonly committed: Head
  readonly proposed: number
  /** What it has the content of; behind `committed` while it lags. */
  readonly applied: number
  readonly entries: number
  readonly sessions: number
  readonly pending: number
}

/** A client's word that a server lied. */
export interface Complaint {
  readonly client: NodeId
  readonly server: NodeId
  readonly object: string
  readonly version: number
  readonly what: string
}

/** What a server has promised and taken of an object. */
export interface RecalledObject {
  readonly object: string
  readonly promised: Rank
  readonly committed: Head
  readonly proposed: ProposedHead | undefined
}

export type ClientMessage =
  /** Asks for the turn: no smaller rank is served afterwards. Brings operations along, and what version it has. */
  | {
      kind: 'get'
      object: string
      rank: Rank
      have: number
      content: boolean
      operations: readonly Operation[]
      proof: Uint8Array
    }
  | { kind: 'submit'; object: string; operations: readonly Operation[] }
  /** The next version, or one that somebody else left half done. Its parent is committed. */
  | {
      kind: 'propose'
      object: string
      rank: Rank
      version: number
      parent: Uint8Array
      digest: Uint8Array
      change: Uint8Array
    }
  | { kind: 'commit'; object: string; rank: Rank; version: number; digest: Uint8Array }
  | { kind: 'read'; object: string; query: number; keys: readonly string[]; content: boolean }
  /** Asks for the changes after version `from`. */
  | { kind: 'fetch'; object: string; query: number; from: number }
  /** Asks for a part of the table, after a key ('' from the start). */
  | { kind: 'page'; object: string; query: number; after: string }
  /** Wants to hear of every commit after version `have`; said again and again. */
  | { kind: 'watch'; object: string; have: number; content: boolean }
  | { kind: 'unwatch'; object: string }
  | { kind: 'ping'; object: string; session: string; ping: number }
  | { kind: 'complain'; object: string; server: NodeId; version: number; what: string }
  | { kind: 'inspect'; query: number }
  /** From an operator: let go of ranks beyond the clock, and of committed versions that nobody has. */
  | { kind: 'repair'; query: number; object: string; version: number }
  /** From a server that lost its store: what do you have, of objects after this name? */
  | { kind: 'recall'; query: number; after: string }
  /** From an operator: forget an object that is empty. */
  | { kind: 'delete'; query: number; object: string }
  /** From a server that was told of a version which it does not know: do you know it? */
  | { kind: 'vouch'; object: string; query: number; head: Head }

export type ServerMessage =
  | {
      kind: 'got'
      object: string
      rank: Rank
      committed: Head
      proposed: ProposedHead | undefined
      /** What the proposed version changes, where content was asked for. */
      change: Uint8Array | undefined
      changes: readonly VersionChange[]
      pending: readonly Operation[]
      silent: readonly string[]
    }
  /** Somebody else has the turn, for `remaining` milliseconds. */
  | { kind: 'busy'; object: string; rank: Rank; promised: Rank; remaining: number }
  /** A higher rank was promised. */
  | { kind: 'refused'; object: string; rank: Rank; promised: Rank; proof: Uint8Array }
  | {
      kind: 'accepted'
      object: string
      rank: Rank
      version: number
      digest: Uint8Array
      pending: readonly Operation[]
      silent: readonly string[]
    }
  /** Operations for the client that has the turn. */
  | { kind: 'pushed'; object: string; operations: readonly Operation[] }
  /** To a session's client, from a committed version. `next`: every operation before it is applied. */
  | {
      kind: 'answered'
      object: string
      session: string
      nonce: Uint8Array
      next: number
      responses: readonly Response[]
    }
  /** There is no such session at this committed version, and so never again. */
  | { kind: 'gone'; object: string; session: string; version: number }
  | {
      kind: 'readings'
      object: string
      query: number
      committed: Head
      proposed: ProposedHead | undefined
      change: Uint8Array | undefined
      /** The version that the entries are of. */
      applied: number
      entries: readonly Write[]
      /** As in an answer to a get: who reads ends what is over where nobody else is there to do it. */
      silent: readonly string[]
    }
  /** `base`: the digest of version `from`. No changes and `from` behind: too old, take a copy. */
  | {
      kind: 'changes'
      object: string
      query: number
      from: number
      base: Uint8Array
      changes: readonly VersionChange[]
      committed: Head
      /** False: that version is too long ago. */
      known: boolean
    }
  | {
      kind: 'entries'
      object: string
      query: number
      applied: Head
      entries: readonly Write[]
      more: boolean
    }
  | { kind: 'committed'; object: string; head: Head; change: Uint8Array | undefined }
  | {
      kind: 'pong'
      object: string
      session: string
      ping: number
      promised: number
      committed: Head
      silent: readonly string[]
    }
  /** It has as much of something as it takes. */
  | { kind: 'full'; object: string; what: string }
  | {
      kind: 'inspected'
      query: number
      uptime: number
      /** Milliseconds for which it does not vote after it came back empty. */
      rejoining: number
      objects: readonly InspectedObject[]
      complaints: readonly Complaint[]
      complained: number
    }
  | { kind: 'repaired'; query: number; object: string; outcome: RepairOutcome }
  | RecalledMessage
  | { kind: 'deleted'; query: number; object: string; outcome: DeleteOutcome }
  /** Whether it took the version, or has its content. */
  | { kind: 'vouched'; object: string; query: number; known: boolean }

/** `in use`: something is written there, or somebody has a session. `full`: there are too many that were deleted. */
export type DeleteOutcome = 'deleted' | 'absent' | 'in use' | 'full' | 'not allowed'

/** `sound`: there was nothing to repair. */
export type RepairOutcome = 'repaired' | 'sound' | 'not allowed'

export type RecalledMessage = { kind: 'recalled'; query: number; objects: readonly RecalledObject[]; more: boolean }

/** What clients and servers of objects say to each other. */
export type OrderingMessage = ClientMessage | ServerMessage

const object = text(OBJECT_BYTES_MAX)
const node = text(NODE_BYTES_MAX)
const counter = uint(COUNTER_MAX)
const digest = bytes(DIGEST_BYTES)
const key = text(KEY_BYTES_MAX)
const session = text(NODE_BYTES_MAX)
const change = bytes(CHANGE_BYTES_MAX)
const body = bytes(BODY_BYTES_MAX)
const proof = bytes(SIGNATURE_BYTES_MAX)
const nonce = bytes(NONCE_BYTES)
const ttl = uint(SESSION_TTL_MAX)
const query = uint()

export const rankCodec: Codec<Rank> = struct<Rank>({ counter, client: node })
export const headCodec: Codec<Head> = struct<Head>({ version: counter, digest })
export const proposedCodec: Codec<ProposedHead> = struct<ProposedHead>({
  version: counter,
  digest,
  rank: rankCodec,
  parent: digest,
})
export const writeCodec: Codec<Write> = struct<Write>({ key, value: option(bytes(VALUE_BYTES_MAX)) })
export const operationCodec: Codec<Operation> = variants<Operation>({
  open: { client: node, nonce, ttl },
  apply: { client: node, session, seq: counter, ack: counter, body },
  end: { client: node, session, seq: counter, ack: counter },
})
export const responseCodec: Codec<Response> = struct<Response>({
  seq: counter,
  version: counter,
  ok: bool,
  body: bytes(RESPONSE_BYTES_MAX),
})
const versionChange = struct<VersionChange>({ version: counter, change })
const operations = list(operationCodec, OPERATIONS_MAX)
const changes = list(versionChange, CHANGES_MAX)
const entries = list(writeCodec, ENTRIES_MAX)
const silent = list(session, SILENT_MAX)
const inspectedObject = struct<InspectedObject>({
  object,
  rank: rankCodec,
  committed: headCodec,
  proposed: counter,
  applied: counter,
  entries: uint(),
  sessions: uint(),
  pending: uint(),
})
const recalledObject = struct<RecalledObject>({
  object,
  promised: rankCodec,
  committed: headCodec,
  proposed: option(proposedCodec),
})
const complaint = struct<Complaint>({
  client: node,
  server: node,
  object,
  version: counter,
  what: text(WORDS_BYTES_MAX),
})

/** The messages of ordering on the wire. */
export const orderingVocabulary: Codec<OrderingMessage> = variants<OrderingMessage>({
  get: { object, rank: rankCodec, have: counter, content: bool, operations, proof },
  submit: { object, operations },
  propose: { object, rank: rankCodec, version: counter, parent: digest, digest, change },
  commit: { object, rank: rankCodec, version: counter, digest },
  read: { object, query, keys: list(key, KEYS_MAX), content: bool },
  fetch: { object, query, from: counter },
  page: { object, query, after: key },
  watch: { object, have: counter, content: bool },
  unwatch: { object },
  ping: { object, session, ping: uint() },
  complain: { object, server: node, version: counter, what: text(WORDS_BYTES_MAX) },
  inspect: { query },
  got: {
    object,
    rank: rankCodec,
    committed: headCodec,
    proposed: option(proposedCodec),
    change: option(change),
    changes,
    pending: operations,
    silent,
  },
  busy: { object, rank: rankCodec, promised: rankCodec, remaining: uint() },
  refused: { object, rank: rankCodec, promised: rankCodec, proof },
  accepted: { object, rank: rankCodec, version: counter, digest, pending: operations, silent },
  pushed: { object, operations },
  answered: { object, session, nonce, next: counter, responses: list(responseCodec, UNACKNOWLEDGED_MAX) },
  gone: { object, session, version: counter },
  readings: {
    object,
    query,
    committed: headCodec,
    proposed: option(proposedCodec),
    change: option(change),
    applied: counter,
    entries,
    silent,
  },
  changes: { object, query, from: counter, base: digest, changes, committed: headCodec, known: bool },
  entries: { object, query, applied: headCodec, entries, more: bool },
  committed: { object, head: headCodec, change: option(change) },
  pong: { object, session, ping: uint(), promised: counter, committed: headCodec, silent },
  full: { object, what: text(WORDS_BYTES_MAX) },
  inspected: {
    query,
    uptime: uint(),
    rejoining: uint(),
    objects: list(inspectedObject, INSPECTED_MAX),
    complaints: list(complaint, COMPLAINTS_SHOWN_MAX),
    complained: uint(),
  },
  recall: { query, after: object },
  recalled: { query, objects: list(recalledObject, INSPECTED_MAX), more: bool },
  repair: { query, object, version: counter },
  repaired: { query, object, outcome: oneOf<RepairOutcome>('repaired', 'sound', 'not allowed') },
  vouch: { object, query, head: headCodec },
  vouched: { object, query, known: bool },
  delete: { query, object },
  deleted: { query, object, outcome: oneOf<DeleteOutcome>('deleted', 'absent', 'in use', 'full', 'not allowed') },
})

/** A watcher says again and again that it is there. */
export const WATCH_MS: Millis = 10_000
