// The tree against RFC 6962: the roots of the eight test leaves that Certificate Transparency implementations share
// (google/certificate-transparency, merkletree tests), and `@transmute/rfc9162` for random trees.

import { RFC9162 } from '@transmute/rfc9162'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { firstHead } from './checkpoint.ts'
import { ledgerCrypto } from './crypto.ts'
import {
  append,
  consistencyProof,
  cutBack,
  emptyRoot,
  extend,
  frontierFrom,
  frontierOf,
  frontierRoot,
  inclusionProof,
  leafHash,
  newTree,
  rootOf,
  verifyConsistency,
  verifyInclusion,
} from './merkle.ts'

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
const unhex = (text: string) => new Uint8Array(Buffer.from(text, 'hex'))
const LEAVES = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f']
const ROOTS = [
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
]

function treeOf(leaves: readonly Uint8Array[]) {
  const tree = newTree()
  for (const leaf of leaves) append(tree, leafHash(leaf))
  return tree
}

const numbered = (count: number) =>
  Array.from({ length: count }, (_, place) => new TextEncoder().encode(`leaf ${place}`))

describe('the test tree of RFC 6962', () => {
  it('has the published roots for 0 to 8 leaves', () => {
    expect(hex(emptyRoot())).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855')
    expect(firstHead(ledgerCrypto()).root).toEqual(emptyRoot())
    const tree = newTree()
    for (const [place, leaf] of LEAVES.entries()) {
      append(tree, leafHash(unhex(leaf)))
      expect(hex(rootOf(tree))).toBe(ROOTS[place])
    }
    for (let size = 1; size <= 8; size++) expect(hex(rootOf(tree, size))).toBe(ROOTS[size - 1])
  })
  it('has the published paths', () => {
    const tree = treeOf(LEAVES.map(unhex))
    expect(inclusionProof(tree, 0, 8).map(hex)).toEqual([
      '96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7',
      '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
      '6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4',
    ])
    expect(consistencyProof(tree, 6, 8).map(hex)).toEqual([
      '0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a',
      'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
      'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
    ])
  })
})

describe('against @transmute/rfc9162', () => {
  it('random trees have the same roots and inclusion paths', async () => {
    const leaf = fc.uint8Array({ maxLength: 20 })
    await fc.assert(
      fc.asyncProperty(fc.array(leaf, { minLength: 1, maxLength: 40 }), fc.nat(), async (leaves, chosen) => {
        const tree = treeOf(leaves)
        expect(hex(rootOf(tree))).toBe(hex(new Uint8Array(await RFC9162.treeHead(leaves))))
        const index = chosen % leaves.length
        const theirs = await RFC9162.inclusionProof(leaves[index]!, leaves)
        // Equal leaves: theirs is of the first one.
        if (theirs.leaf_index !== index) return
        expect(inclusionProof(tree, index).map(hex)).toEqual(theirs.inclusion_path.map(one => hex(new Uint8Array(one))))
      }),
      { numRuns: 60 },
    )
  })
})

describe('proofs', () => {
  const tree = treeOf(numbered(70))
  it('every inclusion is shown, and no other leaf, place, size or root is', () => {
    for (let size = 1; size <= 70; size++) {
      const root = rootOf(tree, size)
      for (let index = 0; index < size; index++) {
        const path = inclusionProof(tree, index, size)
        const leaf = leafHash(numbered(index + 1)[index]!)
        const claim = { leaf, index, size, root }
        expect(verifyInclusion(claim, path)).toBe(true)
        expect(verifyInclusion({ ...claim, index: index + 1 }, path)).toBe(false)
        expect(verifyInclusion({ ...claim, leaf: root }, path)).toBe(size === 1)
        if (path.length > 0) expect(verifyInclusion(claim, path.slice(1))).toBe(false)
        expect(verifyInclusion(claim, [...path, root])).toBe(false)
      }
    }
  })
  it('every consistency is shown, and none with another root, size or path', () => {
    for (let second = 0; second <= 70; second++) {
      for (let first = 0; first <= second; first++) {
        const path = consistencyProof(tree, first, second)
        const [older, newer] = [first, second].map(size => ({ size, root: rootOf(tree, size) })) as [never, never]
        expect(verifyConsistency(older, newer, path), `${first} ${second}`).toBe(true)
        const other = { size: first, root: leafHash(Uint8Array.of(7)) }
        expect(verifyConsistency(other, newer, path)).toBe(false)
        // Everything goes on from nothing.
        expect(verifyConsistency(older, { size: second, root: other.root }, path)).toBe(first === 0 && second > 0)
        expect(verifyConsistency(older, newer, [...path, other.root])).toBe(false)
        if (path.length > 0) expect(verifyConsistency(older, newer, path.slice(1))).toBe(false)
      }
    }
  })
  it('a node is no leaf: a path that ends too early, or goes on, shows nothing', () => {
    const tree = treeOf(numbered(4))
    const root = rootOf(tree)
    const pair = newTree()
    for (const leaf of numbered(2)) append(pair, leafHash(leaf))
    const [, second] = inclusionProof(tree, 0, 4) as [Uint8Array, Uint8Array]
    // The left node with the right one beside it leads to the root, and is at no place of four leaves.
    const node = rootOf(pair)
    for (const index of [0, 1]) expect(verifyInclusion({ leaf: node, index, size: 4, root }, [second])).toBe(false)
    expect(verifyInclusion({ leaf: node, index: 0, size: 2, root }, [second])).toBe(true)
    expect(verifyInclusion({ leaf: root, index: 0, size: 4, root }, [])).toBe(false)
    expect(verifyInclusion({ leaf: leafHash(numbered(1)[0]!), index: 0, size: 4, root }, [])).toBe(false)
  })
  it('numbers that are no places are refused', () => {
    const root = rootOf(tree)
    for (const bad of [-1, 0.5, Number.NaN, 2 ** 40]) {
      expect(verifyInclusion({ leaf: root, index: bad, size: 70, root }, [])).toBe(false)
      expect(verifyConsistency({ size: bad, root }, { size: 70, root }, [])).toBe(false)
    }
    expect(verifyConsistency({ size: 71, root }, { size: 70, root }, [])).toBe(false)
  })
})

describe('cut back and frontier', () => {
  it('a tree cut back grows as if the rest had never been', () => {
    for (const [size, cut] of [
      [9, 4],
      [64, 63],
      [33, 0],
      [17, 16],
    ] as const) {
      const tree = treeOf(numbered(size))
      cutBack(tree, cut)
      for (const leaf of numbered(80).slice(cut)) append(tree, leafHash(leaf))
      expect(hex(rootOf(tree))).toBe(hex(rootOf(treeOf(numbered(80)))))
      expect(inclusionProof(tree, 3).map(hex)).toEqual(inclusionProof(treeOf(numbered(80)), 3).map(hex))
    }
  })
  it('a frontier goes on to the same root', () => {
    const whole = treeOf(numbered(70))
    for (let size = 0; size <= 70; size++) {
      const frontier = frontierFrom(size, frontierOf(whole, size))!
      expect(hex(frontierRoot(frontier))).toBe(hex(rootOf(whole, size)))
      for (const leaf of numbered(70).slice(size)) extend(frontier, leafHash(leaf))
      expect(hex(frontierRoot(frontier))).toBe(hex(rootOf(whole)))
    }
    expect(frontierFrom(3, frontierOf(whole, 4))).toBeUndefined()
  })
})
