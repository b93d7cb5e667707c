// What a server has on disk (protocols/ordering, "durable"): promises and proposals before they are answered. A commit needs no
// record of its own: the next proposal says that its parent is committed, and a version whose commit
// is forgotten is proposed again by the next client.

import {
  bool,
  bytes,
  type Codec,
  decode,
  encode,
  FileError,
  list,
  sameBytes,
  text,
  variants,
} from '../../core/index.ts'
import { compareRanks } from '../rules.ts'
import type { OrderingSettings } from '../settings.ts'
import { applyWrites, decodeChange, emptyContent, type LinkedChange, put } from '../versions/content.ts'
import {
  CHANGE_BYTES_MAX,
  DIGEST_BYTES,
  ENTRIES_MAX,
  type Head,
  headCodec,
  OBJECT_BYTES_MAX,
  type ProposedHead,
  proposedCodec,
  type Rank,
  rankCodec,
  type Write,
  writeCodec,
} from '../wire.ts'
import { remember } from './recent-changes.ts'
import type { ServerScene } from './state.ts'
import { bury, objectOf, type Proposal, type ServerObject, type ServerState } from './state.ts'
import { followerOf, forgetApplied, keepDoubtful } from './unapplied.ts'

export type ServerRecord =
  | { kind: 'rank'; object: string; rank: Rank; proof: Uint8Array }
  | { kind: 'proposal'; object: string; proposed: ProposedHead; change: Uint8Array }
  /** Named by the others when this server came back empty: it did not take it itself. */
  | { kind: 'heard'; object: string; proposed: ProposedHead; change: Uint8Array }
  /** Fetched from others, while this server lagged. */
  | { kind: 'caught'; object: string; head: Head; parent: Uint8Array; change: Uint8Array }
  /** A checkpoint of one object begins: what it has promised, and the version of its table now. */
  | { kind: 'head'; object: string; promised: Rank; proof: Uint8Array; applied: Head; committed: Head }
  /** This server has lost its store and votes on nothing; or has taken its state from the others (`done`). */
  | { kind: 'rejoin'; object: string; done: boolean }
  /** Its table is empty from here on: a copy follows. */
  | { kind: 'blank'; object: string }
  /** A change that may be committed for all this server knows. */
  | { kind: 'doubtful'; object: string; head: Head; parent: Uint8Array; change: Uint8Array }
  /** An operator let go of what was promised or committed: from here on it is this. */
  | { kind: 'repaired'; object: string; promised: Rank; committed: Head }
  /** An operator deleted the object: this is where its name goes on. */
  | { kind: 'deleted'; object: string; promised: Rank; proof: Uint8Array; committed: Head }
  /** A part of its table, at the version that the records before it lead to. */
  | { kind: 'entries'; object: string; entries: readonly Write[] }

const object = text(OBJECT_BYTES_MAX)
const proof = bytes(128)

export const serverRecord: Codec<ServerRecord> = variants<ServerRecord>({
  rank: { object, rank: rankCodec, proof },
  proposal: { object, proposed: proposedCodec, change: bytes(CHANGE_BYTES_MAX) },
  caught: { object, head: headCodec, parent: bytes(DIGEST_BYTES), change: bytes(CHANGE_BYTES_MAX) },
  head: { object, promised: rankCodec, proof, applied: headCodec, committed: headCodec },
  entries: { object, entries: list(writeCodec, ENTRIES_MAX) },
  blank: { object },
  rejoin: { object, done: bool },
  doubtful: { object, head: headCodec, parent: bytes(DIGEST_BYTES), change: bytes(CHANGE_BYTES_MAX) },
  heard: { object, proposed: proposedCodec, change: bytes(CHANGE_BYTES_MAX) },
  repaired: { object, promised: rankCodec, committed: headCodec },
  deleted: { object, promised: rankCodec, proof, committed: headCodec },
})

/** The record of a proposal that a server took or heard of. */
export function proposalRecord(
  object: string,
  { heard, rank, version, parent, digest, change }: Proposal,
): ServerRecord {
  return { kind: heard ? 'heard' : 'proposal', object, proposed: { rank, version, parent, digest }, change }
}

/** Durable before anything that follows is sent. */
export function save(scene: ServerScene, record: ServerRecord): void {
  const { state, turn } = scene
  const encoded = encode(serverRecord, record)
  state.savedBytes += encoded.length
  turn.do({ kind: 'save', record: encoded })
}

/** Nobody is promised anything on it: the others have it too, or older records say it. */
export function saveLazily(scene: ServerScene, record: ServerRecord, begins = false): void {
  const { state, turn } = scene
  const encoded = encode(serverRecord, record)
  state.savedBytes += encoded.length
  turn.do(
    begins ? { kind: 'save', record: encoded, lazy: true, begins } : { kind: 'save', record: encoded, lazy: true },
  )
}

