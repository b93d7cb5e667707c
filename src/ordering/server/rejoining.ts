// A server that has lost its store comes back under its own name (protocols/ordering, "rejoin").
//
// It has forgotten what it promised. So it says nothing until every attempt that it may have said yes to is over: the
// one place where the order trusts time. Then q others say what they promised and took: any quorum of a finished
// attempt shares 2b + 1 servers with those q, this one left out, so that what it had said yes to is vouched for there.

import { firstNames, type Millis, type NodeId, orderingQuorum, outlasting, sameBytes } from '../../core/index.ts'
import { choose, type Voucher } from '../choose.ts'
import { compareRanks, LOWEST_RANK } from '../rules.ts'
import { decodeChange } from '../versions/content.ts'
import { FIRST_DIGEST, nextDigest } from '../versions/digest.ts'
import {
  type ClientMessage,
  INSPECTED_MAX,
  type Rank,
  type RecalledMessage,
  type RecalledObject,
  type ServerMessage,
} from '../wire.ts'
import { fetchMissing } from './catching-up.ts'
import { proposalRecord, save, saveLazily } from './records.ts'
import { reply } from './send.ts'
import type { Rejoin, ServerScene } from './state.ts'
import { lookUp, OBJECTS_MAX, objectOf, type Proposal, proposedHead, type ServerObject, serverTimers } from './state.ts'

const ASK_AGAIN: Millis = 500

export function mustRejoin(scene: ServerScene): boolean {
  const { state, settings } = scene
  return (
    state.rejoins === 'under way' ||
    (settings.rejoins && state.rejoins === 'never' && state.objects.size + state.tombstones.size === 0)
  )
}

export function startRejoining(scene: ServerScene): void {
  const { state, settings, turn } = scene
  if (state.rejoins === 'never') save(scene, { kind: 'rejoin', object: '', done: false })
  const after = outlasting(settings.attemptMax, settings.drift)
  state.rejoin = { until: turn.now + after, query: 0, recalled: new Map(), halves: new Map(), taken: false }
  serverTimers.set(turn, 'rejoin', after)
}

/**
 * Asks those who have not said everything. Where a version was half done and its change did not come, the others have
 * gone on: a busy object never stands still for this server, so the others are asked again what they have.
 */
export function onRejoin(scene: ServerScene): void {
  const { state, turn } = scene
  const { rejoin } = state
  if (rejoin === undefined) return
  if (rejoin.query === 0 || rejoin.taken) {
    rejoin.query = ++state.queries
    rejoin.recalled.clear()
  }
  for (const server of state.servers) {
    if (server !== state.self && rejoin.recalled.get(server)?.whole !== true) ask(scene, rejoin, server)
  }
  serverTimers.set(turn, 'rejoin', ASK_AGAIN)
}

function askForHalves(scene: ServerScene, { query, halves }: Rejoin): void {
  const { state, turn } = scene
  for (const to of state.servers) {
    if (to === state.self) continue
    for (const object of halves.keys()) {
      turn.do({ kind: 'send', to, body: { kind: 'read', object, query, keys: [], content: true } })
    }
  }
}

function ask(scene: ServerScene, { query, recalled }: Rejoin, server: NodeId): void {
  const { turn } = scene
  const after = [...(recalled.get(server)?.objects.keys() ?? [])].at(-1) ?? ''
  turn.do({ kind: 'send', to: server, body: { kind: 'recall', query, after } })
}

/** What a server that has its memory says to one that lost it. */
export function onRecall(scene: ServerScene, from: NodeId, { query, after }: ClientMessage & { kind: 'recall' }): void {
  const { state } = scene
  if (!state.servers.includes(from)) return
  const all = [...state.objects.keys(), ...state.tombstones.keys()]
  const { names, more } = firstNames(all, after, INSPECTED_MAX)
  const objects = names.map(name => {
    const object = lookUp(state, name)
    const { promised, committed } = object
    return { object: name, promised, committed, proposed: proposedHead(object) }
  })
  reply(scene, from, { kind: 'recalled', query, objects, more })
}

