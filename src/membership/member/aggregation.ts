// Averages by gossip (LECTURE, "aggregation"): two members that talk both take the mean of their two values; after a few
// rounds everybody has the average of all. With one value 1 and the others 0 the average is 1/N: that answers the lecture's
// question, and counts the group.
//
// A member that asks starts an aggregate. A member that hears of it for the first time enters with its own value, as if it had been
// in from the start: its value was not yet shared with anybody, so the sum over all is the same. Everybody exchanges for a
// number of rounds, then the asker reads its estimate. The one who is asked answers with what it took over, and the one who
// asked gives that up: the sum stays, also where several exchanges of one member overlap. An answer that is lost leaves the
// sum wrong by half a difference; asking again (another number) starts from the true values: an epoch.
//
// It trusts everybody: one member that lies about its value, or keeps adding, moves the average as far as it likes. But who
// asked is signed: else one member with invented names could take the room of all.

import type { Millis, NodeId } from '../../core/index.ts'
import { type AggregateName, aggregateBytes, type Estimate } from '../wire.ts'
import { blame, isMuted, spendOn } from './peers.ts'
import {
  AGGREGATES_MAX,
  AGGREGATES_OF_ASKER_MAX,
  type Aggregate,
  isHere,
  type MemberScene,
  type Message,
  memberTimers,
  sameBoot,
} from './state.ts'
import { groupSize, someOthers } from './views.ts'

const ROUND: Millis = 150
/** The variance falls by 1/(2√e) a round: 24 rounds make it 10^-12 of what it was. */
const ROUNDS_LEAST = 24

/** What a member with estimate `b` takes over from one with `a`: half the difference, and the extremes of both. */
export function takenOver(a: Estimate, b: Estimate): Estimate {
  return {
    average: a.average / 2 - b.average / 2,
    share: a.share / 2 - b.share / 2,
    minimum: Math.min(a.minimum, b.minimum),
    maximum: Math.max(a.maximum, b.maximum),
  }
}

/** An estimate after so much was taken over (sign 1) or given up (sign -1). */
export function changedBy(estimate: Estimate, taken: Estimate, sign: 1 | -1): Estimate {
  return {
    average: finiteSum(estimate.average, sign * taken.average),
    share: finiteSum(estimate.share, sign * taken.share),
    minimum: Math.min(estimate.minimum, taken.minimum),
    maximum: Math.max(estimate.maximum, taken.maximum),
  }
}

// Numbers near the end of the scale, from somebody who lies: what cannot be told on is not taken.
function finiteSum(a: number, b: number): number {
  return Number.isFinite(a + b) ? a + b : a
}

export function roundsFor(members: number): number {
  return ROUNDS_LEAST + 2 * Math.ceil(Math.log2(members + 1))
}

const keyOf = ({ asker, boot, number, name }: AggregateName) => `${asker}\n${boot}\n${number}\n${name}`

export function askAggregate(scene: MemberScene, id: number, name: string): boolean {
  const { state, settings } = scene
  if (aggregatesOf(scene, state.self).length >= AGGREGATES_OF_ASKER_MAX) return false
  const of = { asker: state.self, boot: state.boot, number: ++state.aggregateNumber, name }
  enter(scene, of, settings.signer.sign(aggregateBytes(settings.group, of)), id)
  return true
}

function aggregatesOf({ state }: MemberScene, asker: NodeId): Aggregate[] {
  return [...state.aggregates.values()].filter(({ of }) => of.asker === asker)
}

function enter(scene: MemberScene, of: AggregateName, signature: Uint8Array, id?: number): Aggregate {
  const { state, turn } = scene
  const value = state.values.get(of.name) ?? 0
  const estimate = { average: value, share: id === undefined ? 0 : 1, minimum: value, maximum: value }
  const aggregate = { of, signature, estimate, rounds: 0, id, exchange: 0, partner: undefined }
  state.aggregates.set(keyOf(of), aggregate)
  // Members that enter together would all ask at once, and all be busy.
  memberTimers.set(turn, 'aggregate', 1 + turn.below(ROUND), keyOf(of))
  return aggregate
}

