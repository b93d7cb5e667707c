// The distance of a member: the median of the round-trip times that others measured and signed (PROTOCOLS C).
//
// A member cannot look nearer than it is: the nonce of a ping is not known before it comes, and the answer is timed by the
// one who asks. It can look farther, by answering late. Who measures whom is drawn by a hash of the two names: a member
// does not choose its measurers, and up to half of them may lie without moving the median beyond honest values.

import type { NodeId } from '../core/index.ts'
import { type MeasuredClaim, signClaim } from './claims.ts'
import { bootOf } from './incarnation.ts'
import { isHere, type Member, type Scene } from './state.ts'
import { sameBoot, spread } from './views.ts'

/** Round-trip times kept of each member: their least is the path, the rest is queues. */
const ROUND_TRIPS_KEPT = 8
/** A new measure is told if it differs from the last by more than this part. */
const CHANGE = 0.25
/** Views differ for a while: a measurer is believed if it is among so many times the first k. */
const TOLERANCE = 2

/** A place on the line, drawn by both names (FNV-1a with a last mixing): the smaller, the sooner chosen. */
export function drawOf(member: NodeId, measurer: NodeId): number {
  let hash = 0x811c9dc5
  const text = `${member}\n${measurer}`
  for (let place = 0; place < text.length; place++) hash = Math.imul(hash ^ text.charCodeAt(place), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

/** How many of the others come before this measurer. */
function placeOf({ state }: Scene, member: NodeId, measurer: NodeId): number {
  const own = drawOf(member, measurer)
  let before = 0
  for (const other of [state.self, ...state.others]) {
    if (other !== member && other !== measurer && drawOf(member, other) < own) before++
  }
  return before
}

export function mayMeasure(scene: Scene, member: NodeId, measurer: NodeId): boolean {
  return member !== measurer && placeOf(scene, member, measurer) < scene.settings.measurers * TOLERANCE
}

export function median(values: readonly number[]): number | undefined {
  if (values.length === 0) return undefined
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

/** In milliseconds, from the first k measurers of which at least half have spoken; undefined before. */
export function distanceOf({ state, settings }: Scene, member: Member): number | undefined {
  const said: { draw: number; micros: number }[] = []
  for (const [author, claim] of member.measures) {
    const measurer = state.members.get(author)
    if (!isHere(measurer)) continue
    said.push({ draw: drawOf(member.id, author), micros: claim.micros })
  }
  const needed = Math.ceil(Math.min(settings.measurers, state.others.length) / 2)
  if (said.length < Math.max(1, needed)) return undefined
  said.sort((a, b) => a.draw - b.draw)
  const micros = median(said.slice(0, settings.measurers).map(({ micros }) => micros))
  return micros === undefined ? undefined : micros / 1_000
}

/** After each answer: remembers how long it took, and tells it if this member is one of those who measure. */
export function measure(scene: Scene, member: Member, roundTripMs: number): void {
  const { state, settings, turn } = scene
  member.roundTrips.push(roundTripMs)
  if (member.roundTrips.length > ROUND_TRIPS_KEPT) member.roundTrips.shift()
  const told = member.measures.get(state.self)
  const last = state.measuredAt.get(member.id)
  if (told !== undefined && last !== undefined && turn.now - last < settings.beat.measureEvery) return
  if (placeOf(scene, member.id, state.self) >= settings.measurers) return
  const micros = Math.max(1, Math.round(Math.min(...member.roundTrips) * 1_000))
  state.measuredAt.set(member.id, turn.now)
  if (told !== undefined && Math.abs(micros - told.micros) <= CHANGE * told.micros) return
  const claim: MeasuredClaim = signClaim(settings.group, settings.signer, {
    kind: 'measured',
    member: member.id,
    memberBoot: bootOf(member.alive.incarnation),
    author: state.self,
    boot: state.boot,
    version: ++state.measureVersion,
    micros,
  })
  keepMeasure(scene, member, claim)
  spread(scene, claim)
}

export function keepMeasure({ state, settings }: Scene, member: Member, claim: MeasuredClaim): void {
  if (!sameBoot(member, claim.memberBoot)) return
  member.measures.set(claim.author, claim)
  if (member.measures.size <= settings.measurers * TOLERANCE * 2) return
  // Views change: those that are gone, and those drawn last, make room.
  const kept = [...member.measures].sort(
    ([a], [b]) =>
      Number(!isHere(state.members.get(a))) - Number(!isHere(state.members.get(b))) ||
      drawOf(member.id, a) - drawOf(member.id, b),
  )
  member.measures = new Map(kept.slice(0, settings.measurers * TOLERANCE))
}
