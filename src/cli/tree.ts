// What the commands on the tree share.

import type { SharedTree } from '../client/objects/shared-tree.ts'
import { ensure, hasCode } from '../client/recipes/tree.ts'
import { SettingsError } from '../core/index.ts'
import { type ConnectionOptions, connectFrom } from './connection.ts'

export interface TreeCommandOptions extends ConnectionOptions {
  readonly tree?: string
}

export async function withTree(options: TreeCommandOptions, work: (tree: SharedTree) => Promise<void>): Promise<void> {
  await using group = await connectFrom(options)
  await work(group.tree(options.tree === undefined ? {} : { name: options.tree }))
}

/** Sets an entry, and makes it where it is not there, with what is above it. */
export async function put(tree: SharedTree, path: string, value: string | Uint8Array): Promise<void> {
  if ((await tree.exists(path)) !== undefined) {
    await tree.set(path, value)
    return
  }
  const parent = path.slice(0, path.lastIndexOf('/'))
  if (parent !== '') await ensure(tree.plain, parent)
  try {
    await tree.create(path, value)
  } catch (error) {
    // Somebody else made it in this moment.
    if (!hasCode(error, 'exists')) throw error
    await tree.set(path, value)
  }
}

/** An entry and all below it, parents first. */
export async function* walk(tree: SharedTree, path: string): AsyncGenerator<string> {
  yield path
  for (const name of await tree.list(path)) yield* walk(tree, path === '/' ? `/${name}` : `${path}/${name}`)
}

/** "/path value": the first space ends the path. */
export function pathAndValue(text: string, option: string): { path: string; value: string } {
  const space = text.indexOf(' ')
  if (space > 0) return { path: text.slice(0, space), value: text.slice(space + 1) }
  throw new SettingsError(`${option} ${JSON.stringify(text)}: a path, a space and a value are needed.`)
}
