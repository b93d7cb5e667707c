// coterie dump: the whole tree as lines of JSON.

import { once } from 'node:events'
import type { Command } from 'commander'
import { action, newCommand } from '../output.ts'
import { type TreeCommandOptions, withTree, withTreeOptions } from '../tree.ts'

/** One line of a dump; values are bytes. */
export interface Dumped {
  readonly path: string
  readonly base64: string
}

const EXAMPLE = `
Example:
  $ coterie dump > tree.jsonl
      one line for each entry, parents first, all of one version of the tree; nothing is written to the group

Left out: ephemeral entries and those of leases, since they belong to a living process, and other objects than this tree.

Exit codes: 0 written, 1 the group could not be reached, 2 wrong usage.`

export function dumpCommand(): Command {
  return withTreeOptions(newCommand('dump')).addHelpText('after', EXAMPLE).action(action(dump))
}

async function dump(options: TreeCommandOptions): Promise<void> {
  await withTree(options, async tree => {
    for (const { path, value, stat } of await tree.list('/', { recursive: true, values: true })) {
      if (stat.owner !== undefined) continue
      const line: Dumped = { path, base64: Buffer.from(value).toString('base64') }
      if (!process.stdout.write(`${JSON.stringify(line)}\n`)) await once(process.stdout, 'drain')
    }
  })
}
