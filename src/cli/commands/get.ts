// coterie get PATH: the value of an entry of the tree.

import type { Command } from 'commander'
import { action, EXIT_FAILED, newCommand, printLine, tell, warn } from '../output.ts'
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
      warn(`there is no entry ${path}`)
      process.exitCode = EXIT_FAILED
    } else if (options.json) {
      printLine(true, { path, value: entry.text(), ...entry.stat }, () => '')
    } else if (process.stdout.isTTY) {
      tell(entry.text())
    } else {
      // For a file or another program: exactly the bytes that were set.
      process.stdout.write(entry.value)
      process.stdout.write('\n')
    }
  })
}