/** Somebody brings the aggregate of another: entered if the other truly asked, and has room here. */
function join(scene: MemberScene, from: NodeId, of: AggregateName, signature: Uint8Array): Aggregate | undefined {
  const { state, settings } = scene
  const asker = of.asker === state.self ? undefined : state.members.get(of.asker)
  if (!isHere(asker) || !sameBoot(asker, of.boot) || isMuted(scene, from)) return undefined
  const oldest = aggregatesOf(scene, of.asker).sort((a, b) => a.of.number - b.of.number)
  const full = oldest.length >= AGGREGATES_OF_ASKER_MAX
  // Else somebody who kept what a member asked for long ago could stand in the way of what it asks now.
  if (full ? of.number < oldest[0]!.of.number : state.aggregates.size >= AGGREGATES_MAX) return undefined
  if (!spendOn(scene, from, 1)) return undefined
  if (!settings.signatures.verify(asker.key, aggregateBytes(settings.group, of), signature)) {
    state.refusals.forged++
    blame(scene, from)
    return undefined
  }
  if (full) leave(scene, oldest[0]!)
  return enter(scene, of, signature)
}

function leave({ state, turn }: MemberScene, { of }: Aggregate): void {
  state.aggregates.delete(keyOf(of))
  memberTimers.cancel(turn, 'aggregate', keyOf(of))
}

/** One round of one aggregate: a meeting with somebody, or the end. */
export function onAggregateTimer(scene: MemberScene, key: string): void {
  const { state, turn } = scene
  const aggregate = state.aggregates.get(key)
  if (aggregate === undefined) return
  aggregate.partner = undefined
  const rounds = roundsFor(groupSize(scene))
  if (aggregate.rounds++ >= rounds && finish(scene, aggregate, rounds)) {
    state.aggregates.delete(key)
    return
  }
  memberTimers.set(turn, 'aggregate', ROUND / 2 + turn.below(ROUND), key)
  const [partner] = aggregate.rounds > rounds ? [] : someOthers(scene, 1)
  if (partner === undefined) return
  aggregate.partner = partner
  const { of, signature, estimate } = aggregate
  const exchange = ++aggregate.exchange
  turn.do({ kind: 'send', to: partner, body: { kind: 'average', of, signature, exchange, estimate } })
}

// Those who did not ask stay as long again, so that a late message does not make them enter a second time.
function finish({ turn }: MemberScene, { id, of, estimate, rounds: done }: Aggregate, rounds: number): boolean {
  if (id === undefined) return done > 2 * rounds
  const size = Math.max(1, Math.round(1 / estimate.share))
  const { average, minimum, maximum } = estimate
  const event = { kind: 'aggregated', id, name: of.name, average, sum: average * size, minimum, maximum, size } as const
  turn.do({ kind: 'emit', event })
  return true
}

export function onAverage(scene: MemberScene, from: NodeId, message: Message<'average'>): void {
  const { state, turn } = scene
  const { of, exchange, estimate } = message
  const aggregate = state.aggregates.get(keyOf(of)) ?? join(scene, from, of, message.signature)
  if (aggregate === undefined) return
  const taken = takenOver(estimate, aggregate.estimate)
  aggregate.estimate = changedBy(aggregate.estimate, taken, 1)
  turn.do({ kind: 'send', to: from, body: { kind: 'averaged', of, exchange, estimate: taken } })
}

export function onAveraged(
  { state }: MemberScene,
  from: NodeId,
  { of, exchange, estimate }: Message<'averaged'>,
): void {
  const aggregate = state.aggregates.get(keyOf(of))
  if (aggregate?.partner !== from || aggregate.exchange !== exchange) return
  aggregate.partner = undefined
  aggregate.estimate = changedBy(aggregate.estimate, estimate, -1)
}
