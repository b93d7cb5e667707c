// A client's replica: brought to a version that b + 1 servers vouch for, by changes from any one of them, which are
// checked by the chain of digests.

import type { Millis, NodeId } from '../../core/index.ts'
import type { KeptChange } from '../server/state.ts'
import type { OrderingSettings } from '../settings.ts'
import { applyWrites, decodeChange } from '../versions/content.ts'
import { agreed, chooseSources, hearCopy, newCopying, nextQuestion } from '../versions/copying.ts'
import { digestKey, nextDigest, sameBytes } from '../versions/digest.ts'
import { addChanges, judge } from '../versions/fetched-changes.ts'
import type { Head, ServerMessage, Write } from '../wire.ts'
import { reflected, reflectedAll } from './answers.ts'
import { accuse, compareCommitted } from './evidence.ts'
import { dropReflected } from './other-operations.ts'
import { propose } from './proposing.ts'
import { serveCopies } from './reading.ts'
import { send, sendAll } from './send.ts'
import type { ClientObject, ClientScene } from './state.ts'
import { launch } from './submitting.ts'
import { leaveTurn, overtaken, pump } from './turns.ts'
import { follow, skipWatches, tellWatches } from './watching.ts'

/** For so long a source is waited for. */
const SOURCE_MS: Millis = 100
/** And for one page of a copy. */
const COPY_MS: Millis = 2_000
/** Versions ahead of the replica that are remembered; more must be told again. */
const HEADS_MAX = 1_024

/** Goes on by one version, which is decided and whose change is right. */
export function advanceReplica(
  scene: ClientScene,
  object: ClientObject,
  kept: KeptChange,
  writes: readonly Write[] = decodeChange(kept.change),
): void {
  const touched = applyWrites(object.replica, kept.version, kept.digest, writes)
  for (const session of touched) {
    dropReflected(object, session)
    reflected(scene, object, session)
  }
  tellWatches(scene, object, kept.version, writes)
}

/** What the quorum vouches for, in the words of one who has the change too. */
interface Half {
  readonly parent: Uint8Array
  readonly change: Uint8Array
}

/** The turn is ours: brings the replica to where the choice is, and goes on from there. */
export function completeChoice(scene: ClientScene, object: ClientObject): void {
  const { settings, turn } = scene
  const choice = object.choice!
  const { replica } = object
  if (replica.version > choice.version) return overtaken(scene, object)
  if (choice.committed || replica.version === choice.version) {
    if (!bringTo(scene, object, choice)) return ask(scene, object, choice)
    return begin(scene, object)
  }
  const half = halfDone(settings, object)
  if (half === undefined) return ask(scene, object, choice)
  const parent = { version: choice.version - 1, digest: half.parent }
  if (!bringTo(scene, object, parent)) return ask(scene, object, choice)
  const { version, digest } = choice
  const writes = decodeChange(half.change)
  const counts = { accepted: new Set<NodeId>(), refused: new Map(), operations: 0, sentAt: turn.now }
  propose(scene, object, { version, digest, ...half, writes, ...counts })
}

function begin(scene: ClientScene, object: ClientObject): void {
  const { turn } = scene
  object.phase = 'holding'
  object.fetching = undefined
  // The replica got there without the copy that was on its way.
  object.copying = undefined
  turn.do({ kind: 'cancel', name: `turn:${object.name}` })
  turn.do({ kind: 'cancel', name: `sync:${object.name}` })
  pump(scene, object)
  // Nothing to do after all: what a read found half done is complete.
  if (object.phase === 'holding') object.completes = false
}

/** Somebody's version that is vouched for and not committed, where we have its change. */
function halfDone(settings: OrderingSettings, object: ClientObject): Half | undefined {
  const { version, digest } = object.choice!
  for (const { proposed, change } of object.replies.values()) {
    if (proposed === undefined || change === undefined || proposed.version !== version) continue
    if (sameBytes(nextDigest(settings.hash, proposed.parent, version, change), digest)) {
      return { parent: proposed.parent, change }
    }
  }
  const last = object.fetching?.changes.find(kept => kept.version === version)
  if (last === undefined || !sameBytes(last.digest, digest)) return undefined
  const parent = object.fetching!.changes.find(kept => kept.version === version - 1)?.digest ?? object.replica.digest
  return { parent, change: last.change }
}

/** Whether the replica is there now, by what was gathered and what came with the replies. */
function bringTo(scene: ClientScene, object: ClientObject, target: Head): boolean {
  const { settings } = scene
  const { replica } = object
  if (replica.version === target.version) return sameBytes(replica.digest, target.digest)
  if (object.fetching !== undefined && judge(object.fetching, target) === 'right') {
    takeUpTo(scene, object, object.fetching.changes, target)
    return true
  }
  for (const [source, { changes }] of object.replies) {
    const fetching = { source, query: 0, changes: [] as KeptChange[] }
    if (changes.length === 0 || !addChanges(fetching, replica, changes, settings.hash)) continue
    const verdict = judge(fetching, target)
    if (verdict === 'wrong') accuse(scene, object, source, target.version, 'changes that do not lead to its digest')
    if (verdict !== 'right') continue
    takeUpTo(scene, object, fetching.changes, target)
    return true
  }
  return false
}

