// coterie dump: the whole tree as lines of JSON.

import { once } from 'node:events'
import type { Command } from 'commander'
import { action, newCommand, warn } from '../../output.ts'
import { jsonOf } from '../../printable.ts'
import { everything, type TreeCommandOptions, withTree, withTreeOptions } from '../../tree.ts'

/** One line of a dump; values are bytes. */
export interface Dumped {
  readonly path: string
  readonly base64: string
}

const EXAMPLE = `
Example:
  $ coterie dump > tree.jsonl
      one line for each entry, the root first and parents before their children, all of one version of the tree

Left out, by choice: ephemeral entries and those of leases, since they belong to a living process; versions, which begin
anew when a dump is restored; other trees (--tree names one), objects and sessions, which only the programs that use them
can make again. How many entries were left out is said on standard error. Nothing is written to the group.

Exit codes: 0 written, 1 the group could not be reached or the tree did not stand still, 2 wrong usage.`

export function dumpCommand(): Command {
  return withTreeOptions(newCommand('dump')).addHelpText('after', EXAMPLE).action(action(dump))
}

async function dump(options: TreeCommandOptions): Promise<void> {
  await withTree(options, async tree => {
    const found = await everything(tree)
    const kept = found.filter(({ stat }) => stat.owner === undefined)
    for (const { path, value } of kept) {
      const line: Dumped = { path, base64: Buffer.from(value).toString('base64') }
      if (!process.stdout.write(`${jsonOf(line)}\n`)) await once(process.stdout, 'drain')
    }
    warn(
      `${kept.length} ${kept.length === 1 ? 'entry' : 'entries'}; left out: ${found.length - kept.length} ephemeral, all objects and sessions`,
    )
  })
}
