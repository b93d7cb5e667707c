// A client's replica: brought to a version that b + 1 servers vouch for, by changes from any one of them, which are
// checked by the chain of digests.

import type { Millis, NodeId } from '../core/index.ts'
import type { ClientScene, Use } from './client-state.ts'
import { advance, decodeChange } from './content.ts'
import { agreed, chooseSources, hearCopy, newCopying, nextQuestion } from './copying.ts'
import { digestKey, nextDigest, sameBytes } from './digest.ts'
import { accuse, compareCommitted } from './evidence.ts'
import { gather, judge } from './gathering.ts'
import type { Head, ServerMessage, Write } from './messages.ts'
import type { KeptChange } from './objects.ts'
import { dropReflected } from './pool.ts'
import { propose } from './proposing.ts'
import { serveCopies } from './reading.ts'
import { reflected, reflectedAll } from './responses.ts'
import type { OrderingSettings } from './settings.ts'
import { launch } from './submitting.ts'
import { leaveTurn, overtaken, pump } from './turns.ts'
import { send, sendAll } from './uses.ts'
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
  use: Use,
  kept: KeptChange,
  writes: readonly Write[] = decodeChange(kept.change),
): void {
  const touched = advance(use.replica, kept.version, kept.digest, writes)
  for (const session of touched) {
    dropReflected(use, session)
    reflected(scene, use, session)
  }
  tellWatches(scene, use, kept.version, writes)
}

/** What the quorum vouches for, in the words of one who has the change too. */
interface Half {
  readonly parent: Uint8Array
  readonly change: Uint8Array
}

/** The turn is ours: brings the replica to where the choice is, and goes on from there. */
export function completeChoice(scene: ClientScene, use: Use): void {
  const { settings, turn } = scene
  const choice = use.choice!
  const { replica } = use
  if (replica.version > choice.version) return overtaken(scene, use)
  if (choice.committed || replica.version === choice.version) {
    if (!bringTo(scene, use, choice)) return ask(scene, use, choice)
    return begin(scene, use)
  }
  const half = halfDone(settings, use)
  if (half === undefined) return ask(scene, use, choice)
  const parent = { version: choice.version - 1, digest: half.parent }
  if (!bringTo(scene, use, parent)) return ask(scene, use, choice)
  const { version, digest } = choice
  const writes = decodeChange(half.change)
  const counts = { accepted: new Set<NodeId>(), refused: new Map(), operations: 0, sentAt: turn.now }
  propose(scene, use, { version, digest, ...half, writes, ...counts })
}

function begin(scene: ClientScene, use: Use): void {
  const { turn } = scene
  use.phase = 'holding'
  use.gathering = undefined
  // The replica got there without the copy that was on its way.
  use.copying = undefined
  turn.do({ kind: 'cancel', name: `turn:${use.object}` })
  turn.do({ kind: 'cancel', name: `sync:${use.object}` })
  pump(scene, use)
  // Nothing to do after all: what a read found half done is complete.
  if (use.phase === 'holding') use.completes = false
}

/** Somebody's version that is vouched for and not committed, where we have its change. */
function halfDone(settings: OrderingSettings, use: Use): Half | undefined {
  const { version, digest } = use.choice!
  for (const { proposed, change } of use.replies.values()) {
    if (proposed === undefined || change === undefined || proposed.version !== version) continue
    if (sameBytes(nextDigest(settings.hash, proposed.parent, version, change), digest)) {
      return { parent: proposed.parent, change }
    }
  }
  const last = use.gathering?.changes.find(kept => kept.version === version)
  if (last === undefined || !sameBytes(last.digest, digest)) return undefined
  const parent = use.gathering!.changes.find(kept => kept.version === version - 1)?.digest ?? use.replica.digest
  return { parent, change: last.change }
}

/** Whether the replica is there now, by what was gathered and what came with the replies. */
function bringTo(scene: ClientScene, use: Use, target: Head): boolean {
  const { settings } = scene
  const { replica } = use
  if (replica.version === target.version) return sameBytes(replica.digest, target.digest)
  if (use.gathering !== undefined && judge(use.gathering, target) === 'right') {
    takeUpTo(scene, use, use.gathering.changes, target)
    return true
  }
  for (const [source, { changes }] of use.replies) {
    const gathering = { source, query: 0, changes: [] as KeptChange[] }
    if (changes.length === 0 || !gather(gathering, replica, changes, settings.hash)) continue
    const verdict = judge(gathering, target)
    if (verdict === 'wrong') accuse(scene, use, source, target.version, 'changes that do not lead to its digest')
    if (verdict !== 'right') continue
    takeUpTo(scene, use, gathering.changes, target)
    return true
  }
  return false
}

