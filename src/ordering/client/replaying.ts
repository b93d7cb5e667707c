// A watch that goes on from a version: what lies between it and the replica is shown change by change, where a
// server still has it. The changes are believed when they lead to the replica's own digest, whatever their source and the
// digest they are said to begin at: the last digest covers all before it.

import type { Millis, NodeId } from '../../core/index.ts'
import { decodeChange, RESERVED } from '../versions/content.ts'
import { addChanges, judge, patienceWith } from '../versions/fetched-changes.ts'
import { roomOf } from '../versions/gathering.ts'
import type { ServerMessage, Write } from '../wire.ts'
import { send } from './send.ts'
import type { ClientObject, ClientScene, Replay, Watch } from './state.ts'
import { clientTimers } from './state.ts'

/** How long to wait for one source. */
const SOURCE_MS: Millis = 200
/** Sources that are asked, by the number of servers: then the table is shown instead. */
const ROUNDS = 2
/** Versions that come while older ones are fetched. */
const LATER_MAX = 10_000

/** Fetches what lies between `from` and the replica. */
export function startReplay(scene: ClientScene, object: ClientObject, watch: Watch): void {
  const { version, digest } = object.replica
  const replay: Replay = { target: { version, digest }, fetching: undefined, tries: 0, later: [] }
  watch.replay = replay
  askNext(scene, object, watch)
}

function askNext(scene: ClientScene, object: ClientObject, watch: Watch): void {
  const { state, turn } = scene
  const replay = watch.replay!
  if (replay.tries >= ROUNDS * state.servers.length) return skip(scene, object, watch)
  const source = state.servers[(replay.tries++ + turn.below(2)) % state.servers.length]!
  replay.fetching = { source, query: ++state.queries, changes: [], began: { at: turn.now, changes: 0 } }
  ask(scene, object, watch)
}

function ask(scene: ClientScene, object: ClientObject, watch: Watch): void {
  const { turn } = scene
  const fetching = watch.replay!.fetching!
  const { source, query, changes } = fetching
  const from = changes.at(-1)?.version ?? watch.from!
  send(scene, source, { kind: 'fetch', object: object.name, query, from })
  clientTimers.set(turn, 'replay', patienceWith(fetching, SOURCE_MS, turn.now), object.name)
}

export function onReplay(scene: ClientScene, object: ClientObject): void {
  for (const watch of object.watches.values()) if (watch.replay !== undefined) askNext(scene, object, watch)
}

/** Whether these changes were fetched for a watch. */
export function replayCame(
  scene: ClientScene,
  object: ClientObject,
  from: NodeId,
  answer: ServerMessage & { kind: 'changes' },
): boolean {
  for (const watch of object.watches.values()) {
    const fetching = watch.replay?.fetching
    if (fetching === undefined || fetching.query !== answer.query || fetching.source !== from) continue
    if (!answer.known) askNext(scene, object, watch)
    else hear(scene, object, watch, answer)
    return true
  }
  return false
}

function hear(
  scene: ClientScene,
  object: ClientObject,
  watch: Watch,
  { base, changes }: ServerMessage & { kind: 'changes' },
): void {
  const { state, settings } = scene
  const { fetching, target } = watch.replay!
  const room = roomOf(state.gathered, fetching!.source)
  if (room === 0) return askNext(scene, object, watch)
  const grew = addChanges(fetching!, { version: watch.from!, digest: base }, changes, settings.hash, room)
  const verdict = judge(fetching!, target)
  if (verdict === 'right') tell(scene, object, watch)
  else if (verdict === 'short' && grew) ask(scene, object, watch)
  else if (verdict === 'wrong') askNext(scene, object, watch)
}

function tell(scene: ClientScene, object: ClientObject, watch: Watch): void {
  const { fetching, target, later } = watch.replay!
  watch.replay = undefined
  begin(scene, object, watch, watch.from!)
  for (const { version, change } of fetching!.changes) {
    if (version <= target.version) changed(scene, object, watch, version, decodeChange(change))
  }
  for (const { version, writes } of later) changed(scene, object, watch, version, writes)
}

function changed(
  scene: ClientScene,
  object: ClientObject,
  watch: Watch,
  version: number,
  writes: readonly Write[],
): void {
  const { turn } = scene
  const shown = writes.filter(({ key }) => !key.startsWith(RESERVED))
  watch.reached = version
  turn.do({ kind: 'emit', event: { kind: 'changed', id: watch.id, object: object.name, version, writes: shown } })
}

export function begin(scene: ClientScene, { name: object }: ClientObject, watch: Watch, version: number): void {
  const { turn } = scene
  watch.reached = version
  turn.do({ kind: 'emit', event: { kind: 'watching', id: watch.id, object, version } })
}

/** The replica goes on while older versions are fetched: they are shown after those. */
export function tellLater(
  scene: ClientScene,
  object: ClientObject,
  watch: Watch,
  version: number,
  writes: readonly Write[],
): void {
  const { later } = watch.replay!
  if (later.length >= LATER_MAX) return skip(scene, object, watch)
  later.push({ version, writes })
}

/** What lies between cannot be shown change by change: the table is. */
export function skip(scene: ClientScene, object: ClientObject, watch: Watch): void {
  const { turn } = scene
  const { name, replica } = object
  const { version, table } = replica
  watch.replay = undefined
  begin(scene, object, watch, version)
  turn.do({ kind: 'emit', event: { kind: 'skipped', id: watch.id, object: name, version, table } })
}
