// What is fetched and copied from sources that need not be trusted, while nobody vouches for it: how much of each source,
// over all objects. A bound for each object alone is none: there may be a hundred thousand of them.
//
// Of a copy counts by how much its source is ahead of the slowest: one of them is honest, and gives what is there. A source
// that has given so much is asked on when some of it was taken or dropped. The copy that began first always goes on:
// sources that wait for each other's objects would wait for ever.

import type { NodeId } from '../../core/index.ts'
import { type Copying, slowestBytes } from './copying.ts'
import { bytesOfSource, type FetchedChanges } from './fetched-changes.ts'

export interface Gathered {
  /** Bytes of each source, over all objects. */
  readonly bytes: Map<NodeId, number>
  /** The same for each object. */
  readonly of: Map<string, ReadonlyMap<NodeId, number>>
  /** Copies under way by object, with their queries; the one that began first in front. */
  readonly copied: Map<string, number>
}

/** As much as of one object may be fetched from one source: two of them at once may have to be copied instead. */
export const GATHERED_BYTES_MAX = 64 * 2 ** 20

export function newGathered(): Gathered {
  return { bytes: new Map(), of: new Map(), copied: new Map() }
}

/** What is gathered of this object now: it may have become more, or was taken, or dropped. */
export function recount(
  gathered: Gathered,
  object: string,
  fetched: readonly (FetchedChanges | undefined)[],
  copying: Copying | undefined,
): void {
  followCopy(gathered, object, copying)
  const before = gathered.of.get(object)
  const now = new Map<NodeId, number>()
  for (const fetching of fetched) {
    for (const [source, bytes] of bytesOfSource(fetching)) add(now, source, bytes)
  }
  if (copying !== undefined) {
    const least = slowestBytes(copying)
    for (const [source, { bytes }] of copying.copies) if (bytes > least) add(now, source, bytes - least)
  }
  if (before === undefined && now.size === 0) return
  for (const [source, bytes] of before ?? []) add(gathered.bytes, source, -bytes)
  for (const [source, bytes] of now) add(gathered.bytes, source, bytes)
  if (now.size > 0) gathered.of.set(object, now)
  else gathered.of.delete(object)
}

function followCopy({ copied }: Gathered, object: string, copying: Copying | undefined): void {
  if (copied.get(object) === copying?.query) return
  copied.delete(object)
  if (copying !== undefined) copied.set(object, copying.query)
}

function add(counts: Map<NodeId, number>, source: NodeId, more: number): void {
  const bytes = (counts.get(source) ?? 0) + more
  if (bytes === 0) counts.delete(source)
  else counts.set(source, bytes)
}

/** How many bytes more may be gathered from this source. */
export function roomOf({ bytes }: Gathered, source: NodeId): number {
  return Math.max(0, GATHERED_BYTES_MAX - (bytes.get(source) ?? 0))
}

/** Whether the copy of an object goes on with this source. */
export function mayCopy(gathered: Gathered, object: string, source: NodeId): boolean {
  return roomOf(gathered, source) > 0 || gathered.copied.keys().next().value === object
}

/** The same sources, those that can give something in front. */
export function withRoomFirst(gathered: Gathered, sources: readonly NodeId[]): NodeId[] {
  const hasRoom = (source: NodeId) => roomOf(gathered, source) > 0
  return [...sources.filter(hasRoom), ...sources.filter(source => !hasRoom(source))]
}

/** Those of the sources that can give something; all, where none can. */
export function withRoom(gathered: Gathered, sources: readonly NodeId[]): readonly NodeId[] {
  const able = sources.filter(source => roomOf(gathered, source) > 0)
  return able.length > 0 ? able : sources
}