function takeUpTo(scene: ClientScene, use: Use, changes: readonly KeptChange[], target: Head): void {
  for (const kept of changes) {
    if (kept.version > target.version) return
    if (kept.version === use.replica.version + 1) advanceReplica(scene, use, kept)
  }
}

/** Asks one of those who vouch for the changes up to it. */
function ask(scene: ClientScene, use: Use, target: Head & { readonly vouchers: readonly NodeId[] }): void {
  const { state, turn } = scene
  if (use.gathering !== undefined && use.gathering.query !== 0) return
  const source = target.vouchers[turn.below(target.vouchers.length)]!
  // What was gathered is kept: it may be that each of the servers has a part of it.
  const changes = use.gathering?.changes.filter(({ version }) => version > use.replica.version) ?? []
  use.gathering = { source, query: ++state.queries, changes, mixed: changes.length > 0 }
  askSource(scene, use)
}

/** No longer waits for this source; what it gave is kept. */
function leaveSource(use: Use): void {
  if (use.gathering !== undefined) use.gathering = { ...use.gathering, query: 0 }
}

function askSource(scene: ClientScene, use: Use): void {
  const { turn } = scene
  const { source, query, changes } = use.gathering!
  const from = changes.at(-1)?.version ?? use.replica.version
  send(scene, source, { kind: 'fetch', object: use.object, query, from })
  turn.do({ kind: 'timer', name: `sync:${use.object}`, after: SOURCE_MS })
}

/** The source was slow, short or wrong: another. */
export function syncTimer(scene: ClientScene, use: Use): void {
  leaveSource(use)
  tellWanted(scene, use)
  if (use.copying !== undefined) return startCopy(scene, use)
  if (use.phase === 'syncing') return completeChoice(scene, use)
  followHeads(scene, use)
}

/**
 * Those who have the change may not know that it is committed, and hand out nothing of it; whoever knows may lack the
 * change. b + 1 have said so to us: we say it to all.
 */
function tellWanted(scene: ClientScene, use: Use): void {
  const { settings } = scene
  const { object, rank, replica } = use
  const wanted = use.phase === 'syncing' ? newestCommitted(settings, use) : use.wanted
  if (wanted === undefined || wanted.version <= replica.version) return
  sendAll(scene, { kind: 'commit', object, rank, version: wanted.version, digest: wanted.digest })
}

/** Of those who have answered: the newest version that b + 1 call committed. */
function newestCommitted(settings: OrderingSettings, { replies }: Use): Head | undefined {
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
  use: Use,
  from: NodeId,
  answer: ServerMessage & { kind: 'changes' | 'entries' },
): void {
  const { settings, turn } = scene
  if (use.copying !== undefined) return copyCame(scene, use, from, answer)
  const { gathering } = use
  if (gathering === undefined || gathering.source !== from || gathering.query !== answer.query) return
  if (answer.kind === 'entries') return
  if (!answer.known) return startCopy(scene, use)
  const grew = gather(gathering, use.replica, answer.changes, settings.hash)
  const target = use.phase === 'syncing' ? use.choice! : use.wanted
  if (target === undefined || !grew) return
  switch (judge(gathering, target)) {
    case 'short':
      return askSource(scene, use)
    case 'wrong':
      use.gathering = { ...gathering, changes: [] }
      // Of several sources nobody knows which one lied. And what was only proposed may have come to nothing meanwhile.
      if (gathering.mixed !== true && (use.phase !== 'syncing' || use.choice!.committed)) {
        accuse(scene, use, from, target.version, 'changes that do not lead to its digest')
      }
      return
    case 'right':
      if (use.phase === 'syncing') return completeChoice(scene, use)
      takeUpTo(scene, use, gathering.changes, target)
      use.gathering = undefined
      turn.do({ kind: 'cancel', name: `sync:${use.object}` })
      return followHeads(scene, use)
  }
}

