// What an author signs (protocols/events 11): trees as in RFC 6962, and what must be refused.

import { describe, expect, it } from 'vitest'
import { sameBytes } from '../core/index.ts'
import { idealSignatures } from '../crypto/index.ts'
import { eventsDefaults } from './defaults.ts'
import { pathOf } from './items.ts'
import { brokenEventsRules } from './proof/planted.ts'
import { eventsRules } from './rules.ts'
import type { EventsSettings, Hash } from './settings.ts'
import {
  apart,
  digestOf,
  isOwnersCursor,
  isSigned,
  leafOf,
  pathsOf,
  signBatch,
  signCursor,
  signedAmong,
  signedSource,
  sizeOf,
  withTrees,
} from './signed.ts'
import { depthOf, rootBy } from './tree.ts'
import type { Item } from './wire.ts'

const { hash } = eventsDefaults
const signatures = idealSignatures()
const signer = signatures.signer('ann')
const NOBODY = new Uint8Array()
const keys = { signatures, keyOf: (name: string) => signatures.signer(name).publicKey }
const settings: EventsSettings = { ...eventsDefaults, group: 'shop', liars: 1, keys }
const source = { channel: 'prices', author: 'ann', boot: '0a' }

const rootOf = (tree: Hash, leaves: readonly Uint8Array[]) => pathsOf(tree, leaves).root

function bare(first: number, count: number): Item[] {
  return Array.from({ length: count }, (_, place) => {
    return { counter: first + place, content: new Uint8Array([first, place]), proof: undefined }
  })
}

/** The node so many steps above a leaf. */
function rootAt(
  tree: Hash,
  leaf: Uint8Array,
  place: number,
  count: number,
  path: readonly Uint8Array[],
  steps: number,
) {
  let [from, to] = [0, count]
  const turns: boolean[] = []
  while (to - from > 1) {
    let size = 1
    while (size * 2 < to - from) size *= 2
    const isLeft = place < from + size
    turns.unshift(isLeft)
    if (isLeft) to = from + size
    else from += size
  }
  let node = leaf
  for (let step = 0; step < steps; step++) {
    const [left, right] = turns[step] ? [node, path[step]!] : [path[step]!, node]
    node = tree(new Uint8Array([1, ...left, ...right]))
  }
  return node
}

