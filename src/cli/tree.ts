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

/** An entry and all below it, parents first. */
export async function* walk(tree: SharedTree, path: string): AsyncGenerator<string> {
  yield path
  for (const name of await tree.list(path)) yield* walk(tree, path === '/' ? `/${name}` : `${path}/${name}`)
}

/** An entry with its value. */
export interface Found {
  readonly path: string
  readonly value: Uint8Array
  readonly stat: Stat
}

/** A tree that was read this often, and had changed each time, changes faster than it can be read. */
const LOOKS_MAX = 10

/**
 * All entries as they were at one moment, parents first, without a write: everything is read, then the versions of
 * everything again. Where no version has changed, all of it stood so between the two.
 */
export async function snapshot(tree: SharedTree): Promise<readonly Found[]> {
  for (let look = 0; look < LOOKS_MAX; look++) {
    const found = await collect(tree)
    if (found !== undefined && (await stand(tree, found))) return found
  }
  throw new Unavailable(
    `the tree changed while it was read, ${LOOKS_MAX} times. Stop some of its writers, and try again.`,
  )
}

/** Undefined where an entry went while it was looked at. */
async function collect(tree: SharedTree): Promise<Found[] | undefined> {
  const found: Found[] = []
  const waiting = ['/']
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const entry = await tree.get(path)
    if (entry === undefined) return undefined
    found.push({ path, value: entry.value, stat: entry.stat })
    const names = entry.stat.children === 0 ? [] : await childrenOf(tree, path)
    if (names === undefined) return undefined
    for (const name of names.toReversed()) waiting.push(path === '/' ? `/${name}` : `${path}/${name}`)
  }
  return found
}

async function childrenOf(tree: SharedTree, path: string): Promise<readonly string[] | undefined> {
  try {
    return await tree.list(path)
  } catch (error) {
    if (hasCode(error, 'no-entry')) return undefined
    throw error
  }
}

async function stand(tree: SharedTree, found: readonly Found[]): Promise<boolean> {
  for (const { path, stat } of found) {
    const now = await tree.exists(path)
    if (now === undefined || JSON.stringify(now) !== JSON.stringify(stat)) return false
  }
  return true
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
