// What servers send while a replica is brought to a version: changes, pages, and what is committed.

import { type NodeId, sameBytes } from '../../core/index.ts'
import type { OrderingSettings } from '../settings.ts'
import { digestKey } from '../versions/digest.ts'
import { addChanges, isFull, judge } from '../versions/fetched-changes.ts'
import { roomOf } from '../versions/gathering.ts'
import type { Head, ServerMessage } from '../wire.ts'
import { askSource, completeChoice, followHeads, leaveSource, takeUpTo } from './catching-up.ts'
import { adoptCopy, copyAgain, copyCame, startCopy } from './copying.ts'
import { accuse, compareCommitted, hearClaim } from './evidence.ts'
import { replayCame } from './replaying.ts'
import { sendAll } from './send.ts'
import { keep } from './shares.ts'
import type { ClientObject, ClientScene, SaidHead } from './state.ts'
import { clientTimers } from './state.ts'

/** Pages of a copy; nobody else asks for them. */
export function onEntries(
  scene: ClientScene,
  object: ClientObject,
  from: NodeId,
  answer: ServerMessage & { kind: 'entries' },
): void {
  if (object.copying !== undefined) copyCame(scene, object, from, answer)
}

/** Fetched for a watch, for a copy, or to bring the replica to a version. */
export function onChanges(
  scene: ClientScene,
  object: ClientObject,
  from: NodeId,
  answer: ServerMessage & { kind: 'changes' },
): void {
  const { state, settings, turn } = scene
  if (replayCame(scene, object, from, answer)) return
  if (object.copying !== undefined) return copyCame(scene, object, from, answer)
  const { fetching } = object
  if (fetching === undefined || fetching.source !== from || fetching.query !== answer.query) return
  if (!answer.known) return startCopy(scene, object)
  const room = roomOf(state.gathered, from)
  // What it gave for other objects waits for those who vouch for it: a copy is counted only where its source is ahead.
  if (room === 0) return startCopy(scene, object)
  const grew = addChanges(fetching, object.replica, answer.changes, settings.hash, room)
  const target = object.phase === 'syncing' ? object.choice! : object.wanted
  if (target === undefined || !grew) return
  switch (judge(fetching, target)) {
    case 'short':
      return isFull(fetching) ? startCopy(scene, object) : askSource(scene, object)
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
      clientTimers.cancel(turn, 'sync', object.name)
      return followHeads(scene, object)
  }
}

/** The source was slow, short or wrong: another. */
export function onSync(scene: ClientScene, object: ClientObject): void {
  leaveSource(object)
  tellWanted(scene, object)
  if (object.copying !== undefined) return copyAgain(scene, object)
  if (object.phase === 'syncing') return completeChoice(scene, object)
  followHeads(scene, object)
}

/**
 * Those who have the change may not know that it is committed, and hand out nothing of it; those who know may lack
 * the change. b + 1 have said so to us: we say it to all.
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

/** A server says that a version is committed. */
export function onCommitted(
  scene: ClientScene,
  object: ClientObject,
  from: NodeId,
  { head, change }: ServerMessage & { kind: 'committed' },
): void {
  const { settings } = scene
  const { version, digest } = head
  hearClaim(scene, object, from, head)
  if (version <= object.replica.version && object.copying === undefined) return
  const said = object.heads.get(version) ?? new Map<NodeId, SaidHead>()
  object.heads.set(version, said)
  // Said again without the change, which it told before.
  const before = said.get(from)
  const told = change ?? (before !== undefined && sameBytes(before.digest, digest) ? before.change : undefined)
  said.set(from, { version, digest, change: told })
  keep(scene, from, { kind: 'committed', object: object.name, version }, told?.length ?? 0)
  const vouchers = [...said].filter(([, other]) => sameBytes(other.digest, digest)).map(([server]) => server)
  if (vouchers.length < settings.rules.vouchersNeeded(settings.liars)) return
  compareCommitted(scene, object, head, said)
  if (object.wanted !== undefined && object.wanted.version > version) return
  object.wanted = { ...head, vouchers }
  if (!adoptCopy(scene, object)) followHeads(scene, object)
}