function takeUpTo(scene: ClientScene, object: ClientObject, changes: readonly KeptChange[], target: Head): void {
  for (const kept of changes) {
    if (kept.version > target.version) return
    if (kept.version === object.replica.version + 1) advanceReplica(scene, object, kept)
  }
}

/** Asks one of those who vouch for the changes up to it. */
function ask(scene: ClientScene, object: ClientObject, target: Head & { readonly vouchers: readonly NodeId[] }): void {
  const { state, turn } = scene
  if (object.fetching !== undefined && object.fetching.query !== 0) return
  const source = target.vouchers[turn.below(target.vouchers.length)]!
  // What was gathered is kept: it may be that each of the servers has a part of it.
  const changes = object.fetching?.changes.filter(({ version }) => version > object.replica.version) ?? []
  object.fetching = { source, query: ++state.queries, changes, mixed: changes.length > 0 }
  askSource(scene, object)
}

/** No longer waits for this source; what it gave is kept. */
function leaveSource(object: ClientObject): void {
  if (object.fetching !== undefined) object.fetching = { ...object.fetching, query: 0 }
}

function askSource(scene: ClientScene, object: ClientObject): void {
  const { turn } = scene
  const { source, query, changes } = object.fetching!
  const from = changes.at(-1)?.version ?? object.replica.version
  send(scene, source, { kind: 'fetch', object: object.name, query, from })
  turn.do({ kind: 'timer', name: `sync:${object.name}`, after: SOURCE_MS })
}

/** The source was slow, short or wrong: another. */
export function onSync(scene: ClientScene, object: ClientObject): void {
  leaveSource(object)
  tellWanted(scene, object)
  if (object.copying !== undefined) return startCopy(scene, object)
  if (object.phase === 'syncing') return completeChoice(scene, object)
  followHeads(scene, object)
}

/**
 * Those who have the change may not know that it is committed, and hand out nothing of it; whoever knows may lack the
 * change. b + 1 have said so to us: we say it to all.
 */
function tellWanted(scene: ClientScene, object: ClientObject): void {
  const { settings } = scene
  const { name, rank, replica } = object
  const wanted = object.phase === 'syncing' ? newestCommitted(settings, object) : object.wanted
  if (wanted === undefined || wanted.version <= replica.version) return
  sendAll(scene, { kind: 'commit', object: name, rank, version: wanted.version, digest: wanted.digest })
}

/** Of those who have answered: the newest version that b + 1 call committed. */
function newestCommitted(settings: OrderingSettings, { replies }: ClientObject): Head | undefined {
  const counts = new Map<string, number>()
  let newest: Head | undefined
  for (const { committed } of replies.values()) {
    const key = `${committed.version} ${digestKey(committed.digest)}`
    const count = (counts.get(key) ?? 0) + 1
    counts.set(key, count)
    if (count < settings.rules.vouchersNeeded(settings.liars)) continue
    if (newest === undefined || committed.version > newest.version) newest = committed
  }
  return newest
}

export function changesCame(
  scene: ClientScene,
  object: ClientObject,
  from: NodeId,
  answer: ServerMessage & { kind: 'changes' | 'entries' },
): void {
  const { settings, turn } = scene
  if (object.copying !== undefined) return copyCame(scene, object, from, answer)
  const { fetching } = object
  if (fetching === undefined || fetching.source !== from || fetching.query !== answer.query) return
  if (answer.kind === 'entries') return
  if (!answer.known) return startCopy(scene, object)
  const grew = addChanges(fetching, object.replica, answer.changes, settings.hash)
  const target = object.phase === 'syncing' ? object.choice! : object.wanted
  if (target === undefined || !grew) return
  switch (judge(fetching, target)) {
    case 'short':
      return askSource(scene, object)
    case 'wrong':
      object.fetching = { ...fetching, changes: [] }
      // Of several sources nobody knows which one lied. And what was only proposed may have come to nothing meanwhile.
      if (fetching.mixed !== true && (object.phase !== 'syncing' || object.choice!.committed)) {
        accuse(scene, object, from, target.version, 'changes that do not lead to its digest')
      }
      return
    case 'right':
      if (object.phase === 'syncing') return completeChoice(scene, object)
      takeUpTo(scene, object, fetching.changes, target)
      object.fetching = undefined
      turn.do({ kind: 'cancel', name: `sync:${object.name}` })
      return followHeads(scene, object)
  }
}

