// What the commands on the tree share.

import { type Command, InvalidArgumentError, Option } from 'commander'
import type { SharedTree } from '../client/objects/shared-tree.ts'
import { ensure, hasCode } from '../client/recipes/tree.ts'
import { SettingsError, Unavailable } from '../core/index.ts'
import { isPath, type Stat } from '../ordering/tree/index.ts'
import { type ConnectionOptions, connectFrom, withConnection } from './connection.ts'
import { duration } from './duration.ts'

export interface TreeCommandOptions extends ConnectionOptions {
  readonly tree?: string
  readonly timeout: number
}

const TIMEOUT_DEFAULT_MS = 10_000

/** The options of all commands on the tree. None of them hangs. */
export function withTreeOptions(command: Command): Command {
  const timeout = new Option('--timeout <duration>', 'how long to wait for each answer')
    .argParser(duration)
    .default(TIMEOUT_DEFAULT_MS, '10s')
  return withConnection(command).option('--tree <name>', 'another tree than the usual one').addOption(timeout)
}

const PATH_RULE = 'a path: /a/b, without empty steps, dots alone or control characters'

/** For arguments that are a path: wrong usage, and no question to the group. */
export function treePath(text: string): string {
  if (isPath(text)) return text
  throw new InvalidArgumentError(`It must be ${PATH_RULE}.`)
}

export async function withTree(options: TreeCommandOptions, work: (tree: SharedTree) => Promise<void>): Promise<void> {
  const { tree: name, timeout } = options
  await using group = await connectFrom(options, { timeout })
  await work(group.tree({ timeout, ...(name === undefined ? {} : { name }) }))
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

/** An entry with its value. */
export interface Found {
  readonly path: string
  readonly value: Uint8Array
  readonly stat: Stat
}

/** A root that changed this often while the rest was read changes faster than it can be read. */
const LOOKS_MAX = 10

/** All entries of one version, the root first and parents before their children. Nothing is written. */
export async function everything(tree: SharedTree): Promise<readonly Found[]> {
  for (let look = 0; look < LOOKS_MAX; look++) {
    const root = await tree.get('/')
    const below = await tree.list('/', { recursive: true, values: true })
    const now = await tree.exists('/')
    // The root was the same before and after: it was so in the version of the list, too.
    if (root === undefined) return below
    if (now?.modified === root.stat.modified) return [{ path: '/', value: root.value, stat: root.stat }, ...below]
  }
  throw new Unavailable(
    `the root changed while the tree was read, ${LOOKS_MAX} times. Stop its writers, and try again.`,
  )
}

/** Whole, a mark at its beginning included; undefined where the bytes are no text. */
export function textOf(value: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(value)
  } catch {
    return undefined
  }
}

/** "/path value": the first space ends the path. */
export function pathAndValue(text: string, option: string): { path: string; value: string } {
  const space = text.indexOf(' ')
  if (space <= 0) throw new SettingsError(`${option} ${JSON.stringify(text)}: a path, a space and a value are needed.`)
  return { path: checkedPath(text.slice(0, space), option), value: text.slice(space + 1) }
}

export function checkedPath(path: string, option: string): string {
  if (isPath(path)) return path
  throw new SettingsError(`${option} ${JSON.stringify(path)}: it must be ${PATH_RULE}.`)
}
