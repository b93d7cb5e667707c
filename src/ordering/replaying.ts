// A watch that goes on from a version: what lies between it and the replica is told one by one, where a server still
// has it. The changes are believed when they lead to the replica's own digest, whoever gave them and whatever digest they
// are said to begin at: the last digest covers all before it.

import type { Millis, NodeId } from '../core/index.ts'
import type { ClientScene, Replay, Use, Watch } from './client-state.ts'
import { decodeChange, RESERVED } from './content.ts'
import { gather, judge } from './gathering.ts'
import type { ServerMessage, Write } from './messages.ts'
import { send } from './uses.ts'

/** For so long a source is waited for. */
const SOURCE_MS: Millis = 200
/** Sources that are asked, by the number of servers: then the table is shown instead. */
const ROUNDS = 2
/** Versions that come while older ones are fetched. */
const LATER_MAX = 10_000

/** Fetches what lies between `from` and the replica. */
export function startReplay(scene: ClientScene, use: Use, watch: Watch): void {
  const { version, digest } = use.replica
  const replay: Replay = { target: { version, digest }, gathering: undefined, tries: 0, later: [] }
  watch.replay = replay
  askNext(scene, use, watch)
}

function askNext(scene: ClientScene, use: Use, watch: Watch): void {
  const { state, turn } = scene
  const replay = watch.replay!
  if (replay.tries >= ROUNDS * state.servers.length) return skip(scene, use, watch)
  const source = state.servers[(replay.tries++ + turn.below(2)) % state.servers.length]!
  replay.gathering = { source, query: ++state.queries, changes: [] }
  ask(scene, use, watch)
}

function ask(scene: ClientScene, use: Use, watch: Watch): void {
  const { turn } = scene
  const { source, query, changes } = watch.replay!.gathering!
  const from = changes.at(-1)?.version ?? watch.from!
  send(scene, source, { kind: 'fetch', object: use.object, query, from })
  turn.do({ kind: 'timer', name: `replay:${use.object}`, after: SOURCE_MS })
}

export function replayTimer(scene: ClientScene, use: Use): void {
  for (const watch of use.watches.values()) if (watch.replay !== undefined) askNext(scene, use, watch)
}

/** Whether these changes were fetched for a watch. */
export function replayCame(
  scene: ClientScene,
  use: Use,
  from: NodeId,
  answer: ServerMessage & { kind: 'changes' },
): boolean {
  for (const watch of use.watches.values()) {
    const gathering = watch.replay?.gathering
    if (gathering === undefined || gathering.query !== answer.query || gathering.source !== from) continue
    if (!answer.known) askNext(scene, use, watch)
    else hear(scene, use, watch, answer)
    return true
  }
  return false
}

function hear(
  scene: ClientScene,
  use: Use,
  watch: Watch,
  { base, changes }: ServerMessage & { kind: 'changes' },
): void {
  const { settings } = scene
  const { gathering, target } = watch.replay!
  const grew = gather(gathering!, { version: watch.from!, digest: base }, changes, settings.hash)
  const verdict = judge(gathering!, target)
  if (verdict === 'right') tell(scene, use, watch)
  else if (verdict === 'short' && grew) ask(scene, use, watch)
  else if (verdict === 'wrong') askNext(scene, use, watch)
}

function tell(scene: ClientScene, use: Use, watch: Watch): void {
  const { gathering, target, later } = watch.replay!
  watch.replay = undefined
  begin(scene, use, watch, watch.from!)
  for (const { version, change } of gathering!.changes) {
    if (version <= target.version) changed(scene, use, watch, version, decodeChange(change))
  }
  for (const { version, writes } of later) changed(scene, use, watch, version, writes)
}

function changed(scene: ClientScene, use: Use, watch: Watch, version: number, writes: readonly Write[]): void {
  const { turn } = scene
  const shown = writes.filter(({ key }) => !key.startsWith(RESERVED))
  watch.told = version
  turn.do({ kind: 'emit', event: { kind: 'changed', id: watch.id, object: use.object, version, writes: shown } })
}

export function begin(scene: ClientScene, { object }: Use, watch: Watch, version: number): void {
  const { turn } = scene
  watch.told = version
  turn.do({ kind: 'emit', event: { kind: 'watching', id: watch.id, object, version } })
}

/** The replica goes on while older versions are fetched: they are told after those. */
export function tellLater(scene: ClientScene, use: Use, watch: Watch, version: number, writes: readonly Write[]): void {
  const { later } = watch.replay!
  if (later.length >= LATER_MAX) return skip(scene, use, watch)
  later.push({ version, writes })
}

/** What lies between cannot be told one by one: the table is shown. */
export function skip(scene: ClientScene, use: Use, watch: Watch): void {
  const { turn } = scene
  const { object, replica } = use
  const { version, table } = replica
  watch.replay = undefined
  begin(scene, use, watch, version)
  turn.do({ kind: 'emit', event: { kind: 'skipped', id: watch.id, object, version, table } })
}