/** Brings the replica to the newest version that b + 1 servers call committed. */
export function followHeads(scene: ClientScene, use: Use): void {
  const { settings } = scene
  const { wanted, replica } = use
  if (wanted === undefined || wanted.version <= replica.version) return caughtUp(scene, use)
  // Whoever has the turn gets there by itself.
  if (use.phase === 'syncing' || use.phase === 'proposing' || use.copying !== undefined) return
  const gathering = { source: '', query: 0, changes: [] as KeptChange[] }
  for (let version = replica.version + 1; version <= wanted.version; version++) {
    const change = use.changes.get(version)
    if (change === undefined) return ask(scene, use, wanted)
    gather(gathering, replica, [{ version, change }], settings.hash)
  }
  if (judge(gathering, wanted) === 'right') {
    takeUpTo(scene, use, gathering.changes, wanted)
    return caughtUp(scene, use)
  }
  use.changes.clear()
  ask(scene, use, wanted)
}

function caughtUp(scene: ClientScene, use: Use): void {
  serveCopies(scene, use)
  for (const version of use.changes.keys()) if (version <= use.replica.version) use.changes.delete(version)
  for (const version of use.heads.keys()) if (version <= use.replica.version) use.heads.delete(version)
  launch(use)
  pump(scene, use)
}

/** The servers no longer know what we lack. No turn is taken until the copy is there: others go on meanwhile. */
function startCopy(scene: ClientScene, use: Use): void {
  const { state, settings, turn } = scene
  const { servers } = state
  const first = turn.below(servers.length)
  const target = use.wanted?.version ?? 0
  const sources = chooseSources(servers, settings.liars + 1, first, use.copying, target)
  use.gathering = undefined
  use.copying = newCopying(++state.queries, sources)
  if (use.phase === 'syncing') leaveTurn(scene, use)
  follow(scene, use)
  for (const to of sources) send(scene, to, nextQuestion(use.copying, use.object, to))
  turn.do({ kind: 'timer', name: `sync:${use.object}`, after: COPY_MS })
}

function copyCame(
  scene: ClientScene,
  use: Use,
  from: NodeId,
  answer: ServerMessage & { kind: 'changes' | 'entries' },
): void {
  const { settings, turn } = scene
  const copying = use.copying!
  const goesOn = hearCopy(copying, from, answer, settings.hash)
  if (adoptCopy(scene, use) || !goesOn) return
  send(scene, from, nextQuestion(copying, use.object, from))
  turn.do({ kind: 'timer', name: `sync:${use.object}`, after: COPY_MS })
}

/** Takes the copy, if by now it is at a version that b + 1 servers vouch for. */
function adoptCopy(scene: ClientScene, use: Use): boolean {
  const { settings, turn } = scene
  const { copying, wanted } = use
  if (copying === undefined || wanted === undefined) return false
  const content = agreed(copying, wanted, settings.rules.vouchersNeeded(settings.liars))
  if (content === undefined || content.version < use.replica.version) return false
  use.copying = undefined
  // What was asked for meanwhile led from where the replica was; an answer to it would be waited for without a timer.
  use.gathering = undefined
  use.replica = content
  turn.do({ kind: 'cancel', name: `sync:${use.object}` })
  reflectedAll(scene, use)
  skipWatches(scene, use)
  if (use.phase === 'syncing') completeChoice(scene, use)
  else followHeads(scene, use)
  return true
}

/** A server says that a version is committed. */
export function headCame(
  scene: ClientScene,
  use: Use,
  from: NodeId,
  { head, change }: ServerMessage & { kind: 'committed' },
): void {
  const { settings } = scene
  const { version } = head
  if (version <= use.replica.version && use.copying === undefined) return
  if (use.heads.size > HEADS_MAX) use.heads.clear()
  if (use.changes.size > HEADS_MAX) use.changes.clear()
  if (change !== undefined && !use.changes.has(version)) use.changes.set(version, change)
  const same = use.heads.get(version) ?? new Map<string, { head: Head; servers: Set<NodeId> }>()
  use.heads.set(version, same)
  const key = digestKey(head.digest)
  const voted = same.get(key) ?? { head, servers: new Set<NodeId>() }
  same.set(key, voted)
  voted.servers.add(from)
  if (voted.servers.size < settings.rules.vouchersNeeded(settings.liars)) return
  compareCommitted(scene, use, head, headsOf(same))
  if (use.wanted !== undefined && use.wanted.version > version) return
  use.wanted = { ...head, vouchers: [...voted.servers] }
  if (!adoptCopy(scene, use)) followHeads(scene, use)
}

type Voted = ReadonlyMap<string, { readonly head: Head; readonly servers: ReadonlySet<NodeId> }>

function* headsOf(voted: Voted): Iterable<readonly [NodeId, Head]> {
  for (const { head, servers } of voted.values()) for (const server of servers) yield [server, head]
}
