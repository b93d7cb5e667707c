// coterie get PATH: the value of an entry of the tree.

import type { Command } from 'commander'
import { action, EXIT_FAILED, newCommand } from '../output.ts'
import { type TreeCommandOptions, treePath, withTree, withTreeOptions } from '../tree.ts'

interface Options extends TreeCommandOptions {
  readonly json?: boolean
}

const EXAMPLE = `
Example:
  $ coterie get /services/mail
      the value, as it was stored
  $ coterie get /services/mail --json
      with its versions, who made it, and how many children it has

Exit codes: 0 found, 1 there is no such entry or the group could not be reached, 2 wrong usage.`

export function getCommand(): Command {
  return withTreeOptions(newCommand('get'))
    .argument('<path>', 'the entry, such as /services/mail', treePath)
    .option('--json', 'print the result as JSON')
    .addHelpText('after', EXAMPLE)
    .action(action(get))
}

async function get(path: string, options: Options): Promise<void> {
  await withTree(options, async tree => {
    const entry = await tree.get(path)
    if (entry === undefined) {
      process.stderr.write(`there is no entry ${path}\n`)
      process.exitCode = EXIT_FAILED
    } else if (options.json) {
      process.stdout.write(`${JSON.stringify({ path, value: entry.text(), ...entry.stat })}\n`)
    } else {
      process.stdout.write(entry.value)
      process.stdout.write('\n')
    }
  })
}
