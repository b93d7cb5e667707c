// The tree of RFC 6962: leaf = H(0 ‖ bytes), node = H(1 ‖ left ‖ right), split at the largest power of two below the size.
//
// Kept level by level: level k holds, one after the other, the roots of all complete subtrees of 2^k leaves. So a leaf is
// appended with two hashes on average, a tree is cut back by counting, and a root or a proof takes one hash a level.
// No library that is kept up does append, inclusion and consistency of this tree; `@transmute/rfc9162` is the oracle of
// the tests.

import { sha256 } from '@noble/hashes/sha2.js'
import { assert, sameBytes } from '../core/index.ts'
import { HASH_BYTES, LEAVES_MAX, PROOF_MAX } from './limits.ts'

/** SHA-256, from wherever it is quickest. */
export type Hash = (input: Uint8Array) => Uint8Array

/** Roots of complete subtrees, level by level. */
export interface Tree {
  size: number
  readonly levels: { bytes: Uint8Array; count: number }[]
}

/** How leaves and nodes are told apart. Hashed alike, a node could be shown as a leaf that was never appended. */
export interface TreePrefixes {
  readonly leaf: number
  readonly node: number
}

/** The prefixes of RFC 6962. */
export const treePrefixes: TreePrefixes = { leaf: 0, node: 1 }

export function newTree(): Tree {
  return { size: 0, levels: [] }
}

/** The hash of a leaf. */
export function leafHash(bytes: Uint8Array, hash: Hash = sha256, { leaf } = treePrefixes): Uint8Array {
  const input = new Uint8Array(bytes.length + 1)
  input[0] = leaf
  input.set(bytes, 1)
  return hash(input)
}

function nodeHash(left: Uint8Array, right: Uint8Array, hash: Hash): Uint8Array {
  const input = new Uint8Array(1 + 2 * HASH_BYTES)
  input[0] = treePrefixes.node
  input.set(left, 1)
  input.set(right, 1 + HASH_BYTES)
  return hash(input)
}

/** The root of no leaves. */
export function emptyRoot(hash: Hash = sha256): Uint8Array {
  return hash(new Uint8Array(0))
}

/** Adds a leaf by its hash. */
export function append(tree: Tree, leaf: Uint8Array, hash: Hash = sha256): void {
  assert(tree.size < LEAVES_MAX, 'the tree is full')
  let carried = leaf
  let place = tree.size
  for (let level = 0; ; level++) {
    push(tree, level, carried)
    if (place % 2 === 0) break
    carried = nodeHash(at(tree, level, place - 1), carried, hash)
    place = (place - 1) / 2
  }
  tree.size++
}

function push(tree: Tree, level: number, value: Uint8Array): void {
  let held = tree.levels[level]
  if (held === undefined) {
    held = { bytes: new Uint8Array(HASH_BYTES * 4), count: 0 }
    tree.levels.push(held)
  }
  if ((held.count + 1) * HASH_BYTES > held.bytes.length) {
    const grown = new Uint8Array(held.bytes.length * 2)
    grown.set(held.bytes)
    held.bytes = grown
  }
  held.bytes.set(value, held.count++ * HASH_BYTES)
}

function at(tree: Tree, level: number, place: number): Uint8Array {
  return tree.levels[level]!.bytes.subarray(place * HASH_BYTES, (place + 1) * HASH_BYTES)
}

/** Forgets the leaves from `size` on. */
export function cutBack(tree: Tree, size: number): void {
  assert(size <= tree.size, 'a tree is cut back, not forth')
  tree.size = size
  for (let level = 0, count = size; level < tree.levels.length; level++, count = Math.floor(count / 2)) {
    tree.levels[level]!.count = count
  }
}

/** The root of the first `size` leaves. */
export function rootOf(tree: Tree, size = tree.size, hash: Hash = sha256): Uint8Array {
  return size === 0 ? emptyRoot(hash) : range(tree, 0, size, hash).slice()
}

/** The root of the leaves from `start` to `end`, where `start` is a multiple of the power of two that covers them. */
function range(tree: Tree, start: number, end: number, hash: Hash): Uint8Array {
  const count = end - start
  if (isPowerOfTwo(count)) return at(tree, Math.log2(count), start / count)
  const split = splitOf(count)
  return nodeHash(range(tree, start, start + split, hash), range(tree, start + split, end, hash), hash)
}

function isPowerOfTwo(count: number): boolean {
  return (count & (count - 1)) === 0
}

/** The largest power of two below `count`. */
function splitOf(count: number): number {
  return 2 ** (31 - Math.clz32(count - 1))
}

/** What shows that leaf `index` is in the tree of `size` leaves (RFC 6962, 2.1.1). */
export function inclusionProof(tree: Tree, index: number, size = tree.size, hash: Hash = sha256): Uint8Array[] {
  assert(index < size && size <= tree.size, `leaf ${index} of ${size}`)
  const path: Uint8Array[] = []
  let [start, end] = [0, size]
  while (end - start > 1) {
    const middle = start + splitOf(end - start)
    const left = index < middle
    path.push((left ? range(tree, middle, end, hash) : range(tree, start, middle, hash)).slice())
    if (left) end = middle
    else start = middle
  }
  return path.reverse()
}

