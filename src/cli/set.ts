// coterie set PATH VALUE: the value of an entry of the tree.

import type { Command } from 'commander'
import { action, newCommand, wholeNumber } from './output.ts'
import { put, type TreeCommandOptions, withTree, withTreeOptions } from './tree.ts'

interface Options extends TreeCommandOptions {
  readonly ifVersion?: number
}

const EXAMPLE = `
Example:
  $ coterie set /services/mail 10.0.0.7
      makes the entry, and what is above it, where it is not there
  $ coterie set /services/mail 10.0.0.8 --if-version 1
      only if its value was set exactly once before

Exit codes: 0 set, 1 refused or the group could not be reached, 2 wrong usage.`

export function setCommand(): Command {
  return withTreeOptions(newCommand('set').description('set an entry of the tree'))
    .argument('<path>', 'the entry, such as /services/mail')
    .argument('<value>', 'its value')
    .option('--if-version <number>', 'only if the entry has this version', wholeNumber)
    .addHelpText('after', EXAMPLE)
    .action(action(set))
}

async function set(path: string, value: string, options: Options): Promise<void> {
  await withTree(options, async tree => {
    if (options.ifVersion === undefined) await put(tree, path, value)
    else await tree.set(path, value, { version: options.ifVersion })
  })
}