describe('trees', () => {
  it('every leaf of every batch leads to the root, by its own place and no other', () => {
    for (let count = 1; count <= 64; count++) {
      const leaves = bare(1, count).map(item => leafOf(hash, source, item.counter, item.content))
      const root = rootOf(hash, leaves)
      for (const [place, leaf] of leaves.entries()) {
        const path = pathsOf(hash, leaves).paths[place]!
        expect(path.length).toBeLessThanOrEqual(depthOf(count))
        expect(rootBy(hash, leaf, place, count, path)).toEqual(root)
        if (count > 1) expect(rootBy(hash, leaf, (place + 1) % count, count, path)).not.toEqual(root)
        expect(rootBy(hash, leaf, place, count, [...path, leaf])).toBe(undefined)
      }
    }
  })

  it('a leaf is of its id, also where the same bytes were hashed under another one before', () => {
    const content = new Uint8Array([1, 2, 3])
    const other: Hash = input => hash(new Uint8Array([9, ...input]))
    const others = [
      [hash, source, 2],
      [hash, { ...source, boot: '0b' }, 1],
      [hash, { ...source, author: 'bob' }, 1],
      [hash, { ...source, channel: 'orders' }, 1],
      [other, source, 1],
    ] as const
    for (const [by, of, counter] of others) {
      const before = leafOf(hash, source, 1, content)
      const leaf = leafOf(by, of, counter, content)
      expect(leaf).toEqual(leafOf(by, of, counter, new Uint8Array(content)))
      expect(leaf).not.toEqual(before)
    }
  })

  it('a node of a tree is no event: leaf and node hashes differ in their first byte', () => {
    const leaves = bare(1, 2).map(item => leafOf(hash, source, item.counter, item.content))
    const root = rootOf(hash, leaves)
    const joined = new Uint8Array([...leaves[0]!, ...leaves[1]!])
    expect(hash(new Uint8Array([0, ...joined]))).not.toEqual(root)
    expect(hash(new Uint8Array([1, ...joined]))).toEqual(root)
  })

  // Why no run shows one-hash-for-leaf-and-node: with one hash for both, the number of events is still signed, and a path
  // leads from a place to one position of the tree of that many, by its length and its turns.
  it('one-hash-for-leaf-and-node: with that bug, too, a node stands for no event of its batch; without it, for none of any', () => {
    const oneHash = (input: Uint8Array) => hash(new Uint8Array([0, ...input.subarray(1)]))
    for (const tree of [hash, oneHash]) {
      for (let count = 2; count <= 16; count++) {
        const leaves = bare(1, count).map(item => leafOf(tree, source, item.counter, item.content))
        const { root, paths } = pathsOf(tree, leaves)
        for (const [from, path] of paths.entries()) {
          expect(rootAt(tree, leaves[from]!, from, count, path, path.length)).toEqual(root)
          for (let cut = 1; cut <= path.length; cut++) {
            const node = rootAt(tree, leaves[from]!, from, count, path, cut)
            for (let place = 0; place < count; place++)
              expect(rootBy(tree, node, place, count, path.slice(cut))).not.toEqual(root)
          }
        }
      }
      // Were the number not signed, the first byte would be what is left: two hashes are an event where one hash serves both.
      const leaves = bare(1, 2).map(item => leafOf(tree, source, item.counter, item.content))
      const node = tree(new Uint8Array([0, ...leaves[0]!, ...leaves[1]!]))
      expect(sameBytes(rootBy(tree, node, 0, 1, [])!, rootOf(tree, leaves))).toBe(tree === oneHash)
    }
  })
})

