// What a server remembers: of each source a prefix, of each durable subscription its cursor, and for a while who follows.

import { assert, type Millis, type NodeId, type Scene, timers } from '../../core/index.ts'
import type { Filter } from '../filter.ts'
import type { EventsSettings } from '../settings.ts'
import type { EventsMessage, Item, SavedCursor, Source } from '../wire.ts'

/** Authors times their lives. A life of which nothing is kept costs nothing. */
export const SOURCES_MAX = 100_000
/** Lives of one author: each call of a command is one. */
export const AUTHOR_SOURCES_MAX = 10_000
/** Subscriptions at this server, and of one client. */
export const FOLLOWERS_MAX = 1_000_000
export const CLIENT_FOLLOWERS_MAX = 10_000
/** Sources for which one subscription waits here. */
export const PARKED_MAX = 10_000
/** Cursors of one owner, and together. */
export const OWNER_CURSORS_MAX = 1_000
export const CURSORS_MAX = 100_000
/** In beats: a subscription of which nothing was heard for so long is forgotten. It says so itself on every beat. */
export const SILENT_BEATS = 50
/** In beats, besides two rounds through all: for how long another server counts as heard. */
export const HEARD_BEATS = 10

/** What is held of one source: all up to `held`. */
export interface Stream {
  readonly source: Source
  readonly items: Map<number, Item>
  held: number
  /** The hash chain of all of them. */
  head: Uint8Array
  bytes: number
  /** Grows with every change of any stream here. */
  changed: number
}

/** A client's subscription. */
export interface Follower {
  readonly client: NodeId
  readonly sub: number
  channel: string
  version: number
  filter: Filter
  /** The filter's own bytes, to see a change. */
  encoded: Uint8Array
  heard: Millis
  /** Where it waits for the next match, by source. */
  readonly parked: Map<string, number>
}

/** What a server knows of another: how far it has read that one's heads. */
export interface Other {
  epoch: string
  mark: number
  heard: Millis
}

export interface ServerState {
  readonly self: NodeId
  readonly others: readonly NodeId[]
  /** This life's name, so that a mark of an earlier one means nothing. */
  epoch: string
  mark: number
  readonly streams: Map<string, Stream>
  bytes: number
  /** Bytes and sources by author. */
  readonly authors: Map<string, { bytes: number; sources: number }>
  readonly followers: Map<string, Follower>
  readonly following: Map<NodeId, number>
  readonly cursors: Map<string, SavedCursor>
  readonly owners: Map<string, number>
  readonly heard: Map<NodeId, Other>
  /** The disk is new, the old one was lost: until n - f others have shown their cursors. */
  fresh: boolean
  /** Of whom the cursors were copied, and how far. */
  readonly copied: Map<NodeId, { readonly next: string; readonly whole: boolean }>
  /** Whose heads are asked for next. */
  next: number
}

/** Nothing is asked of a server by its own node, and it tells nothing. */
export type ServerCommand = never
export type ServerEvent = never

export type ServerScene = Scene<ServerState, EventsSettings, EventsMessage, ServerEvent>

export const serverTimers = timers('beat')

export function followerKey(client: NodeId, sub: number): string {
  return `${client}\u0000${sub}`
}

export function checkServer(state: ServerState): void {
  assert(state.bytes >= 0, 'bytes are counted')
  assert(state.streams.size <= SOURCES_MAX, 'sources are bounded')
  assert(state.cursors.size <= CURSORS_MAX, 'cursors are bounded')
}
