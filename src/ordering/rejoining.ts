// A server that has lost its store comes back under its own name (PROTOCOLS F, "rejoin").
//
// It has forgotten what it promised. So it says nothing until every attempt that it may have said yes to is over: the
// one place where the order trusts time. Then q others tell what they promised and took: any quorum of a finished
// attempt shares 2b + 1 servers with those q, this one left out, so that what it had said yes to is vouched for there.

import type { Millis, NodeId } from '../core/index.ts'
import { orderingQuorum } from '../core/index.ts'
import { choose, type Voucher } from './choose.ts'
import { decodeChange } from './content.ts'
import { FIRST_DIGEST, nextDigest, sameBytes } from './digest.ts'
import { inspect } from './inspecting.ts'
import { fetchMissing } from './lagging.ts'
import {
  type ClientMessage,
  type Head,
  INSPECTED_MAX,
  type OrderingMessage,
  type Rank,
  type RecalledMessage,
  type RecalledObject,
  type ServerMessage,
} from './messages.ts'
import {
  objectOf,
  type Proposal,
  proposedHead,
  reply,
  type ServerObject,
  type ServerState,
  type ServerTurn,
} from './objects.ts'
import { save } from './records.ts'
import { compareRanks, LOWEST_RANK } from './rules.ts'
import type { OrderingSettings } from './settings.ts'

export interface Rejoin {
  /** Until then it does not even ask: attempts it may have taken part in are under way. */
  readonly until: Millis
  query: number
  /** What each of the others has, as far as it has told. */
  readonly told: Map<NodeId, { readonly objects: Map<string, RecalledObject>; whole: boolean }>
  /** Versions that are vouched for and not committed: their changes are asked for. */
  readonly halves: Map<string, Head>
  /** Once the others have told: only what is half done is asked for again. */
  taken: boolean
}

const ASK_AGAIN: Millis = 500

export function mustRejoin(state: ServerState, settings: OrderingSettings): boolean {
  return state.rejoins === 'under way' || (settings.rejoins && state.rejoins === 'never' && state.objects.size === 0)
}

export function startRejoin(state: ServerState, settings: OrderingSettings, turn: ServerTurn): void {
  if (state.rejoins === 'never') save(state, { kind: 'rejoin', object: '', done: false }, turn)
  const after = (settings.attemptMax * (1 + settings.drift)) / (1 - settings.drift)
  state.rejoin = { until: turn.now + after, query: 0, told: new Map(), halves: new Map(), taken: false }
  turn.do({ kind: 'timer', name: 'rejoin', after })
}

/**
 * Asks those who have not told everything. Where a version was half done and its change did not come, the others have
 * gone on: a busy object never stands still for this server, so that they are asked anew what they have.
 */
export function rejoinTimer(state: ServerState, turn: ServerTurn): void {
  const { rejoin } = state
  if (rejoin === undefined) return
  if (rejoin.query === 0 || rejoin.taken) {
    rejoin.query = ++state.queries
    rejoin.told.clear()
  }
  for (const server of state.servers) {
    if (server !== state.self && rejoin.told.get(server)?.whole !== true) ask(rejoin, server, turn)
  }
  turn.do({ kind: 'timer', name: 'rejoin', after: ASK_AGAIN })
}

function askForHalves(state: ServerState, { query, halves }: Rejoin, turn: ServerTurn): void {
  for (const to of state.servers) {
    if (to === state.self) continue
    for (const object of halves.keys()) {
      turn.do({ kind: 'send', to, body: { kind: 'read', object, query, keys: [], content: true } })
    }
  }
}

function ask({ query, told }: Rejoin, server: NodeId, turn: ServerTurn): void {
  const after = [...(told.get(server)?.objects.keys() ?? [])].at(-1) ?? ''
  turn.do({ kind: 'send', to: server, body: { kind: 'recall', query, after } })
}

/** What a server that has all its memory tells one that has not. */
export function recall(
  state: ServerState,
  from: NodeId,
  { query, after }: ClientMessage & { kind: 'recall' },
  turn: ServerTurn,
): void {
  if (!state.servers.includes(from)) return
  const names = [...state.objects.keys()].filter(name => name > after).sort()
  const objects = names.slice(0, INSPECTED_MAX).map(name => {
    const object = state.objects.get(name)!
    const { promised, committed } = object
    return { object: name, promised, committed, proposed: proposedHead(object) }
  })
  reply(turn, from, { kind: 'recalled', query, objects, more: names.length > INSPECTED_MAX })
}

/** While it rejoins it votes on nothing; it says so when asked. */
export function rejoinCame(
  state: ServerState,
  settings: OrderingSettings,
  from: NodeId,
  body: OrderingMessage,
  turn: ServerTurn,
): void {
  if (body.kind === 'inspect') return reply(turn, from, inspect(state, body.query, turn.now))
  if (!state.servers.includes(from)) return
  if (body.kind === 'recalled') recalled(state, settings, from, body, turn)
  if (body.kind === 'readings') halfCame(state, settings, body, turn)
}