describe('a signed event', () => {
  const items = signBatch(settings, signer, source, bare(5, 3))

  it('is believed, each of its batch alone', () => {
    for (const item of items) {
      expect(isSigned(settings, source, NOBODY, item)).toBe(true)
      expect(isSigned(settings, source, NOBODY, apart(item))).toBe(true)
      expect(sizeOf(apart(item))).toBe(sizeOf(item))
    }
  })

  it.each([1, 2, 3, 33, 64])('counts for at least what proves it, of %i in its batch or apart from it', count => {
    const batch = signBatch(settings, signer, source, bare(1, count))
    const sum = batch.reduce((bytes, item) => bytes + sizeOf(item), 0)
    const { signature, tree } = batch[0]!.proof!
    expect(sum).toBeGreaterThanOrEqual(count * 2 + signature.length + (tree?.length ?? 0))
    for (const item of batch) {
      const nodes = pathOf(item)!.reduce((bytes, node) => bytes + node.length, 0)
      expect(sizeOf(apart(item))).toBeGreaterThanOrEqual(item.content.length + signature.length + nodes)
    }
  })

  it('root-not-bound-to-channel: with that bug an event of one channel holds in another, and without it not', () => {
    const other = { ...source, channel: 'orders' }
    for (const rules of [eventsRules, brokenEventsRules('root-not-bound-to-channel')]) {
      const [item] = signBatch(settings, signer, signedSource({ rules }, source), bare(5, 1)) as [Item]
      expect(isSigned(settings, signedSource({ rules }, source), NOBODY, item)).toBe(true)
      expect(isSigned(settings, signedSource({ rules }, other), NOBODY, item)).toBe(rules !== eventsRules)
    }
  })

  it('is refused under another id, group, content, place or name', () => {
    const item = apart(items[0]!)
    const proof = item.proof!
    const path = pathOf(item)!
    expect(isSigned(settings, { ...source, channel: 'orders' }, NOBODY, item)).toBe(false)
    expect(isSigned(settings, { ...source, boot: '0b' }, NOBODY, item)).toBe(false)
    expect(isSigned(settings, { ...source, author: 'bob' }, NOBODY, item)).toBe(false)
    expect(isSigned({ ...settings, group: 'other' }, source, NOBODY, item)).toBe(false)
    expect(isSigned(settings, source, NOBODY, { ...item, counter: 6 })).toBe(false)
    expect(isSigned(settings, source, NOBODY, { ...item, content: new Uint8Array([9]) })).toBe(false)
    expect(isSigned(settings, source, NOBODY, { ...item, proof: undefined })).toBe(false)
    expect(isSigned(settings, source, NOBODY, { ...item, proof: { ...proof, first: 6 } })).toBe(false)
    expect(isSigned(settings, source, NOBODY, { ...item, proof: { ...proof, count: 2 } })).toBe(false)
    expect(isSigned(settings, source, NOBODY, { ...item, proof: { ...proof, path: path.slice(1) } })).toBe(false)
    expect(isSigned({ ...settings, keys: { ...keys, keyOf: () => undefined } }, source, NOBODY, item)).toBe(false)
    // Beside the tree of its batch, which was built from another content.
    expect(isSigned(settings, source, NOBODY, { ...items[0]!, content: new Uint8Array([9]) })).toBe(false)
  })

  it('is believed among others as it is alone: whole batches, parts of them, and one that is altered', () => {
    const second = signBatch(settings, signer, source, bare(8, 64))
    const alone = second.map(apart)
    const spoiled = (item: Item, proof: Partial<NonNullable<Item['proof']>>): Item => {
      return { ...item, proof: { ...item.proof!, ...proof } }
    }
    const wrongPath = alone.map((item, place) => {
      return place === 9 ? spoiled(item, { path: [...pathOf(item)!].reverse() }) : item
    })
    const wrongSignature = alone.map((item, place) => {
      return place === 9 ? spoiled(item, { signature: new Uint8Array(64) }) : item
    })
    const wrongContent = alone.map((item, place) => (place === 9 ? { ...item, content: new Uint8Array([9]) } : item))
    const lists = [[...items, ...second], items.slice(1), second.slice(0, 63), wrongPath, wrongSignature, wrongContent]
    for (const list of lists) {
      const given = withTrees(hash, source, list)
      const among = signedAmong(settings, source, NOBODY, given)
      // A path that is not the tree's own is refused also where the whole batch is there: somebody may be shown it alone.
      for (const [place, item] of list.entries())
        expect(among.has(given[place]!)).toBe(isSigned(settings, source, NOBODY, item))
    }
    const sizes = lists.map(list => signedAmong(settings, source, NOBODY, withTrees(hash, source, list)).size)
    expect(sizes).toEqual([67, 2, 63, 63, 63, 63])
    // One whole batch is signed; the one behind it is not, and has another root.
    const spoilt = second.map((item, place) => (place === 9 ? { ...item, content: new Uint8Array([9]) } : item))
    const both = withTrees(hash, source, [...items, ...spoilt])
    expect(signedAmong(settings, source, NOBODY, both).size).toBe(3)
  })

  // As it comes over the wire: the signature once, and no path.
  it('is refused with its whole batch where that is not what was signed, whatever its tree was', () => {
    for (const count of [2, 3, 5, 64]) {
      const batch = signBatch(settings, signer, source, bare(8, count)).map(({ counter, content, proof }) => {
        return { counter, content, proof: { first: 8, count, signature: proof!.signature, tree: proof!.tree! } }
      })
      const believed = (list: readonly Item[]) =>
        signedAmong(settings, source, NOBODY, withTrees(hash, source, list)).size
      expect(believed(batch)).toBe(count)
      const of = (part: readonly Item[], change: Partial<NonNullable<Item['proof']>> = {}) =>
        part.map((item, place) => {
          const proof = { ...item.proof!, count: part.length, ...change }
          return { counter: (change.first ?? 8) + place, content: item.content, proof }
        })
      const other = batch.map((item, place) => (place === 1 ? { ...item, content: new Uint8Array([9]) } : item))
      const [one, two, ...rest] = batch as [Item, Item, ...Item[]]
      const lies = [other, of([two, one, ...rest]), of([...batch, one]), of(batch, { first: 9 })]
      if (count > 2) lies.push(of(batch.slice(0, -1)), of(batch.slice(1)), of([one, ...rest]))
      for (const list of lies) expect(believed(list)).toBe(0)
      expect(believed(of(batch, { signature: new Uint8Array(64) }))).toBe(0)
    }
  })

  it('has no path where a part of its batch came without one, and is refused', () => {
    const bareProof = { first: 5, count: 3, signature: items[0]!.proof!.signature }
    const part = items.slice(0, 2).map(item => ({ ...item, proof: bareProof }))
    expect(signedAmong(settings, source, NOBODY, withTrees(hash, source, part)).size).toBe(0)
  })

  it('where nobody lies, nothing is signed', () => {
    expect(isSigned({ ...settings, liars: 0 }, source, NOBODY, bare(1, 1)[0]!)).toBe(true)
  })
})