/** What shows that the tree of `first` leaves is the beginning of the tree of `second` (RFC 6962, 2.1.2). */
export function consistencyProof(tree: Tree, first: number, second = tree.size, hash: Hash = sha256): Uint8Array[] {
  assert(first <= second && second <= tree.size, `from ${first} to ${second} leaves`)
  if (first === 0 || first === second) return []
  const path: Uint8Array[] = []
  let [start, end] = [0, second]
  // Whether the subtree at hand is the whole of the first tree: its root is then known to the verifier.
  let whole = true
  while (first < end) {
    const middle = start + splitOf(end - start)
    if (first <= middle) {
      path.push(range(tree, middle, end, hash).slice())
      end = middle
    } else {
      path.push(range(tree, start, middle, hash).slice())
      start = middle
      whole = false
    }
  }
  if (!whole) path.push(range(tree, start, end, hash).slice())
  return path.reverse()
}

/** Whether the path leads from the leaf to the root. */
export function verifyInclusion(
  claim: { readonly leaf: Uint8Array; readonly index: number; readonly size: number; readonly root: Uint8Array },
  path: readonly Uint8Array[],
  hash: Hash = sha256,
): boolean {
  const { leaf, index, size, root } = claim
  if (!isPlace(index) || !isPlace(size) || index >= size || path.length > PROOF_MAX) return false
  let [place, last] = [index, size - 1]
  let value = leaf
  for (const sibling of path) {
    if (last === 0 || sibling.length !== HASH_BYTES) return false
    if (place % 2 === 1 || place === last) {
      value = nodeHash(sibling, value, hash)
      while (place % 2 === 0 && place !== 0) [place, last] = [place >> 1, last >> 1]
    } else value = nodeHash(value, sibling, hash)
    ;[place, last] = [place >> 1, last >> 1]
  }
  return last === 0 && sameBytes(value, root)
}

/** A tree at one size. */
export interface SizedRoot {
  readonly size: number
  readonly root: Uint8Array
}

/** Whether the path shows that the first tree is the beginning of the second. */
export function verifyConsistency(
  first: SizedRoot,
  second: SizedRoot,
  path: readonly Uint8Array[],
  hash: Hash = sha256,
): boolean {
  if (!isPlace(first.size) || !isPlace(second.size) || first.size > second.size || path.length > PROOF_MAX) return false
  if (path.some(value => value.length !== HASH_BYTES)) return false
  if (first.size === second.size) return path.length === 0 && sameBytes(first.root, second.root)
  if (first.size === 0) return path.length === 0 && sameBytes(first.root, emptyRoot(hash))
  const rest = isPowerOfTwo(first.size) ? [first.root, ...path] : [...path]
  const begin = rest.shift()
  if (begin === undefined) return false
  let [place, last] = [first.size - 1, second.size - 1]
  while (place % 2 === 1) [place, last] = [place >> 1, last >> 1]
  let [older, newer] = [begin, begin]
  for (const sibling of rest) {
    if (last === 0) return false
    if (place % 2 === 1 || place === last) {
      older = nodeHash(sibling, older, hash)
      newer = nodeHash(sibling, newer, hash)
      while (place % 2 === 0 && place !== 0) [place, last] = [place >> 1, last >> 1]
    } else newer = nodeHash(newer, sibling, hash)
    ;[place, last] = [place >> 1, last >> 1]
  }
  return last === 0 && sameBytes(older, first.root) && sameBytes(newer, second.root)
}

function isPlace(value: number): boolean {
  return Number.isInteger(value) && value >= 0 && value <= LEAVES_MAX
}

/** The roots of the complete subtrees that make up the first `size` leaves, largest first. */
export function frontierOf(tree: Tree, size = tree.size): Uint8Array[] {
  assert(size <= tree.size, 'a frontier within the tree')
  const frontier: Uint8Array[] = []
  let start = 0
  for (let level = 31; level >= 0; level--) {
    const count = 2 ** level
    if (size - start < count) continue
    frontier.push(at(tree, level, start / count).slice())
    start += count
  }
  return frontier
}

/** A tree of which only the frontier is known: it can be appended to and has a root, but makes no proofs. */
export interface Frontier {
  size: number
  readonly roots: Uint8Array[]
}

/** Undefined where a frontier of that size has another number of roots. */
export function frontierFrom(size: number, roots: readonly Uint8Array[]): Frontier | undefined {
  if (!isPlace(size) || roots.some(root => root.length !== HASH_BYTES)) return undefined
  return roots.length === onesIn(size) ? { size, roots: [...roots] } : undefined
}

function onesIn(size: number): number {
  let ones = 0
  for (let rest = size; rest > 0; rest = Math.floor(rest / 2)) ones += rest % 2
  return ones
}

/** Adds a leaf by its hash. */
export function extend(frontier: Frontier, leaf: Uint8Array, hash: Hash = sha256): void {
  let value = leaf
  for (let place = frontier.size; place % 2 === 1; place = (place - 1) / 2) {
    value = nodeHash(frontier.roots.pop()!, value, hash)
  }
  frontier.roots.push(value)
  frontier.size++
}

/** The root of all leaves. */
export function frontierRoot({ roots }: Frontier, hash: Hash = sha256): Uint8Array {
  if (roots.length === 0) return emptyRoot(hash)
  return roots.reduceRight((right, left) => nodeHash(left, right, hash))
}
