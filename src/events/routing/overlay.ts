// Which member is next to which: b + 1 trees over one list of members, so that nobody passes on in two of them.
//
// The members stand in the order of a hash over the list's number and their names, which nobody chooses. They are cut into as many
// blocks as there are trees; in tree t the members of block t are the inner ones, in the order of a heap, and all others its
// leaves. So b liars touch at most b trees, and in the one that is left only honest members pass events on.

import { compareBytes, type NodeId } from '../../core/index.ts'
import { framed } from '../../crypto/index.ts'
import type { Hash } from '../settings.ts'

/** A list of members, numbered, that all of them have from one signed record. */
export interface OverlayRecord {
  readonly number: number
  readonly members: readonly NodeId[]
}

/** A neighbour, and in which tree. */
export interface Neighbour {
  readonly tree: number
  readonly peer: NodeId
}

/** How many trees, and how many children a node has at least. */
export interface Shape {
  readonly trees: number
  readonly degree: number
}

const SAID = 'coterie/events/overlay'

/** The members in the order of their hashes. */
export function orderOf(hash: Hash, { number, members }: OverlayRecord): readonly NodeId[] {
  return members
    .map(member => ({ member, at: hash(framed(SAID, number, member)) }))
    .sort((one, other) => compareBytes(one.at, other.at))
    .map(({ member }) => member)
}

/** How many children a node has: at least so many, and as many as let the inner ones reach everybody. */
export function degreeOf(members: number, { trees, degree }: Shape): number {
  return Math.max(degree, Math.ceil((members - 1) / innerOf(members, trees)))
}

/** How many members pass on in each tree. */
export function innerOf(members: number, trees: number): number {
  return Math.max(1, Math.floor(members / trees))
}

/** How many trees so few members can have: none passes on in two. */
export function treesOf(members: number, wanted: number): number {
  return Math.max(1, Math.min(wanted, members))
}

/** The members as they stand in one tree: its inner ones first. The parent of place i is at ⌊(i - 1) / degree⌋. */
export function placesIn(order: readonly NodeId[], tree: number, trees: number): readonly NodeId[] {
  const inner = innerOf(order.length, trees)
  const [from, to] = [tree * inner, (tree + 1) * inner]
  return [...order.slice(from, to), ...order.slice(0, from), ...order.slice(to)]
}

/** Who is next to this member, in every tree. */
export function neighboursOf(hash: Hash, record: OverlayRecord, self: NodeId, shape: Shape): Neighbour[] {
  const order = orderOf(hash, record)
  if (!order.includes(self)) return []
  const trees = treesOf(order.length, shape.trees)
  const degree = degreeOf(order.length, { ...shape, trees })
  return Array.from({ length: trees }, (_, tree) => {
    const places = placesIn(order, tree, trees)
    const at = places.indexOf(self)
    const children = places.slice(at * degree + 1, at * degree + degree + 1)
    const parent = at === 0 ? [] : [places[Math.floor((at - 1) / degree)]!]
    return [...parent, ...children].map(peer => ({ tree, peer }))
  }).flat()
}