export function takeRecalled(scene: ServerScene, from: NodeId, { query, objects, more }: RecalledMessage): void {
  const { state, settings } = scene
  const rejoin = state.rejoin!
  if (query !== rejoin.query || query === 0) return
  const answer = rejoin.recalled.get(from) ?? { objects: new Map<string, RecalledObject>(), whole: false }
  rejoin.recalled.set(from, answer)
  // Nobody has more than that: it would go on for ever.
  if (answer.whole || answer.objects.size > OBJECTS_MAX) return
  for (const object of objects) answer.objects.set(object.object, object)
  if (answer.objects.size > OBJECTS_MAX) return
  if (more) return ask(scene, rejoin, from)
  answer.whole = true
  const whole = [...rejoin.recalled].filter(([, one]) => one.whole)
  if (whole.length !== orderingQuorum(state.servers.length, settings.liars, settings.crashes)) return
  takeOver(scene, new Map(whole.map(([server, one]) => [server, one.objects])))
  finishIfWhole(scene)
}

type Recalled = ReadonlyMap<NodeId, ReadonlyMap<string, RecalledObject>>

function takeOver(scene: ServerScene, recalled: Recalled): void {
  const { state, settings } = scene
  const rejoin = state.rejoin!
  const names = rejoin.taken ? [...rejoin.halves.keys()] : namesIn(recalled, settings.liars)
  rejoin.halves.clear()
  rejoin.taken = true
  for (const name of names) {
    const object = objectOf(state, name)
    if (object === undefined) continue
    const vouchers = new Map<NodeId, Voucher>()
    const ranks: Rank[] = []
    for (const [server, objects] of recalled) {
      const one = objects.get(name)
      vouchers.set(server, one ?? { committed: { version: 0, digest: FIRST_DIGEST }, proposed: undefined })
      ranks.push(one?.promised ?? LOWEST_RANK)
    }
    const vouched = ranks.sort((a, b) => compareRanks(b, a))[settings.liars]!
    if (compareRanks(vouched, object.promised) > 0) object.promised = vouched
    adopt(scene, object, vouchers)
  }
  askForHalves(scene, rejoin)
}

// Whatever this server may have promised or taken is known to b + 1 honest ones of those who answer. Of other names one
// liar may know as many as it likes.
function namesIn(recalled: Recalled, liars: number): string[] {
  const counts = new Map<string, number>()
  for (const objects of recalled.values()) {
    for (const name of objects.keys()) counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return [...counts].filter(([, count]) => count > liars).map(([name]) => name)
}

function adopt(scene: ServerScene, object: ServerObject, vouchers: ReadonlyMap<NodeId, Voucher>): void {
  const { state, settings } = scene
  const choice = choose(vouchers, settings.liars, settings.rules)
  if (choice === undefined) return
  const { version, digest, rank } = choice
  if (choice.committed) object.committed = { version, digest }
  else state.rejoin!.halves.set(object.name, { version, digest, rank })
}

export function onReadings(
  scene: ServerScene,
  { object: name, proposed, change }: ServerMessage & { kind: 'readings' },
): void {
  const { state, settings } = scene
  const half = state.rejoin!.halves.get(name)
  const object = state.objects.get(name)
  if (half === undefined || object === undefined || proposed === undefined || change === undefined) return
  if (proposed.version !== half.version) return
  const { version, parent } = proposed
  if (!sameBytes(nextDigest(settings.hash, parent, version, change), half.digest)) return
  state.rejoin!.halves.delete(name)
  const { digest, rank } = half
  const taken = compareRanks(rank, object.promised) > 0 ? object.promised : rank
  const proposal: Proposal = { version, digest, parent, rank: taken, change, writes: decodeChange(change), heard: true }
  object.proposed = proposal
  object.committed = { version: version - 1, digest: parent }
  finishIfWhole(scene)
}

/** Everything is on disk before the first vote: the last record waits for all before it. */
function finishIfWhole(scene: ServerScene): void {
  const { state, turn } = scene
  if (state.rejoin === undefined || state.rejoin.halves.size > 0) return
  state.rejoin = undefined
  state.rejoins = 'done'
  serverTimers.cancel(turn, 'rejoin')
  for (const object of state.objects.values()) {
    const { name, promised, proof, committed, proposed, content } = object
    const applied = { version: content.version, digest: content.digest }
    saveLazily(scene, { kind: 'head', object: name, promised, proof, applied, committed })
    if (proposed !== undefined) {
      saveLazily(scene, proposalRecord(name, proposed))
      saveLazily(scene, { kind: 'rank', object: name, rank: promised, proof })
    }
    if (content.version < committed.version) fetchMissing(scene, object)
  }
  save(scene, { kind: 'rejoin', object: '', done: true })
  serverTimers.set(turn, 'sweep', ASK_AGAIN)
}