describe('what witnesses compare', () => {
  const digest = (items: readonly Item[], of = source) => digestOf(hash, of, items)
  const items = bare(5, 4)
  const [one, two, three, four] = items as [Item, Item, Item, Item]

  it('is the same however the events were signed together: two honest servers never differ', () => {
    const ways = [
      signBatch(settings, signer, source, items),
      items.flatMap(item => signBatch(settings, signer, source, [item])),
      [...signBatch(settings, signer, source, [one]), ...signBatch(settings, signer, source, [two, three, four])],
      signBatch(settings, signer, source, items).map(apart),
    ]
    for (const way of ways) expect(digest(way)).toEqual(digest(items))
  })

  it('is of these events, all of them, in this order, under these ids', () => {
    const others = [
      [],
      [one, two, three],
      [two, three, four],
      [one, three, four],
      [two, one, three, four],
      [one, two, three, four, four],
      [one, two, { ...three, content: new Uint8Array([9]) }, four],
      [one, two, { ...three, counter: 17 }, four],
    ]
    for (const other of others) expect(digest(other)).not.toEqual(digest(items))
    for (const change of [{ channel: 'orders' }, { author: 'bob' }, { boot: '0b' }])
      expect(digest(items, { ...source, ...change })).not.toEqual(digest(items))
  })

  it('is neither an event nor a node of a tree', () => {
    const leaves = [one, two].flatMap(({ counter, content }) => [...leafOf(hash, source, counter, content)])
    for (const tag of [0, 1]) expect(digest([one, two])).not.toEqual(hash(new Uint8Array([tag, ...leaves])))
  })
})

describe('a signed cursor', () => {
  const words = {
    channel: 'prices',
    name: 'audit',
    owner: 'ann',
    generation: 2,
    instance: 'aa',
    serial: 7,
    filter: hash(new Uint8Array()),
    entries: [{ author: 'bob', boot: '01', counter: 9 }],
  }
  const cursor = signCursor({ ...settings, signer }, words)

  it("is its owner's, for this channel, name, generation and filter, with these entries", () => {
    expect(isOwnersCursor(settings, cursor)).toBe(true)
    const others = [
      { channel: 'orders' },
      { name: 'other' },
      { owner: 'bob' },
      { generation: 3 },
      { instance: 'bb' },
      { serial: 8 },
      { filter: hash(new Uint8Array([1])) },
      { entries: [{ author: 'bob', boot: '01', counter: 10 }] },
      { signature: new Uint8Array() },
    ]
    for (const other of others)
      expect(isOwnersCursor(settings, { ...cursor, ...other }), JSON.stringify(other)).toBe(false)
  })
})
