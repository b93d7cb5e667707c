// coterie unlock NAME --force: takes a lock from its holder.

import type { Command } from 'commander'
import type { ForcedUnlock } from '../../client/force.ts'
import { SettingsError } from '../../core/index.ts'
import { type ConnectionOptions, connectFrom, withConnection } from '../connection.ts'
import { action, colour, newCommand, print } from '../output.ts'

interface Options extends ConnectionOptions {
  readonly force?: boolean
  readonly json?: boolean
}

const EXAMPLE = `
Example:
  $ coterie unlock invoices --force
      frees the lock on all servers, and says who was cut off

The holder is not asked and not stopped. It finds its lease lost when that would have ended, and until then somebody
else may hold the lock as well: only guards that check tokens keep the two apart. Stop the holder first if you can.
Servers log who did it. Who may is in their coterie.toml: operators.

Exit codes: 0 freed, or nobody held it; 1 not an operator, or too few servers answered; 2 wrong usage.`

export function unlockCommand(): Command {
  return withConnection(newCommand('unlock'))
    .argument('<name>', 'name of the lock')
    .option('--force', 'yes, although its holder may still be at work')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', EXAMPLE)
    .action(action(unlock))
}

async function unlock(name: string, options: Options): Promise<void> {
  if (!options.force) {
    throw new SettingsError(
      `lock '${name}' is freed by its holder, or when its lease ends. To take it from a holder that may still be at ` +
        'work, add --force: from then on only guards that check tokens protect what it locks.',
    )
  }
  await using group = await connectFrom(options)
  const freed = await group.forceUnlock(name)
  print(options.json, { ...freed, token: freed.token?.toString() }, () => describeFreed(freed))
}

export function describeFreed({ name, holder, token, freed }: ForcedUnlock): string {
  if (holder === undefined) return `nobody held ${colour.bold(name)}; it is free on ${freed} servers`
  return [
    `freed ${colour.bold(name)} on ${freed} servers; ${colour.yellow(`${holder} was cut off`)} (token ${token})`,
    'It may believe to hold until its lease ends. Only guards protect now: later tokens are larger than that one.',
  ].join('\n')
}
