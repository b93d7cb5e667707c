// A dump's entries: all of one version, the root first, also while others write.

import { afterEach, describe, expect, it } from 'vitest'
import { embedded } from '../client/embedded.ts'
import type { Group } from '../client/group.ts'
import type { SharedTree } from '../client/objects/shared-tree.ts'
import { everything } from './tree.ts'

let group: Group
afterEach(() => group.close())

async function shop(): Promise<SharedTree> {
  group = await embedded()
  const tree = group.tree()
  for (const path of ['/a', '/a/x', '/a/y', '/b']) await tree.create(path, 'old')
  return tree
}

describe('everything', () => {
  it('is every entry, the root first, parents before children, in order of creation', async () => {
    const found = await everything(await shop())
    expect(found.map(({ path }) => path)).toEqual(['/', '/a', '/a/x', '/a/y', '/b'])
  })

  it('is of one version: two entries that are always changed together are the same', async () => {
    const tree = await shop()
    let over = false
    const writing = (async () => {
      for (let round = 0; !over; round++) {
        await tree.txn({ do: ['/a/x', '/b'].map(path => ({ kind: 'set', path, value: `round ${round}` })) })
      }
    })()
    for (let look = 0; look < 20; look++) {
      const found = await everything(tree)
      const textAt = (path: string) => Buffer.from(found.find(entry => entry.path === path)!.value).toString()
      expect(textAt('/a/x')).toBe(textAt('/b'))
    }
    over = true
    await writing
  })

  it('is refused where the root never stands still', async () => {
    const tree = await shop()
    const restless = new Proxy(tree, {
      get: (target, name) =>
        name === 'list'
          ? async (...args: Parameters<SharedTree['list']>) => {
              await target.set('/', 'again')
              return target.list(...args)
            }
          : Reflect.get(target, name).bind(target),
    })
    await expect(everything(restless)).rejects.toThrow('the root changed while the tree was read')
  })

  it('writes nothing', async () => {
    const tree = await shop()
    const before = (await tree.create('/before')).stat.created
    await everything(tree)
    expect((await tree.create('/after')).stat.created).toBe(before + 1)
  })
})
