// A watch that goes on from a version: what lies between it and the replica is told one by one, where a server still
// has it. The changes are believed when they lead to the replica's own digest, whoever gave them and whatever digest they
// are said to begin at: the last digest covers all before it.

import type { Millis, NodeId } from '../core/index.ts'
import type { ClientState, Replay, Use, Watch } from './client-state.ts'
import { decodeChange, RESERVED } from './content.ts'
import { gather, judge } from './gathering.ts'
import type { ServerMessage, Write } from './messages.ts'
import type { OrderingSettings } from './settings.ts'
import type { OrderingTurn } from './state.ts'
import { send } from './uses.ts'

/** For so long a source is waited for. */
const SOURCE_MS: Millis = 200
/** Sources that are asked, by the number of servers: then the table is shown instead. */
const ROUNDS = 2
/** Versions that come while older ones are fetched. */
const LATER_MAX = 10_000

/** Fetches what lies between `from` and the replica. */
export function startReplay(state: ClientState, use: Use, watch: Watch, turn: OrderingTurn): void {
  const { version, digest } = use.replica
  const replay: Replay = { target: { version, digest }, gathering: undefined, tries: 0, later: [] }
  watch.replay = replay
  askNext(state, use, watch, turn)
}

function askNext(state: ClientState, use: Use, watch: Watch, turn: OrderingTurn): void {
  const replay = watch.replay!
  if (replay.tries >= ROUNDS * state.servers.length) return skip(use, watch, turn)
  const source = state.servers[(replay.tries++ + turn.below(2)) % state.servers.length]!
  replay.gathering = { source, query: ++state.queries, changes: [] }
  ask(use, watch, turn)
}

function ask(use: Use, watch: Watch, turn: OrderingTurn): void {
  const { source, query, changes } = watch.replay!.gathering!
  const from = changes.at(-1)?.version ?? watch.from!
  send(turn, source, { kind: 'fetch', object: use.object, query, from })
  turn.do({ kind: 'timer', name: `replay:${use.object}`, after: SOURCE_MS })
}

export function replayTimer(state: ClientState, use: Use, turn: OrderingTurn): void {
  for (const watch of use.watches.values()) if (watch.replay !== undefined) askNext(state, use, watch, turn)
}

/** Whether these changes were fetched for a watch. */
export function replayCame(
  state: ClientState,
  settings: OrderingSettings,
  use: Use,
  from: NodeId,
  answer: ServerMessage & { kind: 'changes' },
  turn: OrderingTurn,
): boolean {
  for (const watch of use.watches.values()) {
    const gathering = watch.replay?.gathering
    if (gathering === undefined || gathering.query !== answer.query || gathering.source !== from) continue
    if (!answer.known) askNext(state, use, watch, turn)
    else hear(state, settings, use, watch, answer, turn)
    return true
  }
  return false
}

function hear(
  state: ClientState,
  settings: OrderingSettings,
  use: Use,
  watch: Watch,
  { base, changes }: ServerMessage & { kind: 'changes' },
  turn: OrderingTurn,
): void {
  const { gathering, target } = watch.replay!
  const grew = gather(gathering!, { version: watch.from!, digest: base }, changes, settings.hash)
  const verdict = judge(gathering!, target)
  if (verdict === 'right') tell(use, watch, turn)
  else if (verdict === 'short' && grew) ask(use, watch, turn)
  else if (verdict === 'wrong') askNext(state, use, watch, turn)
}

function tell(use: Use, watch: Watch, turn: OrderingTurn): void {
  const { gathering, target, later } = watch.replay!
  watch.replay = undefined
  begin(use, watch, watch.from!, turn)
  for (const { version, change } of gathering!.changes) {
    if (version <= target.version) changed(use, watch, version, decodeChange(change), turn)
  }
  for (const { version, writes } of later) changed(use, watch, version, writes, turn)
}

function changed(use: Use, watch: Watch, version: number, writes: readonly Write[], turn: OrderingTurn): void {
  const shown = writes.filter(({ key }) => !key.startsWith(RESERVED))
  watch.told = version
  turn.do({ kind: 'emit', event: { kind: 'changed', id: watch.id, object: use.object, version, writes: shown } })
}

export function begin({ object }: Use, watch: Watch, version: number, turn: OrderingTurn): void {
  watch.told = version
  turn.do({ kind: 'emit', event: { kind: 'watching', id: watch.id, object, version } })
}

/** The replica goes on while older versions are fetched: they are told after those. */
export function tellLater(use: Use, watch: Watch, version: number, writes: readonly Write[], turn: OrderingTurn): void {
  const { later } = watch.replay!
  if (later.length >= LATER_MAX) return skip(use, watch, turn)
  later.push({ version, writes })
}

/** What lies between cannot be told one by one: the table is shown. */
export function skip(use: Use, watch: Watch, turn: OrderingTurn): void {
  const { object, replica } = use
  const { version, table } = replica
  watch.replay = undefined
  begin(use, watch, version, turn)
  turn.do({ kind: 'emit', event: { kind: 'skipped', id: watch.id, object, version, table } })
}
