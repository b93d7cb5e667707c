// coterie get PATH: the value of an entry of the tree.

import { type Command, Option } from 'commander'
import { action, EXIT_FAILED, newCommand, printLine, tell, warn } from '../../output.ts'
import { type TreeCommandOptions, textOf, treePath, withTree, withTreeOptions } from '../../tree.ts'

interface Options extends TreeCommandOptions {
  readonly raw?: boolean
  readonly json?: boolean
}

const EXAMPLE = `
Example:
  $ coterie get /services/mail
      the value: on a terminal as a line of text, with what a terminal would obey written out
  $ coterie get /services/key > public.pem
      into a file or a pipe: exactly the bytes that were set, and no end of line behind them
  $ coterie get /services/mail --json
      with its versions, who made it, and how many children it has; "base64" in the place of "value" where the
      bytes are no text

Exit codes: 0 found, 1 there is no such entry or the group could not be reached, 2 wrong usage.`

export function getCommand(): Command {
  return withTreeOptions(newCommand('get'))
    .argument('<path>', 'the entry, such as /services/mail', treePath)
    .addOption(new Option('--raw', 'exactly the bytes, on a terminal too').conflicts('json'))
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
      printLine(true, { path, ...readable(entry.value), ...entry.stat }, () => '')
    } else if (process.stdout.isTTY && !options.raw) {
      tell(textOf(entry.value) ?? `${entry.value.length} bytes that are no text: ${HOW}`)
    } else {
      // For a file or another program: not a byte more or less, so that `get | set -` copies.
      process.stdout.write(entry.value)
    }
  })
}

const HOW = '--raw writes them as they are, --json as base64'

/** Text as text; bytes that are none under another name, so that nobody takes one for the other. */
function readable(value: Uint8Array): { readonly value: string } | { readonly base64: string } {
  const text = textOf(value)
  return text === undefined ? { base64: Buffer.from(value).toString('base64') } : { value: text }
}
