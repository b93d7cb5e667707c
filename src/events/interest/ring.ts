// Who is kept as a link: for every part of what a member wants, the next one to each side, on the ring of all that want it; and a
// few more. Rings are not made beforehand: there would be as many as there are different parts. They are what the links of all
// members come to where an event lies.

import type { NodeId } from '../../core/index.ts'
import { type Box, common, holdsPoint, overlap, type Point } from './boxes.ts'
import { LINKS_MAX, PROBES_MAX, RANDOM_PROBES, SPARE_LINKS } from './limits.ts'
import type { Known } from './state.ts'

/** Places are below this. */
export const PLACES = 2 ** 48

/** Steps from one place to another, clockwise. */
export function stepsBetween(from: number, to: number): number {
  return (to - from + PLACES) % PLACES
}

/** The next on the ring to each side, of these. */
export function neighbours(place: number, members: readonly Known[]): Known[] {
  let [after, before]: (Known | undefined)[] = [undefined, undefined]
  for (const one of members) {
    if (after === undefined || stepsBetween(place, one.place) < stepsBetween(place, after.place)) after = one
    if (before === undefined || stepsBetween(one.place, place) < stepsBetween(before.place, place)) before = one
  }
  return after === undefined ? [] : after === before ? [after] : [after, before!]
}

/** Some of these, at random. */
export function someOf<T>(items: readonly T[], count: number, below: (bound: number) => number): T[] {
  const left = [...items]
  const found: T[] = []
  while (found.length < count && left.length > 0) found.push(left.splice(below(left.length), 1)[0]!)
  return found
}

/** Who of all that are known becomes a link. */
export function chooseLinks(
  own: readonly Box[],
  place: number,
  known: readonly Known[],
  below: (bound: number) => number,
): Map<NodeId, Known> {
  const alike = known.filter(({ claim }) => overlap(own, claim.boxes))
  const chosen = new Map<NodeId, Known>()
  const clockwise = [...alike].sort((a, b) => stepsBetween(place, a.place) - stepsBetween(place, b.place))
  const choose = (one: Known | undefined) => {
    if (one !== undefined && chosen.size < LINKS_MAX) chosen.set(one.claim.member, one)
  }
  for (const probe of probesOf(own, alike, below)) {
    const holding = ({ claim }: Known) => holdsPoint(claim.boxes, probe)
    choose(clockwise.find(holding))
    choose(clockwise.findLast(holding))
  }
  const spare = alike.filter(({ claim }) => !chosen.has(claim.member))
  const room = Math.min(SPARE_LINKS, LINKS_MAX - chosen.size)
  for (const one of someOf(spare, room, below)) chosen.set(one.claim.member, one)
  return chosen
}

/** Points of what is wanted, one in each part that others cut it into. */
function probesOf(own: readonly Box[], alike: readonly Known[], below: (bound: number) => number): Point[] {
  const probes = own.flatMap(box => {
    const others = alike.flatMap(({ claim }) => claim.boxes)
    const wide = box.filter(({ from, to }) => from < to)
    return wide.length === 1 ? piecesOf(box, others) : centresOf(box, others, wide.length > 1 ? below : undefined)
  })
  return probes.length <= PROBES_MAX ? probes : someOf(probes, PROBES_MAX, below)
}

/** The middle of each piece that the ends of others cut the one wide interval into. */
function piecesOf(box: Box, others: readonly Box[]): Point[] {
  const { attribute, from, to } = box.find(interval => interval.from < interval.to)!
  const ends = new Set([from, to])
  for (const other of others) {
    const both = common(box, other)?.find(interval => interval.attribute === attribute)
    if (both !== undefined) ends.add(both.from).add(both.to)
  }
  const cuts = [...ends].sort((one, other) => one - other)
  return cuts
    .slice(1)
    .map((end, at) =>
      middle(box.map(one => (one.attribute === attribute ? { ...one, from: cuts[at]!, to: end } : one))),
    )
}

/** The middle of what each other one has in common with the box, and points at random. */
function centresOf(box: Box, others: readonly Box[], below: ((bound: number) => number) | undefined): Point[] {
  const shared = others.flatMap(other => common(box, other) ?? [])
  const centres = others.flatMap(other => {
    const both = common(box, other)
    return both === undefined ? [] : [middle(both)]
  })
  if (below === undefined || shared.length === 0) return centres
  const random = Array.from({ length: RANDOM_PROBES }, () => {
    const parts = box.map(one => ({ ...one, ...at(one, below) }))
    return middle(parts)
  })
  return [...centres, ...random]
}

const GRAIN = 2 ** 20

function at({ from, to }: { readonly from: number; readonly to: number }, below: (bound: number) => number) {
  const share = below(GRAIN) / GRAIN
  const value = from * (1 - share) + to * share
  return { from: value, to: value }
}

function middle(box: Box): Point {
  return new Map(box.map(({ attribute, from, to }) => [attribute, [from / 2 + to / 2]]))
}
