// coterie watch PATH: every change of an entry of the tree, as it happens.

import type { Command } from 'commander'
import { action, newCommand, printLine } from '../../output.ts'
import { printable } from '../../printable.ts'
import { type TreeCommandOptions, treePath, withTree, withTreeOptions } from '../../tree.ts'

interface Options extends TreeCommandOptions {
  readonly recursive?: boolean
  readonly json?: boolean
}

const EXAMPLE = `
Example:
  $ coterie watch /services --recursive
      a line for every change, in order, until Ctrl-C: its number, what happened, and where

Nothing is missed, also across a lost connection; after a very long one a line says "missed": look again then.

Exit codes: 0 stopped by Ctrl-C, 1 the group could not be reached, 2 wrong usage.`

export function watchCommand(): Command {
  return withTreeOptions(newCommand('watch'))
    .argument('<path>', 'the entry', treePath)
    .option('--recursive', 'also what is below it')
    .option('--json', 'a line of JSON for each change')
    .addHelpText('after', EXAMPLE)
    .action(action(watch))
}

async function watch(path: string, options: Options): Promise<void> {
  const stopped = new AbortController()
  const stop = () => stopped.abort()
  process.once('SIGINT', stop).once('SIGTERM', stop)
  await withTree(options, async tree => {
    const { signal } = stopped
    for await (const event of tree.watch(path, { recursive: options.recursive ?? false, signal })) {
      printLine(options.json, event, () => `${event.change} ${event.kind} ${printable(event.path)}`)
    }
  })
}
