// coterie set PATH VALUE: the value of an entry of the tree.

import type { Command } from 'commander'
import { FileError } from '../../../core/index.ts'
import { VALUE_BYTES_MAX } from '../../../ordering/tree/entries.ts'
import { action, newCommand, wholeNumber } from '../../output.ts'
import { put, type TreeCommandOptions, treePath, withTree, withTreeOptions } from '../../tree.ts'

interface Options extends TreeCommandOptions {
  readonly ifVersion?: number
}

const EXAMPLE = `
Example:
  $ coterie set /services/mail 10.0.0.7
      makes the entry, and what is above it, where it is not there
  $ coterie set /services/mail 10.0.0.8 --if-version 0
      only if its value is still the one that it was made with; every set counts one more
  $ coterie set /services/key - < public.pem
      the value from standard input: a whole file, or what a pipe brings

Exit codes: 0 set, 1 refused or the group could not be reached, 2 wrong usage.`

export function setCommand(): Command {
  return withTreeOptions(newCommand('set'))
    .argument('<path>', 'the entry, such as /services/mail', treePath)
    .argument('<value>', 'its value; - is what standard input holds, to the last byte')
    .option('--if-version <number>', 'only if the entry has this version', wholeNumber)
    .addHelpText('after', EXAMPLE)
    .action(action(set))
}

async function set(path: string, given: string, options: Options): Promise<void> {
  const value = given === '-' ? await standardInput() : given
  await withTree(options, async tree => {
    if (options.ifVersion === undefined) await put(tree, path, value)
    else await tree.set(path, value, { version: options.ifVersion })
  })
}

/** Never more than an entry can hold, however much comes. */
async function standardInput(): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  let bytes = 0
  for await (const piece of process.stdin) {
    pieces.push(piece)
    bytes += piece.length
    if (bytes > VALUE_BYTES_MAX)
      throw new FileError(`standard input has more than ${VALUE_BYTES_MAX} bytes, and no entry holds more.`)
  }
  return Buffer.concat(pieces)
}