/** Brings the replica to the newest version that b + 1 servers call committed. */
export function followHeads(scene: ClientScene, object: ClientObject): void {
  const { settings } = scene
  const { wanted, replica } = object
  if (wanted === undefined || wanted.version <= replica.version) return caughtUp(scene, object)
  // Whoever has the turn gets there by itself.
  if (object.phase === 'syncing' || object.phase === 'proposing' || object.copying !== undefined) return
  const fetching = { source: '', query: 0, changes: [] as KeptChange[] }
  for (let version = replica.version + 1; version <= wanted.version; version++) {
    const change = object.changes.get(version)
    if (change === undefined) return ask(scene, object, wanted)
    addChanges(fetching, replica, [{ version, change }], settings.hash)
  }
  if (judge(fetching, wanted) === 'right') {
    takeUpTo(scene, object, fetching.changes, wanted)
    return caughtUp(scene, object)
  }
  object.changes.clear()
  ask(scene, object, wanted)
}

function caughtUp(scene: ClientScene, object: ClientObject): void {
  serveCopies(scene, object)
  for (const version of object.changes.keys()) if (version <= object.replica.version) object.changes.delete(version)
  for (const version of object.heads.keys()) if (version <= object.replica.version) object.heads.delete(version)
  launch(object)
  pump(scene, object)
}

/** The servers no longer know what we lack. No turn is taken until the copy is there: others go on meanwhile. */
function startCopy(scene: ClientScene, object: ClientObject): void {
  const { state, settings, turn } = scene
  const { servers } = state
  const first = turn.below(servers.length)
  const target = object.wanted?.version ?? 0
  const sources = chooseSources(servers, settings.liars + 1, first, object.copying, target)
  object.fetching = undefined
  object.copying = newCopying(++state.queries, sources)
  if (object.phase === 'syncing') leaveTurn(scene, object)
  follow(scene, object)
  for (const to of sources) send(scene, to, nextQuestion(object.copying, object.name, to))
  turn.do({ kind: 'timer', name: `sync:${object.name}`, after: COPY_MS })
}

function copyCame(
  scene: ClientScene,
  object: ClientObject,
  from: NodeId,
  answer: ServerMessage & { kind: 'changes' | 'entries' },
): void {
  const { settings, turn } = scene
  const copying = object.copying!
  const goesOn = hearCopy(copying, from, answer, settings.hash)
  if (adoptCopy(scene, object) || !goesOn) return
  send(scene, from, nextQuestion(copying, object.name, from))
  turn.do({ kind: 'timer', name: `sync:${object.name}`, after: COPY_MS })
}

/** Takes the copy, if by now it is at a version that b + 1 servers vouch for. */
function adoptCopy(scene: ClientScene, object: ClientObject): boolean {
  const { settings, turn } = scene
  const { copying, wanted } = object
  if (copying === undefined || wanted === undefined) return false
  const content = agreed(copying, wanted, settings.rules.vouchersNeeded(settings.liars))
  if (content === undefined || content.version < object.replica.version) return false
  object.copying = undefined
  // What was asked for meanwhile led from where the replica was; an answer to it would be waited for without a timer.
  object.fetching = undefined
  object.replica = content
  turn.do({ kind: 'cancel', name: `sync:${object.name}` })
  reflectedAll(scene, object)
  skipWatches(scene, object)
  if (object.phase === 'syncing') completeChoice(scene, object)
  else followHeads(scene, object)
  return true
}

/** A server says that a version is committed. */
export function onCommitted(
  scene: ClientScene,
  object: ClientObject,
  from: NodeId,
  { head, change }: ServerMessage & { kind: 'committed' },
): void {
  const { settings } = scene
  const { version } = head
  if (version <= object.replica.version && object.copying === undefined) return
  if (object.heads.size > HEADS_MAX) object.heads.clear()
  if (object.changes.size > HEADS_MAX) object.changes.clear()
  if (change !== undefined && !object.changes.has(version)) object.changes.set(version, change)
  const same = object.heads.get(version) ?? new Map<string, { head: Head; servers: Set<NodeId> }>()
  object.heads.set(version, same)
  const key = digestKey(head.digest)
  const voted = same.get(key) ?? { head, servers: new Set<NodeId>() }
  same.set(key, voted)
  voted.servers.add(from)
  if (voted.servers.size < settings.rules.vouchersNeeded(settings.liars)) return
  compareCommitted(scene, object, head, headsOf(same))
  if (object.wanted !== undefined && object.wanted.version > version) return
  object.wanted = { ...head, vouchers: [...voted.servers] }
  if (!adoptCopy(scene, object)) followHeads(scene, object)
}

type Voted = ReadonlyMap<string, { readonly head: Head; readonly servers: ReadonlySet<NodeId> }>

function* headsOf(voted: Voted): Iterable<readonly [NodeId, Head]> {
  for (const { head, servers } of voted.values()) for (const server of servers) yield [server, head]
}
