// Vivaldi coordinates (Dabek and others, 2004): places in a plane, and a height above it, such that distances come near
// to round-trip times. Each answer pulls or pushes a member's own place a little, as a spring would.
//
// For display and the lab only: a member says its own place, so a member can lie about it. What elections rank by is the
// distance that others measured (vouching.ts).

/** Where a member is in the space in which distance is round-trip time. */
export interface Coordinate {
  /** Milliseconds in the plane. */
  readonly x: number
  readonly y: number
  /** The part of the way that leads from the member into the network: paid on every path, in no direction. */
  readonly height: number
  /** How wrong the place may be, relative: 1 at first, less as answers agree. */
  readonly error: number
}

/** How much one answer may change the error, and the place; Vivaldi's c_e and c_c. */
const ERROR_WEIGHT = 0.25
const MOVE_WEIGHT = 0.25
const HEIGHT_MIN = 0.01
export const ERROR_MAX = 1.5
/** Places stay within a minute of each other, whatever others say. */
export const PLACE_MAX = 60_000

export const ORIGIN: Coordinate = { x: 0, y: 0, height: HEIGHT_MIN, error: 1 }

/** The round-trip time that two coordinates predict, in milliseconds. */
export function coordinateDistance(a: Coordinate, b: Coordinate): number {
  return Math.hypot(a.x - b.x, a.y - b.y) + a.height + b.height
}

/** The own place after an answer from `other` that took `rttMs`. `angle` is the way out where both stand on one spot. */
export function moved(own: Coordinate, other: Coordinate, rttMs: number, angle: number): Coordinate {
  if (!(rttMs > 0 && rttMs <= PLACE_MAX)) return own
  const expected = coordinateDistance(own, other)
  const doubt = own.error + other.error
  const weight = doubt === 0 ? 0 : own.error / doubt
  const surprise = Math.min(Math.abs(expected - rttMs) / rttMs, ERROR_MAX)
  const error = Math.min(own.error * (1 - ERROR_WEIGHT * weight) + surprise * ERROR_WEIGHT * weight, ERROR_MAX)
  const force = MOVE_WEIGHT * weight * (rttMs - expected)
  const plane = Math.hypot(own.x - other.x, own.y - other.y)
  const [unitX, unitY] =
    plane > 0 ? [(own.x - other.x) / plane, (own.y - other.y) / plane] : [Math.cos(angle), Math.sin(angle)]
  // Heights take their share of the force, as both are part of the path; on one spot they would take all of it, and
  // nobody would ever leave the spot.
  const share = plane > 0 ? (own.height + other.height) / expected : 0
  return {
    x: bounded(own.x + force * (1 - share) * unitX),
    y: bounded(own.y + force * (1 - share) * unitY),
    height: Math.min(Math.max(own.height + force * share, HEIGHT_MIN), PLACE_MAX),
    error,
  }
}

function bounded(value: number): number {
  return Math.min(Math.max(value, -PLACE_MAX), PLACE_MAX)
}
