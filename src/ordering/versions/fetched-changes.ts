// Changes from a source that need not be trusted: fetched from one, and believed when they lead to a digest
// that b + 1 vouch for. Servers that lag and clients' replicas catch up this way.

import { type Millis, type NodeId, sameBytes } from '../../core/index.ts'
import type { Hash } from '../settings.ts'
import { ANSWER_BYTES_MAX, CHANGES_MAX, type Head, type VersionChange } from '../wire.ts'
import type { KeptChange } from './content.ts'
import { nextDigest } from './digest.ts'

/** Of a change beside its bytes: its digest, its place. */
export const CHANGE_OVERHEAD_BYTES = 200

/** A change, and who gave it; nobody, where its keeper had it itself. */
export interface FetchedChange extends KeptChange {
  readonly source?: NodeId
}

export interface FetchedChanges {
  readonly source: NodeId
  readonly query: number
  /** Versions after what its keeper has, with the digests that these changes give. */
  readonly changes: FetchedChange[]
  /** From more than one source: nobody knows who lied, if they lead nowhere. */
  readonly mixed?: boolean
  /** When this source was asked first, and how many changes there were before. */
  readonly began?: { readonly at: Millis; readonly changes: number }
  /** With what its keeper took itself and does not know to be committed. */
  readonly doubts?: boolean
}

/** Twice what an honest server remembers: a replica that lacks more takes a copy. One source could go on for ever. */
export const FETCHED_BYTES_MAX = 64 * 2 ** 20

function bytesOf({ changes }: FetchedChanges): number {
  return changes.reduce((sum, { change }) => sum + change.length + CHANGE_OVERHEAD_BYTES, 0)
}

/** How much of it each source gave. */
export function bytesOfSource(fetching: FetchedChanges | undefined): ReadonlyMap<NodeId, number> {
  const counts = new Map<NodeId, number>()
  for (const { source, change } of fetching?.changes ?? []) {
    if (source === undefined) continue
    counts.set(source, (counts.get(source) ?? 0) + change.length + CHANGE_OVERHEAD_BYTES)
  }
  return counts
}

/** No more is taken: a copy is shorter. */
export function isFull(fetching: FetchedChanges): boolean {
  return bytesOf(fetching) >= FETCHED_BYTES_MAX
}

/**
 * Adds changes that follow `base` and what was fetched before, while there is room for what its source gives; those that do not
 * follow are left out. Says whether anything was added.
 */
export function addChanges(
  fetching: FetchedChanges,
  base: Head,
  more: readonly VersionChange[],
  hash: Hash,
  room: number,
): boolean {
  const { changes, source } = fetching
  const before = changes.length
  let left = Math.min(room, FETCHED_BYTES_MAX - bytesOf(fetching))
  for (const { version, change } of more) {
    const last = changes.at(-1) ?? base
    if (version !== last.version + 1 || left <= 0) continue
    left -= change.length + CHANGE_OVERHEAD_BYTES
    changes.push({ version, change, digest: nextDigest(hash, last.digest, version, change), source })
  }
  return changes.length > before
}

/** Adds changes that its keeper has itself: they are no source's. */
export function addOwnChange(
  fetching: FetchedChanges,
  base: Head,
  { version, change }: VersionChange,
  hash: Hash,
): boolean {
  const last = fetching.changes.at(-1) ?? base
  if (version !== last.version + 1 || isFull(fetching)) return false
  fetching.changes.push({ version, change, digest: nextDigest(hash, last.digest, version, change) })
  return true
}

/**
 * How long to wait for the source: once its time, and as often again as it has filled half an answer, since two that it
 * fills are more than one. One that gives a change at a time, each just before its time is up, would be waited for as long as it
 * likes, and longer where others go on meanwhile.
 */
export function patienceWith({ changes, began }: FetchedChanges, time: Millis, now: Millis): Millis {
  if (began === undefined) return time
  const given = changes.slice(began.changes)
  const bytes = given.reduce((sum, { change }) => sum + change.length, 0)
  const halves = bytes / (ANSWER_BYTES_MAX / 2) + given.length / (CHANGES_MAX / 2)
  return Math.max(0, began.at + time * (1 + halves) - now)
}

export type Verdict =
  /** They lead there. */
  | 'right'
  /** They lead elsewhere: the source lied, or was lied to. */
  | 'wrong'
  /** They do not go so far. */
  | 'short'

export function judge(fetching: FetchedChanges, target: Head): Verdict {
  const reached = fetching.changes.find(({ version }) => version === target.version)
  if (reached === undefined) return 'short'
  return sameBytes(reached.digest, target.digest) ? 'right' : 'wrong'
}
