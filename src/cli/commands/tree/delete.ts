// coterie delete PATH: removes an entry of the tree.

import type { Command } from 'commander'
import { SettingsError } from '../../../core/index.ts'
import { action, newCommand, wholeNumber } from '../../output.ts'
import { type TreeCommandOptions, treePath, withTree, withTreeOptions } from '../../tree.ts'

interface Options extends TreeCommandOptions {
  readonly ifVersion?: number
  readonly recursive?: boolean
}

const EXAMPLE = `
Example:
  $ coterie delete /services/mail
  $ coterie delete /services --recursive
      with all that is below it, the lowest first; the root itself always stays

Exit codes: 0 deleted, 1 refused or the group could not be reached, 2 wrong usage.`

export function deleteCommand(): Command {
  return withTreeOptions(newCommand('delete'))
    .argument('<path>', 'the entry, such as /services/mail', treePath)
    .option('--if-version <number>', 'only if the entry has this version', wholeNumber)
    .option('--recursive', 'also what is below it')
    .addHelpText('after', EXAMPLE)
    .action(action(remove))
}

async function remove(path: string, options: Options): Promise<void> {
  if (path === '/' && !options.recursive) {
    throw new SettingsError('the root stays. To delete all that is below it: coterie delete / --recursive')
  }
  await withTree(options, async tree => {
    if (!options.recursive) {
      return tree.delete(path, options.ifVersion === undefined ? {} : { version: options.ifVersion })
    }
    const found = [path, ...(await tree.list(path, { recursive: true }))]
    for (const entry of found.reverse()) if (entry !== '/') await tree.delete(entry)
  })
}