function recalled(
  state: ServerState,
  settings: OrderingSettings,
  from: NodeId,
  { query, objects, more }: RecalledMessage,
  turn: ServerTurn,
): void {
  const rejoin = state.rejoin!
  if (query !== rejoin.query || query === 0) return
  const told = rejoin.told.get(from) ?? { objects: new Map<string, RecalledObject>(), whole: false }
  rejoin.told.set(from, told)
  if (told.whole) return
  for (const object of objects) told.objects.set(object.object, object)
  if (more) return ask(rejoin, from, turn)
  told.whole = true
  const whole = [...rejoin.told].filter(([, one]) => one.whole)
  if (whole.length !== orderingQuorum(state.servers.length, settings.liars, settings.crashes)) return
  takeOver(state, settings, new Map(whole.map(([server, one]) => [server, one.objects])), turn)
  finishIfWhole(state, settings, turn)
}

type Told = ReadonlyMap<NodeId, ReadonlyMap<string, RecalledObject>>

function takeOver(state: ServerState, settings: OrderingSettings, told: Told, turn: ServerTurn): void {
  const rejoin = state.rejoin!
  const all = [...told.values()].flatMap(objects => [...objects.keys()])
  const names = new Set(rejoin.taken ? rejoin.halves.keys() : all)
  rejoin.halves.clear()
  rejoin.taken = true
  for (const name of names) {
    const object = objectOf(state, name)
    if (object === undefined) continue
    const vouchers = new Map<NodeId, Voucher>()
    const ranks: Rank[] = []
    for (const [server, objects] of told) {
      const one = objects.get(name)
      vouchers.set(server, one ?? { committed: { version: 0, digest: FIRST_DIGEST }, proposed: undefined })
      ranks.push(one?.promised ?? LOWEST_RANK)
    }
    const vouched = ranks.sort((a, b) => compareRanks(b, a))[settings.liars]!
    if (compareRanks(vouched, object.promised) > 0) object.promised = vouched
    adopt(state, settings, object, vouchers)
  }
  askForHalves(state, rejoin, turn)
}

function adopt(
  state: ServerState,
  settings: OrderingSettings,
  object: ServerObject,
  vouchers: ReadonlyMap<NodeId, Voucher>,
): void {
  const choice = choose(vouchers, settings.liars, settings.rules)
  if (choice === undefined) return
  const { version, digest } = choice
  if (choice.committed) object.committed = { version, digest }
  else state.rejoin!.halves.set(object.name, { version, digest })
}

function halfCame(
  state: ServerState,
  settings: OrderingSettings,
  { object: name, proposed, change }: ServerMessage & { kind: 'readings' },
  turn: ServerTurn,
): void {
  const half = state.rejoin!.halves.get(name)
  const object = state.objects.get(name)
  if (half === undefined || object === undefined || proposed === undefined || change === undefined) return
  if (proposed.version !== half.version) return
  const { version, parent, rank } = proposed
  if (!sameBytes(nextDigest(settings.hash, parent, version, change), half.digest)) return
  state.rejoin!.halves.delete(name)
  // A rank that only this one tells of may be a lie: no higher than what was promised.
  const taken = compareRanks(rank, object.promised) > 0 ? object.promised : rank
  const proposal: Proposal = { ...half, parent, rank: taken, change, writes: decodeChange(change) }
  object.proposed = proposal
  object.committed = { version: version - 1, digest: parent }
  finishIfWhole(state, settings, turn)
}

/** Everything is on disk before the first vote. */
function finishIfWhole(state: ServerState, settings: OrderingSettings, turn: ServerTurn): void {
  if (state.rejoin === undefined || state.rejoin.halves.size > 0) return
  state.rejoin = undefined
  state.rejoins = 'done'
  turn.do({ kind: 'cancel', name: 'rejoin' })
  for (const object of state.objects.values()) {
    const { name, promised, proof, committed, proposed, content } = object
    const applied = { version: content.version, digest: content.digest }
    save(state, { kind: 'head', object: name, promised, proof, applied, committed }, turn)
    if (proposed !== undefined) {
      const { rank, version, parent, digest, change } = proposed
      save(state, { kind: 'proposal', object: name, proposed: { rank, version, parent, digest }, change }, turn)
      save(state, { kind: 'rank', object: name, rank: promised, proof }, turn)
    }
    if (content.version < committed.version) fetchMissing(state, settings, object, turn)
  }
  save(state, { kind: 'rejoin', object: '', done: true }, turn)
  turn.do({ kind: 'timer', name: 'sweep', after: ASK_AGAIN })
}
