// Trees over the events of a batch, as in RFC 6962: leaf and node hashes differ in their first byte, or a node of a tree could
// be shown as an event.
//
// Who has a whole batch has its tree: all nodes in one array, for all of its events, each node in front of what is below it,
// the left half in front of the right one. A path is read off it where a part of the batch goes to somebody.

import { assert } from '../core/index.ts'
import { HASH_BYTES } from './limits.ts'
import type { Hash } from './settings.ts'

const NODE = 1

/** Where what is hashed is put together, unless it is large: nobody keeps it. */
const room = new Uint8Array(4_096)

/** The hash of a tag and what follows. */
export function tagged(hash: Hash, tag: number, one: Uint8Array, other?: Uint8Array): Uint8Array {
  const length = 1 + one.length + (other?.length ?? 0)
  const input = length <= room.length ? room.subarray(0, length) : new Uint8Array(length)
  input[0] = tag
  input.set(one, 1)
  if (other !== undefined) input.set(other, 1 + one.length)
  return hash(input)
}

/** The largest power of two below `count`: where a tree is divided. */
function half(count: number): number {
  let size = 1
  while (size * 2 < count) size *= 2
  return size
}

/** All nodes over these leaves. */
export function treeOf(hash: Hash, leaves: readonly Uint8Array[]): Uint8Array {
  assert(leaves.length > 0, 'a tree has a leaf')
  const tree = new Uint8Array(HASH_BYTES * nodesOf(leaves.length))
  grow(hash, leaves, 0, leaves.length, tree)
  return tree
}

function nodesOf(count: number): number {
  return 2 * count - 1
}

/** Fills in the tree over some of the leaves, and says its root. */
function grow(hash: Hash, leaves: readonly Uint8Array[], from: number, count: number, into: Uint8Array): Uint8Array {
  let node = leaves[from]!
  if (count > 1) {
    const left = half(count)
    const right = HASH_BYTES * (1 + nodesOf(left))
    const one = grow(hash, leaves, from, left, into.subarray(HASH_BYTES, right))
    node = tagged(hash, NODE, one, grow(hash, leaves, from + left, count - left, into.subarray(right)))
  }
  into.set(node)
  return node
}

/** The first node, which all the others are below. */
export function rootIn(tree: Uint8Array): Uint8Array {
  return nodeIn(tree, 0)
}

function nodeIn(tree: Uint8Array, at: number): Uint8Array {
  return tree.subarray(HASH_BYTES * at, HASH_BYTES * (at + 1))
}

/** The hashes beside the way from a leaf to the root, from below. */
export function pathIn(tree: Uint8Array, place: number, count: number): Uint8Array[] {
  const path: Uint8Array[] = []
  let [at, left, below] = [0, place, count]
  while (below > 1) {
    const size = half(below)
    const right = at + 1 + nodesOf(size)
    const isLeft = left < size
    path.push(nodeIn(tree, isLeft ? right : at + 1))
    at = isLeft ? at + 1 : right
    below = isLeft ? size : below - size
    left = isLeft ? left : left - size
  }
  return path.reverse()
}

/** How many hashes a path has at the most. */
export function depthOf(count: number): number {
  return count > 1 ? 1 + Math.log2(half(count)) : 0
}

/** The root that this path leads to, or nothing where it has another length than the tree's. */
export function rootBy(
  hash: Hash,
  leaf: Uint8Array,
  place: number,
  count: number,
  path: readonly Uint8Array[],
): Uint8Array | undefined {
  if (count === 1) return path.length === 0 ? leaf : undefined
  const beside = path.at(-1)
  if (beside === undefined) return undefined
  const at = half(count)
  const rest = path.slice(0, -1)
  const left = place < at
  const below = left ? rootBy(hash, leaf, place, at, rest) : rootBy(hash, leaf, place - at, count - at, rest)
  if (below === undefined) return undefined
  return left ? tagged(hash, NODE, below, beside) : tagged(hash, NODE, beside, below)
}
