// The view that an election is held on: what is known of each member that stands, and who is left out.
//
// It travels with the election, so that all compute the same candidates from it. A ballot names the view by its digest
// and is not counted on another. A member votes only on a view that it could have sent itself, within the tolerances;
// only when attempts keep failing does it vote on what it is given, because gossip may never agree to the last digit.

import { sha256 } from '@noble/hashes/sha2.js'
import { encode, type NodeId } from '../../core/index.ts'
import type { Attribute, ElectionSettings } from '../settings.ts'
import { CANDIDATES_MAX, type Electorate, type Row, type View, viewCodec } from '../wire.ts'
import { memberOf } from './electorate.ts'
import { candidateSelection, emptyHeap, type Heap, insert, remove } from './heaps.ts'

export function viewDigest(view: View): Uint8Array {
  return sha256(encode(viewCodec, view))
}

/** What the electorate says of a member comes from there, whatever the view says. */
export function attributeValue(
  electorate: Electorate,
  row: Row,
  attributes: readonly Attribute[],
  place: number,
): number {
  const attribute = attributes[place]!
  const member = memberOf(electorate, row.member)
  const value =
    attribute.name === 'joined'
      ? (member?.admitted ?? 0)
      : attribute.name === 'failures'
        ? (member?.failures ?? 0)
        : (row.values[place] ?? Number.MAX_SAFE_INTEGER)
  return attribute.best === 'small' ? value : -value
}

/** One heap for each attribute, of the members that stand. */
export function heapsOf(electorate: Electorate, rows: readonly Row[], settings: ElectionSettings): Heap[] {
  const standing = rows.filter(row => memberOf(electorate, row.member) !== undefined)
  return settings.attributes.map((_, place) => {
    const heap = emptyHeap()
    for (const row of standing) {
      const value = attributeValue(electorate, row, settings.attributes, place)
      insert(heap, { id: row.member, value }, settings.rules.before)
    }
    return heap
  })
}

/** The candidates of a view: first those who are left out leave the heaps, then the roots are looked at. */
export function candidatesOf(electorate: Electorate, view: View, settings: ElectionSettings): NodeId[] {
  const heaps = heapsOf(electorate, view.rows, settings)
  for (const heap of heaps) for (const gone of view.leftOut) remove(heap, gone, settings.rules.before)
  return candidateSelection(heaps).slice(0, CANDIDATES_MAX)
}

/** A voter's own order of the candidates, as places among them: by its first priority, then the next, then the id. */
export function ranking(
  electorate: Electorate,
  view: View,
  candidates: readonly NodeId[],
  settings: ElectionSettings,
): number[] {
  const rows = new Map(view.rows.map(row => [row.member, row]))
  const priorities = settings.priorities ?? settings.attributes.map((_, place) => place)
  const measure = (candidate: number, priority: number) =>
    attributeValue(electorate, rows.get(candidates[candidate]!)!, settings.attributes, priority)
  const places = candidates.map((_, place) => place)
  return places.sort((one, other) => {
    for (const priority of priorities) {
      const difference = measure(one, priority) - measure(other, priority)
      if (difference !== 0) return difference
    }
    return candidates[one]! < candidates[other]! ? -1 : 1
  })
}

/** Whether a view could be one's own: the same members stand, with values within the tolerances. */
export function agrees(own: readonly Row[], view: View, mayBeGone: readonly NodeId[], settings: ElectionSettings) {
  if (view.leftOut.some(member => !mayBeGone.includes(member))) return false
  const [mine, theirs] = [standing(own, view.leftOut), standing(view.rows, view.leftOut)]
  if (mine.length !== theirs.length) return false
  return theirs.every((row, place) => {
    const known = mine[place]!
    return row.member === known.member && isNear(row, known, settings.attributes)
  })
}

/** Who is left out stands no more: whether its row was dropped already makes no difference between two views. */
export function standing(rows: readonly Row[], leftOut: readonly NodeId[]): Row[] {
  return rows.filter(({ member }) => !leftOut.includes(member))
}

/**
 * Whether a view could become one's own, while members come: it may know what we do not, and may not know what we heard
 * only just now. What we have known for a while it must have, or a liar would call on a view without its betters.
 */
export function mayBecome(
  own: readonly Row[],
  view: View,
  mayBeGone: readonly NodeId[],
  settings: ElectionSettings,
  isNews: (member: NodeId) => boolean,
): boolean {
  const theirs = new Map(view.rows.map(row => [row.member, row]))
  return own.every(mine => {
    const { member } = mine
    if (isNews(member)) return true
    if (view.leftOut.includes(member)) return mayBeGone.includes(member)
    const row = theirs.get(member)
    return row !== undefined && isNear(row, mine, settings.attributes)
  })
}

function isNear(row: Row, mine: Row, attributes: readonly Attribute[]): boolean {
  return attributes.every(({ tolerance }, place) => {
    return Math.abs((row.values[place] ?? 0) - (mine.values[place] ?? 0)) <= tolerance
  })
}

/** Whether the rows are in order, so that one view has one digest, and each member stands once. */
export function isOrdered(view: View): boolean {
  const ids = view.rows.map(row => row.member)
  return [ids, view.leftOut].every(list => list.every((id, place) => place === 0 || list[place - 1]! < id))
}
