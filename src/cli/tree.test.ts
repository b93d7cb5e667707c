// A tree as it was at one moment, also while others write to it.

import { describe, expect, it } from 'vitest'
import { MemoryTree } from '../../test/support/memory-tree.ts'
import type { SharedTree } from '../client/objects/shared-tree.ts'
import { snapshot } from './tree.ts'

/** A tree of which somebody else changes something after so many reads. */
function disturbed(tree: ReturnType<MemoryTree['client']>, everyReads: number, disturb: () => Promise<unknown>) {
  let reads = 0
  const read = async <T>(work: Promise<T>): Promise<T> => {
    const found = await work
    if (++reads % everyReads === 0) await disturb()
    return found
  }
  return {
    get: (path: string) => read(tree.get(path)),
    exists: (path: string) => read(tree.exists(path)),
    list: (path: string) => read(tree.list(path)),
  } as unknown as SharedTree
}

async function shop(world: MemoryTree) {
  const tree = world.client()
  for (const path of ['/a', '/a/x', '/a/y', '/b']) await tree.create(path, new TextEncoder().encode('old'))
  return tree
}

describe('a snapshot', () => {
  it('has every entry, the root first, parents before children, in order of creation', async () => {
    const tree = await shop(new MemoryTree())
    const found = await snapshot(disturbed(tree, 1e9, async () => {}))
    expect(found.map(({ path }) => path)).toEqual(['/', '/a', '/a/x', '/a/y', '/b'])
  })
  it.each([2, 3, 5, 7])('is of one moment: two entries that are always changed together are (%i)', async every => {
    const world = new MemoryTree(every)
    const tree = await shop(world)
    const writer = world.client()
    let round = 0
    const disturb = async () => {
      if (round >= 4) return
      const value = new TextEncoder().encode(`round ${++round}`)
      const set = (path: string) => ({ kind: 'set', path, value, version: undefined }) as const
      await writer.txn([], [set('/a/x'), set('/b')])
    }
    const found = await snapshot(disturbed(tree, every, disturb))
    const textAt = (path: string) => Buffer.from(found.find(entry => entry.path === path)!.value).toString()
    expect(round).toBeGreaterThan(0)
    expect(textAt('/a/x')).toBe(textAt('/b'))
  })
  it('also where entries come and go', async () => {
    const world = new MemoryTree()
    const tree = await shop(world)
    const writer = world.client()
    let moved = 0
    // Something is always in exactly one of two places.
    const disturb = async () => {
      if (++moved > 3) return
      const [from, to] = moved % 2 === 1 ? ['/a/x', '/b/x'] : ['/b/x', '/a/x']
      const create = {
        kind: 'create',
        path: to!,
        value: new Uint8Array(),
        ephemeral: false,
        sequential: false,
      } as const
      await writer.txn([], [{ kind: 'delete', path: from!, version: undefined }, create])
    }
    const found = await snapshot(disturbed(tree, 3, disturb))
    expect(found.filter(({ path }) => path.endsWith('/x'))).toHaveLength(1)
  })
  it('is refused where the tree never stands still', async () => {
    const world = new MemoryTree()
    const tree = await shop(world)
    const writer = world.client()
    await expect(snapshot(disturbed(tree, 2, () => writer.set('/b', new Uint8Array([1]))))).rejects.toThrow(
      /changed while it was read/,
    )
  })
  it('writes nothing', async () => {
    const world = new MemoryTree()
    const tree = await shop(world)
    const before = new Map(world.table)
    await snapshot(disturbed(tree, 1e9, async () => {}))
    expect(world.table).toEqual(before)
  })
})
