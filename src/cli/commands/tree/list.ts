// coterie list PATH: what is below an entry of the tree.

import type { Command } from 'commander'
import { action, newCommand, print } from '../../output.ts'
import { printable } from '../../printable.ts'
import { type TreeCommandOptions, treePath, withTree, withTreeOptions } from '../../tree.ts'

interface Options extends TreeCommandOptions {
  readonly recursive?: boolean
  readonly json?: boolean
}

const EXAMPLE = `
Example:
  $ coterie list /services
      the names of its children, in order of creation
  $ coterie list / --recursive
      every path of the tree

Exit codes: 0 shown, 1 there is no such entry or the group could not be reached, 2 wrong usage.`

export function listCommand(): Command {
  return withTreeOptions(newCommand('list'))
    .argument('[path]', 'the entry', treePath, '/')
    .option('--recursive', 'every path below it')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', EXAMPLE)
    .action(action(list))
}

async function list(path: string, options: Options): Promise<void> {
  await withTree(options, async tree => {
    const found = [...(await tree.list(path, { recursive: options.recursive ?? false }))]
    if (options.recursive) found.unshift(path)
    if (options.json || found.length > 0) print(options.json, found, () => found.map(printable).join('\n'))
  })
}
