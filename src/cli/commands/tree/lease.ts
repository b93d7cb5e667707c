// coterie lease: leases of the tree, which entries of several processes are bound to.

import { setTimeout as sleep } from 'node:timers/promises'
import { type Command, Option } from 'commander'
import type { SharedTree } from '../../../client/objects/shared-tree.ts'
import type { LeasedOptions } from '../../../client/objects/tree-lease.ts'
import { ensure, hasCode } from '../../../client/recipes/tree.ts'
import { SettingsError } from '../../../core/index.ts'
import { duration } from '../../duration.ts'
import { action, newCommand, print } from '../../output.ts'
import { type TreeCommandOptions, treePath, withTree, withTreeOptions } from '../../tree.ts'

const EXAMPLE = `
Example:
  $ coterie lease grant --ttl 1m
      prints the id of a new lease
  $ coterie lease set /services/mail 10.0.0.7 --ttl 1m
      an entry that is gone a minute later, unless it is set so again

A lease belongs to no process: every client that knows its id can bind entries to it, renew it or revoke it. It ends when it was not
renewed for its time, and its entries with it, as soon as a process that uses the tree is there to see to it.`

const CODES = `
Exit codes: 0 done, 1 there is no such lease or the group could not be reached, 2 wrong usage.`

const example = (line: string) => `\nExample:\n  $ coterie lease ${line}\n${CODES}`

export function leaseCommand(): Command {
  return newCommand('lease')
    .addCommand(grantCommand())
    .addCommand(renewCommand())
    .addCommand(keepCommand())
    .addCommand(revokeCommand())
    .addCommand(setCommand())
    .addHelpText('after', EXAMPLE)
}

interface GrantOptions extends TreeCommandOptions {
  readonly ttl: number
  readonly json?: boolean
}

function ttlOption(): Option {
  return new Option('--ttl <duration>', 'how long it lives without a renewal, such as 30s').argParser(duration)
}

function grantCommand(): Command {
  return withTreeOptions(newCommand('grant'))
    .description('a new lease; prints its id')
    .addOption(ttlOption().makeOptionMandatory())
    .option('--json', 'print the result as JSON')
    .addHelpText('after', example('grant --ttl 30s'))
    .action(action(grant))
}

async function grant(options: GrantOptions): Promise<void> {
  await withTree(options, async tree => {
    const { id, ttl } = await tree.lease({ ttl: options.ttl, keep: false })
    print(options.json, { lease: id, ttl }, () => id)
  })
}

function renewCommand(): Command {
  return withTreeOptions(newCommand('renew'))
    .description('a lease lives for its time from now on')
    .argument('<id>', 'as coterie lease grant printed it')
    .addHelpText('after', example('renew 41.0'))
    .action(action((id: string, options: TreeCommandOptions) => withTree(options, tree => tree.renewLease(id))))
}

interface KeepOptions extends TreeCommandOptions {
  readonly every: number
}

const EVERY_DEFAULT_MS = 3_000

function keepCommand(): Command {
  return withTreeOptions(newCommand('keep'))
    .description('renew a lease again and again, until Ctrl-C')
    .argument('<id>', 'as coterie lease grant printed it')
    .addOption(
      new Option('--every <duration>', 'how often: a third of its time')
        .argParser(duration)
        .default(EVERY_DEFAULT_MS, '3s'),
    )
    .addHelpText('after', example('keep 41.0 --every 10s'))
    .action(action(keep))
}

async function keep(id: string, options: KeepOptions): Promise<void> {
  if (options.every < 1) throw new SettingsError('--every is 0; it must be longer.')
  const stopped = new AbortController()
  const stop = () => stopped.abort()
  process.once('SIGINT', stop).once('SIGTERM', stop)
  await withTree(options, async tree => {
    while (!stopped.signal.aborted) {
      await tree.renewLease(id)
      await sleep(options.every, undefined, { signal: stopped.signal }).catch(() => {})
    }
  })
}

function revokeCommand(): Command {
  return withTreeOptions(newCommand('revoke'))
    .description('end a lease now, with all entries that are bound to it')
    .argument('<id>', 'as coterie lease grant printed it')
    .addHelpText('after', example('revoke 41.0'))
    .action(action((id: string, options: TreeCommandOptions) => withTree(options, tree => tree.revokeLease(id))))
}

interface SetOptions extends TreeCommandOptions {
  readonly ttl?: number
  readonly lease?: string
}

const SET_EXAMPLE = `
Example:
  $ coterie lease set /services/mail 10.0.0.7 --ttl 30s
      made where it is not there, with what is above it, which stays
${CODES}`

function setCommand(): Command {
  return withTreeOptions(newCommand('set'))
    .description('set an entry of the tree that goes with a lease, or after its own time')
    .argument('<path>', 'the entry, such as /services/mail', treePath)
    .argument('<value>', 'its value')
    .addOption(ttlOption())
    .option('--lease <id>', 'the lease that it goes with')
    .addHelpText('after', SET_EXAMPLE)
    .action(action(set))
}

async function set(path: string, value: string, options: SetOptions): Promise<void> {
  const { ttl, lease } = options
  if ((ttl === undefined) === (lease === undefined)) throw new SettingsError('give --ttl or --lease, one of the two.')
  const binding = ttl === undefined ? { lease: lease! } : { ttl }
  await withTree(options, tree => put(tree, path, value, binding))
}

async function put(tree: SharedTree, path: string, value: string, binding: LeasedOptions): Promise<void> {
  const parent = path.slice(0, path.lastIndexOf('/'))
  if (parent !== '') await ensure(tree.plain, parent)
  try {
    await tree.create(path, value, binding)
  } catch (error) {
    if (!hasCode(error, 'exists')) throw error
    await tree.set(path, value, binding)
  }
}
