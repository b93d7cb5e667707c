// What servers said that too few others vouch for yet. Each server has a share of this client's memory, over all objects.
//
// One bound for all would be the liar's to fill: the words of the honest would go with its own, or find no room. So
// beyond its share a server's own oldest words are forgotten, and never another's. What b + 1 vouch for leaves the shares.

import type { Millis, NodeId } from '../../core/index.ts'
import type { ServerMessage } from '../wire.ts'
import type { ClientObject, ClientScene, ClientState, Reading, Share, Word } from './state.ts'

/** Of a word beside its content: keys, places in maps. */
const WORD_BYTES = 400
/** Others who vouch for it say so within this time, or it is said again. */
export const UNVOUCHED_MS: Millis = 30_000

/** Remembers that a word of this server takes up memory; where its share or its time is over, the oldest go. */
export function keep(scene: ClientScene, server: NodeId, word: Word, content: number): void {
  const { state, settings, turn } = scene
  const share = state.shares.get(server) ?? { bytes: 0, words: new Map() }
  state.shares.set(server, share)
  const name = nameOf(word)
  subtract(share, name)
  const bytes = WORD_BYTES + content
  share.words.set(name, { word, bytes, since: turn.now })
  share.bytes += bytes
  while (share.words.size > 0 && !settings.rules.mayKeep(share.bytes, settings.shareBytesMax)) {
    forgetOldest(state, server, share)
  }
  for (const [other, its] of state.shares) forgetOld(state, other, its, turn.now)
}

function forgetOld(state: ClientState, server: NodeId, share: Share, now: Millis): void {
  for (const { since } of share.words.values()) {
    if (now <= since + UNVOUCHED_MS) return
    forgetOldest(state, server, share)
  }
}

/** The word is vouched for, or no longer needed. */
export function release({ shares }: ClientState, server: NodeId, word: Word): void {
  const share = shares.get(server)
  if (share !== undefined) subtract(share, nameOf(word))
}

function subtract(share: Share, name: string): void {
  share.bytes -= share.words.get(name)?.bytes ?? 0
  share.words.delete(name)
}

function forgetOldest(state: ClientState, server: NodeId, share: Share): void {
  const [name, { word }] = share.words.entries().next().value!
  subtract(share, name)
  if (word.kind === 'readings') return strip(state.readings.get(word.reading)?.replies, server)
  const object = state.objects.get(word.object)
  if (object === undefined) return
  if (word.kind === 'got') strip(object.replies, server)
  else if (word.kind === 'committed') forgetHead(object, word.version, server)
  else forgetVote(object, word.key, server)
}

/** An answer without its content: what it vouches for. */
function strip<T extends ServerMessage & { kind: 'got' | 'readings' }>(
  replies: Map<NodeId, T> | undefined,
  server: NodeId,
): void {
  const reply = replies?.get(server)
  if (reply === undefined) return
  const nothing = reply.kind === 'got' ? { change: undefined, changes: [] } : { change: undefined, entries: [] }
  replies!.set(server, { ...reply, ...nothing })
}

function forgetVote({ pool }: ClientObject, key: string, server: NodeId): void {
  const said = pool.votes.get(key)
  said?.delete(server)
  if (said?.size === 0) pool.votes.delete(key)
}

function forgetHead({ heads }: ClientObject, version: number, server: NodeId): void {
  const said = heads.get(version)
  said?.delete(server)
  if (said?.size === 0) heads.delete(version)
}

/** What servers called committed, up to a version: the replica is there, or nobody follows any more. */
export function forgetHeads(state: ClientState, { name: object, heads }: ClientObject, upTo: number): void {
  for (const [version, said] of heads) {
    if (version > upTo) continue
    for (const server of said.keys()) release(state, server, { kind: 'committed', object, version })
    heads.delete(version)
  }
}

/** The content of answers to a get counts until the turn is taken or left. */
export function forgetReplies(state: ClientState, { name: object, replies }: ClientObject): void {
  for (const server of replies.keys()) release(state, server, { kind: 'got', object })
  replies.clear()
}

/** The read is answered, or asks again. */
export function forgetReadings(state: ClientState, { id: reading, replies }: Reading): void {
  for (const server of replies.keys()) release(state, server, { kind: 'readings', reading })
  replies.clear()
}

/** The object is let go of. */
export function forgetWords(state: ClientState, object: ClientObject): void {
  forgetHeads(state, object, Number.POSITIVE_INFINITY)
  forgetReplies(state, object)
  for (const [key, said] of object.pool.votes) {
    for (const server of said.keys()) release(state, server, { kind: 'operation', object: object.name, key })
  }
  object.pool.votes.clear()
}

function nameOf(word: Word): string {
  switch (word.kind) {
    case 'operation':
      return `operation ${word.object}\n${word.key}`
    case 'committed':
      return `committed ${word.object}\n${word.version}`
    case 'got':
      return `got ${word.object}`
    case 'readings':
      return `readings ${word.reading}`
  }
}
