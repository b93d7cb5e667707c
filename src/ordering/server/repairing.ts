// What a client that lies can leave behind for good, an operator can take away again: a promise to a rank that no clock
// reaches for years, and a committed version that nobody has the content of.
//
// It breaks a promise on purpose. The client that was promised the rank may still be at work: what it has not finished may come to
// nothing, and where the version does exist somewhere, it is lost. So it is for objects that stand still.

import type { NodeId } from '../../core/index.ts'
import { compareRanks } from '../rules.ts'
import type { ClientMessage, Rank, RepairOutcome } from '../wire.ts'
import { highestRank } from './ranks.ts'
import { save } from './records.ts'
import { reply } from './send.ts'
import type { ServerObject, ServerScene } from './state.ts'
import { clientName } from './state.ts'

export function onRepair(scene: ServerScene, from: NodeId, asked: ClientMessage & { kind: 'repair' }): void {
  const { state, settings, turn } = scene
  const { query, object: name, version } = asked
  const allowed = from.includes('#') && settings.operators.includes(clientName(from))
  const object = state.objects.get(name)
  const outcome: RepairOutcome = !allowed
    ? 'not allowed'
    : object && repair(scene, object, version)
      ? 'repaired'
      : 'sound'
  const event = { object: name, by: from }
  if (outcome === 'not allowed') turn.do({ kind: 'emit', event: { kind: 'repairRefused', ...event } })
  if (outcome === 'repaired') turn.do({ kind: 'emit', event: { kind: 'repaired', ...event } })
  reply(scene, from, { kind: 'repaired', query, object: name, outcome })
}

/** `version`: the newest that more servers than can lie have the content of. */
function repair(scene: ServerScene, object: ServerObject, version: number): boolean {
  scene.state.touched = object
  const { content, committed } = object
  const highest = highestRank(scene)
  const high = object.promised.counter > highest
  const ahead = committed.version > version && content.version <= version && committed.version > content.version
  if (!high && !ahead) return false
  if (ahead) goBack(object)
  if (high) lower(scene, object, highest)
  save(scene, { kind: 'repaired', object: object.name, promised: object.promised, committed: object.committed })
  const { proposed } = object
  if (proposed !== undefined) {
    const { rank, version: number, parent, digest, change } = proposed
    save(scene, {
      kind: proposed.heard ? 'heard' : 'proposal',
      object: object.name,
      proposed: { rank, version: number, parent, digest },
      change,
    })
  }
  return true
}

function goBack(object: ServerObject): void {
  const { content } = object
  object.committed = { version: content.version, digest: content.digest }
  object.unapplied.clear()
  object.doubtful.clear()
  object.fetching = undefined
  object.copying = undefined
  if (object.proposed !== undefined && object.proposed.version > content.version + 1) object.proposed = undefined
}

/** To what the clock says now: the next client that follows its clock has a higher one. */
function lower({ settings }: ServerScene, object: ServerObject, highest: number): void {
  const counter = Math.floor(highest - settings.rankAheadMax)
  const clamp = (rank: Rank): Rank => (rank.counter > counter ? { counter, client: rank.client } : rank)
  object.promised = clamp(object.promised)
  object.proof = new Uint8Array(0)
  const { proposed } = object
  if (proposed === undefined || compareRanks(proposed.rank, object.promised) <= 0) return
  object.proposed = { ...proposed, rank: clamp(proposed.rank) }
}
