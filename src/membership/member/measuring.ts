// Measuring others: each answer to a ping is timed, and told where this member is one of those who measure (distance.ts).

import { type MeasuredClaim, signClaim } from '../claims.ts'
import { bootOf } from '../incarnation.ts'
import { drawOf, placeOf, TOLERANCE } from './distance.ts'
import { isHere, type Member, type MemberScene, ROUND_TRIPS_MAX, sameBoot } from './state.ts'
import { spread } from './views.ts'

/** A new measure is told if it differs from the last by more than this part, and by more than a millisecond. */
const CHANGE = 0.25
/**
 * In a local network round trips of a millisecond or two vary by half of themselves with nothing having changed. Without
 * this a hundred members told each other so for ever: twice the messages of a group at rest, and no decision by them.
 */
const CHANGE_LEAST_MICROS = 1_000

/** After each answer: remembers how long it took, and tells it if this member is one of those who measure. */
export function measure(scene: MemberScene, member: Member, roundTripMs: number): void {
  const { state, settings, turn } = scene
  member.roundTrips.push(roundTripMs)
  if (member.roundTrips.length > ROUND_TRIPS_MAX) member.roundTrips.shift()
  const told = member.measures.get(state.self)
  const last = member.measuredAt
  if (told !== undefined && last !== undefined && turn.now - last < settings.beat.measureEvery) return
  if (placeOf(scene, member.id, state.self) >= settings.measurers) return
  const micros = Math.max(1, Math.round(Math.min(...member.roundTrips) * 1_000))
  member.measuredAt = turn.now
  if (told !== undefined && Math.abs(micros - told.micros) <= Math.max(CHANGE * told.micros, CHANGE_LEAST_MICROS))
    return
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

export function keepMeasure({ state, settings }: MemberScene, member: Member, claim: MeasuredClaim): void {
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
