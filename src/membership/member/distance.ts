// The distance of a member: the median of the round-trip times that others measured and signed (protocols/election).
//
// A member cannot look nearer than it is: the nonce of a ping is not known before it comes, and the answer is timed by the
// one who asks. It can look farther, by answering late. A hash of the two names draws who measures whom: a member does not
// choose its measurers, and up to half of them may lie without moving the median beyond honest values.

import type { NodeId } from '../../core/index.ts'
import { isHere, type Member, type MemberScene } from './state.ts'

/** Views differ for a while: a measurer is believed if it is among the first k times this. */
export const TOLERANCE = 2

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
export function placeOf({ state }: MemberScene, member: NodeId, measurer: NodeId): number {
  const own = drawOf(member, measurer)
  let before = 0
  for (const other of [state.self, ...state.others]) {
    if (other !== member && other !== measurer && drawOf(member, other) < own) before++
  }
  return before
}

export function mayMeasure(scene: MemberScene, member: NodeId, measurer: NodeId): boolean {
  return member !== measurer && placeOf(scene, member, measurer) < scene.settings.measurers * TOLERANCE
}

export function median(values: readonly number[]): number | undefined {
  if (values.length === 0) return undefined
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

/** In milliseconds, from the first k measurers; undefined until at least half of them have spoken. */
export function distanceOf({ state, settings }: MemberScene, member: Member): number | undefined {
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
