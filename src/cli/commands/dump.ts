// coterie dump: the whole tree as lines of JSON.

import { once } from 'node:events'
import type { Command } from 'commander'
import { action, newCommand } from '../output.ts'
import { type TreeCommandOptions, walk, withTree, withTreeOptions } from '../tree.ts'

/** One line of a dump; values are bytes. */
export interface Dumped {
  readonly path: string
  readonly base64: string
}

const EXAMPLE = `
Example:
  $ coterie dump > tree.jsonl
      one line for each entry, parents first; ephemeral entries are left out, since they belong to a living process

Each entry is read as it is when its turn comes: for one moment of the whole tree, stop the writers first.

Exit codes: 0 written, 1 the group could not be reached, 2 wrong usage.`

export function dumpCommand(): Command {
  return withTreeOptions(newCommand('dump')).addHelpText('after', EXAMPLE).action(action(dump))
}

async function dump(options: TreeCommandOptions): Promise<void> {
  await withTree(options, async tree => {
    for await (const path of walk(tree, '/')) {
      const entry = path === '/' ? undefined : await tree.get(path)
      if (entry === undefined || entry.stat.owner !== undefined) continue
      const line: Dumped = { path, base64: Buffer.from(entry.value).toString('base64') }
      if (!process.stdout.write(`${JSON.stringify(line)}\n`)) await once(process.stdout, 'drain')
    }
  })
}