/** Replays one record. Throws where it cannot be read: it may be a promise, and a server must not forget one. */
export function restore(state: ServerState, settings: OrderingSettings, record: Uint8Array): void {
  const decoded = decode(serverRecord, record)
  if (!decoded.ok) {
    throw new FileError(
      `the store has a record of objects that this version cannot read (${decoded.refusal}). ` +
        'Start the version that wrote it; or, if it is lost, let the server begin with an empty store and --rejoin.',
    )
  }
  const { value } = decoded
  // As if it had been written in this life: else a server that restarts often would never shorten its log.
  if (value.kind === 'entries') state.checkpointBytes += record.length
  else state.savedBytes += record.length
  if (value.kind === 'rejoin') {
    state.rejoins = value.done ? 'done' : 'under way'
    return
  }
  if (value.kind === 'deleted') {
    const { promised, proof: signed, committed } = value
    return bury(state, value.object, { promised, proof: signed, committed })
  }
  const of = objectOf(state, value.object)
  if (of === undefined) return
  if (of.blank && !isOfCopy(value)) giveUpCopy(of)
  switch (value.kind) {
    case 'rank':
      of.promised = settings.rules.promisedAfterRestart(value.rank)
      of.proof = value.proof
      return
    case 'proposal':
    case 'heard':
      return restoreProposal(of, settings, {
        ...value.proposed,
        change: value.change,
        writes: decodeChange(value.change),
        heard: value.kind === 'heard',
      })
    case 'caught':
      restoreApplied(of, settings, { version: value.head.version - 1, digest: value.parent })
      return restoreChange(of, settings, value.head, value.change, value.parent)
    case 'doubtful':
      return keepDoubtful(of, { ...value.head, parent: value.parent, change: value.change }, Number.POSITIVE_INFINITY)
    case 'head':
      of.promised = settings.rules.promisedAfterRestart(value.promised)
      of.proof = value.proof
      return restoreHead(of, settings, value.applied, value.committed)
    case 'repaired':
      restoreApplied(of, settings, value.committed)
      return restoreRepaired(of, value.promised, value.committed)
    case 'blank':
      of.content = emptyContent()
      of.recent.length = 0
      of.recentBytes = 0
      of.blank = true
      return
    case 'entries':
      for (const write of value.entries) put(of.content, write)
      return
  }
}

// What was proposed and is kept stands behind it in the log.
function restoreRepaired(of: ServerObject, promised: Rank, committed: Head): void {
  of.promised = promised
  of.proof = new Uint8Array(0)
  of.committed = committed
  of.proposed = undefined
  of.unapplied.clear()
  of.doubtful.clear()
}

/** After the last record. */
export function restored(state: ServerState): void {
  for (const object of state.objects.values()) if (object.blank) giveUpCopy(object)
}

// A copy is written in one piece, and its version last. Where something else comes first, or nothing, a crash came in
// between, and its server went on without it.
function isOfCopy(record: ServerRecord): boolean {
  return record.kind === 'blank' || record.kind === 'entries' || (record.kind === 'head' && record.applied.version > 0)
}

function giveUpCopy(of: ServerObject): void {
  of.content = emptyContent()
  of.blank = false
}

function restoreProposal(of: ServerObject, settings: OrderingSettings, proposed: Proposal): void {
  const { parent, version } = proposed
  if (version - 1 > of.committed.version) of.committed = { version: version - 1, digest: parent }
  restoreApplied(of, settings, { version: version - 1, digest: parent })
  keepDoubtful(of, of.proposed, version)
  if (compareRanks(proposed.rank, of.promised) > 0) of.promised = proposed.rank
  of.proposed = proposed
}

// A commit has no record of its own: what comes next says that the last proposal was committed.
function restoreApplied(of: ServerObject, settings: OrderingSettings, head: Head): void {
  const { proposed } = of
  if (proposed === undefined || proposed.version !== head.version || !sameBytes(proposed.digest, head.digest)) return
  restoreChange(of, settings, proposed, proposed.change, proposed.parent)
}

function restoreChange(
  of: ServerObject,
  settings: OrderingSettings,
  { version, digest }: Head,
  change: Uint8Array,
  parent: Uint8Array,
): void {
  if (version > of.content.version + 1) of.unapplied.set(version, { version, digest, parent, change })
  if (version !== of.content.version + 1) return
  let next: LinkedChange | undefined = { version, digest, parent, change }
  for (; next !== undefined; next = followerOf(of)) {
    of.unapplied.delete(next.version)
    of.doubtful.delete(next.version)
    applyWrites(of.content, next.version, next.digest, decodeChange(next.change))
    remember(of, next, settings)
  }
  const { version: reached, digest: last } = of.content
  if (reached > of.committed.version) of.committed = { version: reached, digest: last }
}

// Where older records are still there, they lead to the version or, before its commit, to its proposal. Where they are
// forgotten, pages of the table follow, and what a few later records gave is of no version. A copy's pages came before.
function restoreHead(of: ServerObject, settings: OrderingSettings, applied: Head, committed: Head): void {
  restoreApplied(of, settings, applied)
  if (applied.version > of.content.version) {
    if (!of.blank) of.content = emptyContent()
    of.content.version = applied.version
    of.content.digest = applied.digest
    of.recent.length = 0
    of.recentBytes = 0
  }
  of.blank = false
  forgetApplied(of)
  if (committed.version > of.committed.version) of.committed = committed
}
