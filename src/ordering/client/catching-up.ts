// A client's replica: brought to a version that b + 1 servers vouch for, by changes from any one of them, which are
// checked by the chain of digests.

import { type Millis, type NodeId, sameBytes } from '../../core/index.ts'
import type { OrderingSettings } from '../settings.ts'
import { decodeChange, type KeptChange } from '../versions/content.ts'
import { nextDigest } from '../versions/digest.ts'
import { addChanges, judge, patienceWith } from '../versions/fetched-changes.ts'
import { withRoom } from '../versions/gathering.ts'
import type { Head } from '../wire.ts'
import { serveCopies } from './copy-reads.ts'
import { accuse } from './evidence.ts'
import { launch } from './own-operations.ts'
import { propose } from './proposing.ts'
import { advanceReplica } from './replica.ts'
import { send } from './send.ts'
import { forgetHeads, forgetReplies } from './shares.ts'
import type { ClientObject, ClientScene } from './state.ts'
import { clientTimers, wake } from './state.ts'
import { overtaken } from './turns.ts'

/** How long to wait for one source. */
const SOURCE_MS: Millis = 100

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
    return haveTurn(scene, object)
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

function haveTurn(scene: ClientScene, object: ClientObject): void {
  const { turn } = scene
  object.phase = 'holding'
  object.fetching = undefined
  // The replica got there without the copy that was on its way.
  object.copying = undefined
  clientTimers.cancel(turn, 'turn', object.name)
  clientTimers.cancel(turn, 'sync', object.name)
  forgetReplies(scene.state, object)
  scene.followUp.took = true
  wake(scene, object)
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

/** Whether the replica is there now, by what was fetched and what came with the replies. */
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
    if (changes.length === 0 || !addChanges(fetching, replica, changes, settings.hash, Number.POSITIVE_INFINITY))
      continue
    const verdict = judge(fetching, target)
    if (verdict === 'wrong') accuse(scene, object, source, target.version, 'changes that do not lead to its digest')
    if (verdict !== 'right') continue
    takeUpTo(scene, object, fetching.changes, target)
    return true
  }
  return false
}

export function takeUpTo(scene: ClientScene, object: ClientObject, changes: readonly KeptChange[], target: Head): void {
  for (const kept of changes) {
    if (kept.version > target.version) return
    if (kept.version === object.replica.version + 1) advanceReplica(scene, object, kept)
  }
}

/** Asks one of those who vouch for the changes up to it. */
function ask(scene: ClientScene, object: ClientObject, target: Head & { readonly vouchers: readonly NodeId[] }): void {
  const { state, turn } = scene
  if (object.fetching !== undefined && object.fetching.query !== 0) return
  const vouchers = withRoom(state.gathered, target.vouchers)
  const source = vouchers[turn.below(vouchers.length)]!
  // What was fetched is kept: each of the servers may have a part of it.
  const changes = object.fetching?.changes.filter(({ version }) => version > object.replica.version) ?? []
  const began = { at: turn.now, changes: changes.length }
  object.fetching = { source, query: ++state.queries, changes, mixed: changes.length > 0, began }
  askSource(scene, object)
}

/** No longer waits for this source; what it gave is kept. */
export function leaveSource(object: ClientObject): void {
  if (object.fetching !== undefined) object.fetching = { ...object.fetching, query: 0 }
}

export function askSource(scene: ClientScene, object: ClientObject): void {
  const { turn } = scene
  const { source, query, changes } = object.fetching!
  const from = changes.at(-1)?.version ?? object.replica.version
  send(scene, source, { kind: 'fetch', object: object.name, query, from })
  clientTimers.set(turn, 'sync', patienceWith(object.fetching!, SOURCE_MS, turn.now), object.name)
}

/** Brings the replica to the newest version that b + 1 servers call committed. */
export function followHeads(scene: ClientScene, object: ClientObject): void {
  const { settings } = scene
  const { wanted, replica } = object
  if (wanted === undefined || wanted.version <= replica.version) return caughtUp(scene, object)
  // The holder of the turn gets there by itself.
  if (object.phase === 'syncing' || object.phase === 'proposing' || object.copying !== undefined) return
  const fetching = { source: '', query: 0, changes: [] as KeptChange[] }
  for (let version = replica.version + 1; version <= wanted.version; version++) {
    const next = toldChange(settings, object, version, fetching.changes.at(-1) ?? replica)
    if (next === undefined) return ask(scene, object, wanted)
    fetching.changes.push(next)
  }
  if (judge(fetching, wanted) === 'right') {
    takeUpTo(scene, object, fetching.changes, wanted)
    return caughtUp(scene, object)
  }
  ask(scene, object, wanted)
}

/** Of those who told the change of a version: one that gives the digest its teller named, most others' if they differ. */
function toldChange(
  settings: OrderingSettings,
  { heads }: ClientObject,
  version: number,
  before: Head,
): KeptChange | undefined {
  const said = [...(heads.get(version)?.values() ?? [])]
  let best: KeptChange | undefined
  let most = 0
  for (const { change, digest } of said) {
    if (change === undefined) continue
    const vouchers = said.filter(other => sameBytes(other.digest, digest)).length
    if (vouchers <= most || !sameBytes(nextDigest(settings.hash, before.digest, version, change), digest)) continue
    most = vouchers
    best = { version, digest, change }
  }
  return best
}

function caughtUp(scene: ClientScene, object: ClientObject): void {
  serveCopies(scene, object)
  forgetHeads(scene.state, object, object.replica.version)
  launch(object)
  wake(scene, object)
}
