// What is under the pointer, and what a drag from there means.

import { ARROWS_MAX, type Ghost, laneY, type Size, timeAt, timeX, type View, window } from './geometry.ts'
import type { Drawing } from './marks.ts'

export interface Spot {
  readonly x: number
  readonly y: number
}

/** So near is meant. */
const NEAR = 8
/** A head is grabbed by a finger too. */
const HEAD = 13
/** A shorter drag is a click. */
const DRAG_MIN = 8

/** The mark under the pointer, the nearest of those that are drawn. */
export function markAt(drawing: Drawing, size: Size, view: View, spot: Spot): number | undefined {
  const [from, to] = window(drawing, view)
  if (to - from > ARROWS_MAX) return undefined
  let best = NEAR
  let found: number | undefined
  for (let place = from; place < to; place++) {
    const distance = distanceTo(drawing, size, view, place, spot)
    if (distance < best) {
      best = distance
      found = place
    }
  }
  return found
}

function distanceTo(drawing: Drawing, size: Size, view: View, place: number, spot: Spot): number {
  const mark = drawing.marks[place]!
  const lanes = drawing.lanes.length
  const x2 = timeX(size, view, mark.at)
  const y2 = laneY(size, lanes, drawing.lanes.indexOf(mark.node))
  if (mark.sentAt === undefined || mark.from === undefined) {
    // A point stands before the arrows that end in it.
    return Math.hypot(spot.x - x2, spot.y - y2) - 2
  }
  const x1 = timeX(size, view, mark.sentAt)
  const y1 = laneY(size, lanes, drawing.lanes.indexOf(mark.from))
  const length = (x2 - x1) ** 2 + (y2 - y1) ** 2
  const part = length === 0 ? 0 : ((spot.x - x1) * (x2 - x1) + (spot.y - y1) * (y2 - y1)) / length
  const held = Math.min(1, Math.max(0, part))
  return Math.hypot(spot.x - x1 - held * (x2 - x1), spot.y - y1 - held * (y2 - y1))
}

/** The message whose head is under the pointer. */
export function headAt(drawing: Drawing, size: Size, view: View, spot: Spot): number | undefined {
  const [from, to] = window(drawing, view)
  if (to - from > ARROWS_MAX) return undefined
  let best = HEAD
  let found: number | undefined
  for (let place = from; place < to; place++) {
    const mark = drawing.marks[place]!
    if (mark.message === undefined) continue
    const y = laneY(size, drawing.lanes.length, drawing.lanes.indexOf(mark.node))
    const distance = Math.hypot(spot.x - timeX(size, view, mark.at), spot.y - y)
    if (distance < best) {
      best = distance
      found = place
    }
  }
  return found
}

function laneAt(drawing: Drawing, size: Size, spot: Spot): { lane: number; distance: number } {
  let lane = 0
  let distance = Number.POSITIVE_INFINITY
  for (let each = 0; each < drawing.lanes.length; each++) {
    const away = Math.abs(spot.y - laneY(size, drawing.lanes.length, each))
    if (away < distance) {
      distance = away
      lane = each
    }
  }
  return { lane, distance }
}

/** What a drag from one spot to another would do; nothing where it is too short, or moves the window. */
export function ghostOf(drawing: Drawing, size: Size, view: View, from: Spot, to: Spot): Ghost | undefined {
  if (Math.hypot(to.x - from.x, to.y - from.y) < DRAG_MIN) return undefined
  const time = (spot: Spot) => Math.max(0, timeAt(size, view, spot.x))
  const mark = headAt(drawing, size, view, from)
  if (mark !== undefined) {
    return { kind: 'hold', mark, to: Math.max(drawing.marks[mark]!.at, time(to)) }
  }
  const start = laneAt(drawing, size, from)
  const end = laneAt(drawing, size, to)
  if (start.lane !== end.lane) {
    return { kind: 'cut', lanes: [start.lane, end.lane], from: time(from), to: Math.max(time(from), time(to)) }
  }
  if (start.distance > 12) return undefined
  return { kind: 'pause', lane: start.lane, from: Math.min(time(from), time(to)), to: Math.max(time(from), time(to)) }
}
